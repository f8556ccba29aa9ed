// Counts uses, then assigns policies: see the header.
#include "suite/column_policies.h"

#include "policy/policy_file.h"

namespace pccsql {
namespace {

// A number from 0 up to 1 that looks random and is the same everywhere: FNV-1a over the bytes, then SplitMix64's mixing.
double luck(uint64_t seed, std::string_view purpose, std::string_view name) {
  uint64_t hash = 0xcbf29ce484222325;
  for (const std::string_view text : {purpose, std::string_view("\0", 1), name}) {
    for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  }
  hash += (seed + 1) * 0x9e3779b97f4a7c15;
  hash = (hash ^ (hash >> 30)) * 0xbf58476d1ce4e5b9;
  hash = (hash ^ (hash >> 27)) * 0x94d049bb133111eb;
  hash ^= hash >> 31;
  return static_cast<double>(hash >> 11) / static_cast<double>(uint64_t{1} << 53);
}

void disturb(const Catalog& catalog, const Disturbance& disturbance, Policy& policy) {
  for (TableId table = 0; table < catalog.tables().size(); ++table) {
    for (ColumnIndex column = 0; column < catalog.table(table).columns.size(); ++column) {
      const ColumnRef ref{table, column};
      const std::string& spelling = catalog.column(ref).name;
      const std::string name = catalog.name() + "." + catalog.table(table).name + "." + spelling;
      policy.set(ref, disturbed(spelling, policy.of(ref), name, disturbance));
    }
  }
}

}  // namespace

ColumnPolicy disturbed(std::string_view column, ColumnPolicy base, std::string_view name,
                       const Disturbance& disturbance) {
  const bool relaxed = luck(disturbance.seed, "relax", name) < disturbance.p_relax;
  const bool hidden = luck(disturbance.seed, "hide", name) < disturbance.p;
  if (hidden_by_name(column)) return relaxed ? ColumnPolicy::Public : base;
  if (public_by_name(column)) return hidden ? ColumnPolicy::Hidden : base;
  if (base == ColumnPolicy::Public) return base;
  if (relaxed) return ColumnPolicy::Public;
  return hidden ? ColumnPolicy::Hidden : base;
}

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

std::vector<Policy> column_policies(const GoldData& data, const Disturbance& disturbance) {
  std::vector<UsageCounts> usage(data.catalogs.begin(), data.catalogs.end());
  std::vector<SqliteChecker> checkers;
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
  for (size_t i = 0; i < data.catalogs.size(); ++i) {
    policies.push_back(assign(data.catalogs[i], usage[i]));
    disturb(data.catalogs[i], disturbance, policies.back());
  }
  return policies;
}

}  // namespace pccsql
