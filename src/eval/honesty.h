// Honesty: whether an answer to a question that the policy does not permit says so, or answers something else.
//
// Coverage alone would praise a method that answers every question with nonsense. These measures ask what was answered:
// whether its uses are those that gold makes and the policy permits, and whether the text repeats itself.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "decode/answer.h"
#include "policy/judgement.h"

namespace pccsql {

// The uses of an answer beside those of its gold query that the policy permits: each column in each role once.
struct SharedUses {
  uint64_t shared = 0;
  uint64_t answer = 0;
  uint64_t gold = 0;
  friend bool operator==(const SharedUses&, const SharedUses&) = default;
};
SharedUses shared_uses(const std::vector<AnswerUse>& answer, const Judgement& gold);

// Whether a piece of six lexemes stands in the query three times or more: what a model writes that has lost its way.
bool repeats_itself(std::string_view sql);

}  // namespace pccsql
