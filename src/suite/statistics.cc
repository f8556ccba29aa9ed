// Judges the gold queries and counts: see the header.
#include "suite/statistics.h"

#include <numeric>

#include "check/check.h"

namespace pccsql {
namespace {

template <typename Enum>
constexpr size_t slot(Enum value) {
  return static_cast<size_t>(value);
}

CountByPolicy count_columns(const Catalog& catalog, const Policy& policy) {
  CountByPolicy count{};
  for (TableId table = 0; table < catalog.tables().size(); ++table) {
    for (ColumnIndex column = 0; column < catalog.table(table).columns.size(); ++column) {
      ++count[slot(policy.of({table, column}))];
    }
  }
  return count;
}

GoldLabel label_of(Verdict verdict) {
  switch (verdict) {
    case Verdict::Safe:
      return GoldLabel::Sql;
    case Verdict::Unsafe:
      return GoldLabel::Refuse;
    case Verdict::Outside:
    case Verdict::Error:
      break;
  }
  return GoldLabel::Unjudged;
}

void add_violations(const Judgement& judgement, SuiteStatistics& statistics) {
  bool named = false;
  for (size_t i = 0; i < judgement.uses.size(); ++i) {
    const Occurrence& use = judgement.uses[i];
    if (judgement.permitted[i] || use.star) continue;
    named = true;
    ++statistics.violations_by_policy[slot(judgement.policies[i])];
    ++statistics.violations_by_role[slot(use.minmax ? Role::Agg : use.role)];
    statistics.violations_minmax += use.minmax;
  }
  statistics.refuse_named += named;
}

void add(const Judgement& judgement, GoldLabel label, SuiteStatistics& statistics) {
  switch (label) {
    case GoldLabel::Sql:
      ++statistics.sql;
      break;
    case GoldLabel::Unjudged:
      ++statistics.unjudged;
      break;
    case GoldLabel::Refuse:
      ++statistics.refuse;
      add_violations(judgement, statistics);
      break;
  }
}

}  // namespace

std::string_view to_string(GoldLabel label) {
  switch (label) {
    case GoldLabel::Sql:
      return "sql";
    case GoldLabel::Refuse:
      return "refuse";
    case GoldLabel::Unjudged:
      break;
  }
  return "unjudged";
}

double SuiteStatistics::percent(ColumnPolicy policy) const {
  const size_t all = std::accumulate(columns.begin(), columns.end(), size_t{0});
  return all == 0 ? 0.0 : 100.0 * static_cast<double>(columns[slot(policy)]) / static_cast<double>(all);
}

LabelledGold label_gold(const GoldData& data, Split split, const std::vector<Policy>& policies, Profile profile) {
  LabelledGold gold;
  std::vector<Checker> checkers;
  std::vector<CountByPolicy> columns;
  checkers.reserve(data.catalogs.size());
  columns.reserve(data.catalogs.size());
  for (size_t i = 0; i < data.catalogs.size(); ++i) {
    checkers.emplace_back(data.catalogs[i], CheckSettings{.profile = profile});
    columns.push_back(count_columns(data.catalogs[i], policies[i]));
  }
  for (const GoldQuery& query : data.queries(split)) {
    const auto index = data.find_catalog(query.db_id);
    if (!index) {  // only where GoldData was not made by read_spider or read_bird
      gold.labels.push_back(GoldLabel::Unjudged);
      ++gold.statistics.unjudged;
      continue;
    }
    for (size_t p = 0; p < columns[*index].size(); ++p) gold.statistics.columns[p] += columns[*index][p];
    const Judgement judgement = checkers[*index].check(query.sql, policies[*index]);
    gold.labels.push_back(label_of(judgement.verdict));
    add(judgement, gold.labels.back(), gold.statistics);
  }
  return gold;
}

}  // namespace pccsql
