// What was computed, in words.
#include <gtest/gtest.h>

#include "serve/query_words.h"

namespace pccsql {
namespace {

TEST(QueryWords, TellEveryClause) {
  EXPECT_EQ(query_in_words("SELECT name FROM employee ORDER BY hire_date DESC LIMIT 1"),
            "name of employee, ordered by hire date downwards, the first one only");
  EXPECT_EQ(query_in_words("SELECT COUNT(*) FROM employee WHERE salary > 90000 AND job_title <> 'Manager'"),
            "number of rows of employee where salary is over 90000 and job title is not 'Manager'");
  EXPECT_EQ(query_in_words("SELECT job_title, AVG(salary) AS pay FROM employee GROUP BY job_title HAVING COUNT(*) >= 5 LIMIT 3"),
            "job title and average salary of employee, for each job title, only where number of rows is at least 5, the first 3 only");
  EXPECT_EQ(query_in_words("SELECT DISTINCT city, country FROM office WHERE \"floor area\" BETWEEN 1 AND 2 OR city IS NOT NULL"),
            "different city and country of office where floor area between 1 and 2 or city is there");
  EXPECT_EQ(query_in_words("SELECT * FROM badge WHERE number IN ('a', 'b') AND lost IS NULL"),
            "all columns of badge where number is one of ('a', 'b') and lost is missing");
  EXPECT_EQ(query_in_words("SELECT COUNT(DISTINCT job_title), SUM(a - b), substr(name, 1, 2) FROM employee"),
            "number of different job title, sum of (a - b) and substr(name, 1, 2) of employee");
}

TEST(QueryWords, SeveralTablesAreToldApart) {
  EXPECT_EQ(query_in_words("SELECT T2.name, COUNT(*) FROM employee AS T1 JOIN department AS T2 ON T1.department_id = T2.id "
                           "GROUP BY T2.name"),
            "name of department and number of rows of employee with department (matched where department id of employee is id of "
            "department), for each name of department");
  EXPECT_EQ(query_in_words("SELECT d.name FROM department AS d LEFT JOIN project AS p ON p.department_id = d.id WHERE p.id IS NULL"),
            "name of department of department with what there is (left join) of project (matched where department id of project is id of "
            "department) where id of project is missing");
}

TEST(QueryWords, NestedQueriesAndSets) {
  EXPECT_EQ(query_in_words("SELECT name FROM employee WHERE id NOT IN (SELECT employee_id FROM badge)"),
            "name of employee where id is none of (employee id of badge)");
  EXPECT_EQ(query_in_words("SELECT name FROM employee UNION SELECT name FROM project EXCEPT SELECT city FROM office"),
            "name of employee; together with: name of project; without: city of office");
  EXPECT_EQ(query_in_words("SELECT AVG(n) FROM (SELECT COUNT(*) AS n FROM badge GROUP BY employee_id) AS x"),
            "average n of (number of rows of badge, for each employee id)");
}

// Whatever comes, it ends, and says something.
TEST(QueryWords, AnythingIsSaidSomehow) {
  for (const char* sql : {"", "SELECT", "SELECT (", "SELECT a FROM", "WITH x AS (SELECT 1) SELECT * FROM x", "SELECT a b FROM t c",
                          "SELECT CASE WHEN a THEN 1 ELSE 2 END FROM t", ")", "SELECT a,,b", "SELECT RANK() OVER (ORDER BY a) FROM t",
                          "SELECT a.b.c FROM t LIMIT 2 OFFSET 1", "GROUP BY", "SELECT a. FROM t", "SELECT COUNT(DISTINCT"}) {
    EXPECT_LT(query_in_words(sql).size(), 400U) << sql;
  }
}

}  // namespace
}  // namespace pccsql
