// Names are shown as they were written, cut at a whole character: a policy file may hold a megabyte where a name
// belongs.
#include "policy/unknown.h"

#include <algorithm>

#include "base/text.h"
#include "policy/finding.h"
#include "policy/policy.h"

namespace pccsql {
namespace {

std::string suggestion(std::string_view name, const std::vector<std::string>& candidates) {
  const std::string closest = closest_match(name, candidates);
  return closest.empty() ? std::string() : "; did you mean " + shown(closest) + "?";
}

}  // namespace

std::string shown(std::string_view name) {
  constexpr size_t kLongest = 64;
  if (name.size() <= kLongest) return "`" + std::string(name) + "`";
  const std::string_view cut = name.substr(0, kLongest);
  return "`" + std::string(cut.substr(0, find_invalid_utf8(cut))) + "…`";
}

std::string unknown_table(const Catalog& catalog, std::string_view name) {
  const std::vector<std::string>& views = catalog.unusable_views();
  if (std::any_of(views.begin(), views.end(), [&](const std::string& view) { return equal_folded(view, name); })) {
    return "view " + shown(name) + " cannot be used: a name in its body is not bound there, so it can have no policy";
  }
  std::vector<std::string> names;
  for (const Table& table : catalog.tables()) names.push_back(table.name);
  return "unknown table " + shown(name) + suggestion(name, names);
}

std::string unknown_column(const Table& table, std::string_view name) {
  std::vector<std::string> names;
  for (const Column& column : table.columns) names.push_back(column.name);
  return "table " + shown(table.name) + " has no column " + shown(name) + suggestion(name, names);
}

std::string unknown_policy(std::string_view name) {
  std::vector<std::string> names;
  for (const ColumnPolicy policy : kColumnPolicies) names.emplace_back(to_string(policy));
  return "unknown policy " + shown(name) + suggestion(name, names) +
         " (the policies are `Public`, `ConditionOnly`, `AggregateOnly` and `Hidden`)";
}

std::string unknown_finding(std::string_view name) {
  std::vector<std::string> names;
  std::string listed;
  for (const Finding finding : kFindings) {
    if (!can_be_accepted(finding)) continue;
    names.emplace_back(to_string(finding));
    listed += (listed.empty() ? "`" : ", `") + names.back() + "`";
  }
  return "unknown finding " + shown(name) + suggestion(name, names) + " (what can be accepted is " + listed + ")";
}

}  // namespace pccsql
