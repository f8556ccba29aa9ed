// The catalogue of an open SQLite database: shared by the reader of files and the reader of DDL text.
#pragma once

#include <string>

#include "base/result.h"
#include "schema/catalog.h"

struct sqlite3;

namespace pccsql {

// Asks SQLite itself about every table and view of the main database. Switches double-quoted strings off on `db`, and
// may make a temporary table there.
Result<Catalog> catalog_of(sqlite3* db, const std::string& name);

// Of the schema as the open transaction sees it; without one, as it is now.
Result<SchemaStamp> schema_stamp(sqlite3* db);
// Its count alone, which is all that can differ on one connection.
Result<int64_t> schema_version(sqlite3* db);

}  // namespace pccsql
