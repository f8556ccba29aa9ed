#include "policy/judgement.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "policy/held_families.h"

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

namespace {

// What a minimum group asks of a query in general is in docs/policy.md; this is what would be allowed instead.
std::string minimum_complaint(OffForm off) {
  const std::string held = "its sums are held to a minimum group; ";
  switch (off) {
    case OffForm::Distinct:
      return held + "COUNT, SUM or AVG may take it without DISTINCT";
    case OffForm::Filter:
      return held + "the aggregate may have no FILTER, a WHERE may choose the rows";
    case OffForm::Choice:
      return held + "it may stand there without CASE, COALESCE, IFNULL and IIF, a WHERE may choose the rows";
    case OffForm::Product:
      return held + "it may be multiplied by a number, not by a column";
    case OffForm::Nested:
      return held + "the aggregate may be written in the SELECT whose FROM has the table, not in one nested in it";
    case OffForm::Outside:
      return held + "its SELECT may name no column of a SELECT around it, a GROUP BY may tell the groups apart";
    case OffForm::SecondItem:
      return held + "a SELECT may count what is known of the same entities under one name of one table, here under several";
    case OffForm::SecondSelect:
      return held + "one SELECT of the statement may count what is known of the same entities, here several do";
    case OffForm::View:
      return held + "a statement that counts it may not name a view that shows something made of it";
    case OffForm::None:
      break;
  }
  return held;
}

// What is counted and held to a minimum group, in another form than that takes, is tested as well.
std::vector<Occurrence> uses_off_form(const Catalog& catalog, const Analysis& analysis, const Policy& policy) {
  std::vector<Occurrence> uses;
  const auto is_held = [&](const Counted& one) { return is_grouped(policy, one.column); };
  if (std::ranges::none_of(analysis.counted, is_held)) return uses;
  const HeldFamilies families(catalog, policy);
  std::map<TableId, std::set<std::pair<uint32_t, uint32_t>>> places;  // of a family: in which SELECTs, of which items
  for (const Counted& one : analysis.counted) {
    if (is_held(one)) places[families.of(one.column.table)].emplace(one.select, one.item);
  }
  for (const Counted& one : analysis.counted) {
    if (!is_held(one)) continue;
    const TableId family = families.of(one.column.table);
    const std::set<std::pair<uint32_t, uint32_t>>& where = places[family];
    OffForm off = one.off_form;
    if (off == OffForm::None && where.size() > 1) {
      const bool here_alone = where.begin()->first == where.rbegin()->first;
      off = here_alone ? OffForm::SecondItem : OffForm::SecondSelect;
    }
    const bool shown_beside = std::ranges::any_of(analysis.tables, [&](const NamedTable& named) {
      return named.table != one.column.table && families.of(named.table) == family && families.shows_others(named.table);
    });
    if (off == OffForm::None && shown_beside) off = OffForm::View;
    if (off != OffForm::None) uses.push_back({one.column, Role::Where, one.span, false, false, false, off});
  }
  return uses;
}

}  // namespace

std::string complaint(const Catalog& catalog, const Occurrence& use, ColumnPolicy policy) {
  const Table& table = catalog.table(use.column.table);
  std::string text =
      "`" + table.name + "." + table.columns[use.column.column].name + "` is " + std::string(to_string(policy)) + ": ";
  const std::string role = " (" + std::string(to_string(use.role)) + ")";
  if (policy == ColumnPolicy::Hidden) return text + "it may not be used at all" + role;
  if (use.off_form != OffForm::None) return text + minimum_complaint(use.off_form) + role;
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

void sort_uses(std::vector<Occurrence>& uses) {
  const auto key = [](const Occurrence& o) {
    return std::tuple(o.span.begin, o.role, o.column.table, o.column.column, o.span.end);
  };
  std::stable_sort(uses.begin(), uses.end(), [&](const Occurrence& a, const Occurrence& b) { return key(a) < key(b); });
  uses.erase(
      std::unique(uses.begin(), uses.end(), [&](const Occurrence& a, const Occurrence& b) { return key(a) == key(b); }),
      uses.end());
}

QueryChecker::~QueryChecker() = default;

Judgement QueryChecker::judge(const Analysis& analysis, const Policy& policy) const {
  Judgement judgement;
  judgement.verdict = analysis.verdict;
  judgement.reason = analysis.reason;
  judgement.where = analysis.where;
  judgement.uses = analysis.uses;
  if (const std::vector<Occurrence> off = uses_off_form(*catalog_, analysis, policy); !off.empty()) {
    judgement.uses.insert(judgement.uses.end(), off.begin(), off.end());
    sort_uses(judgement.uses);
  }
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
  for (const Occurrence& use : judgement.uses) {
    const ColumnPolicy column_policy = policy.of(use.column);
    const bool allowed = permitted(column_policy, use.role);
    judgement.policies.push_back(column_policy);
    judgement.permitted.push_back(allowed);
    if (!runs || allowed) continue;
    const bool first_time = told.emplace(use.column.table, use.column.column, use.role, use.minmax).second;
    complain(
        use.span, [&] { return complaint(*catalog_, use, column_policy); }, first_time);
  }
  if (settings_.profile == Profile::Strict) {
    for (const NamedTable& mention : analysis.tables) {
      if (!policy.all_hidden(mention.table)) continue;
      judgement.closed_tables.push_back(mention);
      if (!runs) continue;
      const bool first_time = told_tables.insert(mention.table).second;
      complain(
          mention.span, [&] { return complaint(*catalog_, mention); }, first_time);
    }
  }
  if (const size_t count = told.size() + told_tables.size(); count > kMostComplaints) {
    judgement.reason += "; and " + std::to_string(count - kMostComplaints) + " more";
  }
  return judgement;
}

Result<RunText> QueryChecker::run_text(std::string_view sql, const Policy& policy) {
  if (check(sql, policy).verdict != Verdict::Safe) return Error{"the query is not safe, so it is not run", {}, {}};
  if (settings_.profile == Profile::Strict && sets_minimum(policy)) {
    return Error{"minimum groups cannot be added to queries of this dialect, so it is not run", {}, {}};
  }
  return RunText{std::string(sql), {}, {}, {}};
}

}  // namespace pccsql
