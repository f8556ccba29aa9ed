#include "lint/accepted.h"

#include <algorithm>

namespace pccsql {
namespace {

bool speaks_of(const Acceptance& acceptance, const Warning& warning) {
  return acceptance.finding == warning.kind && (!acceptance.table || *acceptance.table == warning.table_id);
}

// "`rowid` of `employee.id`"
std::string named_acceptance(const Catalog& catalog, const Acceptance& acceptance) {
  std::string text = "`" + std::string(to_string(acceptance.finding)) + "`";
  if (!acceptance.table) return text;
  text += " of `" + catalog.table(*acceptance.table).name;
  if (acceptance.column) text += "." + catalog.table(*acceptance.table).columns[*acceptance.column].name;
  return text + "`";
}

}  // namespace

SettledFindings settle(const Catalog& catalog, std::vector<Warning> found, const PolicyNotes& notes, bool data_seen) {
  SettledFindings settled;
  std::vector<bool> used(notes.accepted.size());
  for (Warning& warning : found) {
    const std::string* reason = nullptr;
    std::vector<ColumnIndex> left = warning.columns;
    for (size_t i = 0; i < notes.accepted.size(); ++i) {
      const Acceptance& acceptance = notes.accepted[i];
      if (!speaks_of(acceptance, warning)) continue;
      if (!acceptance.column) {
        left.clear();
      } else if (std::erase(left, *acceptance.column) == 0) {
        continue;
      }
      used[i] = true;
      if (reason == nullptr) reason = &acceptance.reason;
    }
    if (reason != nullptr && left.empty()) {
      settled.accepted.emplace_back(std::move(warning), *reason);
    } else {
      settled.open.push_back(std::move(warning));
    }
  }
  for (size_t i = 0; i < notes.accepted.size(); ++i) {
    const Acceptance& acceptance = notes.accepted[i];
    if (used[i] || (needs_data(acceptance.finding) && !data_seen)) continue;
    Warning warning;
    warning.kind = Finding::UnusedAcceptance;
    if (acceptance.table) {
      warning.table_id = *acceptance.table;
      warning.table = catalog.table(*acceptance.table).name;
      if (acceptance.column) {
        warning.column = catalog.table(*acceptance.table).columns[*acceptance.column].name;
        warning.columns = {*acceptance.column};
      }
    }
    warning.message = "the policy accepts " + named_acceptance(catalog, acceptance) + " (line " + std::to_string(acceptance.at.line) +
                      "), which is not found; take the acceptance out, or it will hold for whatever comes later";
    settled.open.push_back(std::move(warning));
  }
  return settled;
}

}  // namespace pccsql
