// What tells a server's address from a file's name; needs no libpq.
#include <algorithm>
#include <array>

#include "base/text.h"
#include "schema/pg_connection.h"

namespace pccsql {

bool is_pg_address(std::string_view db) {
  static constexpr std::array<std::string_view, 7> kBeginnings{
      "postgresql://", "postgres://", "service=", "host=", "hostaddr=", "dbname=", "port="};
  return std::ranges::any_of(kBeginnings, [&](std::string_view begin) { return db.starts_with(begin); });
}

}  // namespace pccsql
