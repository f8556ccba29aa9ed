// PgKind: what can be done with a value of PostgreSQL, as far as the language cares.
//
// Within a group (numbers, dates, text) every comparison exists, across groups none does. A domain is of its base type's
// kind. SQLite's values have types of their own, row by row: its catalogues leave this out.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace pccsql {

enum class PgKind : uint8_t {
  Opaque,   // json, arrays, composites, bytea …: shown, counted and asked for NULL, no more
  Integer,  // smallint, integer
  Bigint,
  Numeric,
  Float,  // real, double precision
  Text,   // text, varchar, char
  Date,
  Timestamp,  // with and without time zone
  Time,       // without time zone
  Interval,
  Boolean,
  Uuid,
  Enum
};

std::string_view to_string(PgKind kind);  // "integer", "numeric", "text", …

// Of a type by its name in pg_type, domains and enumerations aside.
PgKind kind_of_type(std::string_view pg_type);

struct ValueType {
  PgKind kind = PgKind::Opaque;
  bool small = false;        // smallint, which casts to boolean and from it do not take
  bool sortable = false;     // it has a default order; all kinds but Opaque have one, and some Opaque types
  uint32_t enumeration = 0;  // of an Enum: which one, into Catalog::enumerations()
};

struct Enumeration {
  std::string name;
  std::vector<std::string> labels;  // in their order
};

}  // namespace pccsql
