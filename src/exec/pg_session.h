// PgSession: one transaction at a time on a PostgreSQL server, in which a query can be prepared, planned and read.
//
// Everything is said in one transaction, REPEATABLE READ and READ ONLY, with SET LOCAL: nothing of it outlives the query,
// also behind a pooler that hands the connection on. The extended protocol refuses a second statement. What takes too long,
// or is cancelled, is cancelled on the server. The server's own words can hold values, so they stop here: who calls learns
// of what class an error is.
#pragma once

#include <atomic>
#include <chrono>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "exec/rows.h"
#include "schema/pg_connection.h"

namespace pccsql {

class PgSession {
 public:
  static Result<PgSession> open(std::string address, std::string schema);

  struct Bounds {
    std::chrono::milliseconds time{10'000};
    const std::atomic<bool>* cancel = nullptr;
  };
  // Begins a transaction. A connection that was lost is made again first.
  Result<Done> begin(const Bounds& bounds);
  void rollback();

  // Each after begin(), in which the text is one statement. An Error says of what class it was, in our words.
  struct Column {
    std::string name;
    unsigned type = 0;  // its oid
  };
  Result<std::vector<Column>> prepare(const std::string& sql);
  Result<Done> plan(const std::string& sql);
  Result<Done> declare_cursor(const std::string& sql);
  // The next rows, as text with their NULLs; fewer than `count`: there are no more.
  Result<std::vector<PgConnection::Row>> fetch(size_t count);
  // A statement of ours with one value.
  Result<std::string> value(const std::string& sql, const std::vector<std::string>& parameters);

  PgConnection& connection() { return connection_; }
  const std::string& schema() const { return schema_; }
  bool stopped() const { return stopped_; }  // the last error was a time limit or a cancel

 private:
  PgSession(PgConnection connection, std::string address, std::string schema)
      : connection_(std::move(connection)), address_(std::move(address)), schema_(std::move(schema)) {}
  PgResult wait();
  Error failure(pg_result* result);
  PgResult command(const std::string& sql, const std::vector<std::string>& parameters = {});

  PgConnection connection_;
  std::string address_;
  std::string schema_;
  Bounds bounds_;
  std::chrono::steady_clock::time_point until_;
  bool late_ = false;
  bool stopped_ = false;
};

}  // namespace pccsql
