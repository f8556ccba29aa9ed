// Execution accuracy on a benchmark's own queries: each has its own rows, and its rows differ from those of the question
// after it nearly always. Needs the data; see tests/benchmark_data.h.
#include <cstdio>

#include <gtest/gtest.h>

#include "benchmark_data.h"
#include "eval/accuracy.h"
#include "suite/gold.h"

namespace pccsql {
namespace {

TEST(AccuracyGold, EveryQueryOfSpiderHasItsOwnRows) {
  const auto folder = data_folder();
  if (!folder) GTEST_SKIP() << kNoData;
  const auto data = read_spider(*folder + "/spider");
  ASSERT_TRUE(data) << data.error().to_string();
  AccuracyJudge judge;
  size_t judged = 0;
  size_t neighbours = 0;
  size_t neighbours_alike = 0;
  for (size_t i = 0; i < data->dev.size(); ++i) {
    const GoldQuery& query = data->dev[i];
    const auto path = data->database_path(query.db_id);
    if (!path) continue;
    const Accuracy own = judge.judge(*path, query.sql, query.sql);
    EXPECT_EQ(own.multiset, true) << query.sql;
    EXPECT_EQ(own.set, true) << query.sql;
    ++judged;
    // Questions come in pairs with one meaning: the one after next asks for something else.
    if (i + 2 >= data->dev.size() || data->dev[i + 2].db_id != query.db_id) continue;
    ++neighbours;
    neighbours_alike += judge.judge(*path, query.sql, data->dev[i + 2].sql).multiset == true;
  }
  EXPECT_GE(judged, 900u);
  EXPECT_LT(neighbours_alike * 20, neighbours) << neighbours_alike << " of " << neighbours;
  std::printf("%zu queries judged, %zu of %zu neighbours have the same rows\n", judged, neighbours_alike, neighbours);
}

}  // namespace
}  // namespace pccsql
