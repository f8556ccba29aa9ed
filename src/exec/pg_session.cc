#include "exec/pg_session.h"

#include <libpq-fe.h>
#include <poll.h>

#include <algorithm>
#include <memory>
#include <utility>

#include "base/text.h"

namespace pccsql {
namespace {

using Clock = std::chrono::steady_clock;

bool good(const PgResult& result) {
  const ExecStatusType status = PQresultStatus(result.get());
  return status == PGRES_COMMAND_OK || status == PGRES_TUPLES_OK;
}

}  // namespace

Result<PgSession> PgSession::open(std::string address, std::string schema) {
  auto connection = PgConnection::open(address);
  if (!connection) return connection.error();
  return PgSession(std::move(*connection), std::move(address), std::move(schema));
}

// Waits for the whole answer; in the end there is one, because what is late or cancelled is ended on the server.
PgResult PgSession::wait() {
  pg_conn* const db = connection_.get();
  PgResult last;
  bool asked_to_end = false;
  while (true) {
    while (PQisBusy(db) != 0) {
      const bool late = Clock::now() >= until_;
      const bool cancelled = bounds_.cancel != nullptr && bounds_.cancel->load();
      if ((late || cancelled) && !asked_to_end) {
        late_ |= late && !cancelled;
        stopped_ = true;
        asked_to_end = true;
        struct FreeCancel {
          void operator()(PGcancel* cancel) const { PQfreeCancel(cancel); }
        };
        const std::unique_ptr<PGcancel, FreeCancel> cancel(PQgetCancel(db));
        char message[256];
        if (cancel) PQcancel(cancel.get(), message, sizeof message);
      }
      pollfd socket{PQsocket(db), POLLIN, 0};
      if (socket.fd < 0) return last;
      poll(&socket, 1, 50);
      // A server that does not answer even a cancel is left behind.
      if (asked_to_end && Clock::now() >= until_ + std::chrono::seconds(10)) return {};
      if (PQconsumeInput(db) == 0) return last;
    }
    PgResult next(PQgetResult(db));
    if (!next) return last;
    if (!last || good(last)) last = std::move(next);
  }
}

Error PgSession::failure(pg_result* result) {
  const char* const code = result == nullptr ? nullptr : PQresultErrorField(result, PG_DIAG_SQLSTATE);
  const std::string state = code == nullptr ? "" : code;
  const std::string_view kind = std::string_view(state).substr(0, 2);
  const auto told = [](std::string message) { return Error{std::move(message), {}, {}}; };
  if (late_ || (state == "57014" && !stopped_)) {
    stopped_ = true;
    return told("the query is over the time limit of " + std::to_string(bounds_.time.count()) + " ms");
  }
  if (stopped_) return told("the query was stopped");
  if (state.empty() || kind == "08" || kind == "57" || PQstatus(connection_.get()) != CONNECTION_OK) {
    return told("the connection to the database was lost while the query ran; ask again");
  }
  if (kind == "22" || kind == "21" || kind == "23") {
    return told("the data does not fit the query: a value cannot be cast, a divisor is 0, or a subquery gave two rows");
  }
  if (state == "42501" || kind == "25" || kind == "28") {
    return told("the database's fence denied the query: it asks for more than the role may (" + state + ")");
  }
  if (kind == "53" || kind == "54") {
    return told("the query is over the memory limit, or another one, of the server (" + state + ")");
  }
  if (kind == "55" || kind == "40")
    return told("somebody else holds a lock on what the query reads; ask again (" + state + ")");
  return told("the database refused the query (" + state + ")");
}

PgResult PgSession::command(const std::string& sql, const std::vector<std::string>& parameters) {
  std::vector<const char*> values;
  for (const std::string& parameter : parameters) values.push_back(parameter.c_str());
  if (PQsendQueryParams(connection_.get(), sql.c_str(), static_cast<int>(values.size()), nullptr, values.data(),
                        nullptr, nullptr, 0) == 0) {
    return {};
  }
  return wait();
}

Result<Done> PgSession::begin(const Bounds& bounds) {
  bounds_ = bounds;
  late_ = stopped_ = false;
  until_ = Clock::now() + bounds.time;
  if (PQstatus(connection_.get()) != CONNECTION_OK || PQtransactionStatus(connection_.get()) != PQTRANS_IDLE) {
    auto again = PgConnection::open(address_);
    // Where the server is and why it does not answer is not for everybody who asks.
    if (!again) return Error{"the database cannot be reached; ask again later", shown_pg_address(address_), {}};
    connection_ = std::move(*again);
  }
  const std::string time = std::to_string(std::max<int64_t>(bounds.time.count(), 1));
  // pg_temp last: else a temporary table of a real one's name would come first.
  const std::string path = quoted_identifier(schema_) + ", pg_temp";
  for (const std::string& sql :
       {std::string("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"), "SET LOCAL search_path = " + path,
        "SET LOCAL statement_timeout = " + time, "SET LOCAL lock_timeout = " + time,
        "SET LOCAL idle_in_transaction_session_timeout = " + std::to_string(bounds.time.count() + 60'000),
        std::string("SET LOCAL work_mem = '16MB'"), std::string("SET LOCAL row_security = on"),
        std::string("SET LOCAL standard_conforming_strings = on"), std::string("SET LOCAL DateStyle = 'ISO, YMD'"),
        std::string("SET LOCAL IntervalStyle = 'postgres'"), std::string("SET LOCAL extra_float_digits = 1"), std::string("SAVEPOINT pccsql")}) {
    const PgResult result = command(sql);
    if (!good(result)) {
      const Error error = failure(result.get());
      rollback();
      return error;
    }
  }
  return Done{};
}

void PgSession::rollback() {
  // What was late must not keep its end from being said.
  const bool late = late_, stopped = stopped_;
  until_ = Clock::now() + std::chrono::seconds(10);
  bounds_.cancel = nullptr;
  // Advisory locks are the session's: they outlive a transaction, and could outlive the client behind a pooler.
  for (const char* const sql : {"ROLLBACK TO SAVEPOINT pccsql", "SELECT pg_catalog.pg_advisory_unlock_all()", "ROLLBACK"}) command(sql);
  late_ = late;
  stopped_ = stopped;
}

Result<std::vector<PgSession::Column>> PgSession::prepare(const std::string& sql) {
  if (PQsendPrepare(connection_.get(), "", sql.c_str(), 0, nullptr) == 0) return failure(nullptr);
  if (const PgResult result = wait(); !good(result)) return failure(result.get());
  if (PQsendDescribePrepared(connection_.get(), "") == 0) return failure(nullptr);
  const PgResult result = wait();
  if (!good(result)) return failure(result.get());
  if (PQnparams(result.get()) != 0)
    return Error{"the database refused the query: it has parameters without a value", {}, {}};
  std::vector<Column> columns;
  for (int i = 0; i < PQnfields(result.get()); ++i)
    columns.push_back({PQfname(result.get(), i), PQftype(result.get(), i)});
  if (columns.empty()) return Error{"the database refused the query: it gives no rows", {}, {}};
  return columns;
}

Result<Done> PgSession::plan(const std::string& sql) {
  const PgResult result = command("EXPLAIN " + sql);
  if (!good(result)) return failure(result.get());
  return Done{};
}

Result<Done> PgSession::declare_cursor(const std::string& sql) {
  const PgResult result = command("DECLARE pccsql NO SCROLL CURSOR FOR " + sql);
  if (!good(result)) return failure(result.get());
  return Done{};
}

Result<std::vector<PgConnection::Row>> PgSession::fetch(size_t count) {
  const PgResult result = command("FETCH FORWARD " + std::to_string(count) + " FROM pccsql");
  if (!good(result)) return failure(result.get());
  std::vector<PgConnection::Row> rows(static_cast<size_t>(PQntuples(result.get())));
  const int width = PQnfields(result.get());
  for (size_t r = 0; r < rows.size(); ++r) {
    rows[r].resize(static_cast<size_t>(width));
    for (int c = 0; c < width; ++c) {
      const int row = static_cast<int>(r);
      if (PQgetisnull(result.get(), row, c) != 0) continue;
      rows[r][static_cast<size_t>(c)] =
          std::string(PQgetvalue(result.get(), row, c), static_cast<size_t>(PQgetlength(result.get(), row, c)));
    }
  }
  return rows;
}

Result<std::string> PgSession::value(const std::string& sql, const std::vector<std::string>& parameters) {
  const PgResult result = command(sql, parameters);
  if (!good(result)) return failure(result.get());
  if (PQntuples(result.get()) != 1 || PQnfields(result.get()) != 1) return Error{"the database gave no answer", {}, {}};
  return std::string(PQgetvalue(result.get(), 0, 0));
}

}  // namespace pccsql
