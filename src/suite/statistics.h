// Statistics of a suite: which policies its columns have, which gold queries stay and which become Refuse, what the
// refused ones violate, which roles columns have, what lies outside the paper's fragment. The counting is the paper's,
// so that its tables can be compared number by number.
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "dialect/dialect.h"
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
  size_t refuse_named = 0;  // queries that name a violating column; the other refused ones violate by `*` alone
  // Queries whose label came with the data and is not what the checker says of the gold query.
  size_t sql_but_unsafe = 0;
  size_t refuse_but_safe = 0;
  size_t refuse_but_unjudged = 0;

  // Violating occurrences, those that `*` expands to left out.
  CountByPolicy violations_by_policy{};
  CountByRole violations_by_role{};  // arguments of MIN and MAX are listed under Agg, whatever they were judged as
  size_t violations_minmax = 0;      // how many those are

  CountByRole uses{};      // all occurrences, likewise
  size_t unresolved = 0;   // gold queries that do not resolve or are outside the language; what resolves is counted
  size_t refuse_open = 0;  // refused ones with at least one occurrence that is permitted

  // Gold queries by what the paper's fragment does not have; one query may count several times.
  size_t set_operations = 0;
  size_t ctes = 0;
  size_t windows = 0;
  size_t cases = 0;
  size_t in_fragment = 0;

  // With every policy but Public read as Hidden: gold queries that stay, and of those that stay with four policies, the
  // ones that do not.
  size_t binary_sql = 0;
  size_t binary_lost = 0;

  size_t questions() const { return sql + refuse + unjudged; }
  double percent(ColumnPolicy policy) const;
};

// Judges gold queries over one catalogue and counts them.
class GoldCounter {
 public:
  // PRE: `catalog` outlives it.
  GoldCounter(const Catalog& catalog, Profile profile) : catalog_(catalog), checker_(make_checker(catalog, {.profile = profile})) {}

  // The label: `given`, or where there is none the checker's.
  GoldLabel add(std::string_view sql, const Policy& policy, std::optional<GoldLabel> given,
                SuiteStatistics& statistics);

 private:
  const Catalog& catalog_;
  std::unique_ptr<QueryChecker> checker_;
};

struct LabelledGold {
  std::vector<GoldLabel> labels;  // parallel to the split's queries
  SuiteStatistics statistics;
};

// Judges one split under `policies` (parallel to `data.catalogs`).
LabelledGold label_gold(const GoldData& data, Split split, const std::vector<Policy>& policies, Profile profile);

}  // namespace pccsql
