// The witness: what SQLite prepares and refuses, and which reads its authorizer reports.
#include "exec/database.h"

#include <gtest/gtest.h>

#include "schema/scratch.h"

namespace pccsql {
namespace {

using Reads = std::vector<std::pair<std::string, std::string>>;

Database sample() {
  Result<Database> db =
      Database::in_memory("CREATE TABLE T (A, b); CREATE TABLE u (b, c); CREATE VIEW v AS SELECT c FROM u;");
  if (!db) throw std::runtime_error(db.error().to_string());
  return *std::move(db);
}

TEST(Database, PreparesAndReportsReadsInLowerCaseOnceAndSorted) {
  Database db = sample();
  const Prepared prepared = db.prepare("SELECT u.c, t.A, a FROM T, u WHERE t.B = 1 ;");
  EXPECT_TRUE(prepared.ok) << prepared.message;
  EXPECT_EQ(prepared.columns, 3);
  EXPECT_EQ(prepared.reads, (Reads{{"t", "a"}, {"t", "b"}, {"u", "c"}}));
}

TEST(Database, ATableReadWithoutAColumnIsReportedAsSuch) {
  Database db = sample();
  EXPECT_EQ(db.prepare("SELECT count(*) FROM t").reads, (Reads{{"t", ""}}));
}

TEST(Database, AViewsOwnReadsAreReportedToo) {
  Database db = sample();
  EXPECT_EQ(db.prepare("SELECT c FROM v").reads, (Reads{{"u", "c"}, {"v", "c"}}));
}

TEST(Database, WhatDoesNotPrepareHasSqlitesMessageAndNoReadsOfTheNextQuery) {
  Database db = sample();
  const Prepared wrong = db.prepare("SELECT a, missing FROM t");
  EXPECT_FALSE(wrong.ok);
  EXPECT_EQ(wrong.message, "no such column: missing");
  EXPECT_EQ(db.prepare("SELECT b FROM u").reads, (Reads{{"u", "b"}}));
}

TEST(Database, OneStatementAndNothingAfterIt) {
  Database db = sample();
  EXPECT_TRUE(db.prepare("SELECT 1; -- the end\n /* really */ ;").ok);
  EXPECT_EQ(db.prepare("SELECT a FROM t; SELECT b FROM u").reads, (Reads{{"t", "a"}}));
  EXPECT_EQ(db.prepare("SELECT 1; SELECT 2").message, "there is text after the statement");
  EXPECT_EQ(db.prepare("SELECT 1; nonsense").message, "there is text after the statement");
  EXPECT_EQ(db.prepare("").message, "there is no statement");
  EXPECT_EQ(db.prepare(std::string_view()).message, "there is no statement");
  EXPECT_EQ(db.prepare(" -- nothing").message, "there is no statement");
  EXPECT_EQ(db.prepare(std::string_view("SELECT 1\0", 9)).message, "the query holds a NUL byte");
}

TEST(Database, PreparingDoesNotRun) {
  Database db = sample();
  EXPECT_TRUE(db.prepare("DROP TABLE t").ok);
  EXPECT_TRUE(db.prepare("SELECT a FROM t").ok);
}

TEST(Database, DeepTextIsAnErrorOfSqlites) {
  Database db = sample();
  EXPECT_FALSE(db.prepare("SELECT " + std::string(1 << 20, '(')).ok);
}

TEST(Database, OpensFilesButMakesNone) {
  Scratch scratch;
  Result<Database> db = Database::open(scratch.database("x.sqlite", "CREATE TABLE t (a)"));
  ASSERT_TRUE(db) << db.error().to_string();
  EXPECT_TRUE(db->prepare("SELECT a FROM t").ok);
  for (const std::string& path :
       {scratch.path("missing"), scratch.path(""), scratch.file("text", "no database, but long enough")}) {
    const Result<Database> none = Database::open(path);
    ASSERT_FALSE(none) << path;
    EXPECT_EQ(none.error().file, path);
  }
  EXPECT_FALSE(std::filesystem::exists(scratch.path("missing")));
}

TEST(Database, ASetupThatFailsIsAnError) {
  const Result<Database> db = Database::in_memory("CREATE TABLE t (a); CREATE TABLE t (a);");
  ASSERT_FALSE(db);
  EXPECT_NE(db.error().message.find("table t already exists"), std::string::npos) << db.error().message;
}

}  // namespace
}  // namespace pccsql
