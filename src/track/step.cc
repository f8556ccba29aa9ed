#include "track/step.h"

#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace pccsql::track {
namespace {

// The grammar's rules as something to switch on.
enum class R : uint8_t {
#define RULE(enumerator, name, begin, end, lexeme) enumerator,
#include "track/rules.def"
#undef RULE
  outside,  // of the language: a prefix never comes to one
};

[[noreturn]] void stop_at_rules(const std::string& what) {
  std::fprintf(stderr, "pccsql: grammar/sql.gram and src/track/rules.def differ: %s\n", what.c_str());
  std::abort();
}

// Rules that are reached from no other rule of the language are outside it, too.
std::vector<char> rules_of_the_language(const Grammar& grammar) {
  std::vector<char> inside(grammar.rules().size());
  std::vector<RuleId> open{0};
  inside[0] = 1;
  while (!open.empty()) {
    const RuleId rule = open.back();
    open.pop_back();
    for (const pccsql::State& state : grammar.states()) {
      if (state.rule != rule) continue;
      for (const Edge& edge : state.edges) {
        if (edge.rule == kNone || inside[edge.rule] != 0 || !grammar.rules()[edge.rule].outside.empty()) continue;
        inside[edge.rule] = 1;
        open.push_back(edge.rule);
      }
    }
  }
  return inside;
}

// Ends the program where the grammar has a rule that rules.def has not, or the other way round.
std::vector<R> known_rules() {
  constexpr std::pair<std::string_view, R> known[] = {
#define RULE(enumerator, name, begin, end, lexeme) {name, R::enumerator},
#include "track/rules.def"
#undef RULE
  };
  const Grammar& grammar = sql_grammar();
  std::vector<R> rules(grammar.rules().size(), R::outside);
  for (const auto& [name, meant] : known) {
    const RuleId id = grammar.rule_id(name);
    if (id == kNone) stop_at_rules("the grammar has no rule `" + std::string(name) + "`");
    rules[id] = meant;
  }
  const std::vector<char> inside = rules_of_the_language(grammar);
  for (size_t id = 0; id < rules.size(); ++id) {
    if (inside[id] != 0 && rules[id] == R::outside) {
      stop_at_rules("no step knows the rule `" + grammar.rules()[id].name + "`");
    }
  }
  return rules;
}

}  // namespace

bool Step::take(const Event& event, const Word& word) {
  static const std::vector<R> rules = known_rules();
  aggregate_fits_.reset();
  switch (rules[event.rule]) {
#define RULE(enumerator, name, begin, end, lexeme) \
  case R::enumerator:                              \
    return event.kind == Event::Enter ? (begin) : event.kind == Event::Exit ? (end) : (lexeme);
#include "track/rules.def"
#undef RULE
    case R::outside:
      break;
  }
  return false;
}

bool Step::read(const Word& word) {
  const Control::Move& move = store_.control.move(state_.stack, word.terminal);
  if (move.next == kDeadStack || word.terminal == Terminal::End) return false;
  const StackId next = move.next;
  // By number: what an event causes may ask the control for others.
  const uint32_t last = move.first + move.count;
  for (uint32_t i = move.first; i < last; ++i) {
    const Event event = store_.control.event(i);
    if (take(event, word)) continue;
    if (const auto told = on_refusal.load(std::memory_order_relaxed)) told(event);
    return false;
  }
  state_.stack = next;
  return true;
}

bool Step::prepare_name() {
  const Control::Move& move = store_.control.move(state_.stack, Terminal::Name);
  if (move.next == kDeadStack) return false;
  Word word;
  word.terminal = Terminal::Name;
  const uint32_t last = move.first + move.count;
  for (uint32_t i = move.first; i < last; ++i) {
    const Event event = store_.control.event(i);
    if (event.kind != Event::Shift && !take(event, word)) return false;
  }
  aggregate_fits_.reset();
  return true;
}

bool Step::end() {
  if (!store_.control.may_end(state_.stack)) return false;
  const Control::Move& move = store_.control.move(state_.stack, Terminal::End);
  const uint32_t last = move.first + move.count;
  for (uint32_t i = move.first; i < last; ++i) {
    if (!take(store_.control.event(i), {})) return false;
  }
  return true;
}

}  // namespace pccsql::track
