// Group rules in every form in which a policy is written: read, clashing with columns, written again, intersected.
#include <gtest/gtest.h>

#include "policy/sample.h"

namespace pccsql {
namespace {

constexpr const char* kDdl =
    "CREATE TABLE employee (id INTEGER PRIMARY KEY, name TEXT, salary INT);"
    "CREATE TABLE payment (employee_id INT, month TEXT, gross INT, PRIMARY KEY (employee_id, month));"
    "CREATE TABLE loose (a INT, b INT);"
    "CREATE TABLE setting (\"key\" TEXT PRIMARY KEY, \"row\" INT, min_group INT, \"columns\" TEXT, value INT);"
    "CREATE TABLE masked (rowid INT, oid INT, _rowid_ INT, value INT);"
    "CREATE VIEW pay AS SELECT name, salary FROM employee;";

std::string joined(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ",") + name;
  return text.empty() ? "-" : text;
}

// "employee 5 id id": minimum, key and row of every table that has a minimum over 1.
std::string rules(const Catalog& catalog, const Policy& policy) {
  std::string text;
  for (TableId id = 0; id < catalog.tables().size(); ++id) {
    const GroupRule& rule = policy.group(id);
    if (rule.minimum == 1 && rule.key.empty() && rule.row.empty()) continue;
    const Table& table = catalog.table(id);
    text += table.name + " " + std::to_string(rule.minimum) + " " + joined(key_columns(table, rule)) + " " +
            joined(row_columns(table, rule)) + "\n";
  }
  return text;
}

std::string rules_of(std::string_view text) {
  const Catalog catalog = catalog_from(kDdl);
  const Result<Policy> policy = parse_policy_yaml("version: 1\n" + std::string(text), catalog, "p.yaml");
  return policy ? rules(catalog, *policy) : policy.error().to_string();
}

TEST(GroupRule, OfTheFileAndOfATable) {
  EXPECT_EQ(rules_of("min_group: 5\n"),
            "employee 5 id id\npayment 5 employee_id,month employee_id,month\nloose 5 rowid rowid\nsetting 5 key key\n"
            "masked 5 - -\npay 5 - -\n");
  EXPECT_EQ(rules_of("tables: {employee: {min_group: 3, salary: AggregateOnly}}"), "employee 3 id id\n");
  EXPECT_EQ(rules_of("min_group: 5\ntables:\n  employee: {min_group: 1}\n  payment: {min_group: 7, key: employee_id}\n"
                 "  loose:\n  setting: {min_group: Public}\n  masked: {min_group: 1}\n  pay: {min_group: 1}\n"),
            "payment 7 employee_id employee_id,month\nloose 5 rowid rowid\nsetting 5 key key\n");
  EXPECT_EQ(rules_of("min_group: 1\n"), "");
  EXPECT_EQ(rules_of("tables: {payment: {min_group: 2, key: [Month, employee_id], row: employee_id}}"),
            "payment 2 employee_id,month employee_id\n");
}

TEST(GroupRule, AWordThatIsAColumnIsTheColumn) {
  EXPECT_EQ(rules_of("tables: {setting: {key: Public, row: Hidden, min_group: Public, columns: Public}}"), "");
  EXPECT_EQ(rules_of("tables: {setting: {min_group: 5, key: row, columns: {key: Public, value: AggregateOnly}}}"),
            "setting 5 row key\n");
  EXPECT_EQ(rules_of("tables: {employee: {key: name, columns: {salary: AggregateOnly}}}"), "employee 1 name id\n");
  EXPECT_EQ(rules_of("tables: {setting: {key: row}}"),
            "p.yaml:2:25: table `setting` has a column `key`, so that this would be its label; to give the rule of that "
            "name, write the labels in a map of their own: `key: …, columns: {key: Hidden, …}`");
  EXPECT_EQ(rules_of("tables: {setting: {min_group: 5}}").substr(0, 50), "p.yaml:2:31: table `setting` has a column `min_gro");
  EXPECT_EQ(rules_of("tables: {setting: {value: Public, columns: {key: Public}}}"),
            "p.yaml:2:20: beside `columns` a table has `min_group`, `key`, `row` and `accept`; write `value` under `columns`");
  EXPECT_EQ(rules_of("tables: {employee: {columns: {min_group: 5}}}"),
            "p.yaml:2:31: table `employee` has no column `min_group`");
}

TEST(GroupRule, EveryMistakeHasItsPlaceAndItsRemedy) {
  const std::string number =
      "`min_group` must be a whole number from 1, which is no minimum, to 1000000000, such as `min_group: 5`";
  for (const char* value : {"0", "-1", "five", "2.5", "5x", "1000000001", "99999999999999999999", "''", "~"}) {
    EXPECT_EQ(rules_of(std::string("min_group: ") + value), "p.yaml:2:12: " + number) << value;
  }
  EXPECT_EQ(rules_of("min_group: [5]"), "p.yaml:2:12: " + number);
  EXPECT_EQ(rules_of("min_group:"), "p.yaml:2:1: " + number);
  EXPECT_EQ(rules_of("tables: {employee: {min_group: 0}}"), "p.yaml:2:32: " + number);
  EXPECT_EQ(rules_of("tables: {employee: {key: nme}}"),
            "p.yaml:2:26: table `employee` has no column `nme`; did you mean `name`?");
  EXPECT_EQ(rules_of("tables: {employee: {key: []}}"),
            "p.yaml:2:26: `key` must be a column of the table, or a list of columns");
  EXPECT_EQ(rules_of("tables: {employee: {row: {id: 1}}}"),
            "p.yaml:2:26: `row` must be a column of the table, or a list of columns");
  EXPECT_EQ(rules_of("tables: {employee: {key: [id, ID]}}"), "p.yaml:2:31: column `ID` stands twice in `key`");
  EXPECT_EQ(rules_of("tables: {employee: {key: [[id]]}}"), "p.yaml:2:27: the name of a column was expected");
}

TEST(GroupRule, WhatHasNoKeyNeedsOneWhereItHasAnAggregateOnlyColumn) {
  EXPECT_EQ(rules_of("min_group: 5\ntables:\n  pay: {salary: AggregateOnly}\n"),
            "p.yaml:4:3: view `pay` has an AggregateOnly column, `salary`, a `min_group` of 5, and no primary key; give "
            "it `key` (who an entity is) and `row` (what tells rows apart), or `min_group: 1`, with which sums over one "
            "row are shown");
  EXPECT_EQ(rules_of("default: AggregateOnly\nmin_group: 5\n").substr(0, 26), "p.yaml:3:12: table `masked");
  EXPECT_EQ(rules_of("min_group: 5\ntables: {pay: {key: name, salary: AggregateOnly}}").substr(103, 45),
            "give it `row` (what tells rows apart), or `mi");
  EXPECT_EQ(rules_of("min_group: 1\ntables: {pay: {min_group: 2, key: name, row: name, salary: AggregateOnly}}"),
            "pay 2 name name\n");
  EXPECT_EQ(rules_of("min_group: 1\ntables: {pay: {salary: AggregateOnly}}"), "");
}

TEST(GroupRule, RoundTrip) {
  const Catalog catalog = catalog_from(kDdl);
  for (const char* text :
       {"min_group: 5\n", "tables: {payment: {min_group: 7, key: employee_id, gross: AggregateOnly}}\n",
        "tables: {setting: {min_group: 9, key: [row, columns], row: key, columns: {key: Public, columns: Hidden}}}\n",
        "tables: {setting: {min_group: Public}, payment: {row: [month, employee_id]}}\n"}) {
    const auto policy = parse_policy_yaml("version: 1\n" + std::string(text), catalog);
    ASSERT_TRUE(policy) << policy.error().to_string();
    const std::string yaml = to_yaml(catalog, *policy);
    const auto again = parse_policy_yaml(yaml, catalog);
    ASSERT_TRUE(again) << again.error().to_string() << yaml;
    EXPECT_EQ(listing(catalog, *again), listing(catalog, *policy)) << yaml;
    for (TableId id = 0; id < catalog.tables().size(); ++id) EXPECT_EQ(again->group(id), policy->group(id)) << yaml;
  }
}

TEST(GroupRule, TheLargestMinimumHoldsAndKeysMustAgree) {
  const Catalog catalog = catalog_from(kDdl);
  const auto both = [&](const char* a, const char* b) {
    const auto first = parse_policy_yaml(std::string("{version: 1, tables: {") + a + "}}", catalog);
    const auto second = parse_policy_yaml(std::string("{version: 1, tables: {") + b + "}}", catalog);
    if (!first || !second) return std::string("no policy");
    const auto policy = intersection(catalog, *first, *second);
    return policy ? rules(catalog, *policy) : policy.error().to_string();
  };
  EXPECT_EQ(both("payment: {min_group: 3, key: employee_id}", "payment: {min_group: 8}"),
            "payment 8 employee_id employee_id,month\n");
  EXPECT_EQ(both("payment: {min_group: 8}", "payment: {row: month, key: employee_id}"), "payment 8 employee_id month\n");
  EXPECT_EQ(both("payment: {key: [month, employee_id]}", "payment: {key: [employee_id, month]}"),
            "payment 1 employee_id,month employee_id,month\n");
  EXPECT_EQ(both("payment: {key: month}", "payment: {key: employee_id}"),
            "two sources disagree on `key` of table `payment`; write the same columns in both, or leave it out in one");
  EXPECT_EQ(both("payment: {row: month}", "payment: {row: employee_id}"),
            "two sources disagree on `row` of table `payment`; write the same columns in both, or leave it out in one");
  EXPECT_EQ(both("pay: {min_group: 5}", "pay: {salary: Hidden}"), "pay 5 - -\n");
}

TEST(GroupRule, AsACommentOfATable) {
  const auto of = [](const std::string& ddl) {
    const Catalog catalog = catalog_from(ddl);
    const auto policy = parse_policy_ddl(ddl, catalog, ColumnPolicy::Hidden, "s.sql");
    return policy ? rules(catalog, *policy) : policy.error().to_string();
  };
  EXPECT_EQ(of("CREATE TABLE p (  -- pccsql: min_group: 5, key: e\n e INT, m INT, g INT -- AggregateOnly\n);"),
            "p 5 e rowid\n");
  EXPECT_EQ(of("CREATE TABLE p ( /* pccsql: key: [m, e] */ -- pccsql: min_group: 2, row: m\n e INT, m INT);"),
            "p 2 e,m m\n");
  EXPECT_EQ(of("CREATE TABLE p (-- pccsql: min_group: 0\n e INT);").substr(0, 31), "s.sql:1:17: `min_group` must be");
  EXPECT_EQ(of("CREATE TABLE p (-- pccsql: min_group 5\n e INT);"),
            "s.sql:1:17: unknown key `min_group 5`; there are `min_group: …`, `key: …` and `row: …`");
  EXPECT_EQ(of("CREATE TABLE p (-- pccsql: key: x\n e INT);"), "s.sql:1:17: table `p` has no column `x`; did you mean `e`?");
  EXPECT_EQ(of("CREATE TABLE p (-- pccsql: key: e, k: 5\n e INT);"),
            "s.sql:1:17: unknown key `k`; there are `min_group: …`, `key: …` and `row: …`");
  EXPECT_EQ(of("CREATE TABLE p (-- pccsql: key: e\n-- pccsql: key: m\n e INT, m INT);").substr(0, 40),
            "s.sql:2:1: two sources disagree on `key`");
  EXPECT_EQ(of("CREATE TABLE p (e INT, -- pccsql: min_group: 5\n m INT);"),
            "s.sql:1:24: the rule `min_group` follows no table; write it behind the parenthesis that begins its columns");
}

}  // namespace
}  // namespace pccsql
