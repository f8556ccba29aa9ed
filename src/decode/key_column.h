// Key columns: which columns every row has, so that counting them counts rows.
#pragma once

#include "schema/catalog.h"

namespace pccsql {

// A column of the primary key.
bool is_primary_key(const Catalog& catalog, ColumnRef column);
// That, or a foreign key that is never NULL; one of a source that tells no declarations is taken to be so.
bool is_always_there(const Catalog& catalog, ColumnRef column);

}  // namespace pccsql
