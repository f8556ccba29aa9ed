// The reader of SQLite files: what it takes over from SQLite, and what it does with files that are none.
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <iterator>

#include "schema/reader.h"
#include "schema/scratch.h"

namespace pccsql {
namespace {

class SqliteReader : public ::testing::Test {
 protected:
  Catalog read(const std::string& sql) {
    Result<Catalog> catalog = read_sqlite_catalog(scratch_.database("test.sqlite", sql));
    if (!catalog) throw std::runtime_error(catalog.error().to_string());
    return *std::move(catalog);
  }
  const Table& table(const Catalog& catalog, std::string_view name) {
    const auto id = catalog.find_table(name);
    if (!id) throw std::runtime_error("no table " + std::string(name));
    return catalog.table(*id);
  }
  Scratch scratch_;
};

std::vector<std::string> names(const Table& table) {
  std::vector<std::string> out;
  for (const Column& column : table.columns) out.push_back(column.name);
  return out;
}

using Strings = std::vector<std::string>;
using Indexes = std::vector<ColumnIndex>;

TEST_F(SqliteReader, TablesInTheOrderOfTheirMakingWithoutSqlitesOwn) {
  const Catalog catalog =
      read("CREATE TABLE b (x INTEGER PRIMARY KEY AUTOINCREMENT, y VARCHAR(20)); CREATE TABLE a (z)");
  ASSERT_EQ(catalog.tables().size(), 2u);  // AUTOINCREMENT made sqlite_sequence
  EXPECT_EQ(catalog.name(), "test");
  EXPECT_EQ(catalog.table(0).name, "b");
  EXPECT_EQ(names(catalog.table(0)), (Strings{"x", "y"}));
  EXPECT_EQ(catalog.table(0).columns[1].type, "VARCHAR(20)");
  EXPECT_EQ(catalog.table(1).columns[0].type, "");
}

TEST_F(SqliteReader, IntegerPrimaryKeyExactlyWhereRowidIsItsOtherName) {
  const Catalog catalog = read(
      "CREATE TABLE plain (a, id INTEGER PRIMARY KEY);"
      "CREATE TABLE lower_case (id integer primary key);"
      "CREATE TABLE by_constraint (a, id INTEGER, PRIMARY KEY (id));"
      "CREATE TABLE by_constraint_desc (a, id INTEGER, PRIMARY KEY (id DESC));"
      "CREATE TABLE descending (id INTEGER PRIMARY KEY DESC);"
      "CREATE TABLE short_type (id INT PRIMARY KEY);"
      "CREATE TABLE two (a INTEGER, b INTEGER, PRIMARY KEY (a, b));"
      "CREATE TABLE unkeyed (id INTEGER);"
      "CREATE TABLE no_rowid (id INTEGER PRIMARY KEY) WITHOUT ROWID;");
  EXPECT_EQ(table(catalog, "plain").integer_primary_key, ColumnIndex{1});
  EXPECT_EQ(table(catalog, "lower_case").integer_primary_key, ColumnIndex{0});
  EXPECT_EQ(table(catalog, "by_constraint").integer_primary_key, ColumnIndex{1});
  EXPECT_EQ(table(catalog, "by_constraint_desc").integer_primary_key, ColumnIndex{1});
  for (const char* none : {"descending", "short_type", "two", "unkeyed", "no_rowid"}) {
    EXPECT_FALSE(table(catalog, none).integer_primary_key) << none;
  }
  EXPECT_TRUE(table(catalog, "no_rowid").without_rowid);
  EXPECT_FALSE(table(catalog, "plain").without_rowid);
}

TEST_F(SqliteReader, KeysInTheOrderTheyNameTheirColumns) {
  const Catalog catalog = read(
      "CREATE TABLE t (a, b, c UNIQUE, d, PRIMARY KEY (b, a));"
      "CREATE UNIQUE INDEX on_d_c ON t (d, c); CREATE UNIQUE INDEX partial ON t (d) WHERE a > 1;"
      "CREATE UNIQUE INDEX expression ON t (d + 1); CREATE INDEX ordinary ON t (a);");
  const Table& t = table(catalog, "t");
  EXPECT_EQ(t.primary_key, (Indexes{1, 0}));
  std::vector<Indexes> keys = t.unique_keys;
  std::sort(keys.begin(), keys.end());
  EXPECT_EQ(keys, (std::vector<Indexes>{{2}, {3, 2}}));
}

TEST_F(SqliteReader, ForeignKeysWithTheParentsKeyFilledIn) {
  const Catalog catalog = read(
      "CREATE TABLE child (p REFERENCES parent, q, r, s REFERENCES nowhere, FOREIGN KEY (q, r) REFERENCES Pair (y, x));"
      "CREATE TABLE parent (v, id PRIMARY KEY); CREATE TABLE Pair (x, y, PRIMARY KEY (x, y));");
  const std::vector<ForeignKey>& keys = table(catalog, "child").foreign_keys;
  ASSERT_EQ(keys.size(), 3u);
  for (const ForeignKey& key : keys) {
    if (key.parent_table == "parent") {
      EXPECT_EQ(key.columns, (Indexes{0}));
      EXPECT_EQ(key.parent_columns, (Strings{"id"}));
    } else if (key.parent_table == "Pair") {
      EXPECT_EQ(key.columns, (Indexes{1, 2}));
      EXPECT_EQ(key.parent_columns, (Strings{"y", "x"}));
    } else {
      EXPECT_EQ(key.parent_table, "nowhere");
      EXPECT_EQ(key.parent_columns, Strings{});
    }
  }
}

TEST_F(SqliteReader, GeneratedColumnsAreColumns) {
  const Catalog catalog = read("CREATE TABLE t (a, v AS (a + 1), s AS (a * 2) STORED)");
  const Table& t = table(catalog, "t");
  EXPECT_EQ(names(t), (Strings{"a", "v", "s"}));
  EXPECT_EQ(t.columns[0].generated, Generated::No);
  EXPECT_EQ(t.columns[1].generated, Generated::Virtual);
  EXPECT_EQ(t.columns[2].generated, Generated::Stored);
}

TEST_F(SqliteReader, OddNamesComeThroughAsTheyAre) {
  const Catalog catalog = read(
      "CREATE TABLE \"odd \"\"table\" (\"a b\", [c`c], `d\"e`, \"größe\", \"\", \"*\", \"x.y\", \"line\nbreak\");"
      "CREATE TABLE pragma_table_xinfo (a)");
  EXPECT_EQ(names(table(catalog, "odd \"table")),
            (Strings{"a b", "c`c", "d\"e", "größe", "", "*", "x.y", "line\nbreak"}));
  EXPECT_EQ(names(table(catalog, "pragma_table_xinfo")), (Strings{"a"}));
}

TEST_F(SqliteReader, VirtualTablesAndTheirStorageAreOfKindVirtual) {
  const Catalog catalog = read("CREATE VIRTUAL TABLE notes USING fts5(body); CREATE TABLE notes_of_mine (a)");
  EXPECT_EQ(table(catalog, "notes").kind, TableKind::Virtual);
  EXPECT_EQ(table(catalog, "notes").columns[0].name, "body");
  EXPECT_FALSE(table(catalog, "notes").columns[0].hidden);
  EXPECT_TRUE(table(catalog, "notes").columns.back().hidden);  // `rank`
  EXPECT_EQ(table(catalog, "notes_content").kind, TableKind::Virtual);
  EXPECT_EQ(table(catalog, "notes_of_mine").kind, TableKind::Table);
}

TEST_F(SqliteReader, ViewsHaveTheColumnsSqliteGivesThem) {
  const Catalog catalog = read(
      "CREATE TABLE t (a INTEGER PRIMARY KEY, b); CREATE VIEW v AS SELECT a, b AS c, a FROM t;"
      "CREATE VIEW w (x) AS SELECT count(*) FROM v");
  const Table& v = table(catalog, "v");
  EXPECT_EQ(v.kind, TableKind::View);
  EXPECT_EQ(names(v), (Strings{"a", "c", "a:1"}));
  EXPECT_FALSE(v.integer_primary_key);
  EXPECT_EQ(v.sql, "CREATE VIEW v AS SELECT a, b AS c, a FROM t");
  EXPECT_EQ(names(table(catalog, "w")), (Strings{"x"}));
  EXPECT_TRUE(catalog.unusable_views().empty());
}

TEST_F(SqliteReader, ViewsWithLooseNamesAreUnusable) {
  const Catalog catalog = read(
      "CREATE TABLE t (a, secret);"
      "CREATE VIEW loose AS SELECT \"secret\" AS x;"  // a string, until a query has such a column
      "CREATE VIEW loose_in_where AS SELECT a FROM t WHERE a = \"nothing\";"
      "CREATE VIEW loose_in_cte AS WITH c AS (SELECT \"secret\" AS x) SELECT x FROM c;"
      "CREATE VIEW dangling AS SELECT a FROM gone;"
      "CREATE VIEW over_loose AS SELECT x FROM loose;"
      "CREATE VIEW fine AS SELECT \"a\", 'secret' AS s, true AS yes FROM t;");
  EXPECT_EQ(catalog.unusable_views(), (Strings{"loose", "loose_in_where", "loose_in_cte", "dangling", "over_loose"}));
  EXPECT_FALSE(catalog.find_table("loose"));
  EXPECT_TRUE(catalog.find_table("fine"));
}

TEST_F(SqliteReader, TruthIsALooseNameWhereAColumnIsCalledSo) {
  const Catalog catalog = read(
      "CREATE TABLE t (a, b); CREATE TABLE u (\"True\", \"false\");"
      "CREATE VIEW loose AS SELECT a FROM t WHERE b = true;"  // a column named true would take its place
      "CREATE VIEW bound AS SELECT true AS x FROM u;"
      "CREATE VIEW fine AS SELECT a FROM t;");
  EXPECT_EQ(catalog.unusable_views(), (Strings{"loose"}));
  EXPECT_FALSE(catalog.find_table("loose"));
  EXPECT_TRUE(catalog.find_table("bound"));
  EXPECT_TRUE(catalog.find_table("fine"));
}

TEST_F(SqliteReader, RowsThatAreNotUtf8DoNotMatter) {
  const Catalog catalog = read("CREATE TABLE t (a); INSERT INTO t VALUES (CAST(x'ff00fe' AS TEXT))");
  EXPECT_EQ(catalog.tables().size(), 1u);
}

TEST_F(SqliteReader, WriteAheadLogWhereItsFilesCannotBeMade) {
  const std::string path = scratch_.database("wal.sqlite", "PRAGMA journal_mode = WAL; CREATE TABLE t (a)");
  std::filesystem::create_directory(path + "-wal");  // in the way even of a user who may write everywhere
  const Result<Catalog> catalog = read_sqlite_catalog(path);
  ASSERT_TRUE(catalog) << catalog.error().to_string();
  EXPECT_TRUE(catalog->find_table("t"));
}

TEST_F(SqliteReader, IndexesAreKnownWithAllColumnsThatTheyHold) {
  const Catalog catalog =
      read("CREATE TABLE t (id INTEGER PRIMARY KEY, a TEXT UNIQUE, b, \"c d\", e);"
           "CREATE INDEX plain ON t (b, a);"
           "CREATE INDEX computed ON t (lower(\"c d\") DESC, b);"
           "CREATE INDEX partial ON t (a) WHERE [e] > 0 AND B IS NOT NULL;");
  std::string listed;
  for (const Index& index : catalog.table(0).indexes) {
    listed += (index.constraint ? "constraint" : index.name) + ":";
    for (const ColumnIndex column : index.columns) listed += " " + catalog.table(0).columns[column].name;
    listed += "\n";
  }
  EXPECT_EQ(listed, "constraint: a\nplain: a b\ncomputed: b c d\npartial: a b e\n");
}

TEST_F(SqliteReader, AStampTellsOneSchemaFromAnother) {
  const std::string path = scratch_.database("a.sqlite", "CREATE TABLE t (a, b)");
  const auto first = read_sqlite_catalog(path)->stamp();
  ASSERT_TRUE(first);
  EXPECT_EQ(read_sqlite_catalog(path)->stamp(), first);
  scratch_.database("a.sqlite", "INSERT INTO t VALUES (1, 2)");
  EXPECT_EQ(read_sqlite_catalog(path)->stamp(), first);
  scratch_.database("a.sqlite", "ALTER TABLE t RENAME b TO c");
  EXPECT_NE(read_sqlite_catalog(path)->stamp(), first);
  const auto other = read_sqlite_catalog(scratch_.database("b.sqlite", "CREATE TABLE t (b, a)"))->stamp();
  EXPECT_EQ(other->version, first->version);
  EXPECT_NE(other, first);
}

TEST_F(SqliteReader, AChangeThatWasBrokenOffIsNotReadOver) {
  const std::string path = scratch_.database("a.sqlite", "CREATE TABLE t (a); INSERT INTO t VALUES (1)");
  // A journal that still has to be played back, as a crash leaves it.
  sqlite3* db = nullptr;
  ASSERT_EQ(sqlite3_open(path.c_str(), &db), SQLITE_OK);
  ASSERT_EQ(sqlite3_exec(db, "PRAGMA cache_size = 1; PRAGMA cache_spill = 1; BEGIN; CREATE TABLE u AS WITH RECURSIVE c(n) AS "
                             "(SELECT 1 UNION ALL SELECT n + 1 FROM c WHERE n < 9999) SELECT n, printf('%500d', n) FROM c",
                         nullptr, nullptr, nullptr),
            SQLITE_OK);
  const std::string copy = scratch_.path("b.sqlite");
  std::filesystem::copy_file(path, copy);
  std::filesystem::copy_file(path + "-journal", copy + "-journal");
  sqlite3_close(db);
  const Result<Catalog> catalog = read_sqlite_catalog(copy);
  ASSERT_FALSE(catalog);
  EXPECT_NE(catalog.error().message.find("was broken off"), std::string::npos) << catalog.error().to_string();
}

TEST_F(SqliteReader, ReadingLeavesNothingBesideADatabaseInWriteAheadMode) {
  const std::string path = scratch_.database("wal.sqlite", "PRAGMA journal_mode = WAL; CREATE TABLE t (a)");
  ASSERT_TRUE(read_sqlite_catalog(path));
  const auto folder = std::filesystem::path(path).parent_path();
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder), {}), 1);
}

TEST_F(SqliteReader, ReadingLeavesTheFileAndItsFolderAlone) {
  const std::string path = scratch_.database("test.sqlite", "CREATE TABLE t (a); CREATE VIEW v AS SELECT a FROM t");
  const std::string before = *read_file(path);
  ASSERT_TRUE(read_sqlite_catalog(path));
  EXPECT_EQ(*read_file(path), before);
  const auto folder = std::filesystem::path(path).parent_path();
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder), {}), 1);
}

TEST_F(SqliteReader, FilesThatAreNoDatabaseAreErrorsThatNameThem) {
  const struct {
    std::string path;
    std::string message;
  } cases[] = {
      {scratch_.path(""), "is a directory"},
      {scratch_.path("missing.sqlite"), "no such file"},
      {scratch_.file("empty.sqlite", ""), "is empty"},
      {scratch_.file("text.sqlite", std::string(5000, 'x')), "file is not a database"},
      {scratch_.file("short.sqlite", "SQLite format 3"), "file is not a database"},
  };
  for (const auto& [path, message] : cases) {
    const Result<Catalog> catalog = read_sqlite_catalog(path);
    ASSERT_FALSE(catalog) << path;
    EXPECT_EQ(catalog.error().file, path);
    EXPECT_NE(catalog.error().message.find(message), std::string::npos) << catalog.error().message;
  }
}

TEST_F(SqliteReader, TruncatedAndScrambledFilesNeverCrash) {
  const std::string path =
      scratch_.database("test.sqlite", "CREATE TABLE t (a, b); CREATE TABLE u (c); CREATE VIEW v AS SELECT a FROM t");
  const std::string whole = *read_file(path);
  for (size_t length = 1; length < whole.size(); length += 97) {
    (void)read_sqlite_catalog(scratch_.file("cut.sqlite", whole.substr(0, length)));
  }
  for (size_t i = 0; i < whole.size(); i += 61) {
    std::string scrambled = whole;
    scrambled[i] = static_cast<char>(scrambled[i] ^ 0x55);
    (void)read_sqlite_catalog(scratch_.file("scrambled.sqlite", scrambled));
  }
}

}  // namespace
}  // namespace pccsql
