// The paper's name rules: an underscore belongs to a word, the Hidden list wins.
#include <gtest/gtest.h>

#include "policy/policy_file.h"

namespace pccsql {
namespace {

TEST(NameRules, HiddenByName) {
  for (const char* name :
       {"email", "Email", "EMAIL_ADDRESS", "cellphone2", "date_of_birth", "Sex", "Essex", "ssn", "xSSNx", "age", "Age",
        "home age", "age (years)", "Weight", "height", "avg.age", "mid-age"}) {
    EXPECT_TRUE(hidden_by_name(name)) << name;
  }
  for (const char* name : {"", "home_age", "age_group", "ages", "average", "heights", "Weight_kg", "name", "mail",
                           "phon", "age2", "\xC3\xA4ge", "age\xC3\xA9"}) {
    EXPECT_FALSE(hidden_by_name(name)) << name;
  }
}

TEST(NameRules, PublicByName) {
  for (const char* name : {"name", "Name", "first_name", "NAME_2", "name_of_dog"})
    EXPECT_TRUE(public_by_name(name)) << name;
  for (const char* name : {"", "names", "surname", "username", "first name", "email_name", "name_of_sex", "nam"}) {
    EXPECT_FALSE(public_by_name(name)) << name;
  }
}

}  // namespace
}  // namespace pccsql
