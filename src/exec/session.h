// Session: a database in the process that runs queries on it.
//
// It is opened read-only, with query_only on, the schema not trusted, no extensions, nothing attached, no temporary
// files, and behind the fence if there is one. Each query runs in a transaction of its own; there it is first made sure
// that the schema is still the one that it was judged by. A limit that is passed is a failure with the limit's name; a
// query that SQLite does not interrupt in time is ended from outside, with this process (worker.h).
#pragma once

#include <chrono>
#include <memory>
#include <string_view>

#include "base/result.h"
#include "exec/fence.h"
#include "exec/wire.h"
#include "schema/connection.h"

namespace pccsql {

class Session {
 public:
  static Result<std::unique_ptr<Session>> open(SessionSpec spec);

  const SchemaStamp& stamp() const { return stamp_; }

  // Fills `rows` if the reply's kind is Rows.
  RunReply run(const RunRequest& request, RowSet& rows);

 private:
  struct Watch;
  class Transaction;

  explicit Session(SessionSpec spec) : spec_(std::move(spec)) {}
  Result<Done> open_file();
  RunReply attempt(const RunRequest& request, Watch& watch, RowSet& rows);
  RunReply failure(int code, const std::string& message, const Watch& watch);

  SessionSpec spec_;
  SchemaStamp stamp_;             // of the schema as it was on opening, or as the spec has it
  std::unique_ptr<Fence> fence_;  // outlives the connection that asks it
  ReadOnlyDatabase database_;
};

// Which time limit was passed; also where a query had to be ended from outside.
Error over_time(const RunLimits& limits);

}  // namespace pccsql
