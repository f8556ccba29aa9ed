// Random generations over every ground: each prefix can be finished, each finished text is safe and runs, and between them
// they go everywhere in the grammar.
#include <algorithm>
#include <cstdlib>
#include <iostream>
#include <map>
#include <set>

#include <gtest/gtest.h>

#include "benchmark_data.h"
#include "suite/column_policies.h"
#include "suite/gold.h"
#include "track/attack/shrink.h"
#include "track/attack/walker.h"
#include "verify/guards.h"

namespace pccsql::attack {
namespace {

// What the decoder leaves out by design: windows by name, row values, more than one `;`.
const std::vector<std::string> kRulesLeftOut{"windows", "window_definition"};

constexpr size_t kMostShown = 10;   // of each kind of failure
constexpr size_t kMostShrunk = 60;  // likewise: it takes time

struct Totals {
  uint64_t walks = 0;
  uint64_t lexemes = 0;
  uint64_t tries = 0;
  uint64_t prefixes = 0;
  uint64_t finished = 0;
  uint64_t dead_ends = 0;
  uint64_t stuck = 0;
  // By what was said, names and numbers taken out: how often, and the shortest texts.
  struct Kind {
    uint64_t times = 0;
    std::vector<std::string> shortest;
  };
  std::map<std::string, Kind> failures;
};

// `walks` generations on one ground.
void attack(Ground& ground, int walks, uint64_t seed, Coverage& coverage, Totals& totals) {
  const MakeTracker make = sql_trackers(ground);
  std::mt19937_64 random(seed);
  for (int i = 0; i < walks; ++i) {
    const uint64_t walk_seed = random();
    const auto tracker = make();
    LexemeWalker walker(ground, *tracker, coverage, walk_seed);
    const int length = 3 + static_cast<int>(random() % 58);
    const auto failures = walker.walk(length);
    ++totals.walks;
    totals.lexemes += walker.steps();
    totals.tries += walker.tries();
    totals.prefixes += walker.oracle().prefixes();
    totals.finished += walker.oracle().finished();
    totals.dead_ends += walker.oracle().dead_ends();
    totals.stuck += walker.stuck();
    std::set<std::string> said;  // what follows from the first of a kind is no news
    for (const WalkFailure& failure : failures) {
      if (!said.insert(gist(failure.what)).second) continue;
      Totals::Kind& kind = totals.failures[gist(failure.what)];
      ++kind.times;
      if (kind.times > kMostShrunk) continue;
      const Shrunk small = shrink(ground, make, failure.text, failure.what);
      if (std::ranges::any_of(kind.shortest,
                              [&](const std::string& s) { return s.ends_with(small.text + "\n    " + small.what); }))
        continue;
      kind.shortest.push_back("[" + ground.name + "] seed " + std::to_string(walk_seed) + " length " +
                              std::to_string(length) + "\n    " + small.text + "\n    " + small.what);
      std::ranges::stable_sort(kind.shortest, {}, &std::string::size);
      if (kind.shortest.size() > kMostShown) kind.shortest.pop_back();
    }
  }
}

void print(const char* name, const Totals& totals, const Coverage& coverage) {
  std::cout << name << ": " << totals.walks << " walks, " << totals.lexemes << " lexemes (" << totals.tries
            << " tried), " << totals.prefixes << " prefixes asked, " << totals.finished << " texts finished, "
            << totals.stuck << " walks stuck, " << totals.dead_ends << " dead ends without look-ahead; "
            << coverage.summary() << "\n";
  for (const auto& [what, kind] : totals.failures) {
    std::string shown;
    for (const std::string& text : kind.shortest) shown += "  " + text + "\n";
    ADD_FAILURE() << kind.times << " times: " << what << "\n" << shown;
  }
}

int scaled(int walks) {
  const char* value = std::getenv("PCCSQL_WALKS");
  if (value != nullptr) return std::atoi(value);
  return long_run() ? walks * 5 : walks;
}

TEST(Walk, StandingGrounds) {
  Coverage coverage(sql_grammar());
  Totals totals;
  uint64_t seed = 1;
  verify::count_refusals(true);
  // Until every rule was written, which may take some rounds more than one.
  for (int round = 0; round < 4 && (round == 0 || !coverage.missed_rules(kRulesLeftOut).empty()); ++round) {
    for (const GroundPtr& ground : standing_grounds()) attack(*ground, scaled(26), seed++, coverage, totals);
  }
  verify::count_refusals(false);
  print("standing grounds", totals, coverage);
  EXPECT_EQ(verify::other_refusals(), std::vector<std::string>{}) << "guards that are not listed";
  for (const std::string& rule : coverage.missed_rules(kRulesLeftOut)) ADD_FAILURE() << "never written: " << rule;
  for (const std::string& place : coverage.missed_places({})) std::cout << "  never written: " << place << "\n";
}

// Near the most tables that a SELECT may have: what is owed must still find room. With 60 of them walks never come there.
TEST(Walk, FewTables) {
  Coverage coverage(sql_grammar());
  Totals totals;
  uint64_t seed = 1000;
  for (const uint16_t most : {uint16_t{5}, uint16_t{8}}) {
    for (const GroundPtr& ground : standing_grounds(most)) attack(*ground, scaled(8), seed++, coverage, totals);
  }
  print("few tables", totals, coverage);
}

// Near the deepest nesting: what is open must still find room for its end.
TEST(Walk, ShallowStacks) {
  Coverage coverage(sql_grammar());
  Totals totals;
  uint64_t seed = 2000;
  for (const int deepest : {18, 24, 31}) {
    for (const GroundPtr& ground : standing_grounds(kMostTables, deepest)) {
      attack(*ground, scaled(6), seed++, coverage, totals);
    }
  }
  print("shallow stacks", totals, coverage);
}

TEST(Walk, RandomGrounds) {
  Coverage coverage(sql_grammar());
  Totals totals;
  const uint64_t grounds = long_run() ? 200 : 60;
  for (uint64_t seed = 0; seed < grounds; ++seed) {
    const GroundPtr ground = random_ground(seed);
    attack(*ground, scaled(4), seed, coverage, totals);
  }
  print("random grounds", totals, coverage);
}

// Tables of 100 to 2,000 columns, with lists of names that are as long.
TEST(Walk, WideTables) {
  Coverage coverage(sql_grammar());
  Totals totals;
  uint64_t seed = 3000;
  for (const int columns : {100, 420, 2000}) {
    for (const GroundPtr& ground : wide_grounds(columns, seed)) {
      attack(*ground, scaled(columns > 1000 ? 1 : 2), seed++, coverage, totals);
    }
  }
  print("wide tables", totals, coverage);
}

TEST(Walk, SpiderDatabases) {
  const auto folder = data_folder();
  if (!folder) GTEST_SKIP() << kNoData;
  const auto spider = read_spider(*folder + "/spider");
  ASSERT_TRUE(spider) << spider.error().to_string();
  const std::vector<Policy> policies = column_policies(*spider);
  Coverage coverage(sql_grammar());
  Totals totals;
  std::mt19937_64 random(77);
  const auto settings = many_settings();
  std::string last;
  for (const GoldQuery& query : spider->dev) {
    if (query.db_id == last) continue;
    last = query.db_id;
    const size_t index = spider->find_catalog(query.db_id).value();
    const SchemaPtr schema = schema_of(spider->catalogs[index]);
    const TrackSettings other = settings[random() % settings.size()];
    Ground gold(schema->name + " / Spider-CU", schema, policies[index], settings[0]);
    Ground mixed(schema->name + " / random / " + to_string(other), schema,
                 random_policy(schema->catalog, random, {4, 2, 1, 1}), other);
    attack(gold, scaled(4), random(), coverage, totals);
    attack(mixed, scaled(4), random(), coverage, totals);
  }
  print("spider dev", totals, coverage);
}

}  // namespace
}  // namespace pccsql::attack
