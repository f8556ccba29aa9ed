// Execution accuracy, by hand-made results: which values are equal, what order and repetition are worth, and what is
// said where gold does not run or where a schema has several databases.
#include "eval/accuracy.h"

#include <filesystem>
#include <limits>

#include <gtest/gtest.h>

#include "exec/row_order.h"
#include "schema/scratch.h"

namespace pccsql {
namespace {

Value text(const char* bytes) { return std::string(bytes); }
Value whole(int64_t number) { return number; }
Value real(double number) { return number; }

bool equal(const Value& a, const Value& b) {
  const bool as_multiset = same_multiset({{a}}, {{b}}, false);
  EXPECT_EQ(as_multiset, same_set({{a}}, {{b}}));
  EXPECT_EQ(as_multiset, same_multiset({{b}}, {{a}}, true));
  return as_multiset;
}

TEST(AccuracyValues, EqualAsPythonHasIt) {
  EXPECT_TRUE(equal(Null{}, Null{}));
  EXPECT_FALSE(equal(Null{}, whole(0)));
  EXPECT_FALSE(equal(Null{}, text("")));
  EXPECT_TRUE(equal(whole(1), real(1.0)));
  EXPECT_TRUE(equal(whole(0), real(-0.0)));
  EXPECT_FALSE(equal(whole(1), real(1.5)));
  EXPECT_FALSE(equal(real(0.3), real(0.1 + 0.2)));
  EXPECT_FALSE(equal(whole(1), text("1")));
  EXPECT_FALSE(equal(text("a"), text("A")));
  EXPECT_FALSE(equal(text("a"), Blob{"a"}));
  EXPECT_TRUE(equal(Blob{std::string("\0x", 2)}, Blob{std::string("\0x", 2)}));
  EXPECT_FALSE(equal(Blob{std::string("\0x", 2)}, Blob{std::string("\0y", 2)}));
}

TEST(AccuracyValues, LargeNumbersAreNotRounded) {
  EXPECT_TRUE(equal(whole(int64_t{1} << 53), real(9007199254740992.0)));
  EXPECT_FALSE(equal(whole((int64_t{1} << 53) + 1), real(9007199254740992.0)));
  EXPECT_TRUE(equal(whole(std::numeric_limits<int64_t>::min()), real(-9223372036854775808.0)));
  EXPECT_FALSE(equal(whole(std::numeric_limits<int64_t>::max()), real(9223372036854775808.0)));
  EXPECT_TRUE(equal(real(std::numeric_limits<double>::infinity()), real(std::numeric_limits<double>::infinity())));
}

TEST(AccuracyRows, RepetitionCountsInMultisetsAlone) {
  const Rows twice{{whole(1)}, {whole(1)}, {whole(2)}};
  const Rows other{{whole(2)}, {whole(1)}, {whole(2)}};
  const Rows once{{whole(1)}, {whole(2)}};
  EXPECT_FALSE(same_multiset(twice, other, false));
  EXPECT_FALSE(same_multiset(twice, once, false));
  EXPECT_TRUE(same_set(twice, other));
  EXPECT_TRUE(same_set(twice, once));
  EXPECT_FALSE(same_set(twice, {{whole(1)}}));
}

TEST(AccuracyRows, OrderCountsWhereAsked) {
  const Rows up{{whole(1), text("a")}, {whole(2), text("b")}};
  const Rows down{{whole(2), text("b")}, {whole(1), text("a")}};
  EXPECT_TRUE(same_multiset(up, down, false));
  EXPECT_FALSE(same_multiset(up, down, true));
  EXPECT_TRUE(same_multiset(up, up, true));
  EXPECT_TRUE(same_set(up, down));
}

TEST(AccuracyRows, ColumnsKeepTheirOrderAndNumber) {
  const Rows gold{{whole(1), whole(2)}};
  EXPECT_FALSE(same_multiset(gold, {{whole(2), whole(1)}}, false));
  EXPECT_FALSE(same_set(gold, {{whole(2), whole(1)}}));
  EXPECT_FALSE(same_multiset(gold, {{whole(1)}}, false));
  EXPECT_FALSE(same_multiset(gold, {{whole(1), whole(2), whole(3)}}, false));
  // Values do not run into each other across columns.
  EXPECT_FALSE(same_multiset({{text("a"), text("bc")}}, {{text("ab"), text("c")}}, false));
}

TEST(AccuracyRows, NoRowsEqualNoRows) {
  EXPECT_TRUE(same_multiset({}, {}, true));
  EXPECT_TRUE(same_set({}, {}));
  EXPECT_FALSE(same_multiset({}, {{Null{}}}, false));
  EXPECT_FALSE(same_set({{Null{}}}, {}));
}

TEST(AccuracyOrder, IsAskedForOutsideParenthesesAlone) {
  EXPECT_TRUE(orders_result("SELECT a FROM t ORDER BY a"));
  EXPECT_TRUE(orders_result("select a from t union select b from u order  /* by */ by 1 limit 3"));
  EXPECT_FALSE(orders_result("SELECT a FROM (SELECT a FROM t ORDER BY a LIMIT 3)"));
  EXPECT_FALSE(orders_result("SELECT RANK() OVER (ORDER BY a) FROM t"));
  EXPECT_FALSE(orders_result("WITH x AS (SELECT a FROM t ORDER BY a) SELECT * FROM x WHERE n = 'ORDER BY'"));
  EXPECT_FALSE(orders_result("SELECT a FROM t -- ORDER BY a"));
}

const char* const kPeople =
    "CREATE TABLE person(id INTEGER, name TEXT, pay REAL);"
    "INSERT INTO person VALUES (1, 'Ada', 10), (2, 'Bob', NULL), (3, 'Ada', 30);";

TEST(AccuracyJudge, RunsBothQueries) {
  const Scratch scratch;
  const std::string db = scratch.database("people.sqlite", kPeople);
  AccuracyJudge judge;
  const auto both = [&](const char* gold, const char* sql) { return judge.judge(db, gold, std::string(sql)); };

  Accuracy got = both("SELECT name FROM person", "SELECT name FROM person ORDER BY id DESC");
  EXPECT_EQ(got.multiset, true);
  EXPECT_EQ(got.set, true);
  EXPECT_EQ(got.all_instances, std::nullopt);

  got = both("SELECT name FROM person", "SELECT DISTINCT name FROM person");
  EXPECT_EQ(got.multiset, false);
  EXPECT_EQ(got.set, true);

  got = both("SELECT name FROM person ORDER BY id", "SELECT name FROM person ORDER BY id DESC");
  EXPECT_EQ(got.multiset, true) << "Ada, Bob, Ada reads the same backwards";
  got = both("SELECT id FROM person ORDER BY id", "SELECT id FROM person ORDER BY id DESC");
  EXPECT_EQ(got.multiset, false);
  EXPECT_EQ(got.set, true);

  EXPECT_EQ(both("SELECT SUM(pay) FROM person", "SELECT 40").multiset, true);
  EXPECT_EQ(both("SELECT pay FROM person WHERE id = 2", "SELECT NULL").multiset, true);
}

TEST(AccuracyJudge, WhatDoesNotRunIsWrongAndGoldThatDoesNotIsUnknown) {
  const Scratch scratch;
  const std::string db = scratch.database("people.sqlite", kPeople);
  AccuracyJudge judge;
  Accuracy got = judge.judge(db, "SELECT id FROM person", std::string("SELECT salary FROM person"));
  EXPECT_EQ(got.multiset, false);
  EXPECT_EQ(got.set, false);
  got = judge.judge(db, "SELECT id FROM person", std::nullopt);
  EXPECT_EQ(got.multiset, false);
  got = judge.judge(db, "SELECT salary FROM person", std::string("SELECT id FROM person"));
  EXPECT_EQ(got.multiset, std::nullopt);
  EXPECT_EQ(got.set, std::nullopt);
  got = judge.judge(scratch.path("none.sqlite"), "SELECT 1", std::string("SELECT 1"));
  EXPECT_EQ(got.multiset, std::nullopt);
  EXPECT_FALSE(std::filesystem::exists(scratch.path("none.sqlite")));
}

TEST(AccuracyJudge, LimitsHold) {
  const Scratch scratch;
  const std::string db = scratch.database("people.sqlite", kPeople);
  RunLimits limits = AccuracyJudge::generous_limits();
  limits.rows = 3;
  AccuracyJudge judge(limits);
  const std::string many = "SELECT a.id FROM person a, person b";
  EXPECT_EQ(judge.judge(db, "SELECT id FROM person", many).set, false) << "over the limit, though the set is the same";
  EXPECT_EQ(judge.judge(db, many, std::string("SELECT id FROM person")).set, std::nullopt);
}

TEST(AccuracyJudge, EveryInstanceMustAgree) {
  const Scratch scratch;
  const std::string db = scratch.database("people.sqlite", kPeople);
  scratch.database("people_2.sqlite",
                   "CREATE TABLE person(id INTEGER, name TEXT, pay REAL); INSERT INTO person VALUES (7, 'Eve', 10);");
  scratch.file("schema.sql", "not a database");
  ASSERT_EQ(database_instances(db), (std::vector<std::string>{db, scratch.path("people_2.sqlite")}));

  AccuracyJudge judge;
  Accuracy got = judge.judge(db, "SELECT MIN(id) FROM person", std::string("SELECT 1"));
  EXPECT_EQ(got.multiset, true) << "right by chance";
  EXPECT_EQ(got.all_instances, false);
  got = judge.judge(db, "SELECT MIN(id) FROM person", std::string("SELECT id FROM person ORDER BY id LIMIT 1"));
  EXPECT_EQ(got.all_instances, true);
  // Wrong on the first and right on the second is not right on all.
  got = judge.judge(db, "SELECT MIN(id) FROM person", std::string("SELECT 7"));
  EXPECT_EQ(got.multiset, false);
  EXPECT_EQ(got.all_instances, false);
}

}  // namespace
}  // namespace pccsql
