// Spider's dev split replayed with the built-in vocabulary: every safe query is admitted whole, every other one stopped.
#include <map>
#include <memory>

#include <gtest/gtest.h>

#include "verify/replay.h"
#include "benchmark_data.h"
#include "suite/column_policies.h"
#include "suite/gold.h"

namespace pccsql {
namespace {

TEST(MaskSpider, DevSplitIsAdmittedOrStopped) {
  const auto folder = data_folder();
  if (!folder) GTEST_SKIP() << kNoData;
  const auto data = read_spider(*folder + "/spider");
  ASSERT_TRUE(data) << data.error().to_string();
  const std::vector<Policy> policies = column_policies(*data);
  const Tokens tokens = *Tokens::load("builtin");
  std::map<size_t, std::unique_ptr<MaskWorld>> worlds;
  Replayer replayer(tokens, tokens.vocabulary().size(), 1, 1);
  ReplayTotals totals;
  for (size_t i = 0; i < data->dev.size(); ++i) {
    const GoldQuery& query = data->dev[i];
    const auto database = data->find_catalog(query.db_id);
    ASSERT_TRUE(database) << query.db_id;
    std::unique_ptr<MaskWorld>& world = worlds[*database];
    if (!world) {
      auto made = MaskWorld::make(data->catalogs[*database], policies[*database], tokens.index(), {});
      ASSERT_TRUE(made) << made.error().to_string();
      world = std::move(*made);
    }
    Replayed result;
    result.line = i + 1;
    replayer.run(*world, query.sql, result);
    totals.add(result);
    const bool fine = result.outcome == ReplayOutcome::Admitted || result.outcome == ReplayOutcome::Stopped;
    EXPECT_TRUE(fine) << "query " << i << " was " << to_string(result.outcome) << " " << result.bound;
  }
  EXPECT_TRUE(totals.fine());
  EXPECT_EQ(totals.verdicts[0], 649u);
  EXPECT_EQ(totals.count(ReplayOutcome::Admitted), 649u);
  EXPECT_EQ(totals.count(ReplayOutcome::Stopped), 385u);
  EXPECT_EQ(totals.places[static_cast<size_t>(Place::Before)], 0u);
}

}  // namespace
}  // namespace pccsql
