#include "schema/pg_connection.h"

#include <libpq-fe.h>

#include <array>
#include <utility>

#include "base/text.h"

namespace pccsql {
namespace {

Error refused(std::string message) {
  message = trimmed(message);
  return {"the PostgreSQL server says: " + message, {}, {}};
}

bool can_be_read(const std::string& address) {
  PQconninfoOption* const options = PQconninfoParse(address.c_str(), nullptr);
  PQconninfoFree(options);
  return options != nullptr;
}

}  // namespace

void ClosePgConnection::operator()(pg_conn* connection) const { PQfinish(connection); }
void ClearPgResult::operator()(pg_result* result) const { PQclear(result); }

std::string shown_pg_address(const std::string& address) {
  char* message = nullptr;
  PQconninfoOption* const options = PQconninfoParse(address.c_str(), &message);
  if (message != nullptr) PQfreemem(message);
  if (options == nullptr) return "the PostgreSQL server";
  std::string user, host, port, database, service;
  for (const PQconninfoOption* option = options; option->keyword != nullptr; ++option) {
    if (option->val == nullptr) continue;
    const std::string_view keyword = option->keyword;
    if (keyword == "user") user = option->val;
    if (keyword == "host") host = option->val;
    if (keyword == "port") port = option->val;
    if (keyword == "dbname") database = option->val;
    if (keyword == "service") service = option->val;
  }
  PQconninfoFree(options);
  if (!service.empty()) return "service=" + service;
  return "postgresql://" + (user.empty() ? "" : user + "@") + host + (port.empty() ? "" : ":" + port) + "/" + database;
}

Result<PgConnection> PgConnection::open(const std::string& address) {
  // The first keyword may be a whole address; what it says holds, and what follows fills its gaps.
  const std::array<const char*, 4> keywords{"dbname", "fallback_application_name", "client_encoding", nullptr};
  const std::array<const char*, 4> values{address.c_str(), "pccsql", "UTF8", nullptr};
  PgConnection connection(PQconnectdbParams(keywords.data(), values.data(), 1));
  if (connection.get() == nullptr) return Error{"out of memory", {}, {}};
  if (PQstatus(connection.get()) != CONNECTION_OK) {
    // What libpq says of an address that it cannot read repeats it, and it may hold a password.
    if (!can_be_read(address)) {
      return Error{"the address of the PostgreSQL server cannot be read; write `postgresql://user@host:port/database`, "
                   "`host=… dbname=…` or `service=…`, with `%` and the two hexadecimal digits for any other sign",
                   {},
                   {}};
    }
    return Error{
        "cannot connect to " + shown_pg_address(address) + ": " + trimmed(PQerrorMessage(connection.get())), {}, {}};
  }
  // What the server says beside its answers could hold values: it goes nowhere.
  PQsetNoticeReceiver(
      connection.get(), [](void*, const PGresult*) {}, nullptr);
  const char* const database = PQdb(connection.get());
  connection.database_ = database == nullptr ? "" : database;
  return connection;
}

Result<std::vector<PgConnection::Row>> PgConnection::query(const std::string& sql,
                                                           const std::vector<std::string>& parameters) {
  std::vector<const char*> values;
  for (const std::string& parameter : parameters) values.push_back(parameter.c_str());
  const PgResult result(
      PQexecParams(get(), sql.c_str(), static_cast<int>(values.size()), nullptr, values.data(), nullptr, nullptr, 0));
  const ExecStatusType status = PQresultStatus(result.get());
  if (status != PGRES_TUPLES_OK && status != PGRES_COMMAND_OK) return refused(PQerrorMessage(get()));
  std::vector<Row> rows(static_cast<size_t>(PQntuples(result.get())));
  const int width = PQnfields(result.get());
  for (size_t r = 0; r < rows.size(); ++r) {
    for (int c = 0; c < width; ++c) {
      const int row = static_cast<int>(r);
      if (PQgetisnull(result.get(), row, c) != 0) {
        rows[r].emplace_back();
      } else {
        rows[r].emplace_back(
            std::string(PQgetvalue(result.get(), row, c), static_cast<size_t>(PQgetlength(result.get(), row, c))));
      }
    }
  }
  return rows;
}

Result<Done> PgConnection::run(const std::string& sql) {
  auto rows = query(sql);
  if (!rows) return rows.error();
  return Done{};
}

}  // namespace pccsql
