#include "policy/group_rule.h"

#include <algorithm>

#include "base/text.h"
#include "policy/policy.h"
#include "policy/unknown.h"

namespace pccsql {
namespace {

std::vector<std::string> names_of(const Table& table, const std::vector<ColumnIndex>& columns) {
  std::vector<std::string> names;
  for (const ColumnIndex column : columns) names.push_back(table.columns[column].name);
  return names;
}

// What tells the rows of a table apart when nobody says so.
std::vector<std::string> own_key(const Table& table) {
  if (table.kind != TableKind::Table) return {};
  if (!table.primary_key.empty()) return names_of(table, table.primary_key);
  if (table.integer_primary_key) return names_of(table, {*table.integer_primary_key});
  if (table.without_rowid) return {};
  for (const char* name : {"rowid", "oid", "_rowid_"}) {
    const bool taken = std::ranges::any_of(table.columns, [&](const Column& c) { return equal_folded(c.name, name); });
    if (!taken) return {name};
  }
  return {};
}

}  // namespace

std::vector<std::string> key_columns(const Table& table, const GroupRule& rule) {
  return rule.key.empty() ? own_key(table) : names_of(table, rule.key);
}

std::vector<std::string> row_columns(const Table& table, const GroupRule& rule) {
  return rule.row.empty() ? own_key(table) : names_of(table, rule.row);
}

bool is_grouped(const Policy& policy, ColumnRef column) {
  return policy.of(column) == ColumnPolicy::AggregateOnly && policy.group(column.table).minimum > 1;
}

bool sets_minimum(const Policy& policy) {
  for (TableId table = 0; table < policy.tables(); ++table) {
    if (policy.group(table).minimum <= 1) continue;
    for (ColumnIndex column = 0; column < policy.columns(table); ++column) {
      if (is_grouped(policy, {table, column})) return true;
    }
  }
  return false;
}

std::optional<MissingKey> find_missing_key(const Catalog& catalog, const Policy& policy) {
  for (TableId id = 0; id < catalog.tables().size(); ++id) {
    const Table& table = catalog.table(id);
    if (table.kind == TableKind::Virtual) continue;  // never to be asked for
    const GroupRule& rule = policy.group(id);
    const bool no_key = key_columns(table, rule).empty();
    const bool no_row = row_columns(table, rule).empty();
    if (!no_key && !no_row) continue;
    for (ColumnIndex column = 0; column < table.columns.size(); ++column) {
      if (!is_grouped(policy, {id, column})) continue;
      const std::string what = no_key && no_row ? "`key` (who an entity is) and `row` (what tells rows apart)"
                               : no_key         ? "`key` (who an entity is)"
                                                : "`row` (what tells rows apart)";
      return MissingKey{id, std::string(table.kind == TableKind::View ? "view " : "table ") + shown(table.name) +
                                " has an AggregateOnly column, " + shown(table.columns[column].name) +
                                ", a `min_group` of " + std::to_string(rule.minimum) +
                                ", and no primary key; give it " + what +
                                ", or `min_group: 1`, with which sums over one row are shown"};
    }
  }
  return std::nullopt;
}

}  // namespace pccsql
