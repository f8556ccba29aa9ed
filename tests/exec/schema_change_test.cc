// A schema that changes behind a runner: what a query was judged by must be what it is run on. And databases in
// write-ahead mode, which change while they are read, and beside which nothing may be left.
#include <gtest/gtest.h>

#include <set>
#include <thread>

#include "exec/run_world.h"

namespace pccsql {
namespace {

constexpr const char* kPersonPolicy = "version: 1\ntables: {person: {name: Public, ssn: Hidden}}\n";

class SchemaChange : public testing::Test {
 protected:
  static constexpr const char* kTables =
      "CREATE TABLE person (id INTEGER PRIMARY KEY, name TEXT, ssn TEXT);"
      "INSERT INTO person VALUES (1, 'Ada', '111'), (2, 'Bob', '222');";
  Scratch scratch_;
  std::string path_ = scratch_.database("x.sqlite", kTables);
};

TEST_F(SchemaChange, SwappedColumnsAreNotShown) {
  Runner db = open_runner(path_, kPersonPolicy);
  EXPECT_EQ(column_of(db, "SELECT name FROM person"), "Ada Bob");
  change(path_,
         "ALTER TABLE person RENAME COLUMN name TO x; ALTER TABLE person RENAME COLUMN ssn TO name;"
         "ALTER TABLE person RENAME COLUMN x TO ssn;");
  EXPECT_EQ(message_of(db, "SELECT name FROM person"), kSchemaChanged);
  EXPECT_EQ(message_of(db, "SELECT name FROM person"), kSchemaChanged);
  Runner again = open_runner(path_, kPersonPolicy);
  EXPECT_EQ(column_of(again, "SELECT name FROM person"), "111 222");  // what the policy now says
}

TEST_F(SchemaChange, IsSeenBetweenReadingTheCatalogueAndOpening) {
  const auto catalog = read_sqlite_catalog(path_);
  ASSERT_TRUE(catalog);
  const auto policy = parse_policy_yaml(kPersonPolicy, *catalog);
  ASSERT_TRUE(policy);
  change(path_, "CREATE TABLE other (a)");
  auto db = Runner::open(path_, *catalog, *policy, Profile::Strict);
  ASSERT_TRUE(db) << db.error().to_string();
  EXPECT_EQ(message_of(*db, "SELECT name FROM person"), kSchemaChanged);
}

TEST_F(SchemaChange, IsSeenByAProcessThatWasStartedAnew) {
  Runner db = open_runner(path_, kPersonPolicy, {.time = std::chrono::milliseconds(50)});
  EXPECT_NE(message_of(db, "SELECT instr(printf('%20000000c', ' '), printf('%10000000c', 'b'))"), "");
  // Another file with the same count of changes.
  const std::string other = scratch_.database(
      "y.sqlite", "CREATE TABLE person (id INTEGER PRIMARY KEY, ssn TEXT, name TEXT);"
                  "INSERT INTO person VALUES (1, 'Ada', '111'), (2, 'Bob', '222');");
  std::filesystem::rename(other, path_);
  EXPECT_EQ(message_of(db, "SELECT name FROM person"), kSchemaChanged);
}

TEST_F(SchemaChange, ACatalogueOfAnotherSourceIsHeldToWhatWasFound) {
  const auto catalog = read_ddl_catalog("CREATE TABLE person (id INTEGER PRIMARY KEY, name TEXT, ssn TEXT)");
  ASSERT_TRUE(catalog);
  const auto policy = parse_policy_yaml(kPersonPolicy, *catalog);
  ASSERT_TRUE(policy);
  auto db = Runner::open(path_, *catalog, *policy, Profile::Strict);
  ASSERT_TRUE(db) << db.error().to_string();
  EXPECT_EQ(column_of(*db, "SELECT name FROM person"), "Ada Bob");
  change(path_, "ALTER TABLE person RENAME TO people");
  EXPECT_EQ(message_of(*db, "SELECT name FROM person"), kSchemaChanged);
}

TEST_F(SchemaChange, RowsMayChange) {
  Runner db = open_runner(path_, kPersonPolicy);
  change(path_, "INSERT INTO person VALUES (3, 'Eve', '333')");
  EXPECT_EQ(column_of(db, "SELECT name FROM person"), "Ada Bob Eve");
}

class WriteAhead : public SchemaChange {
 protected:
  void SetUp() override { change(path_, "PRAGMA journal_mode = WAL"); }

  std::set<std::string> files() const {
    std::set<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(std::filesystem::path(path_).parent_path())) {
      names.insert(entry.path().filename().string());
    }
    return names;
  }
  // Somebody who writes and does not go away, or who is gone without having tidied up.
  struct Writer {
    explicit Writer(const std::string& path) {
      sqlite3_open(path.c_str(), &db);
      sqlite3_db_config(db, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, nullptr);
    }
    ~Writer() { sqlite3_close(db); }
    Writer(const Writer&) = delete;
    Writer& operator=(const Writer&) = delete;
    void write(const char* sql) const { ASSERT_EQ(sqlite3_exec(db, sql, nullptr, nullptr, nullptr), SQLITE_OK); }
    sqlite3* db = nullptr;
  };
};

TEST_F(WriteAhead, NothingIsLeftBesideAFileWithoutALog) {
  const auto before = files();
  ASSERT_EQ(before.size(), 1U);
  {
    Runner db = open_runner(path_, kPersonPolicy);
    EXPECT_EQ(column_of(db, "SELECT name FROM person"), "Ada Bob");
    EXPECT_EQ(files(), before);
  }
  EXPECT_EQ(files(), before);
}

TEST_F(WriteAhead, NothingIsLeftBesideALogThatWasLeftBehind) {
  // A copy of both files while a writer has them open: a log, and no index of it.
  const std::string copy = scratch_.path("folder/x.sqlite");
  std::filesystem::create_directory(scratch_.path("folder"));
  {
    const Writer writer(path_);
    writer.write("INSERT INTO person VALUES (3, 'Eve', '333')");
    std::filesystem::copy_file(path_, copy);
    std::filesystem::copy_file(path_ + "-wal", copy + "-wal");
  }
  path_ = copy;
  const auto before = files();
  ASSERT_EQ(before, (std::set<std::string>{"x.sqlite", "x.sqlite-wal"}));
  const std::string log = *read_file(path_ + "-wal");
  const std::string data = *read_file(path_);
  {
    Runner db = open_runner(path_, kPersonPolicy);
    EXPECT_EQ(column_of(db, "SELECT name FROM person"), "Ada Bob Eve");
    EXPECT_EQ(files(), before);
  }
  EXPECT_EQ(files(), before);
  EXPECT_EQ(*read_file(path_ + "-wal"), log);
  EXPECT_EQ(*read_file(path_), data);
}

TEST_F(WriteAhead, TheFilesOfAWriterAreUsedAndStay) {
  const Writer writer(path_);
  writer.write("INSERT INTO person VALUES (3, 'Eve', '333')");
  const auto before = files();
  ASSERT_EQ(before.size(), 3U);
  {
    Runner db = open_runner(path_, kPersonPolicy);
    EXPECT_EQ(column_of(db, "SELECT name FROM person"), "Ada Bob Eve");
    writer.write("INSERT INTO person VALUES (4, 'Pat', '444')");
    EXPECT_EQ(column_of(db, "SELECT name FROM person"), "Ada Bob Eve Pat");
  }
  EXPECT_EQ(files(), before);
}

TEST_F(WriteAhead, AWriterWhoComesLaterIsSeen) {
  Runner db = open_runner(path_, kPersonPolicy);
  EXPECT_EQ(column_of(db, "SELECT name FROM person"), "Ada Bob");
  change(path_, "INSERT INTO person VALUES (3, 'Eve', '333')");  // into the log, then into the file, and no log is left
  EXPECT_EQ(column_of(db, "SELECT name FROM person"), "Ada Bob Eve");
  {
    const Writer writer(path_);
    writer.write("INSERT INTO person VALUES (4, 'Pat', '444')");
    EXPECT_EQ(column_of(db, "SELECT name FROM person"), "Ada Bob Eve Pat");
    writer.write("ALTER TABLE person RENAME COLUMN name TO x");
    EXPECT_EQ(message_of(db, "SELECT name FROM person"), kSchemaChanged);
  }
}

TEST_F(WriteAhead, ASchemaChangeInAFileWithoutALogIsSeen) {
  Runner db = open_runner(path_, kPersonPolicy);
  EXPECT_EQ(column_of(db, "SELECT name FROM person"), "Ada Bob");
  change(path_, "ALTER TABLE person RENAME COLUMN ssn TO nickname");
  EXPECT_EQ(message_of(db, "SELECT name FROM person"), kSchemaChanged);
}

// A sum that every change leaves as it is: whoever sees another one has read half a change.
TEST_F(WriteAhead, EveryAnswerIsOfOneState) {
  const std::string path = scratch_.database(
      "sum.sqlite",
      "PRAGMA journal_mode = WAL; CREATE TABLE t (v INTEGER, filler TEXT);"
      "WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c WHERE n < 3000) "
      "INSERT INTO t SELECT 1, printf('%200d', n) FROM c");
  Runner db = open_runner(path, "version: 1\ndefault: Public\n");
  std::atomic<bool> over = false;
  std::thread writer([&] {
    for (int i = 0; i < 30; ++i) {
      change(path, "UPDATE t SET v = CASE WHEN rowid % 2 = " + std::to_string(i % 2) + " THEN 2 ELSE 0 END");
    }
    over = true;
  });
  size_t answers = 0;
  while (!over || answers == 0) {
    const auto rows = db.run("SELECT SUM(v) FROM t");
    if (!rows) continue;  // the writer was in the way
    EXPECT_EQ(std::get<int64_t>(rows->rows[0][0]), 3000);
    ++answers;
  }
  writer.join();
  EXPECT_GT(answers, 0U);
}

}  // namespace
}  // namespace pccsql
