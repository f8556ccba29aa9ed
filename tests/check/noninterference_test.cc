// What may not be seen cannot be seen. Random queries that try hard to name restricted columns are run on two databases, and
// those that the checker calls safe must give the same rows on both.
//
// Hidden: the databases differ in Hidden columns at will. AggregateOnly: rows come in pairs that are alike but for the
// AggregateOnly column, and the two values of a pair differ between the databases while their sum does not; so whatever
// COUNT, SUM and AVG of sums and plain values tell is the same, and anything else is not. The restricted columns have no
// index and no key, so that row order cannot follow them, and no query has a LIMIT.
#include <algorithm>
#include <iostream>
#include <memory>

#include <gtest/gtest.h>
#include <sqlite3.h>

#include "check/check.h"
#include "check/random_run.h"
#include "check/small_grammar.h"
#include "schema/reader.h"
#include "syntax/sentence.h"

namespace pccsql {
namespace {

constexpr std::string_view kSchema =
    "CREATE TABLE t(a INT, b TEXT, c INT);"
    "CREATE TABLE u(a INT, d INT, e INT);"
    "CREATE TABLE v(b INT, f INT);"
    "CREATE TABLE h(z INT, y INT);";

std::string fill(Terminal terminal, Slot slot, std::mt19937_64& random) {
  if (terminal == Terminal::Integer) return pick(random, {"1", "2", "3", "5"});
  switch (slot) {
    case Slot::Table:
      return pick(random, {"t x", "t", "u", "v", "n", "h", "t x JOIN u y", "t x LEFT JOIN u y ON x.a = y.a",
                           "t x , v z", "t x JOIN u y USING (a)", "t NATURAL JOIN u", "(SELECT a, b FROM t) x"});
    case Slot::Index:
      return pick(random, {"u y", "u", "v", "v z", "n m", "h"});
    case Slot::Column:
      return pick(random, {"a", "b", "c", "e"});
    case Slot::Alias:
      return pick(random, {"x", "n", "a", "m", "c", "e"});
    case Slot::NewName:
      return pick(random, {"n", "m", "c"});
    case Slot::Type:
      return pick(random, {"count", "sum", "max", "abs", "min", "avg", "coalesce", "total"});
    case Slot::Collation:
      return pick(random, {"count", "sum", "max", "rank", "min"});
    default:
      return pick(random, {"a",   "b",   "c",   "d",   "e",   "f",     "x.a", "x.b",   "x.c",   "t.b",
                           "t.c", "y.d", "y.e", "u.d", "u.e", "rowid", "oid", "\"c\"", "\"e\"", "[c]",
                           "n",   "m",   "n.c", "n.a", "z.f", "v.f",   "h.z", "x"});
  }
}

// Likewise, with aggregates and restricted columns in most places.
std::string fill_sums(Terminal terminal, Slot slot, std::mt19937_64& random) {
  if (slot == Slot::Type) return pick(random, {"sum", "count", "avg", "sum", "max", "abs"});
  if (slot == Slot::Table)
    return pick(random, {"t x", "t", "u", "t x", "t x JOIN u y", "t x LEFT JOIN u y ON x.a = y.a"});
  if (slot == Slot::Name) return pick(random, {"c", "x.c", "a", "b", "c", "e", "d", "x.b", "y.e", "t.c", "n", "m"});
  return fill(terminal, slot, random);
}

// c, e, f and all of h, even how many rows it has, depend on `variant`.
std::string rows_that_differ(int variant) {
  std::string sql;
  for (int i = 1; i <= 5; ++i) {
    const std::string n = std::to_string(i);
    sql += "INSERT INTO t VALUES(" + n + ", 'b" + std::to_string(i % 3) + "', " +
           std::to_string(variant == 0 ? i * 3 % 4 : i * 7 % 5) + ");";
    sql += "INSERT INTO u VALUES(" + std::to_string(i % 4) + ", " + std::to_string(i * i) + ", " +
           std::to_string(variant == 0 ? 5 - i : i % 2) + ");";
    sql += "INSERT INTO v VALUES(" + std::to_string(i % 2) + ", " + std::to_string(variant == 0 ? i * 2 : 3 - i) + ");";
    if (variant == 0 || i < 3) sql += "INSERT INTO h VALUES(" + std::to_string(variant + i) + ", 1);";
  }
  return sql;
}

// Pairs of rows with the same sums of c, e and f in both variants.
std::string rows_with_equal_sums(int variant) {
  constexpr int kValues[2][6] = {{1, 5, 3, 3, 0, 8}, {2, 4, 6, 0, 4, 4}};
  std::string sql;
  for (int i = 0; i < 6; ++i) {
    const std::string pair = std::to_string(i / 2);
    const int value = kValues[variant][i];
    sql += "INSERT INTO t VALUES(" + pair + ", 'b" + pair + "', " + std::to_string(value) + ");";
    sql += "INSERT INTO u VALUES(" + pair + ", " + pair + ", " + std::to_string(kValues[variant][5 - i]) + ");";
    sql += "INSERT INTO v VALUES(" + pair + ", " + std::to_string(3 * value) + ");";
    sql += "INSERT INTO h VALUES(1, 1);";
  }
  return sql;
}

struct CloseDatabase {
  void operator()(sqlite3* db) const { sqlite3_close(db); }
};
using DatabasePointer = std::unique_ptr<sqlite3, CloseDatabase>;

DatabasePointer make_database(const std::string& rows) {
  sqlite3* db = nullptr;
  if (sqlite3_open(":memory:", &db) != SQLITE_OK) return nullptr;
  DatabasePointer owner(db);
  const std::string sql = std::string(kSchema) + rows;
  return sqlite3_exec(db, sql.c_str(), nullptr, nullptr, nullptr) == SQLITE_OK ? std::move(owner) : nullptr;
}

// The rows as a sorted list, or how it failed.
std::vector<std::string> answer(sqlite3* db, const std::string& sql) {
  sqlite3_stmt* statement = nullptr;
  if (sqlite3_prepare_v2(db, sql.c_str(), -1, &statement, nullptr) != SQLITE_OK) return {"refused"};
  std::vector<std::string> found;
  int status = SQLITE_ROW;
  while ((status = sqlite3_step(statement)) == SQLITE_ROW) {
    std::string row;
    for (int i = 0; i < sqlite3_column_count(statement); ++i) {
      const unsigned char* text = sqlite3_column_text(statement, i);
      row += text == nullptr ? "NULL" : reinterpret_cast<const char*>(text);
      row += '|';
    }
    found.push_back(std::move(row));
  }
  if (status != SQLITE_DONE) found.emplace_back("failed");
  sqlite3_finalize(statement);
  std::sort(found.begin(), found.end());
  return found;
}

// Runs the safe ones among many queries on both databases, until one tells them apart.
struct Compared {
  int queries = 0;
  int safe = 0;
  int aggregating = 0;
  std::string told;  // the first query that tells the databases apart
};

Compared compare(const std::string& first_rows, const std::string& second_rows, ColumnPolicy label,
                 const SentenceGenerator::Fill& filler, Profile profile = Profile::Strict) {
  Compared compared;
  const DatabasePointer first = make_database(first_rows);
  const DatabasePointer second = make_database(second_rows);
  const Result<Catalog> catalog = read_ddl_catalog(kSchema);
  const Result<Grammar> grammar = Grammar::compile(kSmallGrammar);
  EXPECT_TRUE(first && second && catalog && grammar);
  EXPECT_NE(answer(first.get(), "SELECT c FROM t"), answer(second.get(), "SELECT c FROM t"));
  Policy policy(*catalog, ColumnPolicy::Public);
  for (const auto& [table, column] : {std::pair{"t", "c"}, {"u", "e"}, {"v", "f"}, {"h", "z"}, {"h", "y"}}) {
    policy.set(*catalog->find_column(table, column), label);
  }
  SqliteChecker checker(*catalog, {profile, Language::Full});
  SentenceGenerator generator(*grammar, filler, 2 + random_seed());
  compared.queries = static_cast<int>(random_queries(60'000));
  for (int i = 0; i < compared.queries; ++i) {
    const std::string sql = generator.next(i % 2 == 0 ? 14 : 26);
    const Judgement judgement = checker.check(sql, policy);
    if (judgement.verdict != Verdict::Safe) continue;
    ++compared.safe;
    const auto is_restricted = [](ColumnPolicy used) { return used == ColumnPolicy::AggregateOnly; };
    compared.aggregating += std::any_of(judgement.policies.begin(), judgement.policies.end(), is_restricted);
    const std::vector<std::string> rows = answer(first.get(), sql);
    EXPECT_NE(rows, std::vector<std::string>{"refused"}) << sql;
    if (rows != answer(second.get(), sql)) {
      compared.told = sql;
      break;
    }
  }
  std::cout << compared.queries << " queries, " << compared.safe << " safe and run on both databases, "
            << compared.aggregating << " of them over AggregateOnly columns\n";
  return compared;
}

TEST(Noninterference, HiddenValuesCannotBeSeen) {
  const Compared compared = compare(rows_that_differ(0), rows_that_differ(1), ColumnPolicy::Hidden, fill);
  EXPECT_EQ(compared.told, "");
  EXPECT_GT(compared.safe, 1'000);
}

TEST(Noninterference, OfAggregateOnlyValuesNothingButSumsIsSeen) {
  const Compared compared =
      compare(rows_with_equal_sums(0), rows_with_equal_sums(1), ColumnPolicy::AggregateOnly, fill_sums);
  EXPECT_EQ(compared.told, "");
  EXPECT_GT(compared.safe, 1'000);
  EXPECT_GT(compared.aggregating, 20);
}

// Profile paper counts predicates inside an aggregate as Agg alone and GROUP BY not at all: the same test catches it.
TEST(Noninterference, ProfilePaperTellsThemApart) {
  EXPECT_NE(
      compare(rows_with_equal_sums(0), rows_with_equal_sums(1), ColumnPolicy::AggregateOnly, fill_sums, Profile::Paper)
          .told,
      "");
  EXPECT_NE(compare(rows_that_differ(0), rows_that_differ(1), ColumnPolicy::Hidden, fill, Profile::Paper).told, "");
}

}  // namespace
}  // namespace pccsql
