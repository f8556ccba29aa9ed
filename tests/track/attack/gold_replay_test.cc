// Texts that people wrote, byte by byte: the gold queries of Spider and BIRD, and the golden files of the checker. What the
// checker calls safe is admitted to its end, nothing else is.
#include <iostream>
#include <map>

#include <gtest/gtest.h>

#include "benchmark_data.h"
#include "check/golden_file.h"
#include "suite/column_policies.h"
#include "suite/gold.h"
#include "track/attack/replay.h"

namespace pccsql::attack {
namespace {

void expect_none_missed(const std::string& name, const Replay::Count& count) {
  std::cout << name << ": " << report(count, 8);
  EXPECT_GT(count.admitted, 0u) << name;
  EXPECT_TRUE(count.wrongly_refused.empty()) << name << ": " << count.wrongly_refused.size();
  EXPECT_TRUE(count.wrongly_admitted.empty()) << name << ": " << count.wrongly_admitted.size();
}

Replay::Count replayed(Ground& ground, const std::vector<std::string>& texts) {
  Replay replay(ground, sql_trackers(ground), true);
  for (const std::string& text : texts) replay.text(text);
  return replay.count();
}

void replay_gold(const GoldData& data, Split split) {
  const std::vector<Policy> policies = column_policies(data);
  std::map<std::string, std::vector<std::string>> by_database;
  for (const GoldQuery& query : data.queries(split)) by_database[query.db_id].push_back(query.sql);
  Replay::Count under_policy;
  Replay::Count all_public;
  Replay::Count under_paper;
  Replay::Count under_minimums;
  for (const auto& [db_id, texts] : by_database) {
    const size_t index = data.find_catalog(db_id).value();
    const SchemaPtr schema = schema_of(data.catalogs[index]);
    Ground cu(db_id + " / CU", schema, policies[index], {});
    Ground open(db_id + " / all Public", schema, Policy(schema->catalog, ColumnPolicy::Public), {});
    TrackSettings paper;
    paper.profile = Profile::Paper;
    Ground cu_paper(db_id + " / CU paper", schema, policies[index], paper);
    under_policy.add(replayed(cu, texts));
    all_public.add(replayed(open, texts));
    under_paper.add(replayed(cu_paper, texts));
    Ground minimum(db_id + " / CU, minimum groups", schema, with_minimums(policies[index], 5), {});
    under_minimums.add(replayed(minimum, texts));
  }
  const std::string name = data.name + (split == Split::Dev ? " dev" : " train");
  expect_none_missed(name + ", column-use policy, strict", under_policy);
  expect_none_missed(name + ", column-use policy, paper", under_paper);
  expect_none_missed(name + ", all Public", all_public);
  expect_none_missed(name + ", column-use policy, minimum groups", under_minimums);
}

TEST(GoldReplay, SpiderDev) {
  const auto folder = data_folder();
  if (!folder) GTEST_SKIP() << kNoData;
  const auto data = read_spider(*folder + "/spider");
  ASSERT_TRUE(data) << data.error().to_string();
  replay_gold(*data, Split::Dev);
}

TEST(GoldReplay, SpiderTrain) {
  const auto folder = data_folder();
  if (!folder) GTEST_SKIP() << kNoData;
  if (!long_run()) GTEST_SKIP() << "long: ./test --long";
  const auto data = read_spider(*folder + "/spider");
  ASSERT_TRUE(data) << data.error().to_string();
  replay_gold(*data, Split::Train);
}

TEST(GoldReplay, BirdDev) {
  const auto folder = data_folder();
  if (!folder) GTEST_SKIP() << kNoData;
  if (!long_run()) GTEST_SKIP() << "long: ./test --long";
  const auto data = read_bird(*folder + "/bird");
  ASSERT_TRUE(data) << data.error().to_string();
  replay_gold(*data, Split::Dev);
}

TEST(GoldReplay, GoldenFilesOfTheChecker) {
  Replay::Count count;
  Replay::Count under_minimums;
  for (const golden::File& file : golden::all_files()) {
    const auto world = golden::make_world(file);
    ASSERT_TRUE(world) << world.error().to_string();
    const SchemaPtr schema = schema_of(file.name, file.schema);
    std::vector<std::string> texts;
    for (const golden::Case& each : file.cases) texts.push_back(each.sql);
    for (const Profile profile : {Profile::Strict, Profile::Paper}) {
      TrackSettings settings;
      settings.profile = profile;
      settings.language = file.language;
      Ground ground(file.name + " / " + to_string(settings), schema, (*world)->policy, settings);
      Ground open(file.name + " / all Public / " + to_string(settings), schema,
                  Policy(schema->catalog, ColumnPolicy::Public), settings);
      count.add(replayed(ground, texts));
      count.add(replayed(open, texts));
      if (profile == Profile::Paper) continue;  // which knows no minimum groups
      for (const auto& [name, policy] : {std::pair("minimum groups", (*world)->policy),
                                         std::pair("all counted", Policy(schema->catalog, ColumnPolicy::AggregateOnly))}) {
        Ground minimum(file.name + " / " + name, schema, with_minimums(policy, 5), settings);
        under_minimums.add(replayed(minimum, texts));
      }
    }
  }
  expect_none_missed("golden files under minimum groups", under_minimums);
  expect_none_missed("golden files", count);
}

}  // namespace
}  // namespace pccsql::attack
