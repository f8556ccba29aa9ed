// SentenceGenerator: random sentences of a grammar, for tests. The network walked as a generator instead of a recognizer.
#pragma once

#include <cstdint>
#include <functional>
#include <random>
#include <string>
#include <vector>

#include "syntax/grammar.h"

namespace pccsql {

class SentenceGenerator {
 public:
  // Gives the text for a name in a slot, or for a literal.
  using Fill = std::function<std::string(Terminal, Slot, std::mt19937_64&)>;

  // Rules marked as outside the language are left out unless `outside`.
  SentenceGenerator(const Grammar& grammar, Fill fill, uint64_t seed, bool outside = false);

  // One sentence from the grammar's first rule, its lexemes parted by blanks. After about `length` lexemes the shortest
  // way to the end is taken.
  std::string next(int length);
  // How often each rule has been entered so far.
  const std::vector<uint64_t>& entered() const { return entered_; }

 private:
  uint32_t cost(const Edge& edge) const;

  const Grammar& grammar_;
  Fill fill_;
  std::mt19937_64 random_;
  std::vector<uint32_t> rule_cost_;   // fewest lexemes of a sentence of the rule
  std::vector<uint32_t> state_cost_;  // fewest lexemes from the state to the end of its rule
  std::vector<uint64_t> entered_;
};

}  // namespace pccsql
