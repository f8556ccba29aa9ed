// Minimum groups on PostgreSQL: what is run for a query that counts what is held to a minimum, and what comes of it.
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "check_pg/check_pg.h"
#include "exec/pg_role.h"
#include "exec/pg_runner.h"
#include "policy/policy_file.h"
#include "postgres/server.h"
#include "schema/pg_catalog.h"

namespace pccsql {
namespace {

constexpr const char* kGroupSchema = R"(
CREATE TABLE department (id integer PRIMARY KEY, name text NOT NULL);
INSERT INTO department SELECT i, 'D' || i FROM generate_series(1, 4) i;
CREATE TABLE employee (id integer PRIMARY KEY, name text NOT NULL, title text, department_id integer REFERENCES department,
  salary integer, bonus numeric(10, 2), ssn text);
INSERT INTO employee SELECT i, 'P' || i, CASE WHEN i = 9 THEN 'Boss' ELSE 'T' || i % 3 END, i % 4 + 1, 1000 + i,
  CASE WHEN i % 2 = 0 THEN i END, 'S' || i FROM generate_series(1, 40) i;
CREATE TABLE payment (employee_id integer REFERENCES employee, month text, gross integer, PRIMARY KEY (employee_id, month));
INSERT INTO payment SELECT e, 'M' || m, e * m FROM generate_series(1, 40) e, generate_series(1, 12) m;
CREATE TABLE project (id integer PRIMARY KEY, title text);
INSERT INTO project SELECT i, 'Q' || i FROM generate_series(1, 3) i;
CREATE TABLE assignment (employee_id integer, project_id integer, PRIMARY KEY (employee_id, project_id));
INSERT INTO assignment SELECT e, p FROM generate_series(1, 40) e, generate_series(1, 3) p WHERE e % 5 <> p;
)";

constexpr const char* kGroupPolicy = R"(
version: 1
min_group: 5
tables:
  department: {id: ConditionOnly, name: Public}
  employee: {id: ConditionOnly, name: Public, title: Public, department_id: ConditionOnly, salary: AggregateOnly,
    bonus: AggregateOnly, ssn: Hidden}
  payment: {key: employee_id, employee_id: ConditionOnly, month: Public, gross: AggregateOnly}
  project: {id: ConditionOnly, title: Public}
  assignment: {"*": ConditionOnly}
)";

class MinimumGroup : public testing::Test {
 protected:
  void SetUp() override {
    PCCSQL_NEEDS_POSTGRES();
    PgServer& server = *PgServer::get();
    static bool made = false;
    if (!made) {
      ASSERT_EQ(server.make_database("groups", kGroupSchema), "");
    }
    auto catalog = read_pg_catalog(server.address("groups"), "public");
    ASSERT_TRUE(catalog) << catalog.error().to_string();
    catalog_ = std::make_unique<Catalog>(std::move(*catalog));
    auto policy = parse_policy_yaml(kGroupPolicy, *catalog_);
    ASSERT_TRUE(policy) << policy.error().to_string();
    policy_ = std::make_unique<Policy>(std::move(*policy));
    if (!made) {
      ASSERT_EQ(server.run("groups", grants_for("grouper", "groups", "public", *catalog_, *policy_)), "");
    }
    made = true;
    checker_ = std::make_unique<PgChecker>(*catalog_);
    auto runner = PgRunner::open(server.address("groups", "grouper"), "public", *catalog_, *policy_);
    ASSERT_TRUE(runner) << runner.error().to_string();
    runner_ = std::move(*runner);
  }

  RunText run_text(const std::string& sql) {
    auto run = checker_->run_text(sql, *policy_);
    EXPECT_TRUE(run) << sql << "\n" << run.error().message << "\n" << checker_->check(sql, *policy_).reason;
    return run ? *run : RunText{};
  }
  // How many rows come; -1: it does not run.
  int rows(const std::string& sql) {
    const RunText run = run_text(sql);
    const auto set = runner_->run(sql, run);
    EXPECT_TRUE(set) << run.sql << "\n" << set.error().message;
    return set ? static_cast<int>(set->rows.size()) : -1;
  }

  std::unique_ptr<Catalog> catalog_;
  std::unique_ptr<Policy> policy_;
  std::unique_ptr<PgChecker> checker_;
  std::unique_ptr<PgRunner> runner_;
};

TEST_F(MinimumGroup, LeavesSmallGroupsOut) {
  const std::vector<std::pair<const char*, int>> cases{
      {"SELECT title, AVG(salary) FROM employee GROUP BY title", 3},  // all but the boss
      {"SELECT title, AVG(salary) FROM employee GROUP BY title HAVING COUNT(*) > 0 ORDER BY 2 DESC LIMIT 9", 3},
      {"SELECT title, AVG(salary) FROM employee GROUP BY title HAVING TRUE OR COUNT(*) > 0", 3},
      {"SELECT title, AVG(salary) FROM employee GROUP BY title HAVING(COUNT(*) > 0)ORDER BY 2", 3},
      {"SELECT title, AVG(salary) FROM employee GROUP BY title HAVING(COUNT(*)>0)ORDER BY 1", 3},
      {"SELECT(AVG(salary))FROM employee WHERE(name<>'P1')HAVING(COUNT(*)>0)LIMIT 1", 1},
      {"SELECT title, COUNT(*) FROM employee GROUP BY title", 4},  // counts nothing that is held
      {"SELECT name, SUM(salary) FROM employee GROUP BY name", 0},
      {"SELECT AVG(salary) FROM employee WHERE name = 'P1'", 0},
      {"SELECT AVG(salary) FROM employee", 1},
      {"SELECT SUM(bonus * 2.5), COUNT(*) FROM employee WHERE title = 'T1';", 1},
      {"SELECT SUM(gross) FROM payment WHERE employee_id = 1", 0},  // twelve payments to one
      {"SELECT month, SUM(gross) FROM payment GROUP BY month", 12},
      {"SELECT n.name, SUM(e.salary) FROM employee AS n JOIN employee AS e ON e.id <> n.id GROUP BY n.name", 0},
      {"SELECT p.title, AVG(e.salary) FROM employee e JOIN assignment a ON a.employee_id = e.id JOIN project p ON p.id = a.project_id "
       "GROUP BY p.title",
       0},
      {"SELECT d.name, AVG(e.salary) FROM employee AS e JOIN department AS d ON d.id = e.department_id GROUP BY d.name", 4},
      {"WITH x AS (SELECT title, AVG(salary) AS pay FROM employee GROUP BY title) SELECT title FROM x ORDER BY pay", 3},
      {"SELECT name FROM department WHERE 1000 < (SELECT AVG(salary) FROM employee)", 4},
      {"SELECT name FROM department WHERE 1000 < (SELECT AVG(salary) FROM employee WHERE id = 1)", 0},
      {"SELECT title FROM employee GROUP BY title HAVING SUM(salary) > 0 AND COUNT(*) > 1 AND title <> 'T0'", 2},
      {"SELECT AVG(salary) FROM employee UNION ALL SELECT 1.5", 2},
      {"SELECT SUM(salary), SUM(bonus) FROM employee", 1},  // each its own
      {"SELECT SUM(salary), SUM(salary + bonus) FROM employee", 0},  // the difference would be of those without a bonus
      {"SELECT AVG(salary) -- all of them\nFROM employee -- and nobody else\nWHERE name <> 'AS' /* x */ -- end", 1},
      {"SELECT x.\"t\" FROM (SELECT title AS \"t\", AVG(e.salary) AS from_ FROM employee AS e WHERE e.name IS DISTINCT FROM 'P2' "
       "GROUP BY title) AS x",
       3},
  };
  for (const auto& [sql, expected] : cases) EXPECT_EQ(rows(sql), expected) << sql << "\n" << run_text(sql).sql;
}

TEST_F(MinimumGroup, HoldsQueriesToItsForm) {
  for (const char* sql : {"SELECT SUM(DISTINCT salary) FROM employee", "SELECT SUM(salary) FILTER (WHERE name = 'P1') FROM employee",
                          "SELECT SUM(CASE WHEN name = 'P1' THEN salary END) FROM employee",
                          "SELECT SUM(salary) FROM employee UNION ALL SELECT SUM(salary) FROM employee WHERE name <> 'P1'",
                          "SELECT (SELECT SUM(salary) FROM employee) - (SELECT SUM(gross) FROM payment)"}) {
    EXPECT_EQ(to_string(checker_->check(sql, *policy_).verdict), "unsafe") << sql;
    EXPECT_FALSE(checker_->run_text(sql, *policy_)) << sql;
  }
}

// An error in a HAVING must not tell of a group that is left out.
TEST_F(MinimumGroup, AsksAHavingOnlyOfLargeGroups) {
  const char* const sql = "SELECT name, COUNT(*) FROM employee GROUP BY name HAVING 1 / (SUM(salary) - 1009) >= 0";
  EXPECT_EQ(rows(sql), 0);
  EXPECT_FALSE(runner_->run(sql));  // as written it divides by 0 for P9
}

TEST_F(MinimumGroup, SaysWhatWasLeftOutAndKeepsWhatWasWritten) {
  const std::string sql = "SELECT title, AVG(salary) FROM employee GROUP BY title ORDER BY title";
  const RunText run = run_text(sql);
  EXPECT_EQ(said(*catalog_, *policy_, run), "Groups of fewer than 5 employees are left out, and nobody is counted twice.");
  std::string written;
  uint32_t at = 0;
  for (const Span& span : run.added) {
    written += run.sql.substr(at, span.begin - at);
    at = span.end;
  }
  EXPECT_EQ(written + run.sql.substr(at), sql);
  EXPECT_FALSE(run_text("SELECT name FROM employee").changed());
}

// A key that has several columns, and one that the policy hides.
TEST_F(MinimumGroup, KeysMayBeSeveralColumnsAndHidden) {
  Policy policy = *policy_;
  const TableId payment = *catalog_->find_table("payment");
  GroupRule rule = policy.group(payment);
  rule.key = {0, 1};
  policy.set_group(payment, rule);
  policy.set({*catalog_->find_table("employee"), 0}, ColumnPolicy::Hidden);
  ASSERT_EQ(PgServer::get()->run("groups", grants_for("grouper2", "groups", "public", *catalog_, policy)), "");
  auto runner = PgRunner::open(PgServer::get()->address("groups", "grouper2"), "public", *catalog_, policy);
  ASSERT_TRUE(runner) << runner.error().to_string();
  for (const auto& [sql, expected] : std::vector<std::pair<std::string, size_t>>{
           {"SELECT SUM(gross) FROM payment WHERE employee_id = 1", 1},
           {"SELECT SUM(gross) FROM payment WHERE employee_id = 1 AND month IN ('M1', 'M2')", 0},
           {"SELECT title, SUM(salary) FROM employee GROUP BY title", 3}}) {
    const auto run = checker_->run_text(sql, policy);
    ASSERT_TRUE(run) << run.error().message;
    const auto set = (*runner)->run(sql, *run);
    ASSERT_TRUE(set) << run->sql << "\n" << set.error().message;
    EXPECT_EQ(set->rows.size(), expected) << run->sql;
  }
}

}  // namespace
}  // namespace pccsql
