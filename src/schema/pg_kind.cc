#include "schema/pg_kind.h"

#include <array>
#include <utility>

namespace pccsql {

std::string_view to_string(PgKind kind) {
  switch (kind) {
    case PgKind::Opaque:
      return "opaque";
    case PgKind::Integer:
      return "integer";
    case PgKind::Bigint:
      return "bigint";
    case PgKind::Numeric:
      return "numeric";
    case PgKind::Float:
      return "double precision";
    case PgKind::Text:
      return "text";
    case PgKind::Date:
      return "date";
    case PgKind::Timestamp:
      return "timestamp";
    case PgKind::Time:
      return "time";
    case PgKind::Interval:
      return "interval";
    case PgKind::Boolean:
      return "boolean";
    case PgKind::Uuid:
      return "uuid";
    case PgKind::Enum:
      return "enum";
  }
  return "";
}

PgKind kind_of_type(std::string_view pg_type) {
  using enum PgKind;
  static constexpr std::array<std::pair<std::string_view, PgKind>, 16> kKinds{{{"int2", Integer},
                                                                             {"int4", Integer},
                                                                             {"int8", Bigint},
                                                                             {"numeric", Numeric},
                                                                             {"float4", Float},
                                                                             {"float8", Float},
                                                                             {"text", Text},
                                                                             {"varchar", Text},
                                                                             {"bpchar", Text},
                                                                             {"date", Date},
                                                                             {"timestamp", Timestamp},
                                                                             {"timestamptz", Timestamp},
                                                                             {"time", Time},
                                                                             {"interval", Interval},
                                                                             {"bool", Boolean},
                                                                             {"uuid", Uuid}}};
  for (const auto& [name, kind] : kKinds) {
    if (name == pg_type) return kind;
  }
  return Opaque;
}

}  // namespace pccsql
