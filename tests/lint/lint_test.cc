// Each rule warned of where it should be, and silent where the policy is sound.
#include "lint/lint.h"

#include <gtest/gtest.h>

#include "policy/policy_file.h"
#include "schema/reader.h"

namespace pccsql {
namespace {

// Groups of one have tests of their own; elsewhere they would stand beside every AggregateOnly column.
enum class GroupsOfOne { Left, Told };

// The warnings as "kind table.column", one a line.
std::string kinds(const std::string& ddl, const std::string& tables, std::string* messages = nullptr,
                  GroupsOfOne groups = GroupsOfOne::Left) {
  const Result<Catalog> catalog = read_ddl_catalog(ddl);
  if (!catalog) return catalog.error().to_string();
  const Result<Policy> policy = parse_policy_yaml("version: 1\ndefault: Public\ntables: {" + tables + "}", *catalog);
  if (!policy) return policy.error().to_string();
  std::string out;
  for (const Warning& warning : lint(*catalog, *policy)) {
    if (warning.kind == Finding::NoMinGroup && groups == GroupsOfOne::Left) continue;
    out += std::string(to_string(warning.kind)) + " " + warning.table + "." + warning.column + "\n";
    if (messages) *messages += warning.message + "\n";
  }
  return out;
}

std::string messages(const std::string& ddl, const std::string& tables) {
  std::string out;
  kinds(ddl, tables, &out);
  return out;
}

TEST(Lint, ASoundPolicyHasNoWarnings) {
  EXPECT_EQ(kinds("CREATE TABLE e (id INTEGER PRIMARY KEY, name TEXT, mail TEXT, n AS (length(name)));"
                  "CREATE VIEW v AS SELECT id, n FROM e;",
                  "e: {mail: Hidden}"),
            "");
}

// --- generated columns

constexpr char kPay[] = "CREATE TABLE pay (salary INT, yearly AS (salary * 12), high AS (salary > 9000), other INT);";

TEST(Lint, AGeneratedColumnMorePermittedThanItsSource) {
  EXPECT_EQ(kinds(kPay, "pay: {salary: Hidden, high: Hidden}"), "generated-column pay.yearly\n");
  EXPECT_EQ(messages(kPay, "pay: {salary: Hidden, high: Hidden}"),
            "generated column `pay.yearly` is Public, but is computed from `pay.salary`, which is Hidden\n");
}

TEST(Lint, AGeneratedColumnThatPermitsOnlyWhatItsSourcePermits) {
  EXPECT_EQ(kinds(kPay, "pay: {salary: AggregateOnly, yearly: AggregateOnly, high: Hidden}"), "");
  EXPECT_EQ(kinds(kPay, "pay: {salary: ConditionOnly, yearly: ConditionOnly, high: ConditionOnly}"), "");
  EXPECT_EQ(kinds(kPay, "pay: {salary: ConditionOnly, yearly: AggregateOnly, high: Hidden}"),
            "generated-column pay.yearly\n");
}

TEST(Lint, APredicateMayNotBeSummedWhereItsSourceMay) {
  EXPECT_EQ(kinds(kPay, "pay: {salary: AggregateOnly, yearly: Hidden, high: AggregateOnly}"),
            "generated-column pay.high\n");
}

TEST(Lint, GeneratedColumnsOfGeneratedColumnsNameTheRoot) {
  EXPECT_EQ(messages("CREATE TABLE t (a, b AS (a), c AS (b) STORED)", "t: {a: Hidden}"),
            "generated column `t.b` is Public, but is computed from `t.a`, which is Hidden\n"
            "generated column `t.c` is Public, but is computed from `t.a`, which is Hidden\n");
}

TEST(Lint, AnExpressionOutsideTheJudgesLanguageIsStillSeenThrough) {
  EXPECT_EQ(kinds("CREATE TABLE t (a, b AS (likelihood(a, 0.5)))", "t: {a: Hidden}"), "generated-column t.b\n");
  EXPECT_EQ(kinds("CREATE TABLE t (a, b); CREATE VIEW v AS SELECT x FROM (t AS x0 JOIN (SELECT a AS x FROM t))",
                  "t: {a: Hidden}"),
            "view v.x\n");
  EXPECT_EQ(kinds("CREATE TABLE t (a, b); CREATE VIEW v AS WITH RECURSIVE c (n) AS (SELECT max(a) FROM t UNION SELECT "
                  "n + 1 FROM c "
                  "WHERE n < 9) SELECT n, 1 AS one FROM c",
                  "t: {a: Hidden}"),
            "view v.\n");
}

// --- views

constexpr char kStaff[] =
    "CREATE TABLE staff (id INTEGER PRIMARY KEY, name TEXT, salary INT, dept TEXT);"
    "CREATE TABLE secret (x INT);";

std::string view(const std::string& body, const std::string& tables) {
  return kinds(kStaff + ("CREATE VIEW v AS " + body), tables);
}

TEST(Lint, AViewColumnMorePermittedThanItsSource) {
  EXPECT_EQ(view("SELECT name, salary AS s, dept || salary FROM staff", "staff: {salary: Hidden}"),
            "view v.s\nview v.dept || salary\n");
  EXPECT_EQ(messages(kStaff + std::string("CREATE VIEW v AS SELECT name, salary FROM staff"),
                     "staff: {salary: Hidden, name: ConditionOnly}"),
            "view column `v.name` is Public, but is computed from `staff.name`, which is ConditionOnly\n"
            "view column `v.salary` is Public, but is computed from `staff.salary`, which is Hidden\n");
}

TEST(Lint, AViewColumnNoMorePermittedIsSound) {
  EXPECT_EQ(view("SELECT name, salary FROM staff", "staff: {salary: Hidden}, v: {salary: Hidden}"), "");
  EXPECT_EQ(view("SELECT name, salary * 2 AS s FROM staff",
                 "staff: {id: Hidden, salary: AggregateOnly}, v: {s: AggregateOnly}"),
            "rowid staff.id\n");
  EXPECT_EQ(view("SELECT name AS n FROM staff", "staff: {name: ConditionOnly}, v: {n: ConditionOnly}"), "");
}

TEST(Lint, AnAggregatingViewIsJudgedAsTheQueryItIs) {
  EXPECT_EQ(
      view("SELECT dept, AVG(salary) AS s FROM staff GROUP BY dept", "staff: {id: Hidden, salary: AggregateOnly}"),
      "rowid staff.id\n");
  EXPECT_EQ(
      view("SELECT dept, MAX(salary) AS s FROM staff GROUP BY dept", "staff: {id: Hidden, salary: AggregateOnly}"),
      "rowid staff.id\nview v.s\n");
  // MIN and MAX point at one row, so even a condition on them asks for more than a condition on their argument.
  EXPECT_EQ(view("SELECT dept, MAX(salary) AS s FROM staff GROUP BY dept",
                 "staff: {salary: ConditionOnly}, v: {s: ConditionOnly}"),
            "view v.s\n");
  EXPECT_EQ(view("SELECT name, RANK() OVER (ORDER BY salary) AS r FROM staff",
                 "staff: {salary: ConditionOnly}, v: {r: ConditionOnly}"),
            "view v.r\n");
}

TEST(Lint, StarsAreTakenApart) {
  EXPECT_EQ(view("SELECT * FROM staff", "staff: {salary: Hidden}"), "view v.salary\n");
  EXPECT_EQ(
      view("SELECT 1 AS one, staff.*, x FROM staff, secret", "staff: {salary: Hidden}, secret: {x: ConditionOnly}"),
      "view v.salary\nview v.x\n");
}

TEST(Lint, EveryBranchOfASetOperationCounts) {
  EXPECT_EQ(view("SELECT name, dept FROM staff UNION SELECT dept, salary FROM staff", "staff: {salary: Hidden}"),
            "view v.dept\n");
}

TEST(Lint, RowsThatDependOnARestrictedColumn) {
  EXPECT_EQ(view("SELECT name FROM staff WHERE salary > 9000", "staff: {salary: Hidden}"), "view v.\n");
  EXPECT_EQ(view("SELECT name FROM staff WHERE salary > 9000", "staff: {id: Hidden, salary: AggregateOnly}"),
            "rowid staff.id\nview v.\n");
  EXPECT_EQ(view("SELECT name FROM staff WHERE salary > 9000", "staff: {salary: ConditionOnly}"), "");
  EXPECT_EQ(view("SELECT name FROM staff ORDER BY salary", "staff: {salary: ConditionOnly}"), "view v.\n");
  EXPECT_EQ(view("SELECT name FROM staff WHERE salary > 9000", "staff: {salary: Hidden}, v: {name: Hidden}"), "");
}

TEST(Lint, ColumnsThatComeThroughSubqueriesAndCtes) {
  EXPECT_EQ(view("SELECT s FROM (SELECT salary AS s FROM staff)", "staff: {salary: Hidden}"), "view v.\n");
  EXPECT_EQ(view("WITH c AS (SELECT salary AS s FROM staff) SELECT s FROM c", "staff: {salary: Hidden}"), "view v.\n");
  EXPECT_EQ(view("WITH c AS (SELECT name AS s FROM staff) SELECT s FROM c", "staff: {salary: Hidden}"), "");
  EXPECT_EQ(
      view("SELECT s FROM (SELECT salary AS s FROM staff)", "staff: {salary: ConditionOnly}, v: {s: ConditionOnly}"),
      "");
}

TEST(Lint, ViewsOverViewsNameTheRoot) {
  EXPECT_EQ(
      messages(
          kStaff +
              std::string("CREATE VIEW v AS SELECT salary AS s FROM staff; CREATE VIEW w AS SELECT s + 1 AS t FROM v;"),
          "staff: {salary: Hidden}"),
      "view column `v.s` is Public, but is computed from `staff.salary`, which is Hidden\n"
      "view column `w.t` is Public, but is computed from `staff.salary`, which is Hidden\n");
}

TEST(Lint, AViewThatCountsATableThatCannotBeNamed) {
  EXPECT_EQ(messages(kStaff + std::string("CREATE VIEW v AS SELECT COUNT(*) AS n FROM secret"), "secret: {x: Hidden}"),
            "the rows of view `v` depend on table `secret`, all of whose columns are Hidden\n");
}

// --- keys

TEST(Lint, ARestrictedRowid) {
  const std::string ddl = "CREATE TABLE t (id INTEGER PRIMARY KEY, a)";
  for (const char* policy : {"Hidden", "ConditionOnly", "AggregateOnly"}) {
    EXPECT_EQ(kinds(ddl, std::string("t: {id: ") + policy + "}"), "rowid t.id\n");
  }
  EXPECT_NE(messages(ddl, "t: {id: Hidden}").find("`_rowid_`"), std::string::npos);
  EXPECT_EQ(kinds(ddl, ""), "");
  EXPECT_EQ(kinds(ddl, "t: {'*': Hidden}"), "");  // a table that cannot be named has no rows to show
  EXPECT_EQ(kinds("CREATE TABLE t (id INTEGER PRIMARY KEY, a) WITHOUT ROWID", "t: {id: Hidden}"), "index t.id\n");
  EXPECT_EQ(kinds("CREATE TABLE t (id TEXT PRIMARY KEY, a)", "t: {id: Hidden}"), "index t.id\n");
}

TEST(Lint, ATwinThatPermitsMoreInEitherDirectionAndThroughChains) {
  const std::string ddl =
      "CREATE TABLE a (k TEXT PRIMARY KEY, x); CREATE TABLE b (k REFERENCES a, x); CREATE TABLE c (k REFERENCES b (k), "
      "x);";
  EXPECT_EQ(kinds(ddl, "a: {k: Hidden}"), "twin a.k\nindex a.k\n");
  EXPECT_EQ(kinds(ddl, "b: {k: ConditionOnly}"), "twin b.k\n");
  EXPECT_EQ(kinds(ddl, "a: {k: Hidden}, b: {k: Hidden}"), "twin a.k\nindex a.k\ntwin b.k\n");
  EXPECT_EQ(messages(ddl, "a: {k: Hidden, x: Hidden}, b: {k: Hidden}"),
            "`a.k` is Hidden, but a foreign key ties it to the same values in `c.k`, which is Public\n"
            "`b.k` is Hidden, but a foreign key ties it to the same values in `c.k`, which is Public\n");
  EXPECT_EQ(kinds(ddl, "a: {k: Hidden}, b: {k: Hidden}, c: {k: Hidden}"), "index a.k\n");
  // Neither permits all that the other does.
  EXPECT_EQ(kinds("CREATE TABLE a (k TEXT PRIMARY KEY); CREATE TABLE b (k REFERENCES a)",
                  "a: {k: ConditionOnly}, b: {k: AggregateOnly}"),
            "twin a.k\nindex a.k\ntwin b.k\n");
}

TEST(Lint, SeveralTwinsAreListed) {
  EXPECT_EQ(
      messages("CREATE TABLE a (k TEXT PRIMARY KEY); CREATE TABLE b (k REFERENCES a); CREATE TABLE c (k REFERENCES a)",
               "a: {k: Hidden}, b: {k: ConditionOnly}, c: {k: ConditionOnly}"),
      "`a.k` is Hidden, but a foreign key ties it to the same values in `b.k` (ConditionOnly) and `c.k` "
      "(ConditionOnly)\n");
}

TEST(Lint, PairsOfForeignKeysMatchColumnByColumn) {
  EXPECT_EQ(
      kinds("CREATE TABLE a (x, y, PRIMARY KEY (x, y)); CREATE TABLE b (p, q, FOREIGN KEY (p, q) REFERENCES a (y, x));",
            "a: {x: Hidden}, b: {q: Hidden}"),
      "index a.x\n");
}

TEST(Lint, AnAggregateOnlyColumnBesideAPublicUniqueKey) {
  EXPECT_EQ(kinds("CREATE TABLE t (id INTEGER PRIMARY KEY, pay)", "t: {pay: AggregateOnly}"), "unique-key t.pay\n");
  EXPECT_EQ(kinds("CREATE TABLE t (mail UNIQUE, pay)", "t: {pay: AggregateOnly}"), "unique-key t.pay\n");
  EXPECT_EQ(messages("CREATE TABLE t (a, b, pay, UNIQUE (a, b))", "t: {pay: AggregateOnly}"),
            "`t.pay` is AggregateOnly, but the unique key `a` and `b` is Public: grouped by it, every group is one row "
            "and its sum is "
            "the value\n");
  EXPECT_EQ(kinds("CREATE TABLE t (a, b, pay, UNIQUE (a, b))", "t: {pay: AggregateOnly, b: Hidden}"), "index t.b\n");
  EXPECT_EQ(kinds("CREATE TABLE t (mail UNIQUE, pay)", "t: {pay: ConditionOnly}"), "");
}

TEST(Lint, WarningsComeInTheOrderOfTheSchema) {
  EXPECT_EQ(
      kinds(
          "CREATE TABLE b (id INTEGER PRIMARY KEY, pay, n AS (pay)); CREATE VIEW a AS SELECT pay FROM b WHERE id = 1;",
          "b: {id: Hidden, pay: AggregateOnly, n: Hidden}"),
      "rowid b.id\nview a.\nview a.pay\n");
}

// --- indexes

constexpr char kIndexed[] = "CREATE TABLE t (a, b, pay); CREATE TABLE u (x);";

std::string indexed(const std::string& index, const std::string& tables) {
  return kinds(kIndexed + index, tables);
}

TEST(Lint, AnIndexThatHoldsARestrictedColumn) {
  const std::string restricted = "t: {pay: AggregateOnly}";
  EXPECT_EQ(indexed("CREATE INDEX i ON t (a, pay)", restricted), "index t.pay\n");
  EXPECT_EQ(indexed("CREATE INDEX i ON t (pay DESC)", "t: {pay: ConditionOnly}"), "index t.pay\n");
  EXPECT_EQ(indexed("CREATE UNIQUE INDEX i ON t (pay)", "t: {pay: Hidden}"), "index t.pay\n");
  EXPECT_EQ(indexed("CREATE INDEX i ON t (a) WHERE pay > 9", restricted), "index t.pay\n");
  EXPECT_EQ(indexed("CREATE INDEX i ON t (a + abs(\"PAY\"))", restricted), "index t.pay\n");
  EXPECT_EQ(indexed("CREATE INDEX i ON t (b); CREATE INDEX j ON t (pay); CREATE INDEX k ON t (pay, a)", restricted),
            "index t.pay\nindex t.pay\n");
  EXPECT_EQ(indexed("CREATE INDEX i ON t (a, b)", restricted), "");
  EXPECT_EQ(indexed("CREATE INDEX i ON u (x)", restricted), "");
}

TEST(Lint, AnIndexOfATableThatCannotBeNamedDoesNoHarm) {
  EXPECT_EQ(indexed("CREATE INDEX i ON u (x)", "u: {x: Hidden}"), "");
}

TEST(Lint, AnIndexIsToldWithItsColumnsAndWhatToDo) {
  EXPECT_EQ(messages(kIndexed + std::string("CREATE INDEX by_pay ON t (a, pay)"), "t: {pay: AggregateOnly}"),
            "index `by_pay` holds `t.pay`, which is AggregateOnly: what depends on the order of rows inside a query (LIMIT, "
            "ties, GROUP_CONCAT) can follow it; drop the index in the database that is asked, if that matters\n");
  EXPECT_EQ(messages("CREATE TABLE t (a, b, c, UNIQUE (a, b))", "t: {a: ConditionOnly, b: Hidden}"),
            "a PRIMARY KEY or UNIQUE constraint of `t` keeps an index of `t.a` (ConditionOnly) and `t.b` (Hidden): what "
            "depends on the order of rows inside a query (LIMIT, ties, GROUP_CONCAT) can follow it; ask a copy of the table "
            "without the constraint, if that matters\n");
}

TEST(Lint, AUniqueKeyShowsNoValueWhereGroupsHaveALeastSize) {
  const char* ddl = "CREATE TABLE t (id INTEGER PRIMARY KEY, pay)";
  EXPECT_EQ(kinds(ddl, "t: {min_group: 2, pay: AggregateOnly}"), "");
}

// --- groups of one

TEST(Lint, WhatMayBeAddedUpWithoutALeastGroupSize) {
  const auto told = [](const char* tables, std::string* messages = nullptr) {
    return kinds("CREATE TABLE t (a, b, c)", tables, messages, GroupsOfOne::Told);
  };
  std::string message;
  EXPECT_EQ(told("t: {b: AggregateOnly, c: AggregateOnly}", &message), "no-min-group t.b\n");
  EXPECT_EQ(message, "`t.b` and `t.c` are AggregateOnly, and no `min_group` holds in `t`: a sum over one row is that row's value\n");
  EXPECT_EQ(told("t: {min_group: 2, b: AggregateOnly}"), "");
  EXPECT_EQ(told("t: {b: ConditionOnly}"), "");
}

}  // namespace
}  // namespace pccsql
