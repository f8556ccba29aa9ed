// Coverage: which places of the grammar a set of texts has been through, and where the next lexeme would go.
//
// A place is (state, terminal): the automaton stood there and read that. It walks the grammar's table on its own, with a
// plain vector as its stack, so that it is no second look at the tracker's.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "syntax/grammar.h"
#include "syntax/lexer.h"

namespace pccsql::attack {

using Place = std::pair<StateId, Terminal>;

// A parse that stands somewhere in a text.
class Trace {
 public:
  explicit Trace(const Grammar& grammar);

  // Reads all lexemes of a text that may go on; false if one cannot follow.
  bool read(std::string_view text);
  bool read(const Lexeme& lexeme);
  // Where reading `terminal` now would happen; state kNone if it cannot be read.
  Place place_of(Terminal terminal) const;
  Slot name_slot() const;
  bool may_end() const;
  const std::vector<Place>& places() const { return places_; }
  const std::vector<RuleId>& rules() const { return rules_; }  // in the order they were entered

 private:
  bool step(Terminal terminal, std::vector<StateId>& stack, std::vector<RuleId>* entered, Place* place) const;

  const Grammar& grammar_;
  std::vector<StateId> stack_;
  std::vector<Place> places_;
  std::vector<RuleId> rules_;
};

class Coverage {
 public:
  explicit Coverage(const Grammar& grammar);

  // Counts a finished text.
  void add(std::string_view text);
  uint64_t hits(Place place) const;
  uint64_t texts() const { return texts_; }

  // Rules, then places, that the language has and no text has been through: "rule", "rule: after … `X`". Those whose line
  // is in `left_out` are not among them.
  std::vector<std::string> missed_rules(const std::vector<std::string>& left_out) const;
  std::vector<std::string> missed_places(const std::vector<std::string>& left_out) const;
  // "41 of 45 rules, 300 of 320 places".
  std::string summary() const;

 private:
  std::vector<Place> all_places() const;

  const Grammar& grammar_;
  uint64_t texts_ = 0;
  std::vector<uint64_t> rules_;
  std::map<Place, uint64_t> places_;
};

}  // namespace pccsql::attack
