// The oracle of masks: every token of the vocabulary tried by accept. And small helpers to drive a Matcher.
#pragma once

#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <pccsql/engine.h>

#include "mask/bitmask.h"

namespace pccsql {

inline std::vector<TokenId> mask_of(Matcher& matcher, size_t width) {
  BitmaskBuffer mask(width);
  mask.view().fill();  // what was there before must not show
  const auto filled = matcher.fill_next_token_bitmask(mask.view().words().data(), width);
  EXPECT_TRUE(filled) << filled.error().to_string();
  std::vector<TokenId> tokens;
  mask.view().for_each([&](TokenId id) { tokens.push_back(id); });
  return tokens;
}

// What accept_token takes, tried on the matcher itself and taken back.
inline std::vector<TokenId> tried(Matcher& matcher, size_t width) {
  std::vector<TokenId> tokens;
  for (TokenId id = 0; id < width; ++id) {
    if (matcher.accept_token(id)) tokens.push_back(id);
    EXPECT_TRUE(matcher.rollback(1));
  }
  return tokens;
}

// One token at random: first its bytes' first byte, so that rare ones come too.
inline TokenId choose(const std::vector<TokenId>& admitted, const Vocabulary& vocabulary, std::mt19937& random) {
  std::vector<std::vector<TokenId>> by_first(257);
  for (const TokenId id : admitted) {
    const bool text = vocabulary.is_text(id);
    by_first[text ? static_cast<uint8_t>(vocabulary.bytes(id)[0]) : 256].push_back(id);
  }
  std::erase_if(by_first, [](const auto& tokens) { return tokens.empty(); });
  const auto& tokens = by_first[random() % by_first.size()];
  return tokens[random() % tokens.size()];
}

}  // namespace pccsql
