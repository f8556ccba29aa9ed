// Where catalogues come from: a SQLite file, DDL text, Spider/BIRD tables.json. And back: a catalogue as DDL.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "schema/catalog.h"

namespace pccsql {

// Opens `path` read-only. A directory, a missing file or one that is no database is an Error.
Result<Catalog> read_sqlite_catalog(const std::string& path);

// Runs the DDL in an empty in-memory database and reads that. Only CREATE TABLE/VIEW/INDEX statements may appear (and
// INSERT, which is skipped); anything else is an Error with its line. Where SQLite misses a comma that stands at the end
// of a comment, `a INT -- Public,` as prompts write schemas, it is given one.
Result<Catalog> read_ddl_catalog(std::string_view ddl, const std::string& file = {});

// All databases of a Spider/BIRD `tables.json`; Catalog::name() is the db_id.
Result<std::vector<Catalog>> read_tables_json(const std::string& path);
// The same from text; `file` is for messages.
Result<std::vector<Catalog>> parse_tables_json(std::string_view text, const std::string& file);

// One entry of such a file. A catalogue that was read from one is read back as it was; of others, what the format has
// no place for (views, types of rowids) is lost.
std::string to_tables_json(const Catalog& catalog);

// CREATE TABLE statements that make an empty database with these tables, names quoted. Views are left out.
std::string to_ddl(const Catalog& catalog);

}  // namespace pccsql
