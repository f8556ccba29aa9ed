// The grammar's rules as something to switch on; and a store that forgets.
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "track/step.h"

namespace pccsql::track {

void Store::release(const Mark& mark) {
  names.truncate(mark.names);
  levels.resize(mark.levels);
  frames.resize(mark.frames);
  refs.resize(mark.refs);
  bindings.resize(mark.bindings);
  items.resize(mark.items);
  from.resize(mark.from);
  ctes.resize(mark.ctes);
  name_lists.resize(mark.name_lists);
  operators.resize(mark.operators);
  twins.resize(mark.twins);
  uses.resize(mark.uses);
  sources.resize(mark.sources);
  texts.truncate(mark.texts);
}

namespace {

[[noreturn]] void stop(const std::string& what) {
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

std::vector<R> known_rules() {
  constexpr std::pair<std::string_view, R> known[] = {
#define RULE(enumerator, name) {name, R::enumerator},
#include "track/rules.def"
#undef RULE
  };
  const Grammar& grammar = sql_grammar();
  std::vector<R> rules(grammar.rules().size(), R::outside);
  for (const auto& [name, meant] : known) {
    const RuleId id = grammar.rule_id(name);
    if (id == kNone) stop("the grammar has no rule `" + std::string(name) + "`");
    rules[id] = meant;
  }
  const std::vector<char> inside = rules_of_the_language(grammar);
  for (size_t id = 0; id < rules.size(); ++id) {
    if (inside[id] != 0 && rules[id] == R::outside) stop("no step knows the rule `" + grammar.rules()[id].name + "`");
  }
  return rules;
}

}  // namespace

R rule_of(RuleId rule) {
  static const std::vector<R> table = known_rules();
  return table[rule];
}

}  // namespace pccsql::track
