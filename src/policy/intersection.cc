// What several sources leave of a policy: the roles that all of them permit, and the largest of their minimum groups.
#include <algorithm>

#include "policy/policy_file.h"
#include "policy/unknown.h"

namespace pccsql {

Result<GroupRule> intersection(const Table& table, const GroupRule& a, const GroupRule& b) {
  const auto disagree = [&](const char* what) {
    return Error{std::string("two sources disagree on `") + what + "` of table " + shown(table.name) +
                     "; write the same columns in both, or leave it out in one",
                 {},
                 {}};
  };
  GroupRule both = a;
  both.minimum = std::max(a.minimum, b.minimum);
  if (both.key.empty()) both.key = b.key;
  if (both.row.empty()) both.row = b.row;
  if (!b.key.empty() && both.key != b.key) return disagree("key");
  if (!b.row.empty() && both.row != b.row) return disagree("row");
  return both;
}

Result<Policy> intersection(const Catalog& catalog, const Policy& a, const Policy& b) {
  Policy both(catalog, ColumnPolicy::Hidden);
  for (TableId id = 0; id < catalog.tables().size(); ++id) {
    const Table& table = catalog.table(id);
    for (ColumnIndex c = 0; c < table.columns.size(); ++c) {
      both.set({id, c}, intersection(a.of({id, c}), b.of({id, c})));
    }
    Result<GroupRule> rule = intersection(table, a.group(id), b.group(id));
    if (!rule) return rule.error();
    both.set_group(id, std::move(*rule));
  }
  if (const auto missing = find_missing_key(catalog, both)) return Error{missing->message, {}, {}};
  return both;
}

}  // namespace pccsql
