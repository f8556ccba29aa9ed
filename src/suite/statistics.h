// Statistics of a suite: which policies its columns have, which gold queries stay and which become Refuse, and what the
// refused ones violate. The counting is the paper's, so that its tables can be compared number by number.
#pragma once

#include <array>
#include <cstddef>
#include <string_view>
#include <vector>

#include "policy/policy.h"
#include "suite/gold.h"

namespace pccsql {

enum class GoldLabel {
  Sql,       // the gold query is safe
  Refuse,    // it uses a column in a way that is not permitted
  Unjudged,  // it does not run or is outside the language: no policy was asked
};
std::string_view to_string(GoldLabel label);  // "sql", "refuse", "unjudged"

using CountByPolicy = std::array<size_t, kColumnPolicies.size()>;  // indexed by ColumnPolicy
using CountByRole = std::array<size_t, kRoles.size()>;             // indexed by Role

struct SuiteStatistics {
  CountByPolicy columns{};  // every column of a query's database, once per query

  size_t sql = 0;
  size_t refuse = 0;
  size_t unjudged = 0;
  size_t refuse_named = 0;  // those of `refuse` that name a violating column; the others violate by `*` alone

  // Violating occurrences, those that `*` expands to left out.
  CountByPolicy violations_by_policy{};
  CountByRole violations_by_role{};  // arguments of MIN and MAX are listed under Agg, whatever they were judged as
  size_t violations_minmax = 0;      // how many those are

  double percent(ColumnPolicy policy) const;
};

struct LabelledGold {
  std::vector<GoldLabel> labels;  // parallel to the split's queries
  SuiteStatistics statistics;
};

// Judges one split under `policies` (parallel to `data.catalogs`).
LabelledGold label_gold(const GoldData& data, Split split, const std::vector<Policy>& policies, Profile profile);

}  // namespace pccsql
