#include "dialect/dialect.h"

#include "check/check.h"
#include "check_pg/check_pg.h"
#include "schema/rules.h"

namespace pccsql {

std::unique_ptr<QueryChecker> make_checker(const Catalog& catalog, CheckSettings settings) {
  if (catalog.dialect() == Dialect::PostgreSql) return std::make_unique<PgChecker>(catalog);
  return std::make_unique<SqliteChecker>(catalog, settings);
}

std::optional<Error> unknown_settings(const Catalog& catalog, CheckSettings settings) {
  const Rules& rules = rules_of(catalog);
  if (rules.variants) return std::nullopt;
  const std::string on = "on " + std::string(rules.name) + " there is the ";
  if (settings.profile != Profile::Strict) return Error{on + "profile `strict` alone", {}, {}};
  if (settings.language != Language::Full) return Error{on + "language `full` alone", {}, {}};
  return std::nullopt;
}

}  // namespace pccsql
