// Two databases that differ only in Hidden columns give the same rows for every query that the checker calls safe: what a
// Hidden column holds cannot be seen. Random queries that try hard to name such columns, run on both.
//
// The Hidden columns have no index and no key, so that row order cannot follow them, and no query has a LIMIT.
#include <algorithm>
#include <cstdlib>
#include <iostream>
#include <memory>

#include <gtest/gtest.h>
#include <sqlite3.h>

#include "check/check.h"
#include "check/small_grammar.h"
#include "schema/reader.h"
#include "syntax/sentence.h"

namespace pccsql {
namespace {

constexpr std::string_view kSchema =
    "CREATE TABLE t(a INTEGER PRIMARY KEY, b TEXT, c INT);"
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

// Five rows a table; the Hidden columns (c, e, f and all of h, even how many rows it has) depend on `variant`.
std::string rows(int variant) {
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

struct CloseDatabase {
  void operator()(sqlite3* db) const { sqlite3_close(db); }
};
using DatabasePointer = std::unique_ptr<sqlite3, CloseDatabase>;

DatabasePointer make_database(int variant) {
  sqlite3* db = nullptr;
  if (sqlite3_open(":memory:", &db) != SQLITE_OK) return nullptr;
  DatabasePointer owner(db);
  const std::string sql = std::string(kSchema) + rows(variant);
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

TEST(Noninterference, HiddenValuesCannotBeSeen) {
  const DatabasePointer first = make_database(0);
  const DatabasePointer second = make_database(1);
  const Result<Catalog> catalog = read_ddl_catalog(kSchema);
  const Result<Grammar> grammar = Grammar::compile(kSmallGrammar);
  ASSERT_TRUE(first && second && catalog && grammar);
  ASSERT_NE(answer(first.get(), "SELECT c FROM t"), answer(second.get(), "SELECT c FROM t"));
  ASSERT_NE(answer(first.get(), "SELECT COUNT(*) FROM h"), answer(second.get(), "SELECT COUNT(*) FROM h"));

  Policy policy(*catalog, ColumnPolicy::Public);
  for (const auto& [table, column] : {std::pair{"t", "c"}, {"u", "e"}, {"v", "f"}, {"h", "z"}, {"h", "y"}}) {
    policy.set(*catalog->find_column(table, column), ColumnPolicy::Hidden);
  }
  Checker checker(*catalog);
  SentenceGenerator generator(*grammar, fill, 3);
  const int queries = std::getenv("PCCSQL_LONG") != nullptr ? 2'000'000 : 60'000;
  int safe = 0;
  for (int i = 0; i < queries; ++i) {
    const std::string sql = generator.next(i % 2 == 0 ? 14 : 26);
    if (checker.check(sql, policy).verdict != Verdict::Safe) continue;
    ++safe;
    const std::vector<std::string> rows_of_first = answer(first.get(), sql);
    ASSERT_NE(rows_of_first, std::vector<std::string>{"refused"}) << sql;
    ASSERT_EQ(rows_of_first, answer(second.get(), sql)) << sql;
  }
  std::cout << queries << " queries, " << safe << " safe and run on both databases\n";
  EXPECT_GT(safe, 1'000);
}

}  // namespace
}  // namespace pccsql
