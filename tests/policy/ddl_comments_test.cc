// Policies in comments of DDL: whose comment it is, and which comments are mistakes.
#include <gtest/gtest.h>

#include "policy/sample.h"

namespace pccsql {
namespace {

std::string read(std::string_view ddl, const Catalog& catalog = sample_catalog()) {
  return listing(catalog, parse_policy_ddl(ddl, catalog, ColumnPolicy::Hidden, "s.sql"));
}

// What the comments of a table `t (a, b, c)` say, as one line.
std::string letters(std::string_view list) {
  const Catalog catalog = catalog_from("CREATE TABLE t (a, b, c)");
  const auto policy = parse_policy_ddl("CREATE TABLE t (" + std::string(list), catalog);
  if (!policy) return policy.error().to_string();
  std::string out;
  for (ColumnIndex i = 0; i < 3; ++i) out += to_string(policy->of({0, i}))[0];
  return out;
}

TEST(DdlComments, AsThePapersPromptsWriteThem) {
  const char* ddl =
      "CREATE TABLE singer (\n  Singer_ID INT PRIMARY KEY  -- Public,\n  Name VARCHAR              -- Public,\n"
      "  Country VARCHAR           -- ConditionOnly,\n  Age INT                   -- AggregateOnly,\n"
      "  Is_male BOOLEAN           -- Hidden\n);\n";
  const auto catalog = read_ddl_catalog(ddl);
  ASSERT_TRUE(catalog) << catalog.error().to_string();
  EXPECT_EQ(read(ddl, *catalog),
            "singer.Singer_ID Public\nsinger.Name Public\nsinger.Country ConditionOnly\nsinger.Age AggregateOnly\n"
            "singer.Is_male Hidden\n");
}

TEST(DdlComments, BeforeOrAfterTheComma) {
  EXPECT_EQ(letters("a, -- Public\n b, -- ConditionOnly\n c -- AggregateOnly\n);"), "PCA");
  EXPECT_EQ(letters("a -- Public\n, b -- ConditionOnly\n, c -- AggregateOnly\n);"), "PCA");
  EXPECT_EQ(letters("a -- Public,\n b -- ConditionOnly,\n c -- AggregateOnly\n);"), "PCA");
  EXPECT_EQ(letters("a /* Public */, b, /* ConditionOnly */ c /* AggregateOnly */)"), "PCA");
  EXPECT_EQ(letters("a --Public\r\n, b, --\tConditionOnly  \n c)"), "PCH");
  EXPECT_EQ(letters("a, b, c)"), "HHH");
  EXPECT_EQ(letters("a, b, c); -- Public\n"), "HHH");
}

TEST(DdlComments, ProseIsNoPolicy) {
  EXPECT_EQ(letters("a, -- Public holidays are listed elsewhere\n b, -- the publisher, Public\n c -- Public: see there\n)"),
            "HHH");
  EXPECT_EQ(letters("a, -- public holidays\n b, -- Public\n c /* Public or not */)"), "HPH");
  EXPECT_EQ(
      letters("-- the columns\n a, -- publish it\n b, -- hide this\n -- and another\n c -- condition of the item\n)"),
      "HHH");
}

TEST(DdlComments, TheNameAloneWithItsPunctuation) {
  EXPECT_EQ(letters("a, -- Public.\n b, -- (ConditionOnly)\n c /** AggregateOnly; **/)"), "PCA");
  EXPECT_EQ(letters("a, -- [Public]\n b, --- Public ---\n c -- AggregateOnly!\n)"), "PPA");
}

TEST(DdlComments, AMarkerLetsWordsFollow) {
  EXPECT_EQ(letters("a, -- pccsql: Public, see there\n b, -- PCCSQL:ConditionOnly\n c /* pccsql : AggregateOnly (pay) */)"),
            "PCA");
  EXPECT_EQ(letters("a, -- pccsql is a program\n b, -- pccsql\n c)"), "HHH");
}

TEST(DdlComments, TypesDefaultsAndConstraintsAreSkipped) {
  EXPECT_EQ(letters("a DECIMAL(10, 2) DEFAULT (1 + (2)) CHECK (a > 0 AND a IN (1, 2)), -- Public\n"
                    "b TEXT DEFAULT '-- Hidden, )' NOT NULL, -- ConditionOnly\n"
                    "c REFERENCES u (x, y), -- AggregateOnly\n"
                    "PRIMARY KEY (a, b), CONSTRAINT k UNIQUE (c), -- the keys\n CHECK (a < b), FOREIGN KEY (b) "
                    "REFERENCES u (x)\n);"),
            "PCA");
}

TEST(DdlComments, EveryQuotingOfSqlite) {
  const Catalog catalog = catalog_from("CREATE TABLE \"my t\" (\"a b\", \"c`d\", \"e]f\", \"g\"\"h\", \"check\")");
  EXPECT_EQ(read("CREATE TABLE IF NOT EXISTS main.[my t] ([a b], -- Public\n `c``d`, -- Public\n \"e]f\", -- Public\n"
                 "'g\"h', -- Public\n \"check\" INT -- Public\n) WITHOUT ROWID;",
                 catalog),
            "my t.a b Public\nmy t.c`d Public\nmy t.e]f Public\nmy t.g\"h Public\nmy t.check Public\n");
}

TEST(DdlComments, TwoCommentsOnOneColumnIntersect) {
  EXPECT_EQ(letters("a /* Public */, -- ConditionOnly\n b -- AggregateOnly\n, -- ConditionOnly\n c)"), "CHH");
}

TEST(DdlComments, OtherStatementsAndCommentsOutsideAreNotLookedAt) {
  EXPECT_EQ(read("-- Public, all of it\nCREATE INDEX i ON employee (name); -- Public\nINSERT INTO x VALUES ('CREATE "
                 "TABLE y (');\n"
                 "CREATE VIEW v AS SELECT 1 -- Public\n;\nCREATE TABLE department (id INT -- Public\n);\n-- Hidden\n"),
            "employee.id Hidden\nemployee.name Hidden\nemployee.salary Hidden\nemployee.email Hidden\n"
            "department.id Public\ndepartment.name Hidden\n");
}

TEST(DdlComments, ColumnsWithoutACommentGetWhatTheCallerSays) {
  const Catalog catalog = sample_catalog();
  const auto policy = parse_policy_ddl("CREATE TABLE employee (salary INT -- Hidden\n)", catalog, ColumnPolicy::Public);
  ASSERT_TRUE(policy);
  EXPECT_EQ(policy->of({0, 2}), ColumnPolicy::Hidden);
  EXPECT_EQ(policy->of({0, 1}), ColumnPolicy::Public);
}

TEST(DdlComments, MistakesAreErrorsWithTheirPlace) {
  const auto expect_error = [](const std::string& list, const std::string& place, const std::string& part) {
    const std::string got = letters(list);
    EXPECT_EQ(got.substr(0, got.find(' ')), place) << list << "\n" << got;
    EXPECT_NE(got.find(part), std::string::npos) << list << "\n" << got;
  };
  expect_error("\na, -- public\n b, c)", "2:4:", "did you mean `Public`?");
  expect_error("\na, -- agregateonly\n b, c)", "2:4:", "did you mean `AggregateOnly`?");
  expect_error("\na, -- Aggregate only\n b, c)", "2:4:", "did you mean `AggregateOnly`?");
  expect_error("\na, -- condition-only\n b, c)", "2:4:", "did you mean `ConditionOnly`?");
  expect_error("\na -- HIDDEN,\n b, c)", "2:3:", "did you mean `Hidden`?");
  expect_error("\na, -- pccsql: public\n b, c)", "2:4:", "did you mean `Public`?");
  expect_error("\na, -- pccsql:\n b, c)", "2:4:", "policy");
  expect_error("\na, -- AggregateOnly (pay)\n b, c)", "2:4:", "write `pccsql: AggregateOnly`");
  expect_error("\na, -- Hidden, it is nobody's business\n b, c)", "2:4:", "write `pccsql: Hidden`");
  expect_error("\na, -- agregateonly (pay)\n b, c)", "2:4:", "did you mean `AggregateOnly`?");
  expect_error("\n-- pccsql: Public\n a, b, c)", "2:1:", "follows no column");
  expect_error("-- Public\n a, b, c)", "1:17:", "follows no column");
  expect_error("a,\n-- Public\n b, c)", "2:1:", "follows no column");
  expect_error("a -- Public,\n-- Hidden\n b, c)", "2:1:", "follows no column");
  expect_error("a, b, c,\n PRIMARY KEY (a) -- Public\n)", "2:18:", "follows no column");
  expect_error("a, b, c) -- Public\n;", "1:26:", "follows no column");
  expect_error("a, bb -- Public\n, c)", "1:20:", "has no column `bb`");
  expect_error("a, b (", "1:23:", "a `)` is missing");
  expect_error("a, b; c)", "1:21:", "a `)` is missing");
  expect_error("a, , c)", "1:20:", "the name of a column was expected");
  expect_error("a, b, c /* Public", "1:34:", "does not end");
}

TEST(DdlComments, UnknownTablesAreErrors) {
  EXPECT_EQ(read("CREATE TABLE emplyee (id INT -- Public\n);"),
            "s.sql:1:14: unknown table `emplyee`; did you mean `employee`?");
  EXPECT_EQ(read("CREATE TABLE"), "s.sql:1:13: the name of a table was expected");
}

TEST(DdlComments, BadBytesAndEnormousTextsEnd) {
  using namespace std::literals;
  EXPECT_EQ(read("CREATE TABLE employee\0 (id)"sv), "s.sql:1:22: a NUL byte");
  EXPECT_EQ(read("-- \xff\n"), "s.sql:1:4: the text must be valid UTF-8");
  EXPECT_NE(letters(std::string(1 << 20, '(')).find("column was expected"), std::string::npos);
  EXPECT_NE(letters("a " + std::string(1 << 20, '(')).find("`)` is missing"), std::string::npos);
}

}  // namespace
}  // namespace pccsql
