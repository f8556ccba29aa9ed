// GroupRule: how few may stand behind a COUNT, SUM or AVG of a table's AggregateOnly columns.
//
// A sum over one person is that person's value. So what is run leaves out groups of fewer than `minimum` entities, an
// entity being whoever the columns of `key` tell apart (of payments, the employee), and counts no row twice, rows being
// told apart by the columns of `row`. docs/policy.md has the rules; profile strict alone knows them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "schema/catalog.h"

namespace pccsql {

class Policy;

struct GroupRule {
  uint32_t minimum = 1;           // 1: groups of any size
  std::vector<ColumnIndex> key;   // sorted; empty: not given, the primary key or else the rowid
  std::vector<ColumnIndex> row;   // likewise
  friend bool operator==(const GroupRule&, const GroupRule&) = default;
};

inline constexpr uint32_t kLargestMinimum = 1'000'000'000;

// The names of columns that tell entities, or rows, of a table apart. Empty: there are none, or no name for them.
// `rowid` stands in it under the one of its names that no column has.
std::vector<std::string> key_columns(const Table& table, const GroupRule& rule);
std::vector<std::string> row_columns(const Table& table, const GroupRule& rule);

// Whether a COUNT, SUM or AVG of this column is held to a minimum: it is AggregateOnly, in a table whose minimum is
// over 1.
bool is_grouped(const Policy& policy, ColumnRef column);

// Whether any column is.
bool sets_minimum(const Policy& policy);

// What is wrong with a policy as a whole: a table that is held to a minimum, and nothing tells its entities or its rows
// apart. `table` is that table.
struct MissingKey {
  TableId table;
  std::string message;
};
std::optional<MissingKey> find_missing_key(const Catalog& catalog, const Policy& policy);

}  // namespace pccsql
