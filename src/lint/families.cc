#include "lint/families.h"

#include <algorithm>
#include <map>
#include <numeric>

namespace pccsql {

std::vector<std::vector<ColumnRef>> column_families(const Catalog& catalog) {
  std::vector<size_t> first;  // number of each table's first column
  size_t total = 0;
  for (const Table& table : catalog.tables()) {
    first.push_back(total);
    total += table.columns.size();
  }
  std::vector<size_t> leader(total);
  std::iota(leader.begin(), leader.end(), size_t{0});
  const auto find = [&](size_t column) {
    while (leader[column] != column) column = leader[column] = leader[leader[column]];
    return column;
  };
  for (size_t t = 0; t < catalog.tables().size(); ++t) {
    for (const ForeignKey& key : catalog.tables()[t].foreign_keys) {
      for (size_t i = 0; i < std::min(key.columns.size(), key.parent_columns.size()); ++i) {
        const auto parent = catalog.find_column(key.parent_table, key.parent_columns[i]);
        if (parent) leader[find(first[t] + key.columns[i])] = find(first[parent->table] + parent->column);
      }
    }
  }
  std::map<size_t, std::vector<ColumnRef>> by_leader;
  for (TableId t = 0; t < catalog.tables().size(); ++t) {
    for (ColumnIndex c = 0; c < catalog.table(t).columns.size(); ++c) by_leader[find(first[t] + c)].push_back({t, c});
  }
  std::vector<std::vector<ColumnRef>> families;
  for (auto& [number, family] : by_leader) {
    if (family.size() > 1) families.push_back(std::move(family));
  }
  return families;
}

}  // namespace pccsql
