// Columns that foreign keys tie together, directly or in a chain: they hold the same values.
#pragma once

#include <vector>

#include "schema/catalog.h"

namespace pccsql {

// Every family of two columns or more, in the order of tables and columns.
std::vector<std::vector<ColumnRef>> column_families(const Catalog& catalog);

}  // namespace pccsql
