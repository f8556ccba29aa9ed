// The order of rows that no ORDER BY sorts.
//
// SQLite brings them as it finds them, which may be along an index or a rowid: so the order alone can tell how a column
// ranks that nobody may see. Sorted by what they show, they tell no more than that.
#pragma once

#include <string_view>
#include <vector>

#include "exec/rows.h"

namespace pccsql {

// Whether a query orders its result: ORDER BY outside all parentheses, which after a set operation is the whole one's.
bool orders_result(std::string_view sql);

// Column by column from the left, as SQLite compares under BINARY: NULL, then numbers by value, then text, then blobs,
// both byte by byte.
void sort_by_values(std::vector<std::vector<Value>>& rows);

}  // namespace pccsql
