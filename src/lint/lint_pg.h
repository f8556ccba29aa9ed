// Lint on a PostgreSQL server: what its catalogue says of views, generated columns, rights and extensions.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "lint/lint.h"
#include "schema/pg_connection.h"

namespace pccsql {

// What is found beside `lint`'s, which goes by the keys of the catalogue. `role`: the one that questions run under, where it is
// not the one that is connected; rights are looked at where it is no owner or superuser, who has them all.
Result<std::vector<Warning>> lint_pg(PgConnection& connection, const std::string& schema, const Catalog& catalog,
                                     const Policy& policy, const std::optional<std::string>& role = {});

}  // namespace pccsql
