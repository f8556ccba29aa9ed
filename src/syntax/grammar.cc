#include "syntax/grammar.h"

#include <algorithm>
#include <bitset>
#include <functional>
#include <map>
#include <optional>
#include <tuple>
#include <utility>

#include "syntax/grammar_reader.h"

namespace pccsql {
namespace {

using TerminalSet = std::bitset<kTerminals>;

// Thompson's construction for one rule: state 0 begins, state 1 ends.
struct Nfa {
  struct Arc {
    const GrammarItem* symbol;  // null: without reading anything
    uint32_t to;
  };
  std::vector<std::vector<Arc>> states{2};

  uint32_t add_state() {
    states.emplace_back();
    return static_cast<uint32_t>(states.size() - 1);
  }
  void link(uint32_t from, const GrammarItem* symbol, uint32_t to) { states[from].push_back({symbol, to}); }

  void build(const GrammarItem& item, uint32_t from, uint32_t to) {
    switch (item.kind) {
      case GrammarItem::Lexeme:
      case GrammarItem::Call:
        return link(from, &item, to);
      case GrammarItem::Choice:
        for (const GrammarItem& part : item.parts) build(part, from, to);
        return;
      case GrammarItem::Sequence: {
        for (size_t i = 0; i < item.parts.size(); ++i) {
          const uint32_t next = i + 1 == item.parts.size() ? to : add_state();
          build(item.parts[i], from, next);
          from = next;
        }
        return;
      }
      case GrammarItem::Optional:
        build(item.parts[0], from, to);
        return link(from, nullptr, to);
      case GrammarItem::Star:
      case GrammarItem::Plus: {
        const uint32_t enter = add_state();
        const uint32_t leave = add_state();
        link(from, nullptr, enter);
        build(item.parts[0], enter, leave);
        link(leave, nullptr, enter);
        link(leave, nullptr, to);
        if (item.kind == GrammarItem::Star) link(from, nullptr, to);
        return;
      }
    }
  }

  // The states reached from `set` without reading anything, sorted.
  std::vector<uint32_t> closure(std::vector<uint32_t> set) const {
    std::vector<bool> member(states.size());
    for (const uint32_t state : set) member[state] = true;
    for (size_t i = 0; i < set.size(); ++i) {
      for (const Arc& arc : states[set[i]]) {
        if (arc.symbol != nullptr || member[arc.to]) continue;
        member[arc.to] = true;
        set.push_back(arc.to);
      }
    }
    std::sort(set.begin(), set.end());
    return set;
  }
};

}  // namespace

class GrammarCompiler {
 public:
  GrammarCompiler(const GrammarText& text, std::string_view source, std::string file)
      : text_(text), source_(source), file_(std::move(file)) {}

  Result<Grammar> run() {
    name_rules();
    for (size_t i = 0; i < text_.rules.size() && !error_; ++i) build_automaton(i);
    if (!error_) merge_equal_states();
    if (!error_) find_first_sets();
    if (!error_) find_unreachable();
    for (size_t s = 0; s < grammar_.states_.size() && !error_; ++s) fill_actions(s);
    if (error_) return *error_;
    grammar_.functions_ = text_.functions;
    return std::move(grammar_);
  }

 private:
  void fail(uint32_t at, std::string message) {
    if (!error_) error_ = Error{std::move(message), file_, position_of(source_, at)};
  }
  std::string rule_name(size_t rule) const { return "`" + text_.rules[rule].rule.name + "`"; }

  void name_rules() {
    if (text_.rules.empty()) fail(0, "a grammar needs at least one rule");
    for (const GrammarRule& rule : text_.rules) {
      const auto id = static_cast<RuleId>(grammar_.rules_.size());
      if (!ids_.emplace(rule.rule.name, id).second) fail(rule.at, "rule `" + rule.rule.name + "` is defined twice");
      grammar_.rules_.push_back(rule.rule);
    }
  }

  // Subset construction. Symbols are told apart by lexeme and slot, or by the rule they call.
  void build_automaton(size_t rule) {
    Nfa nfa;
    nfa.build(text_.rules[rule].body, 0, 1);
    using StateSet = std::vector<uint32_t>;
    std::map<StateSet, StateId> known;
    std::vector<StateSet> worklist;
    const auto state_of = [&](StateSet set) {
      const auto [entry, added] = known.emplace(std::move(set), static_cast<StateId>(grammar_.states_.size()));
      if (added) {
        State state;
        state.rule = static_cast<RuleId>(rule);
        state.final = std::binary_search(entry->first.begin(), entry->first.end(), 1u);
        grammar_.states_.push_back(std::move(state));
        worklist.push_back(entry->first);
      }
      return entry->second;
    };
    grammar_.rules_[rule].start = state_of(nfa.closure({0}));
    if (grammar_.states_.back().final) fail(text_.rules[rule].at, "rule " + rule_name(rule) + " may not be empty");
    struct Target {
      Terminal terminal;
      RuleId called;
      Slot slot;
      StateSet states;
    };
    for (size_t i = 0; i < worklist.size() && !error_; ++i) {
      const StateSet set = worklist[i];  // a copy: worklist grows below
      const StateId from = known.at(set);
      std::vector<Target> targets;
      for (const uint32_t member : set) {
        for (const Nfa::Arc& arc : nfa.states[member]) {
          if (arc.symbol == nullptr) continue;
          RuleId called = kNone;
          if (arc.symbol->kind == GrammarItem::Call) {
            const auto found = ids_.find(arc.symbol->rule);
            if (found == ids_.end()) {
              return fail(arc.symbol->at, "rule `" + arc.symbol->rule + "` is not defined");
            }
            called = found->second;
          }
          const auto same = [&](const Target& t) { return t.terminal == arc.symbol->terminal && t.called == called; };
          auto target = std::find_if(targets.begin(), targets.end(), same);
          if (target == targets.end()) {
            target = targets.insert(target, Target{arc.symbol->terminal, called, arc.symbol->slot, {}});
          }
          if (target->slot != arc.symbol->slot) {
            fail(arc.symbol->at, "two kinds of name could stand here in rule " + rule_name(rule));
          }
          if (std::find(target->states.begin(), target->states.end(), arc.to) == target->states.end()) {
            target->states.push_back(arc.to);
          }
        }
      }
      for (Target& target : targets) {
        const StateId to = state_of(nfa.closure(std::move(target.states)));
        State& state = grammar_.states_[from];
        state.edges.push_back({target.terminal, target.called, target.slot, to});
        if (target.terminal == Terminal::Name) state.slot = target.slot;
      }
    }
  }

  // States of one rule that go on in the same way become one (Moore's refinement), so that a prefix parser sees fewer
  // different stacks.
  void merge_equal_states() {
    std::vector<State>& states = grammar_.states_;
    using Way = std::tuple<Terminal, RuleId, uint32_t>;  // a symbol and the class it leads to
    std::vector<uint32_t> classes(states.size(), 0);
    size_t count = 0;
    for (;;) {
      std::map<std::tuple<uint32_t, RuleId, bool, Slot, std::vector<Way>>, uint32_t> known;
      std::vector<uint32_t> next(states.size());
      for (size_t i = 0; i < states.size(); ++i) {
        std::vector<Way> ways;
        for (const Edge& edge : states[i].edges) ways.emplace_back(edge.terminal, edge.rule, classes[edge.to]);
        std::sort(ways.begin(), ways.end());
        const auto number = static_cast<uint32_t>(known.size());
        next[i] =
            known.try_emplace({classes[i], states[i].rule, states[i].final, states[i].slot, std::move(ways)}, number)
                .first->second;
      }
      classes = std::move(next);
      if (known.size() == count) break;
      count = known.size();
    }
    std::vector<State> merged(count);
    for (size_t i = states.size(); i-- > 0;) {
      for (Edge& edge : states[i].edges) edge.to = static_cast<StateId>(classes[edge.to]);
      merged[classes[i]] = std::move(states[i]);
    }
    states = std::move(merged);
    for (Rule& rule : grammar_.rules_) rule.start = static_cast<StateId>(classes[rule.start]);
  }

  // first_[r]: the lexemes rule r can begin with. Depth first; meeting a rule that is being worked on is left recursion.
  void find_first_sets() {
    first_.resize(text_.rules.size());
    progress_.assign(text_.rules.size(), 0);
    for (size_t rule = 0; rule < text_.rules.size(); ++rule) first_of(rule);
  }
  const TerminalSet& first_of(size_t rule) {
    if (progress_[rule] == 1) fail(text_.rules[rule].at, "rule " + rule_name(rule) + " begins with itself");
    if (progress_[rule] != 0) return first_[rule];
    progress_[rule] = 1;
    for (const Edge& edge : grammar_.states_[grammar_.rules_[rule].start].edges) {
      if (edge.rule == kNone) {
        first_[rule].set(static_cast<size_t>(edge.terminal));
      } else {
        const TerminalSet called = first_of(edge.rule);
        first_[rule] |= called;
      }
    }
    progress_[rule] = 2;
    return first_[rule];
  }

  void find_unreachable() {
    std::vector<bool> reached(text_.rules.size(), false);
    std::vector<size_t> worklist{0};
    reached[0] = true;
    while (!worklist.empty()) {
      const size_t rule = worklist.back();
      worklist.pop_back();
      for (const State& state : grammar_.states_) {
        if (state.rule != rule) continue;
        for (const Edge& edge : state.edges) {
          if (edge.rule == kNone || reached[edge.rule]) continue;
          reached[edge.rule] = true;
          worklist.push_back(edge.rule);
        }
      }
    }
    const auto lost = std::find(reached.begin(), reached.end(), false);
    if (lost == reached.end()) return;
    const auto rule = static_cast<size_t>(lost - reached.begin());
    fail(text_.rules[rule].at, "rule " + rule_name(rule) + " is never used");
  }

  void fill_actions(size_t s) {
    const State& state = grammar_.states_[s];
    grammar_.actions_.resize((s + 1) * kTerminals);
    Action* row = &grammar_.actions_[s * kTerminals];
    for (const Edge& edge : state.edges) {
      if (edge.rule == kNone) row[static_cast<size_t>(edge.terminal)] = {Action::Shift, kNone, edge.to};
    }
    for (const Edge& edge : state.edges) {
      if (edge.rule == kNone) continue;
      for (size_t t = 0; t < kTerminals; ++t) {
        if (!first_[edge.rule].test(t) || row[t].kind == Action::Shift) continue;
        if (row[t].kind == Action::Call) {
          return fail(text_.rules[state.rule].at, "in rule " + rule_name(state.rule) + " both " + rule_name(edge.rule) +
                                                      " and " + rule_name(row[t].rule) + " can begin with `" +
                                                      std::string(spelling(static_cast<Terminal>(t))) + "`");
        }
        row[t] = {Action::Call, edge.rule, edge.to};
      }
    }
  }

  const GrammarText& text_;
  std::string_view source_;
  std::string file_;
  std::optional<Error> error_;
  std::map<std::string, RuleId, std::less<>> ids_;
  std::vector<TerminalSet> first_;
  std::vector<int> progress_;
  Grammar grammar_;
};

Result<Grammar> Grammar::compile(std::string_view text, const std::string& file) {
  const Result<GrammarText> read = read_grammar(text, file);
  if (!read) return read.error();
  return GrammarCompiler(*read, text, file).run();
}

RuleId Grammar::rule_id(std::string_view name) const {
  for (size_t i = 0; i < rules_.size(); ++i) {
    if (rules_[i].name == name) return static_cast<RuleId>(i);
  }
  return kNone;
}

const Grammar& sql_grammar() {
  // A grammar that does not compile is a broken build: tests compile it, so this never fails in a program that passed them.
  static const Grammar grammar = [] {
    Result<Grammar> compiled = Grammar::compile(sql_grammar_text(), "grammar/sql.gram");
    return compiled ? *std::move(compiled) : Grammar{};
  }();
  return grammar;
}

}  // namespace pccsql
