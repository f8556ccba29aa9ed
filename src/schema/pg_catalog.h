// The catalogue of a PostgreSQL schema: from a server, or from the text that `pg_dump -s` writes.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "schema/catalog.h"
#include "schema/pg_connection.h"

namespace pccsql {

// Tables, views and columns of one schema, as the connected role sees them; it needs no rights on the tables. A server
// whose settings would make texts mean something else than they seem to, and a schema whose functions or operators take
// over names of the language, are Errors that say what to do.
Result<Catalog> read_pg_catalog(const std::string& address, const std::string& schema);
Result<Catalog> read_pg_catalog(PgConnection& connection, const std::string& schema);

// What of a schema queries depend on, in one value: the query that a server answers with it, of one parameter, the schema.
const std::string& pg_stamp_query();
SchemaStamp pg_stamp(std::string_view answer);

// Views are left out (Catalog::unusable_views): without a server nothing tells the types of their columns.
// `name`: the catalogue's; none: the schema's.
Result<Catalog> read_pg_dump(std::string_view text, const std::string& file, const std::string& schema, const std::string& name = {});

}  // namespace pccsql
