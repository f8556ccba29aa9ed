// PgConnection: a connection to a PostgreSQL server, as libpq makes it, and statements on it one at a time.
//
// Statements go by the extended protocol alone: the server itself refuses a second one in the same text. Without libpq
// the module is there all the same, and opening says what is missing.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

struct pg_conn;
struct pg_result;

namespace pccsql {

// Whether a `--db` names a server and no file: `postgresql://…`, `service=…`, `host=…`, `dbname=…`. What the address
// leaves out comes from the environment (PGHOST, PGDATABASE …) and from ~/.pgpass, as for every client.
bool is_pg_address(std::string_view db);

// The address without its password, for messages and prompts.
std::string shown_pg_address(const std::string& address);

struct ClosePgConnection {
  void operator()(pg_conn* connection) const;
};
struct ClearPgResult {
  void operator()(pg_result* result) const;
};
using PgResult = std::unique_ptr<pg_result, ClearPgResult>;

class PgConnection {
 public:
  using Row = std::vector<std::optional<std::string>>;  // values as text; nothing is NULL

  static Result<PgConnection> open(const std::string& address);

  // One statement of ours, with its rows. The server's own words are in the Error: never give it a user's query.
  Result<std::vector<Row>> query(const std::string& sql, const std::vector<std::string>& parameters = {});
  // The same for what has no rows.
  Result<Done> run(const std::string& sql);

  pg_conn* get() const { return connection_.get(); }
  const std::string& database() const { return database_; }

 private:
  explicit PgConnection(pg_conn* connection) : connection_(connection) {}
  std::unique_ptr<pg_conn, ClosePgConnection> connection_;
  std::string database_;
};

}  // namespace pccsql
