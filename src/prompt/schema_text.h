// The schema as a model reads it: CREATE TABLE text, the policy in a comment after each column.
#pragma once

#include <string>
#include <vector>

#include "policy/policy.h"
#include "prompt/example_values.h"
#include "schema/catalog.h"

namespace pccsql {

// Names are quoted only where they must be. Keys and foreign keys are written out; views look like tables, because they
// are asked like tables; virtual tables are left out, because they cannot be asked. The text is DDL that reads back to
// the same columns and, by its comments, to the same policy; PostgreSQL's enumerations come before the tables. The same catalogue and policy give the same bytes.
// `values` stand beside Public columns alone, in a comment before the policy's: `/* 'France', 'USA' */ -- Public`.
std::string schema_text(const Catalog& catalog, const Policy& policy, const ExampleValues& values = {});

// The same of what was chosen; foreign keys to what was not are left out.
struct SchemaChoice;
std::string schema_text(const Catalog& catalog, const Policy& policy, const ExampleValues& values, const SchemaChoice& choice);
// One table with these of its columns, and all of its foreign keys.
std::string table_text_of(const Catalog& catalog, const Policy& policy, const ExampleValues& values, TableId table,
                          const std::vector<bool>& columns);

// `employee.salary`, as the schema text spells it.
std::string column_text(const Catalog& catalog, ColumnRef column);

// A name as the dialect takes it: bare if that works, else in double quotes.
std::string name_in_sql(std::string_view name, Dialect dialect = Dialect::Sqlite);

}  // namespace pccsql
