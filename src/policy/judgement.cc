#include "policy/judgement.h"

#include <set>
#include <tuple>

namespace pccsql {

std::string_view to_string(Verdict verdict) {
  switch (verdict) {
    case Verdict::Safe:
      return "safe";
    case Verdict::Unsafe:
      return "unsafe";
    case Verdict::Outside:
      return "outside";
    case Verdict::Error:
      return "error";
  }
  return "";
}

std::string complaint(const Catalog& catalog, const Occurrence& use, ColumnPolicy policy) {
  const Table& table = catalog.table(use.column.table);
  std::string text =
      "`" + table.name + "." + table.columns[use.column.column].name + "` is " + std::string(to_string(policy)) + ": ";
  const std::string role = " (" + std::string(to_string(use.role)) + ")";
  if (policy == ColumnPolicy::Hidden) return text + "it may not be used at all" + role;
  text += policy == ColumnPolicy::AggregateOnly ? "it may stand only inside COUNT, SUM or AVG, not "
                                                : "it may stand only in JOIN conditions, WHERE and HAVING, not ";
  switch (use.role) {
    case Role::Sel:
      return text + (use.minmax ? "inside MIN or MAX" : "in the output, grouping or ordering") + role;
    case Role::Join:
      return text + "in a JOIN condition" + role;
    case Role::Where:
      return text + "in a condition" + role;
    case Role::Agg:
      return text + "inside COUNT, SUM or AVG" + role;
  }
  return text;
}

std::string complaint(const Catalog& catalog, const NamedTable& mention) {
  return "`" + catalog.table(mention.table).name + "` may not be named: every column of it is Hidden";
}

QueryChecker::~QueryChecker() = default;

Judgement QueryChecker::judge(const Analysis& analysis, const Policy& policy) const {
  Judgement judgement;
  judgement.verdict = analysis.verdict;
  judgement.reason = analysis.reason;
  judgement.where = analysis.where;
  judgement.uses = analysis.uses;
  const bool runs = analysis.verdict == Verdict::Safe;
  // Each thing to complain of is told once, in the order of places, and only so many of them: `*` over a wide table would
  // fill pages.
  constexpr size_t kMostComplaints = 8;
  std::set<std::tuple<TableId, ColumnIndex, Role, bool>> told;
  std::set<TableId> told_tables;
  const auto complain = [&](Span where, const auto& what, bool first_time) {
    if (judgement.verdict != Verdict::Unsafe) judgement.where = where;
    judgement.verdict = Verdict::Unsafe;
    const size_t count = told.size() + told_tables.size();
    if (first_time && count <= kMostComplaints) judgement.reason += (count == 1 ? "" : "; ") + what();
  };
  for (const Occurrence& use : analysis.uses) {
    const ColumnPolicy column_policy = policy.of(use.column);
    const bool allowed = permitted(column_policy, use.role);
    judgement.policies.push_back(column_policy);
    judgement.permitted.push_back(allowed);
    if (!runs || allowed) continue;
    const bool first_time = told.emplace(use.column.table, use.column.column, use.role, use.minmax).second;
    complain(use.span, [&] { return complaint(*catalog_, use, column_policy); }, first_time);
  }
  if (settings_.profile == Profile::Strict) {
    for (const NamedTable& mention : analysis.tables) {
      if (!policy.all_hidden(mention.table)) continue;
      judgement.closed_tables.push_back(mention);
      if (!runs) continue;
      const bool first_time = told_tables.insert(mention.table).second;
      complain(mention.span, [&] { return complaint(*catalog_, mention); }, first_time);
    }
  }
  if (const size_t count = told.size() + told_tables.size(); count > kMostComplaints) {
    judgement.reason += "; and " + std::to_string(count - kMostComplaints) + " more";
  }
  return judgement;
}

}  // namespace pccsql
