// The reader of DDL text: what it reads, what it refuses, and where it says the mistake is.
#include <gtest/gtest.h>

#include "schema/reader.h"
#include "schema/scratch.h"

namespace pccsql {
namespace {

Error error_of(std::string_view ddl) {
  const Result<Catalog> catalog = read_ddl_catalog(ddl, "schema.sql");
  return catalog ? Error{"(no error)", {}, {}} : catalog.error();
}

TEST(DdlReader, ReadsTablesViewsAndIndexesAndSkipsRows) {
  const auto catalog = read_ddl_catalog(
      "-- people\nCREATE TABLE IF NOT EXISTS Person (id INTEGER PRIMARY KEY, name VARCHAR(20) NOT NULL DEFAULT ';');\n"
      "INSERT INTO Person VALUES (1, 'a;b'); insert into nowhere values (2);\n"
      "CREATE UNIQUE INDEX by_name ON Person (name); CREATE INDEX other ON Person (id);\n"
      "create view names as select name from Person;;",
      "dir/people.sql");
  ASSERT_TRUE(catalog) << catalog.error().to_string();
  EXPECT_EQ(catalog->name(), "people");
  ASSERT_EQ(catalog->tables().size(), 2u);
  EXPECT_EQ(catalog->table(0).integer_primary_key, ColumnIndex{0});
  EXPECT_EQ(catalog->table(0).unique_keys, (std::vector<std::vector<ColumnIndex>>{{1}}));
  EXPECT_EQ(catalog->table(1).kind, TableKind::View);
}

TEST(DdlReader, EmptyTextIsAnEmptyCatalogue) {
  for (const char* text : {"", " \n", "-- nothing\n", "/* nothing */;"}) {
    const auto catalog = read_ddl_catalog(text);
    ASSERT_TRUE(catalog) << text;
    EXPECT_TRUE(catalog->tables().empty());
  }
}

TEST(DdlReader, RefusesEverythingElseWithItsPlace) {
  Scratch scratch;
  const std::string target = scratch.path("made.sqlite");
  for (const std::string& statement :
       {"ATTACH '" + target + "' AS x", std::string("PRAGMA writable_schema = 1"), "VACUUM INTO '" + target + "'",
        std::string("CREATE VIRTUAL TABLE v USING fts5(a)"), std::string("DROP TABLE t"), std::string("SELECT 1"),
        std::string("CREATE TEMP TABLE x (a)"), std::string("CREATE TRIGGER x AFTER INSERT ON t BEGIN SELECT 1; END"),
        std::string("UPDATE t SET a = 1"), std::string("BEGIN"), std::string("\"CREATE\" TABLE x (a)"),
        std::string("EXPLAIN CREATE TABLE x (a)")}) {
    const Error error = error_of("CREATE TABLE t (a);\n  " + statement + ";");
    EXPECT_NE(error.message.find("only CREATE TABLE"), std::string::npos) << statement << ": " << error.message;
    EXPECT_EQ(error.file, "schema.sql");
    EXPECT_EQ(error.at.line, 2u) << statement;
    EXPECT_EQ(error.at.column, 3u) << statement;
  }
  EXPECT_FALSE(std::filesystem::exists(target));
}

TEST(DdlReader, SqlitesErrorsAreTiedToTheirPlace) {
  const Error error = error_of("CREATE TABLE t (a);\nCREATE TABLE u (a,\n  b WRONG WRONG (1,2,3,4));");
  EXPECT_EQ(error.to_string().substr(0, 15), "schema.sql:3:21") << error.to_string();
  const Error twice = error_of("CREATE TABLE t (a);\n CREATE TABLE T (b);");
  EXPECT_EQ(twice.at.line, 2u);
  EXPECT_NE(twice.message.find("already exists"), std::string::npos) << twice.message;
}

TEST(DdlReader, BadBytesAndUnfinishedTextAreErrors) {
  using namespace std::literals;
  EXPECT_NE(error_of("CREATE TABLE t (a);\0"sv).message.find("NUL"), std::string::npos);
  EXPECT_NE(error_of("CREATE TABLE t (\"\xff\");").message.find("UTF-8"), std::string::npos);
  EXPECT_NE(error_of("CREATE TABLE t (a); /* no end").message.find("does not end"), std::string::npos);
  EXPECT_NE(error_of("CREATE TABLE t (a DEFAULT 'no end").message, "(no error)");
  EXPECT_NE(error_of("CREATE TABLE t (a").message, "(no error)");
}

TEST(DdlReader, EndlessAndEnormousTextsEnd) {
  const Error endless =
      error_of("CREATE TABLE t AS WITH RECURSIVE c (x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT x FROM c;");
  EXPECT_NE(endless.message.find("computes too much"), std::string::npos) << endless.message;
  EXPECT_NE(error_of("CREATE TABLE t (a DEFAULT " + std::string(1 << 20, '(')).message, "(no error)");
  EXPECT_NE(error_of("CREATE TABLE t (a CHECK (" + std::string(1 << 20, '-') + "1));").message, "(no error)");
}

}  // namespace
}  // namespace pccsql
