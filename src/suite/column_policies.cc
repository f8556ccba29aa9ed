// Counts uses, then assigns policies: see the header.
#include "suite/column_policies.h"

#include "policy/policy_file.h"

namespace pccsql {

UsageCounts::UsageCounts(const Catalog& catalog) {
  usage_.reserve(catalog.tables().size());
  for (const Table& table : catalog.tables()) usage_.emplace_back(table.columns.size());
}

void UsageCounts::add(const Analysis& analysis) {
  for (const Occurrence& use : analysis.uses) {
    if (use.star) continue;
    Usage& usage = usage_[use.column.table][use.column.column];
    if (use.on) {
      ++usage.join;
    } else if (use.role == Role::Agg || use.minmax) {
      ++usage.aggregate;
    } else {
      ++usage.other;
    }
  }
}

ColumnPolicy assign(std::string_view column, const Usage& usage) {
  if (hidden_by_name(column)) return ColumnPolicy::Hidden;
  if (public_by_name(column)) return ColumnPolicy::Public;
  if (usage.join > 0) return ColumnPolicy::ConditionOnly;
  if (usage.aggregate > 0 && usage.other == 0) return ColumnPolicy::AggregateOnly;
  return ColumnPolicy::Public;
}

Policy assign(const Catalog& catalog, const UsageCounts& usage) {
  Policy policy(catalog, ColumnPolicy::Public);
  for (TableId table = 0; table < catalog.tables().size(); ++table) {
    for (ColumnIndex column = 0; column < catalog.table(table).columns.size(); ++column) {
      const ColumnRef ref{table, column};
      policy.set(ref, assign(catalog.column(ref).name, usage.of(ref)));
    }
  }
  return policy;
}

std::vector<Policy> column_policies(const GoldData& data) {
  std::vector<UsageCounts> usage(data.catalogs.begin(), data.catalogs.end());
  std::vector<Checker> checkers;
  checkers.reserve(data.catalogs.size());
  for (const Catalog& catalog : data.catalogs) checkers.emplace_back(catalog, CheckSettings{.profile = Profile::Paper});
  for (const Split split : {Split::Train, Split::Dev}) {
    for (const GoldQuery& query : data.queries(split)) {
      const auto index = data.find_catalog(query.db_id);
      if (index) usage[*index].add(checkers[*index].analyze(query.sql));
    }
  }
  std::vector<Policy> policies;
  policies.reserve(data.catalogs.size());
  for (size_t i = 0; i < data.catalogs.size(); ++i) policies.push_back(assign(data.catalogs[i], usage[i]));
  return policies;
}

}  // namespace pccsql
