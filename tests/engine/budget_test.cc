// Budgets: whatever is chosen, a generation ends as a whole query within its tokens; and no token is kept out that fits.
#include <gtest/gtest.h>

#include <algorithm>

#include "engine/oracle.h"
#include "engine/toy.h"

namespace pccsql {
namespace {

TEST(GreedyCut, TakesTheLongestPiece) {
  const VocabularyIndex::Impl& index = builtin_index().impl();
  EXPECT_TRUE(index.spells_any_text);
  EXPECT_EQ(index.greedy_tokens(""), 0u);
  EXPECT_EQ(index.greedy_tokens("SELECT name FROM employee"), 4u);
  EXPECT_EQ(index.greedy_tokens("\xE5\x90\x8Dq"), 2u);
  EXPECT_EQ(index.greedy_tokens("SELECT * FROM"), 1u);
  EXPECT_EQ(index.greedy_tokens("SELECT * FRO"), 4u);
  const std::vector<Piece> pieces{
      {"ab", TokenKind::Normal}, {"a", TokenKind::Normal}, {"bc", TokenKind::Normal}, {"<end>", TokenKind::Special}};
  const VocabularyIndex small(*Vocabulary::make(pieces, std::vector<TokenId>{3}));
  EXPECT_FALSE(small.impl().spells_any_text);
  EXPECT_EQ(small.impl().greedy_tokens("aab"), 2u);
  EXPECT_EQ(small.impl().greedy_tokens("abc"), std::nullopt);  // a|bc would do, but greed does not see it
  EXPECT_EQ(small.impl().greedy_tokens("x"), std::nullopt);
}

TEST(Budget, TooSmallForAnythingIsARefusal) {
  const Engine engine = toy_engine();
  Matcher none = engine.new_matcher(1);
  ASSERT_TRUE(none.is_refused());
  EXPECT_EQ(none.refusal()->cause, RefusalCause::Budget);
  EXPECT_EQ(mask_of(none, width()), std::vector<TokenId>{end_token()});
  EXPECT_TRUE(none.accept_token(end_token()));
  EXPECT_EQ(none.sql(), std::nullopt);

  Matcher least = engine.new_matcher(2);
  EXPECT_FALSE(least.is_refused());
  EXPECT_EQ(least.tokens_left(), 2u);
  EXPECT_EQ(mask_of(least, width()), tried(least, width()));
  for (const TokenId id : mask_of(least, width())) {
    const std::string_view bytes = engine.vocabulary().bytes(id);
    EXPECT_TRUE(bytes == "x" || bytes == "id") << bytes;
  }
  EXPECT_FALSE(least.accept_token(token("SELECT")));
  ASSERT_TRUE(least.rollback(1));
  ASSERT_TRUE(least.accept_token(token("id")));
  EXPECT_EQ(mask_of(least, width()), std::vector<TokenId>{end_token()});
  EXPECT_TRUE(least.accept_token(end_token()));
  EXPECT_EQ(least.tokens_left(), 0u);
  EXPECT_EQ(least.sql(), "id");
}

// The exact answer for the toy language, from its words alone.
TEST(Budget, AdmitsJustWhatFits) {
  const auto words =
      std::make_shared<const ToyTracker::Words>(ToyTracker::Words{{"SELECT name FROM employee", "SEL"}, {}, false});
  const Engine engine = toy_engine({}, words);
  const VocabularyIndex::Impl& index = builtin_index().impl();
  for (uint32_t budget = 2; budget < 12; ++budget) {
    Matcher matcher = engine.new_matcher(budget);
    std::vector<TokenId> expected;
    for (TokenId id = 0; id < width(); ++id) {
      if (!engine.vocabulary().is_text(id)) continue;
      const auto bytes = engine.vocabulary().bytes(id);
      bool fits = false;
      for (const std::string& word : words->whole) {
        if (!word.starts_with(bytes)) continue;
        fits = fits || *index.greedy_tokens(word.substr(bytes.size())) + 2 <= budget;
      }
      if (fits) expected.push_back(id);
    }
    EXPECT_EQ(mask_of(matcher, width()), expected) << budget;
  }
}

TEST(Budget, RandomGenerationsEndInTime) {
  Settings settings;
  settings.refusal = true;
  std::mt19937 random(7);
  for (const bool cached : {true, false}) {
    settings.memory_bytes = cached ? 1 << 20 : 0;
    const Engine engine = toy_engine(settings);
    size_t queries = 0, tight = 0;
    for (int round = 0; round < 300; ++round) {
      const auto budget = static_cast<uint32_t>(2 + random() % 30);
      Matcher matcher = engine.new_matcher(budget);
      ASSERT_FALSE(matcher.is_refused());
      for (uint32_t used = 0; !matcher.is_terminated(); ++used) {
        ASSERT_LT(used, budget) << matcher.text();
        ASSERT_EQ(matcher.tokens_left(), budget - used);
        const auto admitted = mask_of(matcher, width());
        ASSERT_FALSE(admitted.empty());
        if (random() % 16 == 0) {
          ASSERT_EQ(admitted, tried(matcher, width())) << matcher.text();
        }
        ASSERT_TRUE(matcher.accept_token(choose(admitted, engine.vocabulary(), random)));
        if (!matcher.is_terminated() && matcher.tokens_left() < 4u) ++tight;
      }
      if (matcher.sql()) {
        ++queries;
      } else {
        ASSERT_EQ(matcher.refusal()->cause, RefusalCause::ByChoice) << matcher.refusal()->reason;
      }
    }
    EXPECT_GT(queries, 150u);
    EXPECT_GT(tight, 50u);
  }
}

// What remains of a completion may be shorter in bytes and longer in tokens than the tracker's new one: the old plan holds.
class ShiftyTracker : public ToyTracker {
 public:
  using ToyTracker::ToyTracker;
  std::optional<std::string> completion(track::PrefixId prefix) override {
    auto rest = ToyTracker::completion(prefix);
    // `SELECT name FROM employee` begins as one token fewer than what is claimed after it.
    return rest && *rest == " name FROM employee" ? std::optional<std::string>(" nameFROMemployee") : rest;
  }
};

TEST(Budget, APlanOnceMadeHolds) {
  const auto words = std::make_shared<const ToyTracker::Words>(
      ToyTracker::Words{{"SELECT name FROM employee", "SELECT nameFROMemployee"}, {}, false});
  const Engine engine =
      make_engine([words] { return std::make_unique<ShiftyTracker>(words); }, builtin_index(), Settings());
  Matcher matcher = engine.new_matcher(5);
  for (const char* piece : {"SELECT", " name"}) {
    EXPECT_EQ(mask_of(matcher, width()), tried(matcher, width())) << piece;
    ASSERT_TRUE(matcher.accept_token(token(piece))) << piece;
  }
}

TEST(Budget, WithoutLookaheadItIsAHardStop) {
  Settings settings;
  settings.lookahead = false;
  const Engine engine = toy_engine(settings);
  Matcher matcher = engine.new_matcher(3);
  ASSERT_TRUE(matcher.accept_token(token("SELECT")));
  EXPECT_EQ(mask_of(matcher, width()), std::vector<TokenId>{token(" salary")});
  EXPECT_EQ(mask_of(matcher, width()), tried(matcher, width()));
  ASSERT_TRUE(matcher.rollback(1));
  ASSERT_TRUE(matcher.accept_token(token("S")));
  EXPECT_EQ(mask_of(matcher, width()), std::vector<TokenId>{end_token()});
  ASSERT_TRUE(matcher.is_refused());
  EXPECT_EQ(matcher.refusal()->cause, RefusalCause::Budget);
}

TEST(Budget, CountsTextAsAGreedyCut) {
  const Engine engine = toy_engine();
  Matcher matcher = engine.new_matcher(10);
  ASSERT_TRUE(matcher.accept_text("SELECT name"));
  EXPECT_EQ(matcher.tokens_left(), 8u);
  ASSERT_TRUE(matcher.rollback(1));
  EXPECT_EQ(matcher.tokens_left(), 10u);
}

}  // namespace
}  // namespace pccsql
