// Which joins a foreign key asks for, and where none does.
#include <gtest/gtest.h>

#include "decode/hr.h"
#include "decode/key_joins.h"

namespace pccsql {
namespace {

using Texts = std::vector<std::string>;

Texts joins(const std::string& text) {
  const Hr hr;
  return key_joins(hr.catalog, hr.policy, text);
}

TEST(KeyJoins, AForeignKeyAndItsKeyBothWaysRound) {
  const Texts both{" T1.department_id = T2.id", " T2.id = T1.department_id"};
  EXPECT_EQ(joins("SELECT T2.name FROM employee AS T1 JOIN department AS T2 ON"), both);
  EXPECT_EQ(joins("SELECT T2.name FROM employee AS T1 JOIN department AS T2 ON T2."), Texts{"id = T1.department_id"});
  EXPECT_EQ(joins("SELECT T2.name FROM employee AS T1 JOIN department AS T2 ON T1.department_id = T"), Texts{"2.id"});
  EXPECT_EQ(joins("SELECT 1 FROM employee JOIN department ON employee.department_id ="), Texts{" department.id"});
}

TEST(KeyJoins, NothingIsSaidWhereAnotherConditionIsWrittenOrNoKeyIsThere) {
  EXPECT_EQ(joins("SELECT T2.name FROM employee AS T1 JOIN department AS T2"), Texts{});
  EXPECT_EQ(joins("SELECT T2.name FROM employee AS T1 JOIN department AS T2 ON T1.id ="), Texts{});
  EXPECT_EQ(joins("SELECT T2.name FROM employee AS T1 JOIN department AS T2 ON T1.department_id = T2.id"), Texts{});
  EXPECT_EQ(joins("SELECT T2.name FROM employee AS T1 JOIN department AS T2 ON T1.department_id = T2.id AND"), Texts{});
  EXPECT_EQ(joins("SELECT T2.name FROM employee AS T1 JOIN department AS T2 ON T1.department_id = T2.id WHERE "), Texts{});
  EXPECT_EQ(joins("SELECT 1 FROM office AS T1 JOIN badge AS T2 ON"), Texts{});
  EXPECT_EQ(joins("SELECT 1 FROM (SELECT id FROM department) AS d JOIN employee AS e ON"), Texts{});
}

TEST(KeyJoins, AKeyThatThePolicyClosesIsNoJoin) {
  Hr hr;
  Policy policy = hr.policy;
  policy.set(*hr.catalog.find_column("employee", "department_id"), ColumnPolicy::Hidden);
  EXPECT_EQ(key_joins(hr.catalog, policy, "SELECT 1 FROM employee AS T1 JOIN department AS T2 ON"), Texts{});
}

}  // namespace
}  // namespace pccsql
