// Choice: the most likely token among those that a mask allows.
//
// A vocabulary has 150,000 tokens and a mask mostly allows a few of them, or nearly all. Words of the mask that are 0 are
// passed over, those that are full are compared 32 logits at a time.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "mask/vocabulary.h"

namespace pccsql {

// The allowed token with the highest logit, of equals the lowest id; nothing where none is allowed. `words` as
// mask/bitmask.h has them, with no bit beyond the logits.
std::optional<TokenId> masked_choice(std::span<const float> logits, std::span<const uint32_t> words);

// The token with the highest logit, of equals the lowest id. PRE: there are logits.
TokenId free_choice(std::span<const float> logits);

// The one token that is allowed; nothing where it is none, or several.
std::optional<TokenId> only_choice(std::span<const uint32_t> words);

// The share of the softmax over the first `known` logits that the mask takes away.
double removed_probability(std::span<const float> logits, size_t known, std::span<const uint32_t> words);

}  // namespace pccsql
