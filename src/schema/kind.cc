#include "schema/kind.h"

#include <array>
#include <utility>

namespace pccsql {

std::string_view to_string(Kind kind) {
  switch (kind) {
    case Kind::Opaque:
      return "opaque";
    case Kind::Integer:
      return "integer";
    case Kind::Bigint:
      return "bigint";
    case Kind::Numeric:
      return "numeric";
    case Kind::Float:
      return "double precision";
    case Kind::Text:
      return "text";
    case Kind::Date:
      return "date";
    case Kind::Timestamp:
      return "timestamp";
    case Kind::Time:
      return "time";
    case Kind::Interval:
      return "interval";
    case Kind::Boolean:
      return "boolean";
    case Kind::Uuid:
      return "uuid";
    case Kind::Enum:
      return "enum";
  }
  return "";
}

Kind kind_of_type(std::string_view pg_type) {
  using enum Kind;
  static constexpr std::array<std::pair<std::string_view, Kind>, 16> kKinds{{{"int2", Integer},
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
