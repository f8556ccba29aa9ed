// The choice of a token against the plainest way to make it.
#include "decode/choice.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>

#include "mask/bitmask.h"

namespace pccsql {
namespace {

std::optional<TokenId> plainly(std::span<const float> logits, ConstBitmask mask) {
  std::optional<TokenId> best;
  for (TokenId id = 0; id < logits.size(); ++id) {
    if (mask.test(id) && (!best || logits[id] > logits[*best])) best = id;
  }
  return best;
}

TEST(Choice, IsThatOfAPlainLoopForAllKindsOfMasks) {
  std::mt19937 random(7);
  for (int round = 0; round < 400; ++round) {
    const size_t width = 1 + random() % 300;
    std::vector<float> logits(width);
    const int kinds = 1 + static_cast<int>(random() % 40);  // few values: many ties
    for (float& logit : logits) logit = static_cast<float>(static_cast<int>(random() % kinds) - kinds / 2);
    if (random() % 4 == 0) logits[random() % width] = std::numeric_limits<float>::infinity();
    if (random() % 4 == 0) std::ranges::fill(logits, -std::numeric_limits<float>::infinity());
    BitmaskBuffer mask(width);
    switch (random() % 4) {
      case 0:
        mask.view().fill();
        break;
      case 1:
        break;
      case 2:
        mask.view().set(random() % width);
        break;
      default:
        mask.view().fill();
        for (size_t i = 0; i < width / 3; ++i) mask.view().reset(random() % width);
    }
    const auto words = mask.view().words();
    EXPECT_EQ(masked_choice(logits, words), plainly(logits, mask.view())) << "round " << round;
    BitmaskBuffer all(width);
    all.view().fill();
    EXPECT_EQ(free_choice(logits), plainly(logits, all.view())) << "round " << round;
    const auto only = only_choice(words);
    EXPECT_EQ(only.has_value(), mask.view().count() == 1);
    EXPECT_TRUE(!only || only == plainly(logits, mask.view()));
  }
}

TEST(Choice, RemovedProbabilityIsTheSoftmaxOfWhatTheMaskTakesAway) {
  const std::vector<float> logits{std::log(1.0F), std::log(2.0F), std::log(5.0F), 99.0F};  // the last is padding
  BitmaskBuffer mask(4);
  mask.view().set(1);
  EXPECT_NEAR(removed_probability(logits, 3, mask.view().words()), 6.0 / 8.0, 1e-6);
  mask.view().set(2);
  EXPECT_NEAR(removed_probability(logits, 3, mask.view().words()), 1.0 / 8.0, 1e-6);
}

}  // namespace
}  // namespace pccsql
