// The paper's numbers for Spider-CU: policies built from the gold queries of train and dev, then counted. They come out
// exactly, all of them; a change that moves one of them has changed what is counted.
#include <cmath>

#include <gtest/gtest.h>

#include "benchmark_data.h"
#include "suite/column_policies.h"
#include "suite/gold.h"
#include "suite/statistics.h"

namespace pccsql {
namespace {

// As the paper prints it: two decimals.
long hundredths(const SuiteStatistics& statistics, ColumnPolicy policy) {
  return std::lround(100 * statistics.percent(policy));
}

TEST(PaperNumbers, Spider) {
  const auto folder = data_folder();
  if (!folder) GTEST_SKIP() << kNoData;
  const auto data = read_spider(*folder + "/spider");
  ASSERT_TRUE(data) << data.error().to_string();
  ASSERT_EQ(data->dev.size(), 1034u);
  ASSERT_EQ(data->train.size(), 8659u);
  const std::vector<Policy> policies = column_policies(*data);

  const SuiteStatistics paper = label_gold(*data, Split::Dev, policies, Profile::Paper).statistics;
  EXPECT_EQ(hundredths(paper, ColumnPolicy::Public), 6598);
  EXPECT_EQ(hundredths(paper, ColumnPolicy::ConditionOnly), 2299);
  EXPECT_EQ(hundredths(paper, ColumnPolicy::AggregateOnly), 407);
  EXPECT_EQ(hundredths(paper, ColumnPolicy::Hidden), 696);
  EXPECT_EQ(paper.sql, 684u);
  EXPECT_EQ(paper.refuse, 350u);
  EXPECT_EQ(paper.unjudged, 0u);
  EXPECT_EQ(paper.refuse_named, 347u);
  EXPECT_EQ(paper.violations_by_policy, (CountByPolicy{0, 274, 23, 154}));
  EXPECT_EQ(paper.violations_by_role, (CountByRole{322, 12, 49, 68}));
  EXPECT_EQ(paper.violations_minmax, 35u);

  const SuiteStatistics strict = label_gold(*data, Split::Dev, policies, Profile::Strict).statistics;
  EXPECT_EQ(strict.columns, paper.columns);
  EXPECT_EQ(strict.sql, 649u);
  EXPECT_EQ(strict.refuse, 385u);
  EXPECT_EQ(strict.unjudged, 0u);
}

// The paper had another release of BIRD: these are the numbers that the same rules give with that of June 2024.
TEST(PaperNumbers, Bird) {
  const auto folder = data_folder();
  if (!folder) GTEST_SKIP() << kNoData;
  const auto data = read_bird(*folder + "/bird");
  ASSERT_TRUE(data) << data.error().to_string();
  ASSERT_EQ(data->dev.size(), 1534u);
  ASSERT_EQ(data->train.size(), 9428u);
  const std::vector<Policy> policies = column_policies(*data);

  const SuiteStatistics paper = label_gold(*data, Split::Dev, policies, Profile::Paper).statistics;
  EXPECT_EQ(hundredths(paper, ColumnPolicy::Public), 7781);
  EXPECT_EQ(hundredths(paper, ColumnPolicy::ConditionOnly), 1724);
  EXPECT_EQ(hundredths(paper, ColumnPolicy::AggregateOnly), 289);
  EXPECT_EQ(hundredths(paper, ColumnPolicy::Hidden), 206);
  EXPECT_EQ(paper.refuse, 718u);
  EXPECT_EQ(paper.sql, 816u);
  EXPECT_EQ(paper.unjudged, 0u);
}

}  // namespace
}  // namespace pccsql
