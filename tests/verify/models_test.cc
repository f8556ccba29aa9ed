// The vocabularies of real models on real schemas: gold queries replayed token by token, and walks under the mask. The short
// form touches each vocabulary; `./test --long` replays everything and walks far.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <map>
#include <memory>

#include <gtest/gtest.h>

#include "verify/replay.h"
#include "verify/walk.h"
#include "benchmark_data.h"
#include "suite/column_policies.h"
#include "suite/gold.h"
#include "verify/guards.h"

namespace pccsql {
namespace {

bool is_long() {
  const char* value = std::getenv("PCCSQL_LONG");
  return value != nullptr && *value != '\0';
}

size_t wanted_tokens() {
  if (const char* value = std::getenv("PCCSQL_WALK_TOKENS")) return std::strtoull(value, nullptr, 10);
  return is_long() ? 20'000 : 400;
}

size_t wanted_states() {
  if (const char* value = std::getenv("PCCSQL_MASK_STATES")) return std::strtoull(value, nullptr, 10);
  return is_long() ? 100 : 2;
}

// Long runs are shared out among processes, by databases: `i/n` is the i-th of n, from 0.
bool is_mine(size_t database) {
  const char* value = std::getenv("PCCSQL_SHARD");
  size_t own = 0, all = 1;
  if (value != nullptr && std::sscanf(value, "%zu/%zu", &own, &all) == 2 && all > 0) return database % all == own;
  return true;
}

// One vocabulary, and the data; nothing, with the reason, where either is missing.
class Models : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    const auto folder = data_folder();
    if (!folder) GTEST_SKIP() << kNoData;
    folder_ = *folder;
    std::string vocabulary = GetParam();
    if (vocabulary != "builtin") vocabulary = folder_ + "/vocab/ggml-vocab-" + vocabulary + ".gguf";
    if (vocabulary != "builtin" && !std::filesystem::exists(vocabulary)) GTEST_SKIP() << "no file " << vocabulary;
    auto loaded = Tokens::load(vocabulary);
    // Only a build without llama.cpp excuses a vocabulary that is there and cannot be read.
    if (!loaded && loaded.error().message.find("built without llama.cpp") != std::string::npos) {
      GTEST_SKIP() << loaded.error().to_string();
    }
    ASSERT_TRUE(loaded) << loaded.error().to_string();
    tokens_ = std::make_unique<Tokens>(std::move(*loaded));
  }

  void replay(const GoldData& data, Split split, bool all_public, size_t most, size_t excused) {
    const std::vector<Policy> policies = column_policies(data);
    std::map<size_t, std::unique_ptr<MaskWorld>> worlds;
    Replayer replayer(*tokens_, tokens_->vocabulary().size(), 1, 7);
    ReplayTotals totals;
    const std::vector<GoldQuery>& queries = data.queries(split);
    const size_t stride = std::max<size_t>(1, queries.size() / std::min(most, queries.size()));
    for (size_t i = 0; i < queries.size(); i += stride) {
      const auto database = data.find_catalog(queries[i].db_id);
      ASSERT_TRUE(database) << queries[i].db_id;
      std::unique_ptr<MaskWorld>& world = worlds[*database];
      if (!world) {
        const Catalog& catalog = data.catalogs[*database];
        const Policy policy = all_public ? Policy(catalog, ColumnPolicy::Public) : policies[*database];
        auto made = MaskWorld::make(catalog, policy, tokens_->index(), {});
        ASSERT_TRUE(made) << made.error().to_string();
        world = std::move(*made);
      }
      Replayed result;
      result.line = i + 1;
      replayer.run(*world, queries[i].sql, result);
      totals.add(result);
      EXPECT_NE(result.outcome, ReplayOutcome::Refused) << "query " << i << " of " << queries[i].db_id;
      EXPECT_NE(result.outcome, ReplayOutcome::LetThrough) << "query " << i << " of " << queries[i].db_id;
    }
    EXPECT_TRUE(totals.fine());
    EXPECT_EQ(totals.places[static_cast<size_t>(Place::Before)], 0u);
    EXPECT_LE(totals.count(ReplayOutcome::Bound), excused);
    std::cout << GetParam() << ", " << data.name << (split == Split::Dev ? " dev" : " train")
              << (all_public ? ", all Public: " : ", column-use policy: ") << totals.count(ReplayOutcome::Admitted)
              << " admitted whole, " << totals.count(ReplayOutcome::Bound) << " over a bound, "
              << totals.count(ReplayOutcome::Refused) << " refused; " << totals.count(ReplayOutcome::Stopped) << " stopped, "
              << totals.count(ReplayOutcome::LetThrough) << " let through; " << totals.attempts << " attempts\n";
  }

  // Walks over the databases in turn until enough tokens were written.
  void walk(const GoldData& data, const std::vector<std::string>& databases, WalkLogits logits, size_t tokens,
            size_t states) {
    const std::vector<Policy> policies = column_policies(data);
    WalkTotals totals(Language::Full);
    size_t compared = 0;
    for (size_t d = 0; d < databases.size(); ++d) {
      if (!is_mine(d)) continue;
      const auto found = data.find_catalog(databases[d]);
      ASSERT_TRUE(found) << databases[d];
      const Catalog& catalog = data.catalogs[*found];
      Policy policy = policies[*found];
      if (d % 3 == 2) {  // every third database under a random policy
        std::mt19937_64 random(d);
        for (TableId t = 0; t < catalog.tables().size(); ++t) {
          for (ColumnIndex c = 0; c < catalog.table(t).columns.size(); ++c) {
            policy.set({t, c}, kColumnPolicies[random() % kColumnPolicies.size()]);
          }
        }
      }
      Settings options;
      if (d % 2 == 1) options.style = Settings::Style::Canonical;  // as models are asked to write
      if (d % 4 == 3) {  // and with tables that can be named, though nothing of them may be used
        options.profile = Settings::Profile::Paper;
        for (TableId t = 0; t < catalog.tables().size(); t += 3) {
          for (ColumnIndex c = 0; c < catalog.table(t).columns.size(); ++c) policy.set({t, c}, ColumnPolicy::Hidden);
        }
      }
      auto world = MaskWorld::make(catalog, policy, tokens_->index(), options, data.database_path(databases[d]));
      ASSERT_TRUE(world) << world.error().to_string();
      const TokenClasses classes(tokens_->vocabulary(), catalog);
      Walker walker(**world, classes, logits, 600, tokens_->vocabulary().size());
      const size_t share = tokens / databases.size();
      const size_t before = totals.tokens;
      // Of the states that come up, some have every token of the vocabulary tried.
      std::mt19937_64 random(d);
      const size_t wanted = compared + (states + databases.size() - 1) / databases.size();
      walker.watch([&](Matcher& matcher, ConstBitmask mask) {
        if (compared >= wanted || random() % std::max<size_t>(1, share * databases.size() / (2 * states + 1)) != 0)
          return;
        ++compared;
        expect_tried(matcher, mask);
      });
      for (uint64_t seed = 1; totals.tokens - before < share && totals.fine() && walker.shortest() != 0; ++seed) {
        totals.add(walker.walk(seed * 1000 + d), databases[d]);
      }
      if (!totals.fine()) break;
    }
    if (totals.first_bad) {
      ADD_FAILURE() << to_string(totals.first_bad->end) << " in " << totals.first_bad_database << ", seed "
                    << totals.first_bad->seed << ": " << totals.first_bad->text << "\n  " << totals.first_bad->detail;
    }
    std::cout << GetParam() << ", " << data.name << (logits == WalkLogits::Uniform ? ", uniform: " : ", adversarial: ")
              << totals.walks << " walks, " << totals.tokens << " tokens, " << databases.size() << " databases; "
              << totals.count(WalkEnd::Violation) << " violations, " << totals.count(WalkEnd::Unprepared)
              << " not prepared, " << totals.count(WalkEnd::OtherUses) << " with other uses, "
              << totals.count(WalkEnd::DeadEnd) << " dead ends, " << totals.count(WalkEnd::Unfinished)
              << " unfinished; " << compared << " masks compared; rules " << totals.coverage.rules().hit << " of "
              << totals.coverage.rules().all << ", ways " << totals.coverage.edges().hit << " of "
              << totals.coverage.edges().all << "\n";
    missed_ = totals.coverage.missed();
  }

  // Every token of the vocabulary tried by accept: the mask has just those.
  void expect_tried(Matcher& matcher, ConstBitmask mask) {
    const std::string text(matcher.text());
    const Vocabulary& vocabulary = tokens_->vocabulary();
    for (TokenId id = 0; id < vocabulary.size() && !HasFailure(); ++id) {
      const bool taken = matcher.accept_token(id);
      ASSERT_TRUE(matcher.rollback(1));
      ASSERT_EQ(taken, mask.test(id)) << "token " << id << " `" << vocabulary.bytes(id) << "` after `" << text << "`, "
                                      << matcher.tokens_left().value_or(0) << " tokens left";
    }
  }

  std::string folder_;
  std::unique_ptr<Tokens> tokens_;
  std::vector<std::string> missed_;  // ways through the grammar that the last walks did not go
};

std::vector<std::string> databases_of(const std::vector<GoldQuery>& queries, size_t most) {
  std::vector<std::string> names;
  for (const GoldQuery& query : queries) {
    if (names.size() < most && std::find(names.begin(), names.end(), query.db_id) == names.end())
      names.push_back(query.db_id);
  }
  return names;
}

TEST_P(Models, SpiderIsReplayed) {
  const auto data = read_spider(folder_ + "/spider");
  ASSERT_TRUE(data) << data.error().to_string();
  const size_t most = is_long() ? SIZE_MAX : 60;
  replay(*data, Split::Dev, false, most, 0);
  if (!is_long()) return;
  replay(*data, Split::Dev, true, most, 0);
  replay(*data, Split::Train, false, most, 0);
}

TEST_P(Models, BirdIsReplayed) {
  const auto data = read_bird(folder_ + "/bird");
  ASSERT_TRUE(data) << data.error().to_string();
  replay(*data, Split::Dev, true, is_long() ? SIZE_MAX : 40, 14);
}

TEST_P(Models, WalksEndWell) {
  const auto spider = read_spider(folder_ + "/spider");
  ASSERT_TRUE(spider) << spider.error().to_string();
  const auto bird = read_bird(folder_ + "/bird");
  ASSERT_TRUE(bird) << bird.error().to_string();
  verify::count_refusals(true);
  for (const WalkLogits logits : {WalkLogits::Uniform, WalkLogits::Adversarial}) {
    const size_t tokens = wanted_tokens(), states = wanted_states();
    walk(*spider, databases_of(spider->dev, is_long() ? 20 : 2), logits, tokens - tokens / 8, states - states / 8);
    const std::vector<std::string> missed = missed_;
    walk(*bird, databases_of(bird->dev, is_long() ? 3 : 1), logits, tokens / 8, states / 8);
    if (!is_long()) continue;
    for (const std::string& way : missed) {
      const bool here_too = std::find(missed_.begin(), missed_.end(), way) != missed_.end();
      if (here_too) std::cout << "  not gone: " << way << "\n";
    }
  }
  size_t hit = 0;
  const auto guards = verify::guards();
  for (const auto& [guard, count] : guards) hit += count > 0;
  std::cout << GetParam() << ": " << hit << " of " << guards.size() << " guards said no";
  for (const auto& [guard, count] : guards) std::cout << (count == 0 ? "; never: " + guard : "");
  std::cout << "\n";
  EXPECT_EQ(verify::other_refusals(), std::vector<std::string>{}) << "guards that are not listed";
  // Walks this long go everywhere, if they go over all databases. Guards see bytes, not tokens: that all of them are met is
  // asked of the vocabulary whose walks go furthest, and printed of the others.
  if (wanted_tokens() >= 500000 && std::getenv("PCCSQL_SHARD") == nullptr && GetParam() == std::string("builtin")) {
    EXPECT_EQ(hit, guards.size());
  }
  verify::count_refusals(false);
}

INSTANTIATE_TEST_SUITE_P(Vocabularies, Models, testing::Values("builtin", "qwen2", "deepseek-coder", "llama-bpe"),
                         [](const auto& test) {
                           std::string name = test.param;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

}  // namespace
}  // namespace pccsql
