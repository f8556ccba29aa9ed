// Column policies as the paper derives them: from a column's name, and, where the name says nothing, from how the gold
// queries use the column.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "check/check.h"
#include "policy/policy.h"
#include "schema/catalog.h"
#include "suite/gold.h"

namespace pccsql {

// How often the gold queries use one column. Uses in GROUP BY and ORDER BY, and those that `*` expands to, count
// nowhere; the arguments of MIN and MAX count as an aggregate's.
struct Usage {
  uint32_t join = 0;       // in ON or USING, or joined by NATURAL
  uint32_t aggregate = 0;  // argument of COUNT, SUM, AVG, MIN or MAX
  uint32_t other = 0;
};

// The usage of every column of one catalogue.
class UsageCounts {
 public:
  explicit UsageCounts(const Catalog& catalog);

  // REQUIRES: an analysis under profile paper, over the same catalogue. What could be resolved of a query that does not
  // run counts too: the paper scans syntax trees and never runs a query.
  void add(const Analysis& analysis);
  const Usage& of(ColumnRef column) const { return usage_[column.table][column.column]; }

 private:
  std::vector<std::vector<Usage>> usage_;  // by table, by column
};

// The paper's two stages. By name: personal data is Hidden, names are Public. Then by use: in any join ConditionOnly,
// in aggregates alone AggregateOnly, else Public (also when never used).
ColumnPolicy assign(std::string_view column, const Usage& usage);
Policy assign(const Catalog& catalog, const UsageCounts& usage);

// How the base assignment is disturbed, to see what hangs on it. A column named like personal data becomes Public with
// `p_relax`; one named like a name Hidden with `p`; one that its use makes ConditionOnly or AggregateOnly becomes Public
// with `p_relax`, else Hidden with `p`. Each column has luck of its own, from the seed and its name: a larger p or
// p_relax changes more columns, never others.
struct Disturbance {
  double p = 0;
  double p_relax = 0;
  uint64_t seed = 42;
};

// `base` is what assign() gave. `name`: database, table and column, whatever tells it from others.
ColumnPolicy disturbed(std::string_view column, ColumnPolicy base, std::string_view name,
                       const Disturbance& disturbance);

// The policies of all databases, parallel to `data.catalogs`, from the queries of both splits.
std::vector<Policy> column_policies(const GoldData& data, const Disturbance& disturbance = {});

}  // namespace pccsql
