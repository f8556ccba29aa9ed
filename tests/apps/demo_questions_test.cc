// The ten questions of the README, asked of the default model on the demo: what may not be shown is said or refused, and what is
// answered is answered rightly. Asked in `./test --long`, where the model is there.
#include <algorithm>
#include <cstdlib>

#include <gtest/gtest.h>

#include "apps/program.h"

namespace pccsql {
namespace {

using Json = nlohmann::ordered_json;

struct DemoQuestion {
  const char* question;
  const char* kind;
  const char* withheld;  // a name that the answer says is kept back
  const char* sql;       // a query of one's own that brings the rows of the answer
};

const DemoQuestion kDemoQuestions[] = {
    {"Who earns the most?", "refused", "employee.salary", ""},
    {"How many people earn more than 90000?", "refused", "employee.salary", ""},
    {"How many employees work in each office city?", "answered", "",
     "SELECT o.city, COUNT(*) FROM employee AS e JOIN department AS d ON e.department_id = d.id "
     "JOIN office AS o ON d.office_id = o.id GROUP BY o.city"},
    {"List every job title with its salaries.", "partial", "employee.salary", ""},
    {"What is the average salary by job title?", "partial", "", "SELECT job_title, AVG(salary) FROM employee GROUP BY job_title"},
    {"What is the total budget of all departments?", "partial", "", "SELECT SUM(budget) FROM department"},
    {"Who works in Research?", "answered", "",
     "SELECT e.name FROM employee AS e JOIN department AS d ON e.department_id = d.id WHERE d.name = 'Research'"},
    {"How many people have a badge with access level 4?", "answered", "", "SELECT COUNT(*) FROM badge WHERE access_level = 4"},
    {"Which projects cost more than 100000?", "refused", "project.cost", ""},
    {"What is the phone number of Ada Greene?", "refused", "employee.phone", ""},
};

// Each row's cells in the order of their texts: which column comes first is the model's choice.
std::vector<std::vector<std::string>> rows_of(const Json& answer) {
  std::vector<std::vector<std::string>> rows;
  for (const Json& row : answer["rows"]) {
    std::vector<std::string> cells;
    for (const Json& cell : row) cells.push_back(cell.dump());
    std::ranges::sort(cells);
    rows.push_back(std::move(cells));
  }
  std::ranges::sort(rows);
  return rows;
}

TEST(DemoQuestions, AreAnsweredRightlyInPartOrRefused) {
  const char* const is_long = std::getenv("PCCSQL_LONG");
  if (is_long == nullptr || *is_long == '\0') GTEST_SKIP() << "asked in `./test --long`";
  if (pccsql({"model", "path", "qwen2.5-coder-1.5b"}).status != 0) GTEST_SKIP() << "the default model is not there";
  for (const DemoQuestion& one : kDemoQuestions) {
    const Ran ran = pccsql({"ask", "--format", "json", one.question});
    ASSERT_TRUE(Json::accept(ran.out)) << ran.out << ran.err;
    const Json answer = Json::parse(ran.out);
    EXPECT_EQ(answer["kind"], one.kind) << one.question << "\n" << answer.dump(1);
    const std::string kind = one.kind;
    EXPECT_EQ(ran.status, kind == "answered" ? 0 : kind == "partial" ? 3 : 1);
    if (*one.withheld != '\0') EXPECT_NE(answer["withheld"].dump().find(one.withheld), std::string::npos) << answer["withheld"];
    if (*one.sql == '\0') continue;
    const Ran own = pccsql({"query", "--format", "json", one.sql});
    ASSERT_TRUE(Json::accept(own.out)) << own.out << own.err;
    EXPECT_EQ(rows_of(answer), rows_of(Json::parse(own.out))) << one.question << "\n" << answer["sql"];
    EXPECT_FALSE(answer["rows"].empty());
  }
}

}  // namespace
}  // namespace pccsql
