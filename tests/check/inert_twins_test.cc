// Inert twins: two databases in which every restricted value differs, and which no safe query can tell apart. Random
// queries that try to name restricted columns are run on both; those that the checker calls safe must give the same rows.
//
// What a safe query may learn has to be the same in both, and nothing more:
//
// - Hidden: the values differ at will, and so does the number of rows of a table that is all Hidden.
// - ConditionOnly: a query may learn which values are equal, not what they are. Values are renamed, everywhere alike, to
//   others. No Public value or literal equals one, before or after, or lies between two of them.
// - AggregateOnly: a query may learn sums over rows that nothing else tells apart. Rows come in pairs that are alike in
//   all Public and ConditionOnly columns. A column is m + s and m - s in a pair, and s differs between the twins: sums of
//   the column, and of its products with whatever the pair has in common, do not. A second column of the table is n + t
//   and n - t, and s * t is the same in both twins, so that the sum of their product (2mn + 2st) is too. With a third
//   column that could not be had, so no table has three. A product with a column of another table takes each row of a
//   pair with the same rows there. A column multiplied with itself is not plain, and so never safe.
//
// Some queries may learn a little more, and each is run on twins in which that is the same as well:
//
// - DISTINCT in an aggregate: how many values are different. There, no two values of a column are equal in either twin;
//   else values that are equal in one twin are not in the other.
// - What hangs on the order in which SQLite takes the rows of a group, which is not promised to be unseen: there, the
//   order of values is the same in both twins; else it is not. ConditionOnly likewise where they are compared by <.
//
// And one may learn less: a query that uses a ConditionOnly column in one place has nothing to compare it with, and so
// must not learn which of its values are equal. There, other rows have equal values in one twin than in the other.
#include <algorithm>
#include <array>
#include <iostream>
#include <map>
#include <memory>

#include <gtest/gtest.h>
#include <sqlite3.h>

#include "check/check.h"
#include "check/query_generator.h"
#include "check/random_run.h"
#include "schema/reader.h"

namespace pccsql {
namespace {

// What the twins have in common beyond what every safe query may learn.
enum class Sums : uint8_t { Alone, AndDistinct, AndOrder };
enum class Labels : uint8_t { Alone, AndOrder, NotEqual };

constexpr int kPairs = 4;

// Half the difference of the two rows of a pair, by twin and pair: of the first AggregateOnly column of a table, and of
// a second one. The products are the same in both twins.
struct Spreads {
  std::array<std::array<int, kPairs>, 2> first;
  std::array<std::array<int, kPairs>, 2> second;
  std::array<int, kPairs> middle;
};

Spreads spreads_for(Sums sums) {
  switch (sums) {
    case Sums::Alone:  // both rows of a pair alike in one twin
      return {{{{1, 3, 0, 0}, {0, 0, 2, 1}}}, {{{0, 0, 1, 4}, {2, 1, 0, 0}}}, {11, 12, 11, 13}};
    case Sums::AndDistinct:
      return {{{{1, 12, 3, 5}, {2, 6, 4, 10}}}, {{{4, 2, 4, 4}, {2, 4, 3, 2}}}, {11, 16, 29, 25}};
    case Sums::AndOrder:
      return {{{{1, 2, 1, 3}, {2, 1, 3, 1}}}, {{{2, 1, 3, 1}, {1, 2, 1, 3}}}, {11, 21, 31, 41}};
  }
  return {};
}

// ConditionOnly values by twin, as text and as numbers. They differ late, so that to compare one with anything else tells
// nothing of it, and by more than anything that is added to them.
std::string label(Labels labels, int twin, int which, bool number = false) {
  constexpr const char* kValues[] = {"137", "251", "382", "546", "718"};
  constexpr const char* kRenamed[] = {"873", "164", "655", "290", "421"};
  constexpr const char* kInOrder[] = {"192", "303", "471", "600", "812"};
  if (which < 0) return "NULL";
  const std::string value = (twin == 0 ? kValues : labels == Labels::AndOrder ? kInOrder : kRenamed)[which];
  return number ? "573" + value : "'k" + value + "'";
}

std::string rows_of(Sums sums, Labels labels, int twin) {
  const Spreads spreads = spreads_for(sums);
  const bool regrouped = labels == Labels::NotEqual && twin == 1;
  const std::array<int, kPairs> label_of = regrouped ? std::array{3, 4, 2, -1} : std::array{0, 1, 1, -1};
  const std::array<int, kPairs> second_label_of = regrouped ? std::array{3, 3, 0, 1} : std::array{1, 2, 4, 0};
  const std::array<int, kPairs> number_of = regrouped ? std::array{2, 2, 0, 0} : std::array{0, 1, 0, 0};
  const auto value = [&](const auto& spread, int pair, int sign, int shift) {
    const auto p = static_cast<size_t>(pair);
    return std::to_string(spreads.middle[p] + shift + sign * spread[static_cast<size_t>(twin)][p]);
  };
  std::string sql;
  const auto insert = [&](const char* table, const std::vector<std::string>& values) {
    sql += std::string("INSERT INTO ") + table + " VALUES(";
    for (size_t i = 0; i < values.size(); ++i) sql += (i == 0 ? "" : ", ") + values[i];
    sql += ");";
  };
  for (const int sign : {1, -1}) {
    for (int pair = 0; pair < kPairs; ++pair) {
      const std::string number = std::to_string(pair % 3 + 1);
      const std::string hidden = std::to_string(twin == 0 ? 10 * pair + sign : 7 - 3 * pair * sign);
      const std::string key = label(labels, twin, label_of[static_cast<size_t>(pair)]);
      const std::string key2 = label(labels, twin, second_label_of[static_cast<size_t>(pair)]);
      insert("t",
             {number, "'b" + std::to_string(pair / 2) + "'", key,
              pair == 3 ? "NULL" : value(spreads.first, pair, sign, 0), value(spreads.second, pair, sign, 5), hidden});
      if (pair == 3) continue;
      insert("u", {std::to_string(pair), key2, value(spreads.first, pair, -sign, 1), hidden});
      if (pair < 2)
        insert("w", {key2, label(labels, twin, number_of[static_cast<size_t>(pair)], true),
                     value(spreads.second, pair, sign, 2)});
    }
  }
  insert("v", {"'b1'", "'x'", "1"});
  insert("v", {"'b0'", "'b1'", "2"});
  insert("v", {"'b2'", "NULL", "2"});
  for (int i = 0; i < 2 + 3 * twin; ++i) insert("z", {std::to_string(i + twin), label(labels, twin, i % 3)});
  return sql;
}

struct CloseDatabase {
  void operator()(sqlite3* db) const { sqlite3_close(db); }
};
using DatabasePointer = std::unique_ptr<sqlite3, CloseDatabase>;

DatabasePointer make_database(const std::string& rows) {
  sqlite3* db = nullptr;
  if (sqlite3_open_v2(":memory:", &db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, nullptr) != SQLITE_OK)
    return nullptr;
  DatabasePointer owner(db);
  const std::string sql = std::string(kGeneratorSchema) + rows + "PRAGMA automatic_index = off";
  if (sqlite3_exec(db, sql.c_str(), nullptr, nullptr, nullptr) != SQLITE_OK) return nullptr;
  return owner;
}

// The rows in the order of their values.
struct Rows {
  enum class End : uint8_t { Done, Refused, Failed, TooLong } end = End::Done;
  std::vector<std::string> sorted;
  friend bool operator==(const Rows&, const Rows&) = default;
};

Rows answer(sqlite3* db, const std::string& sql) {
  Rows rows;
  sqlite3_stmt* statement = nullptr;
  if (sqlite3_prepare_v2(db, sql.c_str(), -1, &statement, nullptr) != SQLITE_OK) return {Rows::End::Refused, {}};
  constexpr int kSteps = 300'000;  // of SQLite's machine: joins of joins are of no use here
  sqlite3_progress_handler(
      db, kSteps, [](void*) { return 1; }, nullptr);
  int status = SQLITE_ROW;
  while ((status = sqlite3_step(statement)) == SQLITE_ROW) {
    std::string row;
    for (int i = 0; i < sqlite3_column_count(statement); ++i) {
      const unsigned char* text = sqlite3_column_text(statement, i);
      row += text == nullptr ? "NULL" : reinterpret_cast<const char*>(text);
      row += '|';
    }
    rows.sorted.push_back(std::move(row));
  }
  if (status == SQLITE_INTERRUPT) {
    rows.end = Rows::End::TooLong;
  } else if (status != SQLITE_DONE) {
    rows.end = Rows::End::Failed;
  }
  sqlite3_finalize(statement);
  std::sort(rows.sorted.begin(), rows.sorted.end());
  return rows;
}

std::string to_text(const Rows& rows) {
  std::string text;
  for (const std::string& row : rows.sorted) text += row + "  ";
  return text + (rows.end == Rows::End::Failed ? "(failed)" : "");
}

class Twins {
 public:
  Twins() {
    for (size_t sums = 0; sums < 3; ++sums) {
      for (size_t labels = 0; labels < 3; ++labels) {
        for (int twin = 0; twin < 2; ++twin) {
          databases_[sums][labels][static_cast<size_t>(twin)] =
              make_database(rows_of(static_cast<Sums>(sums), static_cast<Labels>(labels), twin));
        }
      }
    }
  }

  const std::array<DatabasePointer, 2>& pair(Sums sums, Labels labels) const {
    return databases_[static_cast<size_t>(sums)][static_cast<size_t>(labels)];
  }

 private:
  std::array<std::array<std::array<DatabasePointer, 2>, 3>, 3> databases_;
};

using PermissionTable = std::array<std::array<bool, 4>, 4>;  // by policy and role

PermissionTable permissions() {
  PermissionTable table{};
  for (const ColumnPolicy policy : kColumnPolicies) {
    for (const Role role : kRoles)
      table[static_cast<size_t>(policy)][static_cast<size_t>(role)] = permitted(policy, role);
  }
  return table;
}

// How the queries are judged: as the program does, or with one thing wrong.
struct Judging {
  Profile profile = Profile::Strict;
  PermissionTable table = permissions();
  bool closed_tables = true;  // tables that are all Hidden cannot be named
};

struct Counts {
  uint64_t made = 0;
  uint64_t safe = 0;
  uint64_t compared = 0;
  uint64_t by_policy[4] = {};  // compared, and naming a column of this policy
  uint64_t too_long = 0;
  uint64_t refused = 0;      // by SQLite, which differential_test is about
  uint64_t until_found = 0;  // the queries made when one told the twins apart
};

class Worker {
 public:
  Worker(Emphasis emphasis, uint64_t seed, const Judging& judging)
      : generator_(emphasis, seed),
        judging_(judging),
        catalog_(*read_ddl_catalog(kGeneratorSchema)),
        policy_(generator_policy(catalog_)),
        checker_(catalog_, {judging.profile, Language::Full}) {}

  // Stops at the first query that tells the twins apart.
  void run(uint64_t queries) {
    for (uint64_t i = 0; i < queries && found_.empty(); ++i) {
      const GeneratedQuery query = generator_.next();
      ++counts_.made;
      if (!is_safe(query.sql)) continue;
      ++counts_.safe;
      if (told_by(query).empty()) continue;
      GeneratedQuery less = query;
      less.sql = shrunk(query.sql, [&](const std::string& sql) {
        GeneratedQuery smaller = query;
        smaller.sql = sql;
        return is_safe(sql) && !told_by(smaller).empty();
      });
      found_ = less.sql + "\n" + told_by(less) + "\nfirst met as " + query.sql;
      counts_.until_found = counts_.made;
    }
  }

  const Counts& counts() const { return counts_; }
  const std::string& found() const { return found_; }

 private:
  bool is_safe(const std::string& sql) {
    const Analysis& analysis = checker_.analyze(sql);
    if (analysis.verdict != Verdict::Safe) return false;
    used_ = {};
    for (const Occurrence& use : analysis.uses) {
      const auto policy = static_cast<size_t>(policy_.of(use.column));
      ++used_[policy];
      if (!judging_.table[policy][static_cast<size_t>(use.role)]) return false;
    }
    return !judging_.closed_tables ||
           std::none_of(analysis.tables.begin(), analysis.tables.end(),
                        [&](const NamedTable& mention) { return policy_.all_hidden(mention.table); });
  }

  // The twins that nothing but a restricted value lets this query tell apart.
  const std::array<DatabasePointer, 2>& twins_for(const GeneratedQuery& query) const {
    if (query.hangs_on_order) return twins_.pair(Sums::AndOrder, Labels::AndOrder);
    const Sums sums = query.counts_distinct ? Sums::AndDistinct : Sums::Alone;
    // USING compares two columns in one place, and LIMIT can count the different values of one.
    bool once = used_[static_cast<size_t>(ColumnPolicy::ConditionOnly)] <= 1;
    for (const char* word : {"USING", "NATURAL", "LIMIT"}) once = once && query.sql.find(word) == std::string::npos;
    if (once) return twins_.pair(sums, Labels::NotEqual);
    return twins_.pair(sums, query.compares_order ? Labels::AndOrder : Labels::Alone);
  }

  // How the query that was judged last and is safe tells the twins apart; empty if it does not.
  std::string told_by(const GeneratedQuery& query) {
    const auto& [first, second] = twins_for(query);
    const Rows rows = answer(first.get(), query.sql);
    const Rows others = answer(second.get(), query.sql);
    if (rows.end == Rows::End::TooLong || others.end == Rows::End::TooLong) {
      ++counts_.too_long;
      return "";
    }
    if (rows.end == Rows::End::Refused) {
      ++counts_.refused;
      return "";
    }
    ++counts_.compared;
    for (size_t policy = 0; policy < 4; ++policy) counts_.by_policy[policy] += used_[policy] > 0;
    return rows == others ? "" : "one twin: " + to_text(rows) + "\nthe other: " + to_text(others);
  }

  QueryGenerator generator_;
  Judging judging_;
  Catalog catalog_;
  Policy policy_;
  SqliteChecker checker_;
  Twins twins_;
  std::array<int, 4> used_{};  // by policy, the uses of such columns in the query that was judged last
  Counts counts_;
  std::string found_;
};

// The twins differ in every restricted value, and in nothing else.
TEST(InertTwins, DifferInEveryRestrictedValue) {
  const Twins twins;
  const Result<Catalog> catalog = read_ddl_catalog(kGeneratorSchema);
  ASSERT_TRUE(catalog);
  const Policy policy = generator_policy(*catalog);
  for (const Sums sums : {Sums::Alone, Sums::AndDistinct, Sums::AndOrder}) {
    for (const Labels labels : {Labels::Alone, Labels::AndOrder, Labels::NotEqual}) {
      const auto& [first, second] = twins.pair(sums, labels);
      ASSERT_TRUE(first && second);
      for (TableId t = 0; t < catalog->tables().size(); ++t) {
        const Table& table = catalog->table(t);
        for (ColumnIndex c = 0; c < table.columns.size(); ++c) {
          const std::string sql = "SELECT rowid, " + table.columns[c].name + " FROM " + table.name + " WHERE " +
                                  table.columns[c].name + " NOTNULL";
          const Rows rows = answer(first.get(), sql);
          const Rows others = answer(second.get(), sql);
          ASSERT_FALSE(rows.sorted.empty());
          if (policy.of({t, c}) == ColumnPolicy::Public) {
            EXPECT_EQ(rows, others) << sql;
            continue;
          }
          for (const std::string& row : rows.sorted) {
            EXPECT_EQ(std::count(others.sorted.begin(), others.sorted.end(), row), 0) << sql << ": " << row;
          }
        }
      }
    }
  }
}

class InertTwinsWith : public ::testing::TestWithParam<Emphasis> {};

TEST_P(InertTwinsWith, AreNotToldApart) {
  Counts total;
  for (const auto& worker : in_shards(random_queries(48'000), [](uint64_t seed) {
         return std::make_unique<Worker>(GetParam(), seed, Judging{});
       })) {
    const Counts& counts = worker->counts();
    total.made += counts.made, total.safe += counts.safe, total.compared += counts.compared;
    total.too_long += counts.too_long, total.refused += counts.refused;
    for (size_t policy = 0; policy < 4; ++policy) total.by_policy[policy] += counts.by_policy[policy];
    EXPECT_EQ(worker->found(), "");
  }
  std::cout << total.made << " queries, " << total.safe << " safe, " << total.compared
            << " compared on both twins, of them with ConditionOnly columns " << total.by_policy[1]
            << ", with AggregateOnly columns " << total.by_policy[2] << "; " << total.too_long << " took too long, "
            << total.refused << " were refused by SQLite\n";
  EXPECT_GT(total.compared, total.made / 20);
  EXPECT_GT(total.by_policy[1], total.made / 100);
  EXPECT_GT(total.by_policy[2], total.made / 100);
}

constexpr std::array kEmphases{Emphasis::Windows, Emphasis::SetOperations, Emphasis::Aliases, Emphasis::Aggregates};
constexpr const char* kEmphasisNames[] = {"Windows", "SetOperations", "Aliases", "Aggregates"};

INSTANTIATE_TEST_SUITE_P(InertTwins, InertTwinsWith, ::testing::ValuesIn(kEmphases),
                         [](const auto& one) { return std::string(kEmphasisNames[static_cast<size_t>(one.param)]); });

// Judged with one thing wrong, the same queries tell the twins apart soon.
void expect_told_apart(const Judging& judging, const std::string& what) {
  uint64_t fewest = 0;
  std::string found;
  for (const Emphasis emphasis : kEmphases) {
    Worker worker(emphasis, 5, judging);
    worker.run(40'000);
    if (worker.found().empty() || (fewest != 0 && worker.counts().until_found >= fewest)) continue;
    fewest = worker.counts().until_found;
    found = worker.found();
  }
  std::cout << what << ": "
            << (found.empty() ? "not found"
                              : "after " + std::to_string(fewest) + ", " + found.substr(0, found.find('\n')))
            << "\n";
  EXPECT_NE(found, "") << what;
}

TEST(InertTwins, AreToldApartUnderProfilePaper) { expect_told_apart({Profile::Paper, permissions(), true}, "paper"); }

TEST(InertTwins, AreToldApartWhereATableThatIsAllHiddenMayBeNamed) {
  expect_told_apart({Profile::Strict, permissions(), false}, "tables all Hidden");
}

TEST(InertTwins, AreToldApartByEachRoleThatIsNotPermitted) {
  for (const ColumnPolicy policy : kColumnPolicies) {
    for (const Role role : kRoles) {
      if (permitted(policy, role)) continue;
      Judging judging;
      judging.table[static_cast<size_t>(policy)][static_cast<size_t>(role)] = true;
      expect_told_apart(judging, std::string(to_string(policy)) + " as " + std::string(to_string(role)));
    }
  }
}

}  // namespace
}  // namespace pccsql
