// Rules: what one dialect has otherwise than another, as values. Whoever judges, writes or looks takes them from here and does
// not ask which dialect it is; a further dialect is a further one of these. What reads a catalogue, judges its queries and runs them is
// an interface with an implementation for each (make_checker, open_runner).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/names.h"
#include "schema/catalog.h"

namespace pccsql {

struct Rules {
  std::string_view name;  // as people write it
  NameCase names;         // how names are compared
  bool server;            // a database is a server's, with roles, grants, comments and types of its own; else it is a file
  bool mask;              // there is one, so that queries can be written under it
  bool variants;          // of the language and of how uses are counted: `--language fragment`, `--profile paper`

  // What a look at the data writes. A column's value, of a text its beginning alone; NULL for what is no text to anybody.
  std::string (*shortened)(const Column& column);
  // Values as they are told apart: alone, and as a part of something larger, where no two may run together.
  std::string (*distinct)(const std::string& value);
  std::string (*written)(const std::string& value);
  // A query whose one number is how many rows the table has, nearly, and what takes so many of every million from all over
  // it; nothing where a table's rows are found by their numbers instead.
  std::string (*estimate)(const std::string& table, const std::string& schema);
  std::string (*part)(int64_t of_a_million);
};

const Rules& rules_of(Dialect dialect);
inline const Rules& rules_of(const Catalog& catalog) { return rules_of(catalog.dialect()); }

}  // namespace pccsql
