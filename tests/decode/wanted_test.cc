// Which names a masked token would have led to.
#include "decode/wanted.h"

#include <gtest/gtest.h>

#include "decode/hr.h"

namespace pccsql {
namespace {

class WantedTest : public testing::Test {
 protected:
  std::vector<std::string> names(std::string_view prefix, std::string_view piece) {
    auto engine = hr_.subject.engine(vocabulary_, {});
    Matcher matcher = (*engine)->new_matcher();
    EXPECT_TRUE(matcher.accept_text(prefix)) << prefix;
    std::vector<std::string> texts;
    for (const BlockedName& name : wanted_names(matcher, piece)) {
      texts.push_back(name.name + (name.role.empty() ? "" : " " + name.role) + (name.by_policy ? "!" : ""));
    }
    EXPECT_EQ(matcher.text(), prefix);
    EXPECT_FALSE(matcher.is_refused());
    return texts;
  }

  using Names = std::vector<std::string>;
  Hr hr_;
  VocabularyIndex vocabulary_{builtin_vocabulary()};
};

TEST_F(WantedTest, AColumnByItsWholeNameOrItsBeginning) {
  EXPECT_EQ(names("SELECT", " salary"), Names{"employee.salary Sel!"});
  EXPECT_EQ(names("SELECT ", "sal"), Names{"employee.salary Sel!"});
  EXPECT_EQ(names("SELECT name FROM employee WHERE", " salary"), Names{"employee.salary Where!"});
  EXPECT_EQ(names("SELECT name FROM employee WHERE s", "sn"), Names{"employee.ssn Where!"});
  EXPECT_EQ(names("SELECT MAX(", "salary"), Names{"employee.salary Sel!"});
  EXPECT_EQ(names("SELECT \"", "salary\""), Names{"employee.salary Sel!"});
}

TEST_F(WantedTest, AQualifierTellsTheTable) {
  EXPECT_EQ(names("SELECT e.name FROM employee AS e WHERE e.", "phone"), Names{"employee.phone Where!"});
  EXPECT_EQ(names("SELECT e.name FROM employee AS e WHERE e", ".phone"), Names{"employee.phone Where!"});
  EXPECT_EQ(names("SELECT e.name FROM employee AS e WHERE e.", "city"), Names{});
}

TEST_F(WantedTest, WhatFromHasBroughtTellsTheTableToo) {
  EXPECT_EQ(names("SELECT name FROM employee WHERE", " account"), Names{}) << "payment's, and not in scope";
  EXPECT_EQ(names("SELECT month FROM payment WHERE", " account"), Names{"payment.account Where!"});
  EXPECT_EQ(names("SELECT name FROM department JOIN office ON department.office_id =", " employee_id"), Names{});
}

TEST_F(WantedTest, ANameOfManyTablesIsSaidOnce) {
  EXPECT_EQ(names("SELECT", " employee_id"), Names{"employee_id Sel!"});
}

TEST_F(WantedTest, TablesAndTheStar) {
  EXPECT_EQ(names("SELECT COUNT(*) FROM", " sick_note"), Names{"sick_note!"});
  EXPECT_EQ(names("SELECT name, * FROM", " employee"), Names{"employee!"});
}

TEST_F(WantedTest, WhatIsNoNameIsNone) {
  EXPECT_EQ(names("SELECT name", " nonsense"), Names{});
  EXPECT_EQ(names("SELECT name FROM employee WHERE name = 'x", "\xff"), Names{});
  EXPECT_EQ(names("SELECT", " invented_column"), Names{});
  EXPECT_EQ(names("", "```sql"), Names{});
}

TEST_F(WantedTest, TheWordOfAPieceIsExplainedWhereItBegins) {
  auto engine = hr_.subject.engine(vocabulary_, {});
  Matcher matcher = (*engine)->new_matcher();
  ASSERT_TRUE(matcher.accept_text("SELECT"));
  EXPECT_EQ(explain_word(matcher, " name").role, "Sel");
  EXPECT_EQ(explain_word(matcher, " ").role, matcher.explain().role);
  EXPECT_EQ(explain_word(matcher, "; name").role, matcher.explain().role);
  EXPECT_EQ(matcher.text(), "SELECT");
  EXPECT_FALSE(matcher.is_refused());
}

TEST(BeginsRefusal, OnlyAtTheBeginning) {
  EXPECT_TRUE(begins_refusal("", "REF"));
  EXPECT_TRUE(begins_refusal("", "REFUSE"));
  EXPECT_FALSE(begins_refusal("", "R"));
  EXPECT_FALSE(begins_refusal("SELECT ", "REF"));
  EXPECT_FALSE(begins_refusal("", "REFUSED"));
}

}  // namespace
}  // namespace pccsql
