#include "dialect/dialect.h"

#include "check/check.h"
#include "check_pg/check_pg.h"

namespace pccsql {

std::unique_ptr<QueryChecker> make_checker(const Catalog& catalog, CheckSettings settings) {
  if (catalog.dialect() == Dialect::PostgreSql) return std::make_unique<PgChecker>(catalog);
  return std::make_unique<SqliteChecker>(catalog, settings);
}

std::optional<Error> unknown_settings(const Catalog& catalog, CheckSettings settings) {
  if (catalog.dialect() != Dialect::PostgreSql) return std::nullopt;
  if (settings.profile != Profile::Strict) return Error{"on PostgreSQL there is the profile `strict` alone", {}, {}};
  if (settings.language != Language::Full) return Error{"on PostgreSQL there is the language `full` alone", {}, {}};
  return std::nullopt;
}

}  // namespace pccsql
