// What the paper's tracker tells a person about a prefix.
#include <algorithm>

#include "base/text.h"
#include "paper/tracker.h"

namespace pccsql::paper {
namespace {

std::string_view name_of(PaperClause clause) {
  constexpr std::string_view kNames[] = {"select list", "FROM",   "ON",       "USING", "WHERE",
                                         "GROUP BY",    "HAVING", "ORDER BY", "LIMIT"};
  return kNames[static_cast<size_t>(clause)];
}

std::string_view name_of(Need need) {
  if (need == Need::Nothing) return "not counted";
  return need == Need::NoColumn ? "" : to_string(static_cast<Role>(need));
}

}  // namespace

track::Explanation PaperTracker::explain(PrefixId prefix) {
  track::Explanation told;
  State state = states_[prefix];
  if (prefix == kDead) return told;
  const TerminalSet& viable = control_.viable(state.stack);
  for (size_t t = 1; t < kTerminals && state.refused == PaperTrigger::None; ++t) {
    const auto terminal = static_cast<Terminal>(t);
    if (viable[t] && terminal != Terminal::Name) told.lexemes.emplace_back(spelling(terminal));
  }
  if (state.select == kNoSelect) return told;
  const PaperSelect& select = scopes_.at(state.select);
  const Need need = scopes_.need(state.select);
  told.clause = name_of(select.clause);
  told.role = name_of(need);
  for (SelectId at = state.select; at != kNoSelect; at = scopes_.at(at).parent) {
    for (const PaperItem& item : scopes_.at(at).items) {
      if (item.table == kDerivedTable) {
        told.scope.push_back("a derived table");
        continue;
      }
      const std::string& table = scopes_.catalog().table(item.table).name;
      const std::string name = texts_.str(item.name);
      told.scope.push_back(equal_folded(table, name) ? table : table + " AS " + name);
    }
  }
  for (const PaperReference& reference : select.references) {
    const std::string qualifier = reference.qualifier == kEmptyText ? "" : texts_.str(reference.qualifier) + ".";
    const std::string name = reference.name == kEmptyText ? "*" : texts_.str(reference.name);
    told.obligations.push_back(qualifier + name + " (" + std::string(name_of(reference.need)) + ")");
  }
  const Slot slot = control_.name_slot(state.stack);
  if (state.refused == PaperTrigger::None && (slot == Slot::Name || slot == Slot::Column)) explain_names(state, told);
  return told;
}

void PaperTracker::explain_names(const State& state, track::Explanation& told) {
  const bool inside = state.lex.kind == LexState::Kind::Word || state.lex.kind == LexState::Kind::Quoted;
  const std::string prefix = inside ? texts_.str(texts_.folded(state.lex.text)) : "";
  const Need need = scopes_.need(state.select);
  const PaperWords& words = scopes_.words(state.select, need, state.qualifier);
  const Catalog& catalog = scopes_.catalog();
  for (TableId table = 0; table < catalog.tables().size(); ++table) {
    if (!scopes_.is_visible(state.select, table)) continue;
    const auto& columns = catalog.table(table).columns;
    for (ColumnIndex i = 0; i < columns.size(); ++i) {
      const std::string name = folded(columns[i].name);
      if (!name.starts_with(prefix)) continue;
      const std::string policy = std::string(to_string(scopes_.policy().of({table, i})));
      const std::string where = catalog.table(table).name + ", " + policy;
      if (!scopes_.permits({table, i}, need)) {
        told.blocked.push_back({columns[i].name, where + ": not permitted as " + std::string(name_of(need))});
      } else if (words.find(name) & PaperWords::Column) {
        told.allowed.push_back({columns[i].name, where});
      }
    }
  }
}

}  // namespace pccsql::paper
