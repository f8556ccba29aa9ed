// A generation step by step, over a language small enough to know every answer.
#include <gtest/gtest.h>

#include <algorithm>

#include "engine/oracle.h"
#include "engine/toy.h"

namespace pccsql {
namespace {

TEST(Matcher, AGenerationFromBeginToEnd) {
  const Engine engine = toy_engine();
  Matcher matcher = engine.new_matcher();
  EXPECT_EQ(matcher.text(), "");
  EXPECT_FALSE(matcher.is_terminated());
  EXPECT_FALSE(matcher.is_refused());
  EXPECT_EQ(matcher.refusal(), nullptr);
  EXPECT_EQ(matcher.tokens_left(), std::nullopt);
  for (const char* piece : {"SELECT", " name", " FROM", " employee"}) {
    EXPECT_FALSE(matcher.is_terminated());
    EXPECT_EQ(matcher.sql(), std::nullopt);
    EXPECT_TRUE(matcher.accept_token(token(piece))) << piece;
  }
  EXPECT_EQ(matcher.text(), "SELECT name FROM employee");
  EXPECT_EQ(matcher.steps(), 4u);
  EXPECT_EQ(mask_of(matcher, width()), (std::vector<TokenId>{token(";"), end_token()}));
  EXPECT_EQ(matcher.sql(), std::nullopt);
  EXPECT_TRUE(matcher.accept_token(end_token()));
  EXPECT_TRUE(matcher.is_terminated());
  EXPECT_EQ(matcher.sql(), "SELECT name FROM employee");
  EXPECT_EQ(mask_of(matcher, width()), std::vector<TokenId>{end_token()});
}

TEST(Matcher, EndsOnlyWhereTheQueryIsWhole) {
  const Engine engine = toy_engine();
  Matcher matcher = engine.new_matcher();
  EXPECT_EQ(std::ranges::count(mask_of(matcher, width()), end_token()), 0);
  EXPECT_FALSE(matcher.accept_token(end_token()));
  EXPECT_TRUE(matcher.is_terminated());
  ASSERT_TRUE(matcher.is_refused());
  EXPECT_EQ(matcher.refusal()->cause, RefusalCause::Fault);
  EXPECT_EQ(matcher.sql(), std::nullopt);
  ASSERT_TRUE(matcher.rollback(1));
  EXPECT_FALSE(matcher.is_terminated());
  EXPECT_FALSE(matcher.is_refused());
  EXPECT_TRUE(matcher.accept_token(token("x")));
  EXPECT_TRUE(matcher.accept_token(end_token()));
  EXPECT_EQ(matcher.sql(), "x");
}

TEST(Matcher, ATokenThatIsNotAdmittedRefuses) {
  const Engine engine = toy_engine();
  const Vocabulary& vocabulary = engine.vocabulary();
  for (const TokenId wrong : {token("FROM"), token("\xE5\x90"), end_token() + 1, static_cast<TokenId>(width() - 1),
                              static_cast<TokenId>(width()), TokenId{0xFFFFFFFF}}) {
    Matcher matcher = engine.new_matcher();
    ASSERT_TRUE(matcher.accept_token(token("SELECT")));
    EXPECT_FALSE(matcher.accept_token(wrong));
    ASSERT_TRUE(matcher.is_refused()) << wrong;
    EXPECT_FALSE(matcher.is_terminated());
    EXPECT_EQ(matcher.refusal()->cause, RefusalCause::Fault);
    EXPECT_FALSE(matcher.refusal()->reason.empty());
    EXPECT_EQ(matcher.text(), "");
    EXPECT_EQ(mask_of(matcher, width()), std::vector<TokenId>{end_token()});
    EXPECT_FALSE(matcher.accept_token(token(" name")));  // what would have been right does not help
    EXPECT_FALSE(matcher.accept_text(" name"));
    EXPECT_TRUE(matcher.accept_token(end_token()));
    EXPECT_TRUE(matcher.is_terminated());
    EXPECT_EQ(matcher.sql(), std::nullopt);
    EXPECT_EQ(matcher.steps(), 5u);
    ASSERT_TRUE(matcher.rollback(3));
    EXPECT_TRUE(matcher.is_refused());
    ASSERT_TRUE(matcher.rollback(1));
    EXPECT_FALSE(matcher.is_refused());
    EXPECT_EQ(matcher.text(), "SELECT");
    EXPECT_TRUE(matcher.accept_token(token(" name")));
  }
  EXPECT_EQ(vocabulary.size(), width());
}

TEST(Matcher, NothingFollowsTheEnd) {
  const Engine engine = toy_engine();
  Matcher matcher = engine.new_matcher();
  ASSERT_TRUE(matcher.accept_token(token("x")));
  ASSERT_TRUE(matcher.accept_token(end_token()));
  EXPECT_TRUE(matcher.accept_token(end_token()));
  EXPECT_EQ(matcher.sql(), "x");
  EXPECT_FALSE(matcher.accept_token(token("x")));
  EXPECT_TRUE(matcher.is_refused());
  EXPECT_EQ(matcher.sql(), std::nullopt);
}

TEST(Matcher, TextInPlaceOfTokens) {
  const Engine engine = toy_engine();
  Matcher matcher = engine.new_matcher();
  EXPECT_TRUE(matcher.accept_text(""));
  EXPECT_EQ(matcher.steps(), 0u);
  EXPECT_TRUE(matcher.accept_text("SELECT name FRO"));
  EXPECT_EQ(matcher.steps(), 1u);
  EXPECT_EQ(matcher.text(), "SELECT name FRO");
  EXPECT_TRUE(matcher.accept_token(token("M")));
  EXPECT_TRUE(matcher.rollback(2));
  EXPECT_EQ(matcher.text(), "");
  EXPECT_FALSE(matcher.accept_text("SELECT age"));
  EXPECT_TRUE(matcher.is_refused());
  EXPECT_EQ(matcher.text(), "");
  EXPECT_TRUE(matcher.rollback(1));
  EXPECT_TRUE(matcher.accept_text("SELECT salary"));
  EXPECT_TRUE(matcher.accept_token(end_token()));
  EXPECT_EQ(matcher.sql(), "SELECT salary");
  EXPECT_FALSE(matcher.accept_text("x"));
}

TEST(Matcher, RollbackTakesBackARefusalByWhatCameAfterTheEnd) {
  const Engine engine = toy_engine();
  Matcher matcher = engine.new_matcher();
  ASSERT_TRUE(matcher.accept_token(token("x")));
  ASSERT_TRUE(matcher.accept_token(end_token()));
  EXPECT_FALSE(matcher.accept_token(token("x")));
  ASSERT_TRUE(matcher.is_refused());
  EXPECT_FALSE(matcher.accept_text("y"));
  ASSERT_TRUE(matcher.rollback(1));
  EXPECT_TRUE(matcher.is_refused());
  ASSERT_TRUE(matcher.rollback(1));
  EXPECT_FALSE(matcher.is_refused());
  EXPECT_EQ(matcher.sql(), "x");
  EXPECT_FALSE(matcher.accept_text("y"));
  ASSERT_TRUE(matcher.rollback(1));
  EXPECT_EQ(matcher.sql(), "x");
  ASSERT_TRUE(matcher.rollback(1));
  EXPECT_FALSE(matcher.is_terminated());
  EXPECT_TRUE(matcher.accept_token(end_token()));
}

TEST(Matcher, RollbackBeyondTheBeginningChangesNothing) {
  const Engine engine = toy_engine();
  Matcher matcher = engine.new_matcher();
  ASSERT_TRUE(matcher.accept_token(token("x")));
  EXPECT_FALSE(matcher.rollback(2));
  EXPECT_EQ(matcher.text(), "x");
  EXPECT_TRUE(matcher.rollback(0));
  EXPECT_TRUE(matcher.rollback(1));
  EXPECT_EQ(matcher.text(), "");
}

TEST(Matcher, ForksGoTheirOwnWay) {
  const Engine engine = toy_engine();
  Matcher one = engine.new_matcher();
  ASSERT_TRUE(one.accept_token(token("SELECT")));
  Matcher other = one.fork();
  ASSERT_TRUE(one.accept_token(token(" name")));
  ASSERT_TRUE(other.accept_token(token(" salary")));
  EXPECT_EQ(one.text(), "SELECT name");
  EXPECT_EQ(other.text(), "SELECT salary");
  ASSERT_TRUE(one.rollback(2));
  EXPECT_EQ(other.text(), "SELECT salary");
  ASSERT_TRUE(other.accept_token(end_token()));
  EXPECT_EQ(other.sql(), "SELECT salary");
  ASSERT_TRUE(one.accept_text("ask"));
  Matcher third = other.fork();
  EXPECT_EQ(third.sql(), "SELECT salary");
  ASSERT_TRUE(third.rollback(2));
  EXPECT_TRUE(third.accept_token(token(" name")));
  Matcher moved = std::move(third);
  EXPECT_EQ(moved.text(), "SELECT name");
  EXPECT_FALSE(one.fork().accept_token(end_token()));
  EXPECT_FALSE(one.is_refused());
}

TEST(Matcher, WidthsOfLogits) {
  const Engine engine = toy_engine();
  Matcher matcher = engine.new_matcher();
  const auto exact = mask_of(matcher, width());
  for (const size_t more : {1, 31, 32, 33, 1000}) EXPECT_EQ(mask_of(matcher, width() + more), exact);
  std::vector<uint32_t> words(bitmask_words(width()), 0xFFFFFFFF);
  const auto narrow = matcher.fill_next_token_bitmask(words.data(), width() - 1);
  ASSERT_FALSE(narrow);
  EXPECT_NE(narrow.error().message.find("do not belong together"), std::string::npos);
  EXPECT_TRUE(std::ranges::all_of(words, [](uint32_t word) { return word == 0; }));
  EXPECT_FALSE(matcher.fill_next_token_bitmask(nullptr, width()));
  EXPECT_FALSE(matcher.is_refused());
  EXPECT_EQ(mask_of(matcher, width()), exact);
}

TEST(Matcher, RefusalByChoice) {
  Settings settings;
  settings.refusal = true;
  const Engine engine = toy_engine(settings);
  Matcher matcher = engine.new_matcher();
  const auto begin = mask_of(matcher, width());
  EXPECT_EQ(std::ranges::count(begin, token("R")), 1);
  EXPECT_EQ(std::ranges::count(begin, token("SELECT")), 1);
  EXPECT_EQ(begin, tried(matcher, width()));
  ASSERT_TRUE(matcher.accept_token(token("R")));
  EXPECT_EQ(mask_of(matcher, width()), std::vector<TokenId>{token("E")});
  EXPECT_EQ(matcher.find_jump_forward_string(), "EFUSE");
  EXPECT_EQ(matcher.explain().clause, "");
  for (const char* piece : {"E", "F", "U", "S"}) {
    ASSERT_TRUE(matcher.accept_token(token(piece))) << piece;
    EXPECT_FALSE(matcher.is_refused());
  }
  ASSERT_TRUE(matcher.accept_token(token("E")));
  ASSERT_TRUE(matcher.is_refused());
  EXPECT_EQ(matcher.refusal()->cause, RefusalCause::ByChoice);
  EXPECT_EQ(matcher.text(), "");
  EXPECT_EQ(mask_of(matcher, width()), std::vector<TokenId>{end_token()});
  ASSERT_TRUE(matcher.rollback(6));
  EXPECT_FALSE(matcher.is_refused());
  EXPECT_EQ(mask_of(matcher, width()), begin);
  ASSERT_TRUE(matcher.accept_text("REFUSE"));
  EXPECT_TRUE(matcher.is_refused());
  ASSERT_TRUE(matcher.rollback(1));
  EXPECT_FALSE(matcher.accept_text("REFUSED"));
  EXPECT_EQ(matcher.refusal()->cause, RefusalCause::Fault);
  ASSERT_TRUE(matcher.rollback(1));
  ASSERT_TRUE(matcher.accept_token(token("SEL")));
  EXPECT_FALSE(matcher.accept_text("REFUSE"));
  EXPECT_FALSE(toy_engine().new_matcher().accept_text("REFUSE"));
}

TEST(Matcher, DeadEndsOfATrackerWithoutLookahead) {
  Settings settings;
  settings.lookahead = false;
  const auto words = std::make_shared<const ToyTracker::Words>(ToyTracker::Words{{"id"}, {"idle"}, false});
  const Engine engine = toy_engine(settings, words);
  Matcher matcher = engine.new_matcher();
  ASSERT_TRUE(matcher.accept_text("idle"));
  EXPECT_FALSE(matcher.is_refused());
  EXPECT_EQ(mask_of(matcher, width()), std::vector<TokenId>{end_token()});
  ASSERT_TRUE(matcher.is_refused());
  EXPECT_EQ(matcher.refusal()->cause, RefusalCause::NothingToAsk);
  EXPECT_EQ(matcher.text(), "");
  ASSERT_TRUE(matcher.rollback(1));
  EXPECT_FALSE(matcher.is_refused());
  // With look-ahead promised, the same is a fault: the tracker was wrong to take the text, but what stands before it is sound.
  Matcher promised = toy_engine({}, words).new_matcher();
  ASSERT_TRUE(promised.accept_text("idle"));
  EXPECT_EQ(mask_of(promised, width()), std::vector<TokenId>{end_token()});
  EXPECT_EQ(promised.refusal()->cause, RefusalCause::Fault);
  EXPECT_EQ(promised.text(), "");
  ASSERT_TRUE(promised.rollback(1));
  EXPECT_FALSE(promised.is_refused());
  ASSERT_TRUE(promised.accept_text("id"));
  ASSERT_TRUE(promised.accept_token(end_token()));
  EXPECT_EQ(promised.sql(), "id");
}

TEST(Matcher, ExplainsAndJumps) {
  const auto words = std::make_shared<const ToyTracker::Words>(ToyTracker::Words{{"SELECT 1", "SELECT 77"}, {}, false});
  Matcher matcher = toy_engine({}, words).new_matcher();
  EXPECT_EQ(matcher.find_jump_forward_string(), "SELECT ");
  EXPECT_TRUE(matcher.find_jump_forward_tokens().empty());  // SELECT can be cut in many ways
  ASSERT_TRUE(matcher.accept_text("SELECT 7"));
  EXPECT_EQ(matcher.find_jump_forward_string(), "7");
  EXPECT_EQ(matcher.find_jump_forward_tokens(), std::vector<TokenId>{token("7")});
  EXPECT_EQ(matcher.text(), "SELECT 7");
  const Explanation told = matcher.explain();
  EXPECT_EQ(told.clause, "SELECT 7");
  ASSERT_EQ(told.allowed.size(), 1u);
  EXPECT_EQ(told.allowed[0].detail, "first");
  ASSERT_EQ(told.blocked.size(), 1u);
  EXPECT_EQ(told.blocked[0].text, "b");
  EXPECT_FALSE(told.may_end);
  ASSERT_TRUE(matcher.accept_text("7"));
  EXPECT_TRUE(matcher.explain().may_end);
  EXPECT_EQ(matcher.find_jump_forward_string(), "");
  EXPECT_TRUE(matcher.find_jump_forward_tokens().empty());  // the end is the model's to write
  ASSERT_TRUE(matcher.accept_token(end_token()));
  EXPECT_EQ(matcher.find_jump_forward_string(), "");
}

}  // namespace
}  // namespace pccsql
