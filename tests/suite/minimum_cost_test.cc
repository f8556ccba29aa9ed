// What minimum groups would cost a suite: gold queries in another form, gold answers that change.
#include <gtest/gtest.h>

#include "policy/policy_file.h"
#include "schema/reader.h"
#include "schema/scratch.h"
#include "suite/minimum_cost.h"
#include "suite/suite.h"

namespace pccsql {
namespace {

Suite small_suite(const std::string& database, Profile profile, const std::string& run_on) {
  Suite suite;
  suite.profile = profile;
  suite.catalogs.push_back(*read_sqlite_catalog(database));
  const Catalog& catalog = suite.catalogs[0];
  suite.policies.push_back(
      {0, "", *parse_policy_yaml("{version: 1, default: Public, tables: {emp: {salary: AggregateOnly}}}", catalog)});
  for (const char* sql :
       {"SELECT name FROM emp", "SELECT AVG(hours) FROM emp", "SELECT salary FROM emp",  // not about it, or not safe
        "SELECT COUNT(DISTINCT salary) FROM emp",                                         // another form
        "SELECT AVG(salary) FROM emp", "SELECT dept, SUM(salary) FROM emp GROUP BY dept",
        "SELECT name, SUM(salary) FROM emp GROUP BY name"}) {
    SuiteQuestion question;
    question.gold_sql = sql;
    question.db_path = run_on;
    suite.questions.push_back(question);
  }
  return suite;
}

TEST(MinimumCost, CountsWhatIsExcludedAndWhatChanges) {
  const Scratch scratch;
  std::string rows = "CREATE TABLE emp(id INTEGER PRIMARY KEY, name TEXT, dept INT, salary INT, hours INT);";
  for (int i = 0; i < 9; ++i) {  // departments of seven and of two
    rows += "INSERT INTO emp(name, dept, salary, hours) VALUES('n" + std::to_string(i) + "'," +
            std::to_string(i < 7 ? 1 : 2) + ",100,8);";
  }
  const std::string database = scratch.database("x.sqlite", rows);
  const MinimumCost cost = minimum_cost_of(small_suite(database, Profile::Strict, database));
  EXPECT_EQ(cost.counting, 4u);
  EXPECT_EQ(cost.excluded, 1u);
  EXPECT_EQ(cost.changed, (std::array<size_t, 3>{1, 2, 3}));
  EXPECT_EQ(cost.emptied, (std::array<size_t, 3>{1, 1, 3}));
  EXPECT_EQ(cost.not_run, 0u);
  EXPECT_EQ(minimum_cost_of(small_suite(database, Profile::Paper, database)).counting, 0u);
  EXPECT_EQ(minimum_cost_of(small_suite(database, Profile::Strict, scratch.path("none.sqlite"))).not_run, 3u);
}

}  // namespace
}  // namespace pccsql
