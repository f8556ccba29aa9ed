// How queries are cut into tokens, what times are summed up to, and which ways through the grammar are counted.
#include <set>

#include <gtest/gtest.h>

#include "verify/coverage.h"
#include "verify/tokens.h"
#include "base/times.h"

namespace pccsql {
namespace {

Tokens tokens_of(const std::vector<std::string>& pieces) {
  std::vector<Piece> all{{"<end>", TokenKind::Special}};
  for (const std::string& piece : pieces) all.push_back({piece, TokenKind::Normal});
  const std::vector<TokenId> end{0};
  return Tokens(*Vocabulary::make(all, end));
}

std::string spelled(const Tokens& tokens, const std::optional<Cut>& cut) {
  if (!cut) return "nothing";
  std::string text;
  for (const TokenId id : cut->tokens) text += (text.empty() ? "" : "|") + std::string(tokens.vocabulary().bytes(id));
  return text;
}

TEST(MaskTokens, TheLongestPieceThatLeavesTheRestSpellable) {
  const Tokens tokens = tokens_of({"a", "ab", "abc", "cd", "d", "bc"});
  EXPECT_EQ(spelled(tokens, tokens.canonical("abcd")), "abc|d");
  EXPECT_EQ(spelled(tokens, tokens.canonical("abcdcd")), "abc|d|cd");
  const Tokens without = tokens_of({"a", "ab", "abc", "cd", "bc"});
  EXPECT_EQ(spelled(without, without.canonical("abcd")), "ab|cd");
  EXPECT_EQ(spelled(without, without.canonical("abd")), "nothing");
  EXPECT_EQ(spelled(without, without.canonical("")), "");
}

TEST(MaskTokens, RandomCutsAreSeededAndSpellTheText) {
  auto tokens = Tokens::load("builtin");
  ASSERT_TRUE(tokens);
  const std::string sql = "SELECT T1.name, 'Größe' FROM employee AS T1 WHERE salary >= 2019";
  std::mt19937_64 one(7), same(7), other(8);
  std::set<std::string> seen;
  for (int i = 0; i < 20; ++i) {
    const auto cut = tokens->random(sql, one);
    ASSERT_TRUE(cut);
    std::string text;
    for (const TokenId id : cut->tokens) {
      EXPECT_TRUE(tokens->vocabulary().is_text(id));
      text += tokens->vocabulary().bytes(id);
    }
    EXPECT_EQ(text, sql);
    EXPECT_EQ(cut->tokens, tokens->random(sql, same)->tokens);
    seen.insert(spelled(*tokens, cut));
  }
  EXPECT_EQ(seen.size(), 20u);
  EXPECT_FALSE(seen.contains(spelled(*tokens, tokens->random(sql, other))));
}

TEST(MaskTokens, AFileThatIsNoVocabularyIsAnError) {
  const auto missing = Tokens::load("no/such/tokenizer.json");
  ASSERT_FALSE(missing);
  EXPECT_NE(missing.error().to_string().find("no/such/tokenizer.json"), std::string::npos);
}

TEST(MaskTimes, PercentilesAreTimesThatOccurred) {
  EXPECT_EQ(summarise({}).count, 0u);
  std::vector<uint64_t> times;
  for (uint64_t i = 100; i > 0; --i) times.push_back(i * 1000);
  const TimeSummary summary = summarise(times);
  EXPECT_EQ(summary.count, 100u);
  EXPECT_DOUBLE_EQ(summary.mean, 50.5);
  EXPECT_DOUBLE_EQ(summary.p50, 50);
  EXPECT_DOUBLE_EQ(summary.p90, 90);
  EXPECT_DOUBLE_EQ(summary.p99, 99);
  EXPECT_DOUBLE_EQ(summary.max, 100);
  EXPECT_DOUBLE_EQ(summarise({7000}).p99, 7);
}

bool missed(const Coverage& coverage, const std::string& way) {
  const auto ways = coverage.missed();
  return std::ranges::count(ways, way) > 0;
}

TEST(MaskCoverage, CountsTheWaysThatWereTaken) {
  Coverage coverage(sql_grammar());
  EXPECT_EQ(coverage.edges().hit, 0u);
  EXPECT_TRUE(missed(coverage, "where: WHERE"));
  EXPECT_TRUE(coverage.add("SELECT a FROM t WHERE b IN (1, 2)"));
  EXPECT_FALSE(missed(coverage, "where: WHERE"));
  EXPECT_FALSE(missed(coverage, "in_set: , after expr"));
  EXPECT_TRUE(missed(coverage, "in_set: query after ("));
  EXPECT_TRUE(missed(coverage, "case: CASE"));
  const size_t before = coverage.edges().hit;
  EXPECT_FALSE(coverage.add("SELECT FROM WHERE"));
  EXPECT_EQ(coverage.edges().hit, before);

  Coverage other(sql_grammar());
  EXPECT_TRUE(other.add("SELECT CASE WHEN a THEN 1 END FROM t"));
  coverage.add(other);
  EXPECT_FALSE(missed(coverage, "case: CASE"));
  EXPECT_GT(coverage.edges().hit, before);
}

TEST(MaskCoverage, WhatNothingGeneratesDoesNotCount) {
  const Coverage full(sql_grammar());
  for (const std::string& way : full.missed()) {
    for (const char* never : {"windows", "<window>", "operand: ,", "values", "recursive", "_name: string"}) {
      EXPECT_EQ(way.find(never), std::string::npos) << way;
    }
  }
  const Coverage fragment(sql_grammar(), Language::Fragment);
  EXPECT_LT(fragment.rules().all, full.rules().all);
  EXPECT_FALSE(missed(fragment, "case: CASE"));
  EXPECT_FALSE(missed(fragment, "query: with"));
  EXPECT_TRUE(missed(full, "query: with"));
}

}  // namespace
}  // namespace pccsql
