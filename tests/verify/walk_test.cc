// Replays and walks notice a mask that is wrong: too open, too narrow, or over another database.
#include <cstdlib>
#include <set>

#include <gtest/gtest.h>

#include "verify/replay.h"
#include "verify/walk.h"
#include "policy/policy_file.h"
#include "schema/reader.h"
#include "schema/scratch.h"

namespace pccsql {
namespace {

constexpr const char* kDdl =
    "CREATE TABLE item (id INTEGER PRIMARY KEY, name TEXT, price REAL, cost REAL);\n"
    "CREATE TABLE sale (item_id INTEGER, amount INTEGER);\n";
constexpr const char* kPolicy =
    "version: 1\ntables:\n  item: {id: ConditionOnly, name: Public, cost: AggregateOnly}\n  sale: {\"*\": Public}\n";

struct Shop {
  Catalog catalog = *read_ddl_catalog(kDdl);
  Policy policy = *parse_policy_yaml(kPolicy, catalog);
  Tokens tokens = *Tokens::load("builtin");
  TokenClasses classes{tokens.vocabulary(), catalog};
  size_t width = tokens.vocabulary().size();

  Policy all(ColumnPolicy everywhere) const { return Policy(catalog, everywhere); }

  // Masks by one policy, judged by the shop's.
  std::unique_ptr<MaskWorld> world(const Policy& masked_by, Settings settings = {},
                                   const std::optional<std::string>& db = {}) const {
    auto made = MaskWorld::make(catalog, policy, tokens.index(), settings, db, masked_by);
    EXPECT_TRUE(made);
    return std::move(*made);
  }
  std::unique_ptr<MaskWorld> world() const { return world(policy); }
};

const Shop& shop() {
  static const Shop the_shop;
  return the_shop;
}

Replayed replayed(MaskWorld& world, const std::string& sql, size_t random = 3) {
  Replayer replayer(shop().tokens, shop().width, random, 1);
  Replayed result;
  replayer.run(world, sql, result);
  return result;
}

TEST(MaskReplay, SafeQueriesAreAdmittedInEveryTokenisation) {
  const auto world = shop().world();
  for (const char* sql :
       {"SELECT name FROM item",
        "SELECT T1.name FROM item AS T1 JOIN sale AS T2 ON T1.id = T2.item_id WHERE T2.amount > 3",
        "SELECT AVG(cost), COUNT(*) FROM item", "select name from item where id = 4 order by name limit 1;"}) {
    const Replayed result = replayed(*world, sql);
    EXPECT_EQ(result.verdict, Verdict::Safe) << result.reason;
    EXPECT_EQ(result.outcome, ReplayOutcome::Admitted) << sql;
    ASSERT_EQ(result.attempts.size(), 4u);
    for (const Attempt& attempt : result.attempts) {
      EXPECT_FALSE(attempt.contradiction);
      EXPECT_EQ(attempt.nanoseconds.size(), attempt.tokens.size() + 1);
    }
  }
}

TEST(MaskReplay, OthersAreStoppedAndTheReasonNamesTheColumn) {
  const auto world = shop().world();
  const Replayed result = replayed(*world, "SELECT name, cost FROM item");
  EXPECT_EQ(result.outcome, ReplayOutcome::Stopped);
  ASSERT_TRUE(result.attempts[0].stop);
  EXPECT_EQ(place_of(result), Place::At);
  EXPECT_NE(result.attempts[0].stop->reason.find("cost"), std::string::npos) << result.attempts[0].stop->reason;
  EXPECT_EQ(replayed(*world, "DELETE FROM item").outcome, ReplayOutcome::Stopped);
  EXPECT_EQ(replayed(*world, "SELECT wage FROM item").outcome, ReplayOutcome::Stopped);
  EXPECT_EQ(replayed(*world, "SELECT name FROM").outcome, ReplayOutcome::Stopped);
}

TEST(MaskReplay, AQueryThatBreaksOffIsStoppedAtItsEnd) {
  const auto world = shop().world();
  const std::string sql = "SELECT name FROM item WHERE ";
  const Replayed result = replayed(*world, sql);
  EXPECT_EQ(result.outcome, ReplayOutcome::Stopped);
  for (const Attempt& attempt : result.attempts) {
    ASSERT_TRUE(attempt.stop);
    EXPECT_EQ(attempt.stop->token, attempt.tokens.size());
    EXPECT_EQ(attempt.stop->byte, sql.size());
  }
}

TEST(MaskReplay, BoundsAreCountedApart) {
  const auto world = shop().world();
  const Replayed alias = replayed(*world, "SELECT name n FROM item");
  EXPECT_EQ(alias.outcome, ReplayOutcome::Bound);
  EXPECT_EQ(alias.bound, "select alias without AS");
  const Replayed derived = replayed(*world, "SELECT AVG(n) FROM (SELECT COUNT(*) AS n FROM sale GROUP BY item_id)");
  EXPECT_EQ(derived.outcome, ReplayOutcome::Bound);
  EXPECT_NE(derived.bound.find("--derived-names"), std::string::npos) << derived.bound;
  const Replayed any = replayed(*world, "SELECT things.name FROM item AS things");
  EXPECT_EQ(any.outcome, ReplayOutcome::Bound);
  EXPECT_NE(any.bound.find("--aliases any"), std::string::npos) << any.bound;
}

TEST(MaskReplay, AMaskThatIsTooOpenOrTooNarrowFails) {
  const auto open = shop().world(shop().all(ColumnPolicy::Public));
  ReplayTotals totals;
  const Replayed through = replayed(*open, "SELECT cost FROM item");
  EXPECT_EQ(through.outcome, ReplayOutcome::LetThrough);
  totals.add(through);
  EXPECT_FALSE(totals.fine());

  Policy narrow = shop().policy;
  narrow.set(*shop().catalog.find_column("item", "name"), ColumnPolicy::Hidden);
  const auto closed = shop().world(narrow);
  const Replayed refused = replayed(*closed, "SELECT name FROM item");
  EXPECT_EQ(refused.verdict, Verdict::Safe);
  EXPECT_EQ(refused.outcome, ReplayOutcome::Refused) << refused.bound;
  ReplayTotals others;
  others.add(refused);
  EXPECT_FALSE(others.fine());
}

constexpr uint32_t kLongest = 60;

std::vector<Walk> walks(MaskWorld& world, WalkLogits logits, size_t count) {
  Walker walker(world, shop().classes, logits, kLongest, shop().width);
  EXPECT_GT(walker.shortest(), 1u);
  std::vector<Walk> all;
  for (size_t i = 0; i < count; ++i) all.push_back(walker.walk(1 + i));
  return all;
}

// Walks until one is bad.
WalkTotals until_bad(MaskWorld& world, WalkLogits logits, size_t most) {
  Walker walker(world, shop().classes, logits, kLongest, shop().width);
  WalkTotals totals(Language::Full);
  for (size_t i = 0; i < most && totals.fine(); ++i) totals.add(walker.walk(1 + i), "shop");
  return totals;
}

TEST(MaskWalk, WalksAreGoodAndFixedByTheirSeed) {
  const auto world = shop().world();
  for (const WalkLogits logits : {WalkLogits::Uniform, WalkLogits::Adversarial}) {
    const std::vector<Walk> first = walks(*world, logits, 16);
    const std::vector<Walk> again = walks(*world, logits, 16);
    std::set<std::string> texts;
    for (size_t i = 0; i < first.size(); ++i) {
      EXPECT_EQ(first[i].end, WalkEnd::Good) << first[i].seed << ": " << first[i].text << "\n" << first[i].detail;
      EXPECT_EQ(first[i].text, again[i].text);
      EXPECT_LE(first[i].tokens, first[i].budget);
      texts.insert(first[i].text);
    }
    EXPECT_GT(texts.size(), 8u);
  }
}

// Tables of 100 to 2,000 columns, some of them with the same names, a few of them restricted.
TEST(MaskWalk, WideTablesAreWalkedToTheEnd) {
  const bool long_run = std::getenv("PCCSQL_LONG") != nullptr;
  for (const int columns : {100, 2000}) {
    std::string ddl;
    for (const char* table : {"w", "twin"}) {
      ddl += std::string("CREATE TABLE ") + table + "(id INTEGER PRIMARY KEY";
      for (int i = 1; i < columns; ++i) ddl += ", c" + std::to_string(i) + " INT";
      ddl += ");\n";
    }
    const Catalog catalog = *read_ddl_catalog(ddl);
    Policy policy(catalog, ColumnPolicy::Public);
    for (ColumnIndex c = 0; c < catalog.table(0).columns.size(); c = static_cast<ColumnIndex>(c + 7)) {
      policy.set({0, c}, kColumnPolicies[c / 7 % 4]);
    }
    const TokenClasses classes(shop().tokens.vocabulary(), catalog);
    auto world = MaskWorld::make(catalog, policy, shop().tokens.index(), {}, {}, policy);
    ASSERT_TRUE(world);
    for (const WalkLogits logits : {WalkLogits::Uniform, WalkLogits::Adversarial}) {
      Walker walker(**world, classes, logits, 150, shop().width);
      for (uint64_t seed = 1; seed <= (long_run ? 200 : 3); ++seed) {
        const Walk walk = walker.walk(seed);
        EXPECT_EQ(walk.end, WalkEnd::Good) << columns << " columns, " << seed << ": " << walk.text << "\n" << walk.detail;
      }
    }
  }
}

TEST(MaskWalk, AHostileChoiceGetsCloserToARestrictedName) {
  const Vocabulary& vocabulary = shop().tokens.vocabulary();
  BitmaskBuffer mask(shop().width);
  const auto admit = [&](std::string_view piece) {
    for (TokenId id = 0; id < vocabulary.size(); ++id) {
      if (vocabulary.is_text(id) && vocabulary.bytes(id) == piece) return mask.view().set(id);
    }
    FAIL() << piece;
  };
  // Restricted are id, price and cost: each text aims at one of them at least.
  for (const char* piece : {"id", "price", "c", "name", "year", "SELECT", "1"}) admit(piece);
  std::set<std::string_view> chosen;
  for (const WalkLogits logits : {WalkLogits::Uniform, WalkLogits::Adversarial}) {
    Chooser chooser(shop().classes, shop().catalog, shop().policy, logits);
    std::mt19937_64 random(1);
    chosen.clear();
    for (int i = 0; i < 200; ++i) {
      chooser.start(random);
      chosen.insert(vocabulary.bytes(chooser.choose(mask.view(), random)));
    }
    if (logits == WalkLogits::Uniform) {
      EXPECT_EQ(chosen.size(), 7u);
    }
  }
  EXPECT_EQ(chosen, (std::set<std::string_view>{"id", "price", "c"}));

  // Begun with `pri`, it is the next letter that gets closer, if price is the target.
  Chooser chooser(shop().classes, shop().catalog, shop().policy, WalkLogits::Adversarial);
  std::mt19937_64 random(1);
  mask.view().clear();
  for (const char* piece : {"c", "d", "x", "1"}) admit(piece);
  size_t whole = 0;
  for (int i = 0; i < 200; ++i) {
    chooser.start(random);
    chooser.wrote("SELECT pri");
    whole += vocabulary.bytes(chooser.choose(mask.view(), random)) == "c";
  }
  EXPECT_GT(whole, 90u);
}

TEST(MaskWalk, AMaskThatIsTooOpenIsFound) {
  const auto open = shop().world(shop().all(ColumnPolicy::Public));
  const WalkTotals totals = until_bad(*open, WalkLogits::Adversarial, 200);
  ASSERT_FALSE(totals.fine());
  EXPECT_EQ(totals.first_bad->end, WalkEnd::Violation) << totals.first_bad->detail;
  Walker walker(*open, shop().classes, WalkLogits::Adversarial, kLongest, shop().width);
  const Walk again = walker.walk(totals.first_bad->seed);
  EXPECT_EQ(again.text, totals.first_bad->text);
  EXPECT_EQ(again.end, WalkEnd::Violation);
}

TEST(MaskWalk, WhatSqliteRefusesIsFound) {
  const Scratch scratch;
  const std::string other = scratch.database("other.sqlite", "CREATE TABLE thing (x);");
  const auto world = shop().world(shop().policy, {}, other);
  const WalkTotals totals = until_bad(*world, WalkLogits::Uniform, 200);
  ASSERT_FALSE(totals.fine());
  EXPECT_EQ(totals.first_bad->end, WalkEnd::Unprepared);
  EXPECT_NE(totals.first_bad->detail.find("no such table"), std::string::npos) << totals.first_bad->detail;
}

TEST(MaskWalk, APolicyThatLeavesNothingIsNoBadWalk) {
  const auto world = shop().world(shop().all(ColumnPolicy::Hidden));
  Walker walker(*world, shop().classes, WalkLogits::Uniform, 40, shop().width);
  EXPECT_EQ(walker.shortest(), 0u);
  EXPECT_EQ(walker.walk(1).end, WalkEnd::NothingToAsk);
}

}  // namespace
}  // namespace pccsql
