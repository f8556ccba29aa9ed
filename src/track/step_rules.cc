// The grammar's rules as something to switch on; and a store that forgets.
#include <string_view>
#include <utility>

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

R rule_of(RuleId rule) {
  static const std::vector<R> table = [] {
    constexpr std::pair<std::string_view, R> known[] = {{"statement", R::statement},
                                                        {"query", R::query},
                                                        {"with", R::with},
                                                        {"cte", R::cte},
                                                        {"cte_name", R::cte_name},
                                                        {"cte_columns", R::cte_columns},
                                                        {"compound", R::compound},
                                                        {"select", R::select},
                                                        {"select_item", R::select_item},
                                                        {"alias", R::alias},
                                                        {"from", R::from},
                                                        {"from_item", R::from_item},
                                                        {"table_name", R::table_name},
                                                        {"derived", R::derived},
                                                        {"join", R::join},
                                                        {"join_condition", R::join_condition},
                                                        {"using", R::using_},
                                                        {"where", R::where},
                                                        {"group_by", R::group_by},
                                                        {"having", R::having},
                                                        {"order_by", R::order_by},
                                                        {"order_term", R::order_term},
                                                        {"limit", R::limit},
                                                        {"windows", R::windows},
                                                        {"window", R::window},
                                                        {"partition", R::partition},
                                                        {"frame", R::frame},
                                                        {"frame_start", R::frame_start},
                                                        {"frame_end", R::frame_end},
                                                        {"expr", R::expr},
                                                        {"range", R::range},
                                                        {"pattern", R::pattern},
                                                        {"infix", R::infix},
                                                        {"negatable", R::negatable},
                                                        {"tighter", R::tighter},
                                                        {"in_set", R::in_set},
                                                        {"operand", R::operand},
                                                        {"cast", R::cast},
                                                        {"type", R::type},
                                                        {"signed", R::signed_},
                                                        {"case", R::case_},
                                                        {"call", R::call},
                                                        {"filter", R::filter},
                                                        {"over", R::over}};
    const Grammar& grammar = sql_grammar();
    std::vector<R> rules(grammar.rules().size(), R::other);
    for (const auto& [name, meant] : known) {
      const RuleId id = grammar.rule_id(name);
      if (id != kNone) rules[id] = meant;
    }
    return rules;
  }();
  return table[rule];
}

}  // namespace pccsql::track
