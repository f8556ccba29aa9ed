// Running queries: what comes back, every limit by its name, faults of files, and the fence.
#include "exec/runner.h"

#include <gtest/gtest.h>
#include <sqlite3.h>

#include <fstream>
#include <thread>

#include "exec/run_world.h"

namespace pccsql {
namespace {

constexpr const char* kTables = R"(
  CREATE TABLE person (id INTEGER PRIMARY KEY, name TEXT, salary REAL, ssn TEXT, photo BLOB);
  INSERT INTO person VALUES (1, 'Ada', 10.5, '111', x'00ff'), (2, 'Bob', NULL, '222', NULL);
  CREATE TABLE secret (word TEXT);
  INSERT INTO secret VALUES ('swordfish');
  CREATE TABLE number (n INTEGER);
  WITH RECURSIVE count(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM count WHERE n < 2000)
    INSERT INTO number SELECT n FROM count;
  CREATE VIEW inner_view AS SELECT ssn, name FROM person;
  CREATE VIEW open_view AS SELECT name, length(ssn) AS digits FROM inner_view;
  CREATE VIEW closed_view AS SELECT name FROM person;
)";

constexpr const char* kPolicy = R"(
version: 1
tables:
  person: {id: ConditionOnly, name: Public, salary: AggregateOnly, photo: Public, ssn: Hidden}
  number: {n: Public}
  open_view: {name: Public, digits: Public}
)";

class RunnerTest : public testing::Test {
 protected:
  Runner runner(RunLimits limits = {}, Profile profile = Profile::Strict) {
    return open_runner(path_, kPolicy, limits, profile);
  }

  static std::string message(Runner& runner, std::string_view sql) { return pccsql::message_of(runner, sql); }
  static std::string message_of(const Result<RowSet>& rows) { return rows ? "" : rows.error().message; }
  static void expect_usable(Runner& runner) {
    const auto rows = runner.run("SELECT COUNT(*) FROM number");
    ASSERT_TRUE(rows) << rows.error().message;
    EXPECT_EQ(rows->rows, (std::vector<std::vector<Value>>{{int64_t{2000}}}));
  }

  Scratch scratch_;
  std::string path_ = scratch_.database("x.sqlite", kTables);
};

// A query is run with conditions that read what it may not itself.
TEST_F(RunnerTest, ConditionsMayReadTheColumnsThatTellRowsApart) {
  Runner db = runner();
  const std::string sql = "SELECT AVG(salary) FROM person";
  const auto text = [&](const std::string& column) {
    RunText made;
    made.sql = sql + " HAVING COUNT(DISTINCT person." + column + ") > 1";
    made.added = {{static_cast<uint32_t>(sql.size()), static_cast<uint32_t>(made.sql.size())}};
    return made;
  };
  RunText hidden = text("ssn");
  EXPECT_NE(message_of(db.run(sql, hidden)).find("`person.ssn` may not be read"), std::string::npos);
  hidden.admitted = {{"Person", "SSN"}};
  const auto rows = db.run(sql, hidden);
  ASSERT_TRUE(rows) << rows.error().message;
  EXPECT_EQ(rows->rows, (std::vector<std::vector<Value>>{{10.5}}));
  RunText number = text("rowid");
  number.admitted = {{"person", "rowid"}};
  EXPECT_TRUE(db.run(sql, number));
  // What was admitted to one is not to the next, and the query as written is fenced in any case.
  EXPECT_NE(message_of(db.run(sql, text("ssn"))).find("may not be read"), std::string::npos);
  EXPECT_NE(message_of(db.run("SELECT ssn FROM person", hidden)).find("may not be read"), std::string::npos);
  expect_usable(db);
}

// A column without an alias is called as its text was written, not as it was run.
TEST_F(RunnerTest, ConditionsStandInNoColumnName) {
  const std::string sql = "SELECT (SELECT AVG(salary) FROM person)";
  RunText text;
  text.sql = "SELECT (SELECT AVG(salary) FROM person HAVING COUNT(*) > 1)";
  text.added = {{38, 58}};
  const auto rows = runner().run(sql, text);
  ASSERT_TRUE(rows) << rows.error().message;
  EXPECT_EQ(rows->columns, (std::vector<std::string>{"(SELECT AVG(salary) FROM person)"}));
}

TEST_F(RunnerTest, ConditionsThatDoNotPrepareAreAFault) {
  Runner db = runner();
  RunText broken;
  broken.sql = "SELECT AVG(salary) FROM person HAVING nonsense > 1";
  broken.added = {{30, 50}};
  const std::string message = message_of(db.run("SELECT AVG(salary) FROM person", broken));
  EXPECT_NE(message.find("with the conditions of its minimum group"), std::string::npos) << message;
  expect_usable(db);
}

// It says how large the sum is, of however few.
TEST_F(RunnerTest, ASumThatOverflowsLeavesNothingWhereConditionsWereAdded) {
  Runner db = runner();
  const std::string sql = "SELECT SUM(9223372036854775807) FROM number";
  EXPECT_NE(message(db, sql).find("integer overflow"), std::string::npos);
  RunText held;
  held.sql = sql + " HAVING COUNT(*) > 1";
  held.added = {{static_cast<uint32_t>(sql.size()), static_cast<uint32_t>(held.sql.size())}};
  const auto rows = db.run(sql, held);
  ASSERT_TRUE(rows) << rows.error().message;
  EXPECT_TRUE(rows->rows.empty());
  held.sql = sql + " HAVING COUNT(json(char(123))) > 1";
  EXPECT_NE(message_of(db.run(sql, held)).find("malformed JSON"), std::string::npos);
  expect_usable(db);
}

TEST_F(RunnerTest, ValuesComeTyped) {
  Runner db = runner();
  const auto rows = db.run("SELECT name AS who, photo, COUNT(*), AVG(salary), NULL FROM person GROUP BY name");
  ASSERT_TRUE(rows) << rows.error().message;
  EXPECT_EQ(rows->columns, (std::vector<std::string>{"who", "photo", "COUNT(*)", "AVG(salary)", "NULL"}));
  ASSERT_EQ(rows->rows.size(), 2U);
  EXPECT_EQ(rows->rows[0], (std::vector<Value>{"Ada", Blob{std::string("\0\xff", 2)}, int64_t{1}, 10.5, Null{}}));
  EXPECT_EQ(rows->rows[1], (std::vector<Value>{"Bob", Null{}, int64_t{1}, Null{}, Null{}}));
}

TEST_F(RunnerTest, NoRowsAreStillColumns) {
  Runner db = runner();
  const auto rows = db.run("SELECT name FROM person WHERE id = 3");
  ASSERT_TRUE(rows) << rows.error().message;
  EXPECT_EQ(rows->columns, std::vector<std::string>{"name"});
  EXPECT_TRUE(rows->rows.empty());
}

TEST_F(RunnerTest, TheRowLimitIsExact) {
  Runner db = runner({.rows = 2000});
  EXPECT_EQ(message(db, "SELECT n FROM number"), "");
  Runner narrow = runner({.rows = 1999});
  EXPECT_EQ(message(narrow, "SELECT n FROM number"), "the query is over the row limit of 1999 rows");
  expect_usable(narrow);
}

TEST_F(RunnerTest, TheStatementLimitIsExact) {
  const std::string sql = "SELECT n FROM number WHERE n = 1";
  Runner db = runner({.statement = sql.size()});
  EXPECT_EQ(message(db, sql), "");
  EXPECT_EQ(message(db, sql + "2"), "the query is over the statement length limit of 32 bytes");
  expect_usable(db);
}

TEST_F(RunnerTest, AQueryThatTakesTooLongIsStopped) {
  Runner db = runner({.time = std::chrono::milliseconds(50)});
  const auto begun = std::chrono::steady_clock::now();
  EXPECT_EQ(message(db, "SELECT COUNT(*) FROM number AS a, number AS b, number AS c"),
            "the query is over the time limit of 50 ms");
  EXPECT_LT(std::chrono::steady_clock::now() - begun, std::chrono::seconds(5));
  expect_usable(db);
}

TEST_F(RunnerTest, AFlagStopsAQuery) {
  Runner db = runner();
  std::atomic<bool> stop = false;
  std::thread other([&stop] {
    std::this_thread::sleep_for(std::chrono::milliseconds(30));
    stop = true;
  });
  const auto rows = db.run("SELECT COUNT(*) FROM number AS a, number AS b, number AS c", &stop);
  other.join();
  ASSERT_FALSE(rows);
  EXPECT_EQ(rows.error().message, "the query was stopped");
  expect_usable(db);
}

TEST_F(RunnerTest, AQueryThatNeedsTooMuchMemoryIsStopped) {
  Runner db = runner({.memory = size_t{16} << 20});
  EXPECT_EQ(message(db, "SELECT COUNT(*) FROM (SELECT DISTINCT a.n * 2000 + b.n AS x FROM number AS a, number AS b)"),
            "the query is over the memory limit of 16777216 bytes");
  expect_usable(db);
}

TEST_F(RunnerTest, OneValueAndTheRowsThemselvesAreHeldToTheMemoryLimit) {
  Runner db = runner({.rows = 1 << 20, .memory = 1 << 20});
  EXPECT_EQ(message(db, "SELECT replace(printf('%1000d', n), ' ', printf('%2000d', n)) FROM number"),
            "the query is over the memory limit of 1048576 bytes (one value is larger than that)");
  EXPECT_EQ(message(db, "SELECT printf('%10000d', n) FROM number"),
            "the query is over the memory limit of 1048576 bytes (its rows are larger than that)");
  expect_usable(db);
}

TEST_F(RunnerTest, WhoRunsBesideAGreedyQueryIsNotBlamedForIt) {
  constexpr size_t kShare = size_t{8} << 20;
  std::atomic<bool> over = false;
  std::thread greedy([&] {
    Runner db = runner({.memory = kShare});
    for (int i = 0; i < 3; ++i) {
      EXPECT_NE(
          message(db, "SELECT COUNT(*) FROM (SELECT DISTINCT a.n * 2000 + b.n AS x FROM number AS a, number AS b)"),
          "");
    }
    over = true;
  });
  Runner modest = runner({.memory = kShare});
  std::string blamed;
  do {
    blamed = message(modest, "SELECT DISTINCT printf('%1000d', n) FROM number");
  } while (!over && blamed.empty());
  greedy.join();
  EXPECT_EQ(blamed, "");
}

TEST_F(RunnerTest, OneStatementThatIsAQuery) {
  Runner db = runner();
  EXPECT_EQ(message(db, "SELECT n FROM number; ; -- done"), "");
  EXPECT_EQ(message(db, "SELECT n FROM number; SELECT n FROM number"),
            "the database refused the query: there is text after the statement");
  EXPECT_EQ(message(db, ""), "the database refused the query: there is no statement");
  EXPECT_EQ(message(db, "SELECT ?"), "the database refused the query: it has parameters without a value");
  EXPECT_EQ(message(db, "SELECT wrong FROM number"), "the database refused the query: no such column: wrong");
}

TEST_F(RunnerTest, WhatIsNotAReadIsDenied) {
  Runner db = runner();
  for (const char* sql :
       {"DELETE FROM number", "INSERT INTO number VALUES (1)", "UPDATE number SET n = 1", "CREATE TABLE x (a)",
        "CREATE TEMP TABLE x (a)", "DROP TABLE number", "PRAGMA query_only = OFF", "PRAGMA user_version",
        "ATTACH ':memory:' AS other", "BEGIN", "SAVEPOINT x", "ANALYZE",
        "WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c) SELECT n FROM c LIMIT 1",
        "SELECT load_extension('x')", "SELECT * FROM pragma_table_info('person')", "SELECT * FROM json_each('[1]')"}) {
    EXPECT_EQ(message(db, sql).substr(0, 38), "the database's fence denied the query:") << sql;
  }
  for (const char* sql : {"EXPLAIN SELECT n FROM number", "VACUUM", "REINDEX"}) {
    EXPECT_EQ(message(db, sql), "the database refused the query: it is not a query") << sql;
  }
  expect_usable(db);
}

TEST_F(RunnerTest, HiddenColumnsAndClosedTablesAreDeniedWhereverTheyStand) {
  Runner db = runner();
  for (const char* sql :
       {"SELECT ssn FROM person", "SELECT * FROM person", "SELECT COUNT(SSN) FROM person",
        "SELECT name FROM person WHERE ssn = '111'", "SELECT name FROM person ORDER BY ssn",
        "SELECT name FROM person GROUP BY ssn", "SELECT a.name FROM person AS a JOIN number ON a.ssn = n",
        "SELECT (SELECT ssn FROM person) FROM number", "WITH c AS (SELECT ssn AS s FROM person) SELECT s FROM c",
        "SELECT s FROM (SELECT ssn AS s FROM person)", "SELECT n FROM number UNION SELECT ssn FROM person"}) {
    EXPECT_EQ(message(db, sql), "the database's fence denied the query: `person.ssn` may not be read") << sql;
  }
  for (const char* sql :
       {"SELECT word FROM secret", "SELECT COUNT(*) FROM secret", "SELECT name FROM closed_view",
        "SELECT COUNT(*) FROM closed_view", "SELECT name FROM inner_view", "SELECT name FROM sqlite_master",
        "SELECT COUNT(*) FROM sqlite_schema", "SELECT COUNT(*) FROM sqlite_temp_schema", "SELECT rowid FROM number"}) {
    EXPECT_EQ(message(db, sql).substr(0, 38), "the database's fence denied the query:") << sql;
  }
  expect_usable(db);
}

TEST_F(RunnerTest, ProfilePaperLetsRowsOfAHiddenTableBeCounted) {
  Runner db = runner({}, Profile::Paper);
  EXPECT_EQ(message(db, "SELECT COUNT(*) FROM secret"), "");
  EXPECT_NE(message(db, "SELECT COUNT(word) FROM secret"), "");
}

TEST_F(RunnerTest, WhatAnOpenViewReadsIsItsOwnBusiness) {
  Runner db = runner();
  const auto rows = db.run("SELECT name, digits FROM open_view WHERE name = 'Ada'");
  ASSERT_TRUE(rows) << rows.error().message;
  EXPECT_EQ(rows->rows, (std::vector<std::vector<Value>>{{"Ada", int64_t{3}}}));
}

TEST_F(RunnerTest, NothingPassesForAView) {
  Runner db = runner();
  for (const char* sql : {"WITH open_view AS (SELECT ssn FROM person) SELECT * FROM open_view",
                          "WITH Open_View(s) AS (SELECT ssn FROM person) SELECT s FROM open_view",
                          "WITH \"open_view\" AS NOT MATERIALIZED (SELECT ssn FROM person) SELECT * FROM open_view",
                          "WITH 'open_view' AS MATERIALIZED (SELECT ssn FROM person) SELECT * FROM open_view",
                          "WITH [inner_view] AS (SELECT ssn FROM person) SELECT * FROM inner_view",
                          "WITH a AS (WITH inner_view/**/AS(SELECT ssn FROM person) SELECT * FROM inner_view) "
                          "SELECT * FROM a"}) {
    EXPECT_EQ(message(db, sql).substr(0, 38), "the database's fence denied the query:") << sql;
  }
  EXPECT_EQ(message(db, "WITH c AS (SELECT name FROM open_view) SELECT COUNT(*) FROM c"), "");
}

TEST_F(RunnerTest, EveryFunctionOfTheLanguagePassesTheFence) {
  Runner db = runner();
  EXPECT_EQ(message(db,
                    "SELECT n LIKE '1%', n GLOB '1*', '{\"a\":1}' -> 'a', '{\"a\":1}' ->> 'a', CURRENT_DATE, "
                    "strftime('%Y', 'now'), total(n) OVER (), group_concat(n) OVER () FROM number"),
            "");
}

TEST_F(RunnerTest, WithoutAFenceThePolicyIsNotAskedButNothingIsWritten) {
  auto db = Runner::open_unfenced(path_);
  ASSERT_TRUE(db);
  EXPECT_EQ(message(*db, "SELECT ssn FROM person"), "");
  EXPECT_EQ(message(*db, "DELETE FROM person"), "the database refused the query: it is not a query");
  EXPECT_NE(message(*db, "SELECT load_extension('x')"), "");
}

TEST_F(RunnerTest, FilesThatAreNoDatabaseAreSaidToBe) {
  for (const std::string& path : {scratch_.path("missing"), scratch_.file("empty", ""),
                                  scratch_.file("text", "not a database, though long enough to be one, surely")}) {
    const auto none = Runner::open_unfenced(path);
    ASSERT_FALSE(none) << path;
    EXPECT_EQ(none.error().file, path);
  }
  EXPECT_FALSE(std::filesystem::exists(scratch_.path("missing")));
}

TEST_F(RunnerTest, ALockedDatabaseIsAClearErrorAndWorksAgainAfterwards) {
  Runner db = runner();
  sqlite3* writer = nullptr;
  ASSERT_EQ(sqlite3_open(path_.c_str(), &writer), SQLITE_OK);
  ASSERT_EQ(sqlite3_exec(writer, "BEGIN EXCLUSIVE", nullptr, nullptr, nullptr), SQLITE_OK);
  EXPECT_EQ(message(db, "SELECT n FROM number"),
            "the database is locked by somebody who writes to it; try again when that is done");
  sqlite3_exec(writer, "ROLLBACK", nullptr, nullptr, nullptr);
  sqlite3_close(writer);
  expect_usable(db);
}

TEST_F(RunnerTest, ADamagedDatabaseIsSaidToBe) {
  {
    std::fstream file(path_, std::ios::in | std::ios::out | std::ios::binary);
    file.seekp(4096);
    file << std::string(8192, '\xAA');
  }
  auto db = Runner::open_unfenced(path_);
  ASSERT_TRUE(db) << db.error().message;
  EXPECT_EQ(message(*db, "SELECT * FROM person, secret").substr(0, 24), "the database is damaged:");
}

}  // namespace
}  // namespace pccsql
