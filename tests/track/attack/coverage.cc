#include "track/attack/coverage.h"

#include <algorithm>

namespace pccsql::attack {

Trace::Trace(const Grammar& grammar) : grammar_(grammar), stack_{grammar.rules()[0].start}, rules_{0} {}

bool Trace::step(Terminal terminal, std::vector<StateId>& stack, std::vector<RuleId>* entered, Place* place) const {
  while (!stack.empty()) {
    const StateId state = stack.back();
    const Action& action = grammar_.action(state, terminal);
    if (action.kind == Action::Shift) {
      if (place) *place = {state, terminal};
      stack.back() = action.next;
      return true;
    }
    if (action.kind == Action::Call) {
      if (!grammar_.rules()[action.rule].outside.empty()) return false;
      stack.back() = action.next;
      stack.push_back(grammar_.rules()[action.rule].start);
      if (entered) entered->push_back(action.rule);
    } else {
      if (!grammar_.states()[state].final) return false;
      stack.pop_back();
    }
  }
  return false;
}

Place Trace::place_of(Terminal terminal) const {
  std::vector<StateId> stack = stack_;
  Place place{kNone, terminal};
  return step(terminal, stack, nullptr, &place) ? place : Place{kNone, terminal};
}

Slot Trace::name_slot() const {
  const Place place = place_of(Terminal::Name);
  return place.first == kNone ? Slot::None : grammar_.states()[place.first].slot;
}

bool Trace::may_end() const {
  return std::all_of(stack_.begin(), stack_.end(), [&](StateId s) { return grammar_.states()[s].final; });
}

bool Trace::read(const Lexeme& lexeme) {
  Terminal terminal = lexeme.terminal;
  if (terminal >= Terminal::kw_ABORT && place_of(terminal).first == kNone) terminal = Terminal::Name;
  Place place;
  if (!step(terminal, stack_, &rules_, &place)) return false;
  places_.push_back(place);
  return true;
}

bool Trace::read(std::string_view text) {
  std::vector<Lexeme> lexemes;
  lex(text, lexemes);
  for (size_t i = 0; i + 1 < lexemes.size(); ++i) {
    if (!read(lexemes[i])) return false;
  }
  return true;
}

Coverage::Coverage(const Grammar& grammar) : grammar_(grammar), rules_(grammar.rules().size(), 0) {}

void Coverage::add(std::string_view text) {
  Trace trace(grammar_);
  if (!trace.read(text)) return;  // that the text is one of the language is for the checker to say
  ++texts_;
  for (const RuleId rule : trace.rules()) ++rules_[rule];
  for (const Place& place : trace.places()) ++places_[place];
}

uint64_t Coverage::hits(Place place) const {
  const auto found = places_.find(place);
  return found == places_.end() ? 0 : found->second;
}

std::vector<Place> Coverage::all_places() const {
  // Rules that can be reached without going through one that is outside.
  std::vector<RuleId> reached{0};
  for (size_t i = 0; i < reached.size(); ++i) {
    for (const auto& state : grammar_.states()) {
      if (state.rule != reached[i]) continue;
      for (const Edge& edge : state.edges) {
        if (edge.rule != kNone && grammar_.rules()[edge.rule].outside.empty() &&
            std::count(reached.begin(), reached.end(), edge.rule) == 0) {
          reached.push_back(edge.rule);
        }
      }
    }
  }
  std::vector<Place> all;
  for (size_t s = 0; s < grammar_.states().size(); ++s) {
    const auto& state = grammar_.states()[s];
    if (std::count(reached.begin(), reached.end(), state.rule) == 0) continue;
    for (const Edge& edge : state.edges) {
      if (edge.rule == kNone) all.emplace_back(static_cast<StateId>(s), edge.terminal);
    }
  }
  return all;
}

std::vector<std::string> Coverage::missed_rules(const std::vector<std::string>& left_out) const {
  std::vector<std::string> missed;
  for (const Place& place : all_places()) {
    const RuleId rule = grammar_.states()[place.first].rule;
    const std::string& name = grammar_.rules()[rule].name;
    const bool listed =
        std::count(left_out.begin(), left_out.end(), name) + std::count(missed.begin(), missed.end(), name);
    if (rules_[rule] == 0 && !listed) missed.push_back(name);
  }
  return missed;
}

std::vector<std::string> Coverage::missed_places(const std::vector<std::string>& left_out) const {
  std::vector<std::string> missed;
  for (const Place& place : all_places()) {
    if (hits(place) > 0) continue;
    const StateId start = grammar_.rules()[grammar_.states()[place.first].rule].start;
    const std::string line = grammar_.rules()[grammar_.states()[place.first].rule].name + "+" +
                             std::to_string(place.first - start) + " `" + std::string(spelling(place.second)) + "`";
    if (std::count(left_out.begin(), left_out.end(), line) == 0) missed.push_back(line);
  }
  return missed;
}

std::string Coverage::summary() const {
  std::vector<RuleId> rules;
  size_t rules_hit = 0;
  size_t hit = 0;
  const auto all = all_places();
  for (const Place& place : all) {
    hit += hits(place) > 0;
    const RuleId rule = grammar_.states()[place.first].rule;
    if (std::count(rules.begin(), rules.end(), rule) > 0) continue;
    rules.push_back(rule);
    rules_hit += rules_[rule] > 0;
  }
  return std::to_string(rules_hit) + " of " + std::to_string(rules.size()) + " rules, " + std::to_string(hit) + " of " +
         std::to_string(all.size()) + " places (state and lexeme) in " + std::to_string(texts_) + " finished texts";
}

}  // namespace pccsql::attack
