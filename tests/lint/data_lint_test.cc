// What the data show of minimum groups, each found where it is and not where it is not.
#include "lint/data_lint.h"

#include <gtest/gtest.h>

#include "policy/policy_file.h"
#include "schema/reader.h"
#include "schema/scratch.h"

namespace pccsql {
namespace {

class DataLint : public ::testing::Test {
 protected:
  // The findings as "kind table.column", one a line.
  std::string kinds(const std::string& sql, const std::string& policy_text) {
    const std::string path = scratch_.database("db" + std::to_string(++made_) + ".sqlite", "BEGIN;" + sql + ";COMMIT");
    const auto catalog = read_sqlite_catalog(path);
    EXPECT_TRUE(catalog) << catalog.error().to_string();
    const auto policy = parse_policy_yaml("version: 1\n" + policy_text, *catalog);
    if (!policy) return policy.error().to_string();
    auto data = DataLook::open({path}, *catalog);
    EXPECT_TRUE(data) << data.error().to_string();
    std::string text;
    messages_.clear();
    for (const Warning& warning : lint_data(*catalog, *policy, *data)) {
      text += std::string(to_string(warning.kind)) + " " + warning.table + "." + warning.column + "\n";
      messages_ += warning.message + "\n";
    }
    EXPECT_FALSE(data->is_incomplete());
    return text;
  }

  const std::string people_ =
      "CREATE TABLE employee (id INTEGER PRIMARY KEY, name TEXT, city TEXT, email TEXT, salary INT);"
      "INSERT INTO employee VALUES (1,'Ada','Otley','a@x.org',10),(2,'Ben','Otley','b@x.org',20),(3,'Cara','Leeds','c@x.org',30),"
      "(4,'Dan','Leeds','d@x.org',40),(5,'Eve','Leeds','e@x.org',50),(6,'Finn','Otley','f@x.org',60)";
  const std::string pay_ =
      people_ + ";CREATE TABLE payment (id INTEGER PRIMARY KEY, employee_id INT REFERENCES employee (id), month TEXT, gross INT);"
                "INSERT INTO payment SELECT id * 10, id, 'jan', salary FROM employee;"
                "INSERT INTO payment SELECT id * 10 + 1, id, 'feb', salary FROM employee";
  std::string messages_;

 private:
  Scratch scratch_;
  int made_ = 0;
};

TEST_F(DataLint, APublicColumnThatNamesEachEntity) {
  EXPECT_EQ(kinds(people_, "min_group: 2\ntables: {employee: {name: Public, city: Public, salary: AggregateOnly}}"), "one-to-one employee.name\n");
  EXPECT_NE(messages_.find("two that differ by one"), std::string::npos) << messages_;
  EXPECT_EQ(kinds(people_, "tables: {employee: {name: Public, city: Public, salary: AggregateOnly}}"), "one-to-one employee.name\n");
  EXPECT_NE(messages_.find("every sum is one entity's value"), std::string::npos) << messages_;
  EXPECT_EQ(kinds(people_, "min_group: 2\ntables: {employee: {name: ConditionOnly, city: Public, salary: AggregateOnly}}"), "");
  EXPECT_EQ(kinds(people_, "min_group: 2\ntables: {employee: {name: Public, city: Public, salary: Hidden}}"), "");
}

TEST_F(DataLint, ANameThatIsOnlyNearlyUniqueIsNone) {
  EXPECT_EQ(kinds(people_ + ";INSERT INTO employee VALUES (7,'Ada','Ilkley','g@x.org',70)",
                  "min_group: 2\ntables: {employee: {name: Public, salary: AggregateOnly}}"), "");
}

TEST_F(DataLint, OfARowidTableAndOfACompositeKey) {
  const std::string rows = "INSERT INTO t VALUES ('a',1,1,5),('b',1,2,5),('c',2,1,5),('d',2,2,5),('e',3,1,5),('f',3,2,5)";
  EXPECT_EQ(kinds("CREATE TABLE t (n TEXT, x INT, y INT, v INT);" + rows, "min_group: 2\ntables: {t: {n: Public, x: Public, v: AggregateOnly}}"),
            "one-to-one t.n\n");
  EXPECT_EQ(kinds("CREATE TABLE t (n TEXT, x INT, y INT, v INT, PRIMARY KEY (x, y));" + rows,
                  "min_group: 2\ntables: {t: {n: Public, v: AggregateOnly}}"),
            "one-to-one t.n\n");
}

TEST_F(DataLint, AKeyThatDoesNotNameThePerson) {
  EXPECT_EQ(kinds(pay_, "min_group: 2\ntables: {payment: {month: Public, gross: AggregateOnly}}"), "key-not-person payment.gross\n");
  EXPECT_NE(messages_.find("`key: employee_id`"), std::string::npos) << messages_;
  EXPECT_EQ(kinds(pay_, "min_group: 2\ntables: {payment: {key: employee_id, month: Public, gross: AggregateOnly}}"), "");
  EXPECT_EQ(kinds(pay_, "tables: {payment: {month: Public, gross: AggregateOnly}}"), "");  // `no-min-group` says it
}

TEST_F(DataLint, APersonWhoStandsThereTwice) {
  EXPECT_EQ(kinds(people_ + ";INSERT INTO employee VALUES (7,'Ada M','Ilkley','a@x.org',70)",
                  "min_group: 2\ntables: {employee: {salary: AggregateOnly}}"), "key-not-person employee.salary\n");
  EXPECT_EQ(kinds(people_, "min_group: 2\ntables: {employee: {salary: AggregateOnly}}"), "");
}

TEST_F(DataLint, ATableThatIsTooSmallForItsGroups) {
  EXPECT_EQ(kinds(people_, "min_group: 7\ntables: {employee: {salary: AggregateOnly}}"), "small-table employee.salary\n");
  EXPECT_EQ(kinds(people_, "min_group: 6\ntables: {employee: {salary: AggregateOnly}}"), "");
  EXPECT_EQ(kinds(pay_, "min_group: 7\ntables: {payment: {key: employee_id, gross: AggregateOnly}}"), "small-table payment.gross\n");
  EXPECT_EQ(kinds("CREATE TABLE t (id INTEGER PRIMARY KEY, v INT)", "min_group: 7\ntables: {t: {v: AggregateOnly}}"), "");  // nothing there yet
}

}  // namespace
}  // namespace pccsql
