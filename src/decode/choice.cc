#include "decode/choice.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>

namespace pccsql {
namespace {

constexpr size_t kWord = 32;
constexpr size_t kLanes = 8;

// Eight running maxima, so that the compiler can keep them in one register.
float highest_of_word(const float* logits) {
  std::array<float, kLanes> best;
  std::copy_n(logits, kLanes, best.begin());
  for (size_t i = kLanes; i < kWord; i += kLanes) {
    for (size_t lane = 0; lane < kLanes; ++lane) {
      best[lane] = logits[i + lane] > best[lane] ? logits[i + lane] : best[lane];
    }
  }
  return *std::ranges::max_element(best);
}

}  // namespace

std::optional<TokenId> masked_choice(std::span<const float> logits, std::span<const uint32_t> words) {
  float best = -std::numeric_limits<float>::infinity();
  std::optional<size_t> best_word;
  for (size_t w = 0; w < words.size(); ++w) {
    const uint32_t word = words[w];
    if (word == 0) continue;
    float highest = -std::numeric_limits<float>::infinity();
    if (word == ~uint32_t{0} && (w + 1) * kWord <= logits.size()) {
      highest = highest_of_word(logits.data() + w * kWord);
    } else {
      for (uint32_t bits = word; bits != 0; bits &= bits - 1) {
        const float logit = logits[w * kWord + static_cast<size_t>(std::countr_zero(bits))];
        highest = logit > highest ? logit : highest;
      }
    }
    if (!best_word || highest > best) {
      best = highest;
      best_word = w;
    }
  }
  if (!best_word) return std::nullopt;
  for (uint32_t bits = words[*best_word]; bits != 0; bits &= bits - 1) {
    const size_t id = *best_word * kWord + static_cast<size_t>(std::countr_zero(bits));
    if (logits[id] == best) return static_cast<TokenId>(id);
  }
  return std::nullopt;  // unreachable: logits are never NaN
}

TokenId free_choice(std::span<const float> logits) {
  const size_t words = logits.size() / kWord;
  float best = -std::numeric_limits<float>::infinity();
  size_t from = 0;
  for (size_t w = 0; w < words; ++w) {
    const float highest = highest_of_word(logits.data() + w * kWord);
    if (highest > best) {
      best = highest;
      from = w * kWord;
    }
  }
  const std::span<const float> tail = logits.subspan(words * kWord);
  if (!tail.empty()) {
    const auto highest = std::ranges::max_element(tail);
    if (words == 0 || *highest > best) return static_cast<TokenId>(words * kWord + (highest - tail.begin()));
  }
  return static_cast<TokenId>(std::ranges::find(logits.subspan(from), best) - logits.subspan(from).begin() + from);
}

std::optional<TokenId> only_choice(std::span<const uint32_t> words) {
  std::optional<TokenId> only;
  for (size_t w = 0; w < words.size(); ++w) {
    if (words[w] == 0) continue;
    if (only || !std::has_single_bit(words[w])) return std::nullopt;
    only = static_cast<TokenId>(w * kWord + static_cast<size_t>(std::countr_zero(words[w])));
  }
  return only;
}

double removed_probability(std::span<const float> logits, size_t known, std::span<const uint32_t> words) {
  const std::span<const float> all = logits.first(std::min(known, logits.size()));
  if (all.empty()) return 0;
  const float highest = *std::ranges::max_element(all);
  double sum = 0;
  double removed = 0;
  for (size_t id = 0; id < all.size(); ++id) {
    const double weight = std::exp(static_cast<double>(all[id]) - static_cast<double>(highest));
    sum += weight;
    if ((words[id / kWord] >> (id % kWord) & 1U) == 0) removed += weight;
  }
  return sum > 0 ? removed / sum : 0;
}

}  // namespace pccsql
