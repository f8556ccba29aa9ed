// In place of connections where the program is built without libpq.
#include "pgtree/pg_tree.h"
#include "schema/pg_catalog.h"
#include "schema/pg_connection.h"

namespace pccsql {

void ClosePgConnection::operator()(pg_conn*) const {}
void ClearPgResult::operator()(pg_result*) const {}

std::string shown_pg_address(const std::string&) { return "the PostgreSQL server"; }

Result<PgConnection> PgConnection::open(const std::string&) { return Error{std::string(kNoPostgres), {}, {}}; }
Result<std::vector<PgConnection::Row>> PgConnection::query(const std::string&, const std::vector<std::string>&) {
  return Error{std::string(kNoPostgres), {}, {}};
}
Result<Done> PgConnection::run(const std::string&) { return Error{std::string(kNoPostgres), {}, {}}; }

Result<Catalog> read_pg_catalog(const std::string&, const std::string&) {
  return Error{std::string(kNoPostgres), {}, {}};
}
Result<Catalog> read_pg_catalog(PgConnection&, const std::string&) { return Error{std::string(kNoPostgres), {}, {}}; }
Result<Catalog> read_pg_dump(std::string_view, const std::string& file, const std::string&, const std::string&) {
  return Error{std::string(kNoPostgres), file, {}};
}

}  // namespace pccsql
