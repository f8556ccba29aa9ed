// Input that nobody meant as a query, or that somebody meant to break the checker: half queries, a megabyte of one
// character, bytes that are no text. Each gets its verdict in bounded time, and what SQLite refuses never counts as a
// query that runs.
#include <gtest/gtest.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "check/golden_file.h"
#include "exec/database.h"

namespace pccsql::golden {
namespace {

using std::string_literals::operator""s;

constexpr size_t kMegabyte = 1'000'000;

const File& schema_file() {
  for (const File& file : all_files()) {
    if (file.name == "clauses") return file;
  }
  ADD_FAILURE() << "there is no golden file `clauses`";
  return all_files().front();
}

World& world() {
  static const std::unique_ptr<World> the_world = [] {
    Result<std::unique_ptr<World>> made = make_world(schema_file());
    if (!made) {
      std::fprintf(stderr, "%s\n", made.error().to_string().c_str());
      std::exit(2);
    }
    return std::move(*made);
  }();
  return *the_world;
}

Database& database() {
  static Database the_database = [] {
    Result<Database> made = Database::in_memory(schema_file().schema);
    if (!made) {
      std::fprintf(stderr, "%s\n", made.error().to_string().c_str());
      std::exit(2);
    }
    return std::move(*made);
  }();
  return the_database;
}

std::string repeated(std::string_view text, size_t times) {
  std::string all;
  all.reserve(text.size() * times);
  for (size_t i = 0; i < times; ++i) all += text;
  return all;
}

std::string megabyte_of(std::string_view text) { return repeated(text, kMegabyte / text.size()); }

bool runs(Verdict verdict) { return verdict == Verdict::Safe || verdict == Verdict::Unsafe; }

std::string shortened(const std::string& sql) {
  return sql.size() <= 100 ? sql : sql.substr(0, 60) + " … " + sql.substr(sql.size() - 30);
}

// The verdict, within two seconds, under both profiles.
void expect_verdict(const std::string& sql, Verdict expected) {
  for (SqliteChecker* checker : {&world().strict, &world().paper}) {
    const auto start = std::chrono::steady_clock::now();
    const Judgement judgement = checker->check(sql, world().policy);
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
    EXPECT_EQ(to_string(judgement.verdict), to_string(expected)) << shortened(sql) << "\n  " << judgement.reason;
    EXPECT_EQ(judgement.reason.empty(), judgement.verdict == Verdict::Safe) << shortened(sql);
    EXPECT_LT(judgement.reason.size(), 1000u) << shortened(sql);
    EXPECT_LT(took.count(), 2.0) << shortened(sql);
  }
}

// As above, and SQLite agrees on whether the query runs.
void expect_agreed(const std::string& sql, Verdict expected) {
  expect_verdict(sql, expected);
  const Prepared prepared = database().prepare(sql);
  EXPECT_EQ(prepared.ok, runs(expected)) << shortened(sql) << "\n  " << prepared.message;
}

TEST(BadInput, NothingToJudge) {
  for (const char* sql : {"", " ", " \t\r\n\f ", "-- a comment", "/* a comment */", ";", " ; ", "-- SELECT 1\n;"}) {
    expect_verdict(sql, Verdict::Outside);
  }
}

TEST(BadInput, Unterminated) {
  for (const char* sql :
       {"SELECT 'abc", "SELECT 'abc''", "SELECT \"name FROM emp", "SELECT \"a\"\"", "SELECT [name FROM emp",
        "SELECT `name FROM emp", "SELECT x'ab", "SELECT name FROM emp WHERE name = 'O''Brien", "SELECT (1",
        "SELECT name FROM (SELECT name FROM emp", "SELECT CASE WHEN 1 THEN 2 FROM emp"}) {
    expect_agreed(sql, Verdict::Error);
  }
  // SQLite takes a comment without an end; what might follow in it is not ours to judge.
  expect_verdict("SELECT name FROM emp /* and then", Verdict::Outside);
  expect_verdict("SELECT name FROM emp /*", Verdict::Outside);
  expect_verdict("/* SELECT 1", Verdict::Outside);
  expect_agreed("SELECT name FROM emp -- and then", Verdict::Safe);
}

TEST(BadInput, NulBytes) {
  for (const std::string& sql : {"\0"s, "SELECT 1\0"s, "SELECT name FROM emp\0; DROP TABLE emp"s, "SELECT 'a\0b'"s,
                                 "\0SELECT 1"s, "SELECT name FROM emp -- \0"s, "SELECT name /* \0 */ FROM emp"s}) {
    expect_verdict(sql, Verdict::Outside);
  }
}

TEST(BadInput, InvalidUtf8) {
  for (const std::string& sql :
       {"SELECT '\xff'"s, "SELECT '\xc3\x28'"s, "SELECT '\xc3'"s, "SELECT name FROM emp WHERE name = '\xed\xa0\x80'"s,
        "SELECT '\xc0\xaf'"s, "SELECT '\xf8\x88\x80\x80\x80'"s, "SELECT 1 AS \xe4"s, "SELECT name FROM emp -- \x80"s,
        "SELECT name /* \xfe */ FROM emp"s, "SELECT '\xf4\x90\x80\x80'"s, megabyte_of("\xff")}) {
    expect_verdict(sql, Verdict::Outside);
  }
  expect_agreed("SELECT '\xf0\x9f\x98\x80 \xc3\xa4' AS \xc3\xa4 FROM emp", Verdict::Safe);
}

TEST(BadInput, ByteOrderMarkIsABlank) {
  expect_agreed("\xef\xbb\xbfSELECT name FROM emp", Verdict::Safe);
  expect_agreed(
      "SELECT \xef\xbb\xbf"
      "ssn FROM emp",
      Verdict::Unsafe);
}

TEST(BadInput, CharactersThatAreInNoWord) {
  for (const char* sql : {"SELECT 1\v", "SELECT \x01", "SELECT 1 \x7f", "SELECT name FROM emp \\", "SELECT {1}",
                          "SELECT !1", "SELECT #1", "SELECT name ^ 1 FROM emp"}) {
    expect_agreed(sql, Verdict::Error);
  }
  expect_agreed("SELECT\fname\rFROM\temp", Verdict::Safe);
  expect_agreed("SELECT \v1", Verdict::Safe);  // SQLite takes a vertical tab inside a run of blanks, not as their first
}

TEST(BadInput, AMegabyteOfOneThing) {
  const std::string parentheses = repeated("(", kMegabyte / 2);
  expect_agreed("SELECT " + parentheses + "1" + repeated(")", kMegabyte / 2), Verdict::Error);
  expect_agreed("SELECT " + megabyte_of("("), Verdict::Error);
  expect_agreed("SELECT " + megabyte_of(")"), Verdict::Error);
  expect_agreed("SELECT " + megabyte_of("-"), Verdict::Error);  // a comment
  expect_agreed("SELECT " + megabyte_of("- ") + "1", Verdict::Error);
  expect_agreed("SELECT " + megabyte_of("~") + "1", Verdict::Error);
  expect_agreed("SELECT " + megabyte_of("NOT ") + "1", Verdict::Error);
  expect_agreed("SELECT " + megabyte_of("a.") + "a FROM emp", Verdict::Error);
  expect_agreed("SELECT 1" + megabyte_of("+1"), Verdict::Error);
  expect_agreed("SELECT 1 FROM emp WHERE id = 1" + megabyte_of(" OR id = 1"), Verdict::Error);
  expect_agreed("SELECT 1 FROM emp WHERE id = 1" + megabyte_of(" AND 1"), Verdict::Error);
  expect_agreed("SELECT 'a'" + megabyte_of(" || 'a'"), Verdict::Error);
  expect_agreed("SELECT " + megabyte_of("CASE WHEN ") + "1", Verdict::Error);
  expect_agreed("SELECT " + megabyte_of("abs(") + "1", Verdict::Error);
  expect_agreed("SELECT " + megabyte_of("CAST(") + "1", Verdict::Error);
  expect_agreed("SELECT " + megabyte_of("["), Verdict::Error);
  expect_agreed("SELECT " + megabyte_of("SELECT "), Verdict::Error);
  expect_agreed("SELECT name FROM emp" + megabyte_of(", emp"), Verdict::Error);
  expect_agreed(megabyte_of("WITH a AS ("), Verdict::Error);
}

// SQLite does not count COLLATE as depth and takes a chain of any length; a checker that bounds it may say error.
TEST(BadInput, AMegabyteOfCollate) {
  const std::string sql = "SELECT name" + megabyte_of(" COLLATE nocase") + " FROM emp";
  const Verdict verdict = world().strict.check(sql, world().policy).verdict;
  EXPECT_TRUE(verdict == Verdict::Safe || verdict == Verdict::Error) << to_string(verdict);
  expect_agreed("SELECT name" + repeated(" COLLATE nocase", 50) + " FROM emp", Verdict::Safe);
}

TEST(BadInput, AMegabyteThatIsFine) {
  expect_agreed("SELECT '" + megabyte_of("a") + "'", Verdict::Safe);
  expect_agreed("SELECT '" + megabyte_of("''") + "'", Verdict::Safe);
  expect_agreed("SELECT 1" + megabyte_of(" "), Verdict::Safe);
  expect_agreed("SELECT 1 --" + megabyte_of("-"), Verdict::Safe);
  expect_agreed("SELECT 1 /*" + megabyte_of("*") + "*/", Verdict::Safe);
  expect_agreed("SELECT 1 AS " + megabyte_of("a"), Verdict::Safe);
  expect_agreed("SELECT 1 IN (1" + megabyte_of(",1") + ")", Verdict::Safe);
  expect_agreed("SELECT name FROM emp WHERE id IN (1" + megabyte_of(",1") + ") AND salary = 1", Verdict::Unsafe);
}

TEST(BadInput, Nesting) {
  const size_t deep = 10'000;
  expect_agreed(repeated("SELECT (", deep) + "SELECT 1" + repeated(")", deep), Verdict::Error);
  expect_agreed(repeated("SELECT 1 FROM (", deep) + "SELECT 1" + repeated(")", deep), Verdict::Error);
  expect_agreed(repeated("SELECT 1 WHERE 1 IN (", deep) + "SELECT 1" + repeated(")", deep), Verdict::Error);
  expect_agreed(repeated("SELECT EXISTS (", deep) + "SELECT 1" + repeated(")", deep), Verdict::Error);
  expect_agreed(repeated("WITH a AS (", deep) + "SELECT 1" + repeated(") SELECT 1", deep), Verdict::Error);
  expect_agreed("SELECT " + repeated("coalesce(1, ", deep) + "1" + repeated(")", deep), Verdict::Error);
  expect_agreed("SELECT " + repeated("CASE WHEN 1 THEN ", deep) + "1" + repeated(" END", deep), Verdict::Error);
  expect_agreed("SELECT " + repeated("1 BETWEEN 1 AND ", deep) + "1", Verdict::Error);
}

TEST(BadInput, VeryLongNames) {
  expect_agreed("SELECT " + megabyte_of("a") + " FROM emp", Verdict::Error);
  expect_agreed("SELECT name FROM " + megabyte_of("a"), Verdict::Error);
  expect_agreed("SELECT " + megabyte_of("a") + ".name FROM emp", Verdict::Error);
  expect_agreed("SELECT [" + megabyte_of("a") + "] FROM emp", Verdict::Error);
  expect_agreed("SELECT " + megabyte_of("a") + "(1)", Verdict::Error);
  expect_agreed("SELECT " + megabyte_of("9") + "a", Verdict::Error);
}

// The limits of the database, from both sides: what it prepares must not be called an error, nor the reverse.
TEST(BadInput, LimitsOfTheDatabase) {
  const auto nested = [](size_t n) { return "SELECT " + repeated("(", n) + "1" + repeated(")", n); };
  expect_agreed(nested(80), Verdict::Safe);
  expect_agreed(nested(120), Verdict::Error);
  expect_agreed("SELECT 1" + repeated("+1", 900), Verdict::Safe);
  expect_agreed("SELECT 1" + repeated("+1", 1100), Verdict::Error);
  expect_agreed("SELECT name FROM emp WHERE 1" + repeated(" AND id", 900), Verdict::Safe);
  expect_agreed("SELECT name FROM emp WHERE 1" + repeated(" AND id", 1100), Verdict::Error);
  expect_agreed("SELECT 1" + repeated(", 1", 1999), Verdict::Safe);
  expect_agreed("SELECT 1" + repeated(", 1", 2000), Verdict::Error);
  expect_agreed("SELECT 1" + repeated(", 1", 99'999), Verdict::Error);
  expect_agreed("SELECT name" + repeated(", name", 99'999) + " FROM emp", Verdict::Error);
  expect_agreed("SELECT name FROM emp ORDER BY id" + repeated(", id", 2100), Verdict::Error);
  expect_agreed("SELECT name FROM emp GROUP BY id" + repeated(", id", 2100), Verdict::Error);
  expect_agreed("SELECT 1" + repeated(" UNION ALL SELECT 1", 499), Verdict::Safe);
  expect_agreed("SELECT 1" + repeated(" UNION ALL SELECT 1", 500), Verdict::Error);
  expect_agreed("SELECT coalesce(1" + repeated(", 1", 126) + ")", Verdict::Safe);
  expect_agreed("SELECT coalesce(1" + repeated(", 1", 127) + ")", Verdict::Error);
  const auto join = [](size_t tables) {
    std::string sql = "SELECT 1 FROM emp AS t0";
    for (size_t i = 1; i < tables; ++i) sql += ", emp AS t" + std::to_string(i);
    return sql;
  };
  expect_agreed(join(64), Verdict::Safe);
  expect_agreed(join(65), Verdict::Error);
  expect_agreed(join(5000), Verdict::Error);
}

TEST(BadInput, AVeryWideStar) {
  // 400 times five columns is the most that `*` may give.
  const auto stars = [](size_t n) { return "SELECT *" + repeated(", *", n - 1) + " FROM emp"; };
  expect_agreed(stars(400), Verdict::Unsafe);
  expect_agreed(stars(401), Verdict::Error);
}

// Every prefix of every golden query: where SQLite refuses it, it is no query that runs.
TEST(BadInput, EveryPrefix) {
  size_t prefixes = 0;
  size_t running = 0;
  for (const File& file : all_files()) {
    const Result<std::unique_ptr<World>> made = make_world(file);
    ASSERT_TRUE(made) << made.error().to_string();
    Result<Database> db = Database::in_memory(file.schema);
    ASSERT_TRUE(db) << db.error().to_string();
    for (const Case& one : file.cases) {
      for (size_t length = 0; length <= one.sql.size(); ++length) {
        const std::string prefix = one.sql.substr(0, length);
        const Judgement judgement = (*made)->strict.check(prefix, (*made)->policy);
        ++prefixes;
        if (!runs(judgement.verdict)) continue;
        ++running;
        const Prepared prepared = db->prepare(prefix);
        EXPECT_TRUE(prepared.ok) << file.path << ":" << one.line << "\n  " << prefix << "\n  judged "
                                 << to_string(judgement.verdict) << ", but SQLite says: " << prepared.message;
      }
    }
  }
  EXPECT_GT(prefixes, 30'000u);
  EXPECT_GT(running, 1'000u);
}

}  // namespace
}  // namespace pccsql::golden
