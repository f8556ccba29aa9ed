// Control: where a prefix stands in the grammar. Stacks of grammar states as small integers.
//
// Stacks are hash-consed: equal stacks have equal ids, a push is a look-up, and nothing is ever changed, so a state that
// holds an id copies and rolls back for free. What a lexeme does to a stack, and which rules it ends and begins on the way,
// is remembered per (stack, lexeme) where the lexeme can follow; that memory, and stacks that nobody holds any more, go
// when its owner says so. Rules that the grammar marks as outside the language do not exist here.
#pragma once

#include <bitset>
#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "syntax/grammar.h"
#include "track/lexical.h"

namespace pccsql::track {

using StackId = uint32_t;
inline constexpr StackId kDeadStack = 0;
inline constexpr StackId kEmptyStack = 1;  // every rule has ended: only the end of the text may follow

using TerminalSet = std::bitset<kTerminals>;

// What reading a lexeme does, in order: rules end, rules begin, the lexeme is taken by the rule on top.
struct Event {
  enum Kind : uint8_t { Exit, Enter, Shift } kind = Shift;
  RuleId rule = kNone;
  friend bool operator==(const Event&, const Event&) = default;
};

class Control {
 public:
  explicit Control(const Grammar& grammar, Language language = Language::Full);

  StackId start() const { return start_; }
  // The stack after a lexeme; kDeadStack if it cannot follow.
  StackId read(StackId stack, Terminal terminal);
  // The events of that, or of the text's end; none where it cannot follow. Good until the next call.
  std::span<const Event> events(StackId stack, Terminal terminal);
  // Both at once. The numbers of the events stay good until something is forgotten.
  struct Move {
    StackId next = kDeadStack;
    uint32_t first = 0;
    uint32_t count = 0;
  };
  const Move& move(StackId stack, Terminal terminal);
  const Event& event(uint32_t number) const { return events_[number]; }
  // Whether the same rules end and begin with both, and the same one takes them.
  bool moves_alike(StackId stack, Terminal a, Terminal b);
  // What a lexeme is to be read as here, if it may be a keyword or a name; Illegal if it can be neither.
  Terminal read_as(StackId stack, const EndedLexeme& lexeme, const TextArena& texts);
  // Likewise for a lexeme that may be a keyword or a name: a keyword where it can stand, else a name where its kind allows.
  StackId read(StackId stack, const EndedLexeme& lexeme, const TextArena& texts);
  // Whether the text may end here.
  bool may_end(StackId stack) const;
  // All lexemes that may follow.
  const TerminalSet& viable(StackId stack);
  // The slot that a name read now would fill; None if no name can follow.
  Slot name_slot(StackId stack) const;

  uint32_t depth(StackId stack) const { return nodes_[stack].depth; }
  StateId top(StackId stack) const { return nodes_[stack].state; }
  // Equal for equal stacks, also of different objects over one grammar.
  uint64_t hash(StackId stack) const { return nodes_[stack].hash; }
  size_t size() const { return nodes_.size(); }
  size_t bytes() const;
  // Forgets what was remembered, and every stack but those for which `held` (one for each id) is not 0 and the ones below them. Gives the
  // new id of each stack that stays, by its old one.
  std::vector<StackId> keep_only(std::vector<char> held);

 private:
  struct Node {
    StateId state = 0;
    StackId below = kDeadStack;
    uint32_t depth = 0;
    uint64_t hash = 0;
  };
  bool can_read(StackId stack, Terminal terminal);
  StackId push(StateId state, StackId below);
  bool is_final(StateId state) const { return grammar_.states()[state].final; }
  bool is_inside(RuleId rule) const {
    const Rule& meant = grammar_.rules()[rule];
    return meant.outside.empty() && (language_ == Language::Full || meant.beyond.empty());
  }

  const Grammar& grammar_;
  const Language language_;
  std::vector<Node> nodes_;
  std::unordered_map<uint64_t, StackId> pushes_;  // (state, below) -> stack
  std::unordered_map<uint64_t, Move> moves_;      // (stack, terminal)
  std::vector<Event> events_;
  struct Viable {
    TerminalSet set;
    bool known = false;
  };
  std::vector<Viable> viable_;  // by stack
  std::vector<StateId> called_;  // of can_read
  StackId start_ = kDeadStack;
};

}  // namespace pccsql::track
