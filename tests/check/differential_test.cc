// The checker against SQLite itself on random queries: what SQLite refuses is never called safe, what SQLite takes is
// refused only for a reason that the definition gives, and the columns reported are those SQLite's authorizer saw.
#include <algorithm>
#include <cstdlib>
#include <iostream>
#include <set>

#include <gtest/gtest.h>

#include "check/check.h"
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

// A reason by which the checker may refuse what SQLite prepares: the definition is stricter there, or SQLite finds the
// mistake only when it generates code for the place, and it did not (the select list under EXISTS, an unused column of a
// derived table, WHERE 1 OR …).
bool is_definitions_own(const std::string& reason, const std::string& sql) {
  if (sql.find("rowid") != std::string::npos && reason.find("ORDER BY") != std::string::npos) return true;
  for (const char* rule : {"rowid", "two tables of one FROM", "ambiguous reference to", "NATURAL join over a column",
                           "ON refers", "GROUP BY over a number", "sub-select returns", "row value misused",
                           "misuse of aggregate", "misuse of aliased", "IN element", "GLOB", "aggregates only inside OVER"}) {
    if (reason.find(rule) != std::string::npos) return true;
  }
  return false;
}

// Whether the query has a part that SQLite may never look at: WITH tables and windows that nothing uses, what its parser
// folds away, bounds of a frame. It is not known whether the mistake is in that part, so such a refusal is only counted.
bool may_be_unseen(const std::string& sql) {
  for (const char* unseen : {"WITH", "WINDOW", " 0", "IN ( )", "PRECEDING", "FOLLOWING"}) {
    if (sql.find(unseen) != std::string::npos) return true;
  }
  return false;
}

class Differential : public ::testing::Test {
 protected:
  void SetUp() override {
    Result<Catalog> catalog = read_ddl_catalog(kSchema);
    Result<Database> database = Database::in_memory(kSchema);
    ASSERT_TRUE(catalog && database);
    catalog_ = std::make_unique<Catalog>(*std::move(catalog));
    database_ = std::make_unique<Database>(*std::move(database));
    checker_ = std::make_unique<Checker>(*catalog_);
    if (std::getenv("PCCSQL_LONG") != nullptr) scale_ = 30;
  }

  void TearDown() override {
    if (compared_ == 0) return;
    std::cout << compared_ << " queries, " << refused_ << " refused by SQLite, " << safe_
              << " in the language and run, " << columns_
              << " compared column by column; prepared by SQLite but an error here: " << stricter_
              << " by a rule of the definition, " << unexplained_ << " with a part that SQLite may not look at\n";
  }

  void compare(SentenceGenerator& generator, int queries, int length) {
    for (int i = 0; i < queries * scale_; ++i) {
      const std::string sql = generator.next(length);
      ++compared_;
      const Prepared prepared = database_->prepare(sql);
      const Analysis& analysis = checker_->analyze(sql);
      if (!prepared.ok) {
        ++refused_;
        ASSERT_NE(analysis.verdict, Verdict::Safe) << sql << "\nsqlite: " << prepared.message;
      } else if (analysis.verdict == Verdict::Error) {
        const bool explained = is_definitions_own(analysis.reason, sql);
        ++(explained ? stricter_ : unexplained_);
        ASSERT_TRUE(explained || may_be_unseen(sql)) << sql << "\ncheck: " << analysis.reason;
      } else if (analysis.verdict == Verdict::Safe) {
        ++safe_;
        compare_columns(sql, prepared, analysis);
      }
    }
  }

  void compare_columns(const std::string& sql, const Prepared& prepared, const Analysis& analysis) {
    if (sql.find(" w") != std::string::npos || sql.find("WITH") != std::string::npos) return;  // views, unused CTEs
    std::set<std::pair<std::string, std::string>> ours;
    std::set<std::pair<std::string, std::string>> theirs;
    for (const Occurrence& use : analysis.uses) {
      ours.emplace(catalog_->table(use.column.table).name, catalog_->column(use.column).name);
    }
    for (const auto& read : prepared.reads) {
      if (!read.second.empty()) theirs.insert(read);
    }
    const auto has = [&](const char* word) { return sql.find(word) != std::string::npos; };
    ASSERT_TRUE(std::includes(ours.begin(), ours.end(), theirs.begin(), theirs.end())) << sql;
    // USING and NATURAL are not reported by SQLite, nor what it folds away or drops before it looks.
    const bool exact = !has("USING") && !has("NATURAL") && !has(" 0") && !has("IN ( )") && !has("WINDOW");
    if (exact) {
      ASSERT_EQ(ours, theirs) << sql;
    }
    ++columns_;
  }

  std::unique_ptr<Catalog> catalog_;
  std::unique_ptr<Database> database_;
  std::unique_ptr<Checker> checker_;
  int scale_ = 1;
  int compared_ = 0;
  int refused_ = 0;
  int safe_ = 0;
  int columns_ = 0;
  int stricter_ = 0;
  int unexplained_ = 0;
};

TEST_F(Differential, QueriesThatMostlyResolve) {
  std::string without_with(kSmallGrammar);
  without_with.erase(without_with.find("with = "),
                     std::string_view("with = 'WITH' <new_name> 'AS' '(' query ')' ;\n").size());
  without_with.replace(without_with.find("with? "), 6, "");
  for (const std::string& text : {std::string(kSmallGrammar), without_with}) {
    const Result<Grammar> grammar = Grammar::compile(text);
    ASSERT_TRUE(grammar) << grammar.error().to_string();
    SentenceGenerator generator(*grammar, fill_small, 7);
    compare(generator, 20'000, 14);
    compare(generator, 20'000, 30);
  }
  EXPECT_GT(safe_, 3'000);
  EXPECT_GT(refused_, 10'000);
  EXPECT_GT(columns_, 2'000);
}

TEST_F(Differential, TheWholeGrammar) {
  SentenceGenerator generator(sql_grammar(), fill_any, 8);
  compare(generator, 30'000, 18);
  compare(generator, 10'000, 40);
  EXPECT_GT(safe_, 1'000);
  EXPECT_GT(refused_, 10'000);
}

// The list of functions in the grammar is what the linked SQLite has: names, argument counts, kinds.
TEST_F(Differential, FunctionsAndTheirArgumentCounts) {
  int checked = 0;
  for (const Function& function : sql_grammar().functions()) {
    for (int arguments = 0; arguments <= 5; ++arguments) {
      std::string sql = "SELECT " + function.name + "(";
      for (int i = 0; i < arguments; ++i) sql += i == 0 ? "b" : ", b";
      sql += function.kind == FunctionKind::Window ? ") OVER () FROM t" : ") FROM t";
      const Prepared prepared = database_->prepare(sql);
      const Verdict verdict = checker_->analyze(sql).verdict;
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
      if (sqlite == 0 && database_->prepare(sql).message == "parser stack overflow") sqlite = depth;
      const Analysis& analysis = checker_->analyze(sql);
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
