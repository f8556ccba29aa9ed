// The checker against SQLite itself on random queries: what SQLite refuses is never called safe, what SQLite takes is
// refused only for a reason that the definition gives, and the columns reported are those SQLite's authorizer saw.
#include <algorithm>
#include <cctype>
#include <iostream>
#include <map>
#include <memory>
#include <set>

#include <gtest/gtest.h>

#include "base/text.h"
#include "check/check.h"
#include "check/query_generator.h"
#include "check/random_run.h"
#include "check/small_grammar.h"
#include "exec/database.h"
#include "schema/reader.h"
#include "syntax/sentence.h"

namespace pccsql {
namespace {

constexpr std::string_view kSchema =
    "CREATE TABLE t(a INTEGER PRIMARY KEY, b TEXT, c INT);"
    "CREATE TABLE u(a INT, d INT, e TEXT);"
    "CREATE TABLE v(b INT PRIMARY KEY, f INT) WITHOUT ROWID;"
    "CREATE VIEW w AS SELECT a, d FROM u;";

std::string fill_small(Terminal terminal, Slot slot, std::mt19937_64& random) {
  if (terminal == Terminal::Integer) return pick(random, {"1", "2", "3", "5"});
  switch (slot) {
    case Slot::Table:
      return pick(random, {"t x", "t", "u", "t x", "v", "w", "n", "t x JOIN u y", "t x LEFT JOIN u y ON x.a = y.a",
                           "t x , v z", "t x JOIN u y USING (a)", "t NATURAL JOIN u"});
    case Slot::Index:
      return pick(random, {"u y", "u", "v", "v z", "n m"});
    case Slot::Column:
      return pick(random, {"a", "b"});
    case Slot::Alias:
      return pick(random, {"x", "n", "a", "m", "d"});
    case Slot::NewName:
      return pick(random, {"n", "m"});
    case Slot::Type:
      return pick(random, {"count", "sum", "max", "abs", "min", "avg", "coalesce", "total"});
    case Slot::Collation:
      return pick(random, {"count", "sum", "max", "row_number", "rank", "lag", "first_value"});
    default:
      return pick(random, {"a",   "b",   "c",     "d",     "x.a",    "x.b", "x.c", "b", "c",   "t.b", "t.c",
                           "y.d", "u.d", "rowid", "\"b\"", "\"zz\"", "n",   "m",   "x", "n.a", "z.f"});
  }
}

std::string fill_any(Terminal terminal, Slot slot, std::mt19937_64& random) {
  switch (terminal) {
    case Terminal::String:
      return "'x'";
    case Terminal::Integer:
      return pick(random, {"1", "2", "3", "0"});
    case Terminal::Float:
      return "1.5";
    case Terminal::Blob:
      return "x'00'";
    default:
      break;
  }
  switch (slot) {
    case Slot::Table:
      return pick(random, {"t", "u", "v", "w", "n"});
    case Slot::Column:
      return pick(random, {"a", "b", "c", "d", "e", "f"});
    case Slot::Alias:
    case Slot::NewName:
    case Slot::Window:
      return pick(random, {"x", "y", "n", "a", "m"});
    case Slot::Collation:
      return pick(random, {"nocase", "binary"});
    case Slot::Type:
      return "INT";
    default:
      if (random() % 6 == 0) {
        return pick(random,
                    {"count", "sum", "max", "min", "abs", "avg", "row_number", "group_concat", "coalesce", "iif"});
      }
      return pick(random, {"a", "b", "c", "d", "e", "f", "t", "u", "x", "y", "rowid", "\"a\"", "\"zz\"", "true", "n"});
  }
}

bool has(std::string_view sql, std::string_view words) { return sql.find(words) != std::string_view::npos; }

bool has_any(std::string_view sql, std::initializer_list<std::string_view> words) {
  return std::any_of(words.begin(), words.end(), [&](std::string_view word) { return has(sql, word); });
}

// Whether SQLite's parser may fold something away: `x AND 0`.
bool has_zero(std::string_view sql) {
  const auto part_of_word = [&](size_t at) {
    return at < sql.size() && (std::isalnum(static_cast<unsigned char>(sql[at])) != 0 || sql[at] == '.');
  };
  for (size_t at = sql.find('0'); at != std::string_view::npos; at = sql.find('0', at + 1)) {
    if (!part_of_word(at - 1) && !part_of_word(at + 1)) return true;
  }
  return false;
}

// A reason by which the checker may refuse what SQLite prepares: the definition is stricter there, or SQLite finds the
// mistake only when it generates code for the place, and it did not (the select list under EXISTS, an unused column of a
// derived table, WHERE 1 OR …).
bool is_definitions_own(const std::string& reason, const std::string& sql) {
  if (has(sql, "rowid") && has(reason, "ORDER BY")) return true;
  // Letter by letter a term of ORDER BY is not the select item; SQLite may find that both come to the same constant.
  if (has(reason, "ORDER BY term after a set operation")) {
    return has_any(folded(sql.substr(sql.find("ORDER BY"))), {"'", "\"", "0x", "1e"});
  }
  return has_any(
      reason, {"rowid", "two tables of one FROM", "ambiguous reference to", "NATURAL join over a column", "ON refers",
               "GROUP BY over a number", "sub-select returns", "row value misused", "misuse of aggregate",
               "misuse of aliased", "IN element", "GLOB", "HAVING clause on a query that does not aggregate",
               "are not allowed in the GROUP BY clause", "RIGHT or FULL JOIN together with",
               "COLLATE in ORDER BY after a set operation whose last SELECT", "aggregates only inside OVER"});
}

// Whether the query has a part that SQLite may never look at: WITH tables and windows that nothing uses, what its parser
// folds away, bounds of a frame, GROUP BY in a set operation that is sorted by a collation. It is not known whether the
// mistake is in that part, so such a refusal is only counted.
bool may_be_unseen(const std::string& sql) {
  if (has_any(sql, {"UNION", "EXCEPT", "INTERSECT"}) && has(sql, "GROUP BY") && has(folded(sql), "collate"))
    return true;
  return has_any(sql, {"WITH", "WINDOW", "IN ( )", "PRECEDING", "FOLLOWING"}) || has_zero(sql);
}

struct Counts {
  uint64_t made = 0;
  uint64_t refused = 0;      // by SQLite
  uint64_t safe = 0;         // in the language and run
  uint64_t columns = 0;      // of these, the columns were compared
  uint64_t stricter = 0;     // prepared by SQLite, an error by a rule of the definition
  uint64_t unexplained = 0;  // prepared by SQLite, an error, with a part that SQLite may not look at

  Counts& operator+=(const Counts& more) {
    made += more.made, refused += more.refused, safe += more.safe, columns += more.columns;
    stricter += more.stricter, unexplained += more.unexplained;
    return *this;
  }
};

void print(const Counts& counts) {
  std::cout << counts.made << " queries, " << counts.refused << " refused by SQLite, " << counts.safe
            << " in the language and run, " << counts.columns
            << " compared column by column; prepared by SQLite but an error here: " << counts.stricter
            << " by a rule of the definition, " << counts.unexplained << " with a part that SQLite may not look at\n";
}

// SqliteChecker and SQLite beside each other on one schema.
class Comparison {
 public:
  explicit Comparison(std::string_view schema)
      : catalog_(*read_ddl_catalog(schema)), database_(*Database::in_memory(schema)), checker_(catalog_) {}

  // Counts one query. What the two disagree about is kept once by its kind, with a query cut down to it.
  void compare(const std::string& sql) {
    ++counts_.made;
    const std::string difference = judge(sql, counts_);
    if (difference.empty() || found_.size() >= 20 || found_.contains(kind_of(difference))) return;
    const auto differs = [&](const std::string& less) {
      Counts uncounted;
      return kind_of(judge(less, uncounted)) == kind_of(difference);
    };
    const std::string least = shrunk(sql, differs);
    Counts uncounted;
    found_[kind_of(difference)] = least + "\n" + judge(least, uncounted) + "\nfirst met as " + sql;
  }

  const Counts& counts() const { return counts_; }
  const std::map<std::string, std::string>& found() const { return found_; }
  Database& database() { return database_; }
  SqliteChecker& checker() { return checker_; }

 private:
  // A difference without the names and numbers that it is about.
  static std::string kind_of(const std::string& difference) {
    std::string kind;
    for (const char c : difference.substr(0, 90)) {
      if (c == '`' || c == '(') break;
      if (std::isdigit(static_cast<unsigned char>(c)) == 0) kind += c;
    }
    return kind.substr(0, kind.rfind(": ", kind.size()) + 40);
  }

  // What the two disagree about; empty where nothing.
  std::string judge(const std::string& sql, Counts& counts) {
    const Prepared prepared = database_.prepare(sql);
    const Analysis& analysis = checker_.analyze(sql);
    if (!prepared.ok) {
      ++counts.refused;
      return analysis.verdict == Verdict::Safe ? "called safe, and SQLite refuses it: " + prepared.message : "";
    }
    if (analysis.verdict == Verdict::Error) {
      const bool explained = is_definitions_own(analysis.reason, sql);
      ++(explained ? counts.stricter : counts.unexplained);
      return explained || may_be_unseen(sql) ? "" : "prepared by SQLite, and called an error: " + analysis.reason;
    }
    if (analysis.verdict != Verdict::Safe) return "";
    ++counts.safe;
    return judge_columns(sql, prepared, analysis, counts);
  }

  std::string judge_columns(const std::string& sql, const Prepared& prepared, const Analysis& analysis,
                            Counts& counts) {
    std::set<std::pair<std::string, std::string>> ours;
    std::set<std::pair<std::string, std::string>> theirs;
    for (const NamedTable& mention : analysis.tables) {
      if (catalog_.table(mention.table).kind == TableKind::View) return "";  // SQLite reports what the view reads
    }
    for (const Occurrence& use : analysis.uses) {
      ours.emplace(catalog_.table(use.column.table).name, catalog_.column(use.column).name);
    }
    // SQLite tells of columns of derived tables too, by their own names. For a trailing ORDER BY it tells of what it
    // tried a term on in other branches.
    const bool sorted = has_any(sql, {"UNION", "EXCEPT", "INTERSECT"}) && has(sql, "ORDER BY");
    const std::string terms = sorted ? folded(sql.substr(sql.find("ORDER BY"))) : "";
    for (const auto& [table, name] : prepared.reads) {
      if (name.empty() || !catalog_.find_table(table)) continue;
      if (!ours.contains({table, name}) && !has(terms, name)) {
        return "SQLite reads a column that is not reported: " + table + "." + name;
      }
      if (ours.contains({table, name})) theirs.emplace(table, name);
    }
    ++counts.columns;
    // USING and NATURAL are not reported by SQLite, nor what it folds away or drops before it looks.
    if (has_any(sql, {"USING", "NATURAL", "IN ( )", "WINDOW", "WITH"}) || has_zero(sql)) return "";
    return ours == theirs ? "" : "a column is reported that SQLite does not read";
  }

  Catalog catalog_;
  Database database_;
  SqliteChecker checker_;
  Counts counts_;
  std::map<std::string, std::string> found_;  // by kind
};

class Differential : public ::testing::Test {
 protected:
  void TearDown() override {
    if (comparison_.counts().made > 0) print(comparison_.counts());
    for (const auto& [kind, query] : comparison_.found()) ADD_FAILURE() << query;
  }

  void compare(SentenceGenerator& generator, uint64_t queries, int length) {
    for (uint64_t i = 0; i < queries; ++i) comparison_.compare(generator.next(length));
  }

  Comparison comparison_{kSchema};
};

TEST_F(Differential, QueriesThatMostlyResolve) {
  std::string without_with(kSmallGrammar);
  without_with.erase(without_with.find("with = "),
                     std::string_view("with = 'WITH' <new_name> 'AS' '(' query ')' ;\n").size());
  without_with.replace(without_with.find("with? "), 6, "");
  for (const std::string& text : {std::string(kSmallGrammar), without_with}) {
    const Result<Grammar> grammar = Grammar::compile(text);
    ASSERT_TRUE(grammar) << grammar.error().to_string();
    SentenceGenerator generator(*grammar, fill_small, 6 + random_seed());
    compare(generator, random_queries(80'000) / 4, 14);
    compare(generator, random_queries(80'000) / 4, 30);
  }
  const Counts& counts = comparison_.counts();
  EXPECT_GT(counts.safe, counts.made / 25);
  EXPECT_GT(counts.refused, counts.made / 8);
  EXPECT_GT(counts.columns, counts.made / 40);
}

TEST_F(Differential, TheWholeGrammar) {
  SentenceGenerator generator(sql_grammar(), fill_any, 7 + random_seed());
  compare(generator, random_queries(40'000) / 4 * 3, 18);
  compare(generator, random_queries(40'000) / 4, 40);
  EXPECT_GT(comparison_.counts().safe, comparison_.counts().made / 40);
  EXPECT_GT(comparison_.counts().refused, comparison_.counts().made / 4);
}

// Queries written with their scopes in mind, rich in what the parameter says.
class GeneratedQueries : public ::testing::TestWithParam<Emphasis> {};

struct GeneratedWorker {
  GeneratedWorker(Emphasis emphasis, uint64_t seed) : generator(emphasis, seed), comparison(kGeneratorSchema) {}

  void run(uint64_t queries) {
    for (uint64_t i = 0; i < queries; ++i) comparison.compare(generator.next().sql);
  }

  QueryGenerator generator;
  Comparison comparison;
};

TEST_P(GeneratedQueries, AreJudgedAsSqliteDoes) {
  Counts counts;
  std::map<std::string, std::string> found;
  for (const auto& worker : in_shards(
           random_queries(48'000), [](uint64_t seed) { return std::make_unique<GeneratedWorker>(GetParam(), seed); })) {
    counts += worker->comparison.counts();
    found.insert(worker->comparison.found().begin(), worker->comparison.found().end());
  }
  print(counts);
  for (const auto& [kind, query] : found) ADD_FAILURE() << query;
  EXPECT_GT(counts.safe, counts.made / 10);
  EXPECT_GT(counts.refused, counts.made / 10);
}

std::string name_of_emphasis(const ::testing::TestParamInfo<Emphasis>& info) {
  constexpr const char* kNames[] = {"Windows", "SetOperations", "Aliases", "Aggregates"};
  return kNames[static_cast<size_t>(info.param)];
}

INSTANTIATE_TEST_SUITE_P(Differential, GeneratedQueries,
                         ::testing::Values(Emphasis::Windows, Emphasis::SetOperations, Emphasis::Aliases,
                                           Emphasis::Aggregates),
                         name_of_emphasis);

// The list of functions in the grammar is what the linked SQLite has: names, argument counts, kinds.
TEST_F(Differential, FunctionsAndTheirArgumentCounts) {
  int checked = 0;
  for (const Function& function : sql_grammar().functions()) {
    for (int arguments = 0; arguments <= 5; ++arguments) {
      std::string sql = "SELECT " + function.name + "(";
      for (int i = 0; i < arguments; ++i) sql += i == 0 ? "b" : ", b";
      sql += function.kind == FunctionKind::Window ? ") OVER () FROM t" : ") FROM t";
      const Prepared prepared = comparison_.database().prepare(sql);
      const Verdict verdict = comparison_.checker().analyze(sql).verdict;
      const bool restricted = prepared.message.find("prohibited") != std::string::npos ||
                              prepared.message.find("unable to use") != std::string::npos;
      if (function.kind == FunctionKind::Outside && (verdict == Verdict::Outside || restricted)) continue;
      EXPECT_EQ(verdict == Verdict::Error, !prepared.ok) << sql << "\n" << prepared.message;
      ++checked;
    }
  }
  EXPECT_GT(checked, 400);
}

// How deep each construct may nest before SQLite's parser gives up, and that the checker gives up no later, and not
// much earlier.
TEST_F(Differential, NestingLimits) {
  const struct {
    const char* before;
    const char* open;
    const char* close;
  } ladders[] = {
      {"SELECT ", "(", ")"},
      {"SELECT a FROM t WHERE ", "(", ")"},
      {"SELECT ", "- ", ""},
      {"SELECT ", "NOT ", ""},
      {"SELECT ", "abs(", ")"},
      {"SELECT ", "max(1, ", ")"},
      {"SELECT ", "(SELECT ", ")"},
      {"SELECT 1 WHERE ", "(SELECT 1 WHERE ", ")"},
      {"SELECT 1 FROM t WHERE ", "a IN (SELECT a FROM t WHERE ", ")"},
      {"SELECT ", "CASE WHEN 1 THEN ", " END"},
      {"SELECT ", "CASE WHEN 1 THEN 2 WHEN 3 THEN ", " END"},
      {"SELECT ", "CASE WHEN 1 THEN 2 ELSE ", " END"},
      {"SELECT ", "CASE WHEN ", " THEN 1 END"},
      {"SELECT ", "CASE ", " WHEN 1 THEN 1 END"},
      {"SELECT ", "CAST(", " AS INT)"},
      {"SELECT ", "EXISTS(SELECT ", ")"},
      {"SELECT ", "1 BETWEEN ", " AND 1"},
      {"SELECT ", "1 OR 1 AND 1 = 1 < 1 | 1 + 1 * 1 || (", ")"},
      {"SELECT ", "1 IN (1, ", ")"},
      {"SELECT ", "'a' LIKE (", ")"},
      {"SELECT 1 ORDER BY 1, ", "(SELECT 1 ORDER BY 1, ", ")"},
      {"SELECT 1 LIMIT ", "(SELECT 1 LIMIT ", ")"},
      {"SELECT 1 LIMIT 1 OFFSET ", "(SELECT 1 LIMIT 1 OFFSET ", ")"},
      {"SELECT ", "sum(1) OVER (ORDER BY 1, (SELECT ", "))"},
      {"SELECT ", "sum(1) OVER (PARTITION BY 1, (SELECT ", "))"},
      {"SELECT ", "sum(1) FILTER (WHERE (SELECT ", "))"},
      {"SELECT ", "1 WINDOW w AS (ORDER BY 1, (SELECT ", "))"},
      {"SELECT 1 UNION SELECT ", "(SELECT 1 UNION SELECT ", ")"},
      {"SELECT 1 FROM t JOIN t b ON ", "(SELECT 1 FROM t JOIN t b ON ", ")"},
      {"SELECT * FROM (SELECT ", "(SELECT * FROM (SELECT ", "))"},
      {"SELECT 1 = ", "(WITH k AS (SELECT 1), l AS (SELECT 1) SELECT ", ")"},
  };
  for (const auto& ladder : ladders) {
    int sqlite = 0;
    int ours = 0;
    for (int depth = 1; depth < 120 && (sqlite == 0 || ours == 0); ++depth) {
      std::string sql = ladder.before;
      for (int i = 0; i < depth; ++i) sql += ladder.open;
      sql += "1";
      for (int i = 0; i < depth; ++i) sql += ladder.close;
      if (std::string_view(ladder.before).find("FROM (") != std::string_view::npos) sql += ")";
      if (sqlite == 0 && comparison_.database().prepare(sql).message == "parser stack overflow") sqlite = depth;
      const Analysis& analysis = comparison_.checker().analyze(sql);
      if (ours == 0 && analysis.reason.find("database's parser") != std::string::npos) ours = depth;
    }
    ASSERT_GT(sqlite, 0) << ladder.open;
    ASSERT_GT(ours, 0) << ladder.open;
    EXPECT_LE(ours, sqlite) << ladder.open;
    EXPECT_GE(ours * 3, sqlite * 2) << ladder.open << ": SQLite takes " << sqlite - 1 << ", the checker " << ours - 1;
  }
}

}  // namespace
}  // namespace pccsql
