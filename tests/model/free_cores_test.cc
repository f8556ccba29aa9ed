// Threads by what is free.
#include "model/llama/free_cores.h"

#include <gtest/gtest.h>

namespace pccsql {
namespace {

TEST(FreeCores, WhatRunsIsReadFromLoadavg) {
  EXPECT_EQ(running_threads("0.20 0.18 0.12 1/80 11206\n"), 1U);
  EXPECT_EQ(running_threads("9.96 6.20 2.77 12/345 4765\n"), 12U);
  for (const char* nothing : {"", "0.2", "a b c d", "0 0 0 x/1 2"}) EXPECT_EQ(running_threads(nothing), 0U) << nothing;
}

TEST(FreeCores, AQuotaIsRoundedUp) {
  EXPECT_EQ(quota_cores("200000 100000\n"), 2U);
  EXPECT_EQ(quota_cores("150000 100000\n"), 2U);
  EXPECT_EQ(quota_cores("max 100000\n"), 0U);
  EXPECT_EQ(quota_cores(""), 0U);
}

TEST(FreeCores, WhatOthersUseIsLeftToThemAndOneIsAlwaysUsed) {
  EXPECT_EQ(cores_left(8, 0), 8U);
  EXPECT_EQ(cores_left(8, 2.4), 6U);
  EXPECT_EQ(cores_left(8, 7.6), 1U);
  EXPECT_EQ(cores_left(2, 30), 1U);
  EXPECT_EQ(cores_left(1, 0), 1U);
  EXPECT_GE(free_cores(), 1U);
}

}  // namespace
}  // namespace pccsql
