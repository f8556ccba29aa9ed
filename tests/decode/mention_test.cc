// A closed column that a question names and its answer has nothing to do with; and what only looks like one.
#include <gtest/gtest.h>

#include "decode/hr.h"
#include "decode/mention.h"

namespace pccsql {
namespace {

std::string mentioned(const char* question, const char* sql) {
  const Hr hr;
  const auto use = mentioned_and_closed(hr.catalog, hr.policy, question, sql);
  return use ? use->name : "";
}

TEST(Mention, AClosedColumnThatTheAnswerLeavesAside) {
  EXPECT_EQ(mentioned("What are the phones of all employees?", "SELECT name FROM employee"), "employee.phone");
  EXPECT_EQ(mentioned("Whose birth date is the latest?", "SELECT name FROM employee ORDER BY hire_date"), "employee.birth_date");
  EXPECT_EQ(mentioned("List the street addresses in Rome.", "SELECT city FROM office WHERE city = 'Rome'"), "office.street_address");
}

TEST(Mention, WhatIsUsedOfAnotherTableOrSaidOtherwiseIsNone) {
  EXPECT_EQ(mentioned("What are the phones of all employees?", "SELECT city FROM office"), "");
  EXPECT_EQ(mentioned("How many employees have a phone?", "SELECT COUNT(phone) FROM employee"), "");
  EXPECT_EQ(mentioned("When was the telephone directory issued?", "SELECT name FROM employee"), "");
  EXPECT_EQ(mentioned("What is the number of badges?", "SELECT COUNT(*) FROM badge"), "");
  EXPECT_EQ(mentioned("What is the average salary?", "SELECT COUNT(*) FROM employee"), "") << "one word, and not Hidden";
  EXPECT_EQ(mentioned("On which dates do those work whose birth is known?", "SELECT name FROM employee"), "");
  EXPECT_EQ(mentioned("What is the date of birth?", "SELECT name FROM employee"), "employee.birth_date");
}

}  // namespace
}  // namespace pccsql
