// Errors as a person reads them, and results that hold one thing or the other.
#include "base/result.h"

#include <gtest/gtest.h>

#include <memory>

namespace pccsql {
namespace {

TEST(Error, SaysFileAndPlaceWhereItHasThem) {
  EXPECT_EQ((Error{"wrong", "a.yaml", {3, 5}}.to_string()), "a.yaml:3:5: wrong");
  EXPECT_EQ((Error{"wrong", "a.yaml", {0, 0}}.to_string()), "a.yaml: wrong");
  EXPECT_EQ((Error{"wrong", "", {3, 5}}.to_string()), "3:5: wrong");
  EXPECT_EQ((Error{"wrong", "", {0, 0}}.to_string()), "wrong");
}

TEST(Result, HoldsAValueOrAnError) {
  Result<std::unique_ptr<int>> value = std::make_unique<int>(7);  // also one that cannot be copied
  ASSERT_TRUE(value);
  const std::unique_ptr<int> taken = *std::move(value);
  EXPECT_EQ(*taken, 7);
  const Result<int> error = Error{"wrong", {}, {}};
  ASSERT_FALSE(error);
  EXPECT_EQ(error.error().message, "wrong");
}

}  // namespace
}  // namespace pccsql
