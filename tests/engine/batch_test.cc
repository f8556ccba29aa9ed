// Batches: each row is the mask that its matcher gives alone, whatever the number of threads, and whatever goes wrong beside.
#include <gtest/gtest.h>

#include <cstring>
#include <random>

#include <pccsql/batch.h>

#include "engine/demo.h"
#include "engine/oracle.h"
#include "engine/toy.h"

namespace pccsql {
namespace {

constexpr uint32_t kUntouched = 0xAAAAAAAA;

TEST(Batch, RowsAreTheMasksOfTheirMatchers) {
  const Engine engines[] = {demo_engine(builtin_index(), {}), toy_engine()};
  const size_t row_words = bitmask_words(width());
  for (const size_t threads : {1, 2, 7, 0}) {
    BatchFiller filler(threads);
    std::mt19937 random(5);
    std::vector<Matcher> all;
    for (int i = 0; i < 256; ++i) all.push_back(engines[i % 8 == 0 ? 1 : 0].new_matcher());
    std::vector<Matcher*> rows;
    for (Matcher& matcher : all) rows.push_back(&matcher);
    for (int step = 0; step < 6; ++step) {
      std::vector<uint32_t> words(rows.size() * row_words, kUntouched), alone(row_words);
      ASSERT_TRUE(filler.fill_batch(rows, words.data(), width()));
      for (size_t row = 0; row < rows.size(); ++row) {
        ASSERT_TRUE(all[row].fill_next_token_bitmask(alone.data(), width()));
        ASSERT_EQ(std::memcmp(alone.data(), words.data() + row * row_words, row_words * sizeof alone[0]), 0) << row;
        if (all[row].is_terminated()) continue;
        all[row].accept_token(choose(mask_of(all[row], width()), builtin_index().vocabulary(), random));
      }
    }
  }
}

TEST(Batch, RowsWithoutAMatcherStayAsTheyAre) {
  const Engine engine = toy_engine();
  Matcher matcher = engine.new_matcher();
  Matcher* const rows[] = {nullptr, &matcher, nullptr};
  const size_t row_words = bitmask_words(width());
  std::vector<uint32_t> words(3 * row_words, kUntouched);
  BatchFiller filler(2);
  ASSERT_TRUE(filler.fill_batch(rows, words.data(), width()));
  EXPECT_EQ(words[0], kUntouched);
  EXPECT_EQ(words[2 * row_words], kUntouched);
  EXPECT_NE(std::vector<uint32_t>(words.begin() + row_words, words.begin() + 2 * row_words),
            std::vector<uint32_t>(row_words, kUntouched));
  EXPECT_TRUE(filler.fill_batch({}, nullptr, width()));
}

TEST(Batch, WhatIsWrong) {
  const Engine engine = toy_engine();
  Matcher matcher = engine.new_matcher(), other = engine.new_matcher();
  std::vector<uint32_t> words(2 * bitmask_words(width()), kUntouched);
  BatchFiller filler(2);
  Matcher* const twice[] = {&matcher, &matcher};
  const auto refused = filler.fill_batch(twice, words.data(), width());
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().message.find("twice"), std::string::npos);
  EXPECT_EQ(words[0], kUntouched);
  Matcher* const both[] = {&matcher, &other};
  const auto narrow = filler.fill_batch(both, words.data(), width() - 1);  // fewer logits than tokens
  ASSERT_FALSE(narrow);
  EXPECT_EQ(narrow.error().message.substr(0, 6), "row 0:");
  EXPECT_EQ(words[0], 0u);
}

TEST(Batch, ManyRounds) {  // threads that wait, wake and wait again; meant for ThreadSanitizer
  const Engine engine = toy_engine();
  std::vector<Matcher> all;
  for (int i = 0; i < 9; ++i) all.push_back(engine.new_matcher());
  std::vector<Matcher*> rows;
  for (Matcher& matcher : all) rows.push_back(&matcher);
  std::vector<uint32_t> words(rows.size() * bitmask_words(width()));
  BatchFiller filler(4);
  for (int round = 0; round < 300; ++round) {
    ASSERT_TRUE(filler.fill_batch(std::span(rows).first(static_cast<size_t>(round % 10)), words.data(), width()));
  }
  BatchFiller moved = std::move(filler);
  EXPECT_TRUE(moved.fill_batch(rows, words.data(), width()));
}

}  // namespace
}  // namespace pccsql
