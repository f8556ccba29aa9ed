#include "exec/fence_rules.h"

#include <string_view>

#include "base/text.h"
#include "syntax/grammar.h"

namespace pccsql {
namespace {

// What operators and keywords are to the authorizer.
constexpr std::string_view kHiddenCalls[] = {"->", "->>", "current_date", "current_time", "current_timestamp"};

}  // namespace

FenceRules fence_rules(const Catalog& catalog, const Policy& policy, Profile profile) {
  FenceRules rules;
  for (TableId id = 0; id < catalog.tables().size(); ++id) {
    const pccsql::Table& table = catalog.table(id);
    if (table.kind == TableKind::Virtual) continue;
    const bool all_hidden = policy.all_hidden(id);
    FenceRules::Table rule{table.name, all_hidden && profile == Profile::Strict,
                           table.kind == TableKind::View && !all_hidden, {}};
    for (ColumnIndex c = 0; c < table.columns.size(); ++c) {
      rule.may_read.emplace_back(folded(table.columns[c].name), policy.of({id, c}) != ColumnPolicy::Hidden);
    }
    rules.tables.push_back(std::move(rule));
  }
  for (const Function& function : sql_grammar().functions()) {
    if (function.kind != FunctionKind::Outside) rules.functions.push_back(folded(function.name));
  }
  for (const std::string_view call : kHiddenCalls) rules.functions.emplace_back(call);
  return rules;
}

}  // namespace pccsql
