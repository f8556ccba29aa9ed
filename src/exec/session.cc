#include "exec/session.h"

#include <sqlite3.h>

#include <algorithm>
#include <new>

#include "exec/row_order.h"
#include "exec/statement.h"
#include "schema/sqlite_catalog.h"

namespace pccsql {
namespace {

using Clock = std::chrono::steady_clock;

// How many instructions of SQLite's machine pass between two looks at the clock: some microseconds.
constexpr int kInstructionsBetweenLooks = 1000;

// What SQLite holds for the connection itself, beside what a query needs.
constexpr size_t kForConnection = size_t{8} << 20;

Error over_limit(const std::string& limit, const std::string& amount) {
  return Error{"the query is over the " + limit + " limit of " + amount, {}, {}};
}
Error over_memory(const RunLimits& limits, const std::string& what = {}) {
  return over_limit("memory", std::to_string(limits.memory) + " bytes" + what);
}

RunReply failed(const Error& error) {
  RunReply reply;
  reply.message = error.message;
  return reply;
}

// Every setting is asked back where SQLite answers: one that did not take is an Error.
Result<Done> lock_down(sqlite3* db, const RunLimits& limits, bool fenced) {
  const std::pair<int, int> switches[] = {
      {SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0},
      {SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION, 0},
      {SQLITE_DBCONFIG_ENABLE_TRIGGER, 0},
      {SQLITE_DBCONFIG_DEFENSIVE, 1},
  };
  for (const auto& [what, wanted] : switches) {
    int now = -1;
    if (sqlite3_db_config(db, what, wanted, &now) != SQLITE_OK || now != wanted) {
      return Error{"a protection of SQLite cannot be switched on", {}, {}};
    }
  }
  const int largest = static_cast<int>(std::clamp<size_t>(limits.memory, 4096, 1'000'000'000));
  sqlite3_limit(db, SQLITE_LIMIT_LENGTH, largest);
  sqlite3_limit(db, SQLITE_LIMIT_ATTACHED, 0);
  sqlite3_limit(db, SQLITE_LIMIT_WORKER_THREADS, 0);
  sqlite3_limit(db, SQLITE_LIMIT_LIKE_PATTERN_LENGTH, 1000);
  // Sorting and DISTINCT in memory, where the memory limit sees them, instead of in files; pages as they are in the
  // file, checked, because a mapped file that shrinks would end the process.
  std::string pragmas =
      "PRAGMA query_only = ON; PRAGMA temp_store = MEMORY; PRAGMA mmap_size = 0; PRAGMA cell_size_check = ON;";
  // An index that SQLite makes for one query brings rows in the order of a column that the query may not show.
  if (fenced) pragmas += "PRAGMA automatic_index = OFF;";
  if (sqlite3_exec(db, pragmas.c_str(), nullptr, nullptr, nullptr) != SQLITE_OK) {
    return Error{std::string("a protection of SQLite cannot be switched on: ") + sqlite3_errmsg(db), {}, {}};
  }
  return Done{};
}

Value value_at(sqlite3_stmt* statement, int column) {
  const auto size = [&] { return static_cast<size_t>(sqlite3_column_bytes(statement, column)); };
  switch (sqlite3_column_type(statement, column)) {
    case SQLITE_INTEGER:
      return int64_t{sqlite3_column_int64(statement, column)};
    case SQLITE_FLOAT:
      return sqlite3_column_double(statement, column);
    case SQLITE_TEXT: {
      const auto* text = reinterpret_cast<const char*>(sqlite3_column_text(statement, column));
      return text == nullptr ? std::string() : std::string(text, size());
    }
    case SQLITE_BLOB: {
      const auto* bytes = static_cast<const char*>(sqlite3_column_blob(statement, column));
      return Blob{bytes == nullptr ? std::string() : std::string(bytes, size())};
    }
    default:
      return Null{};
  }
}

size_t bytes_of(const Value& value) {
  size_t bytes = sizeof(Value);
  if (const auto* text = std::get_if<std::string>(&value)) bytes += text->size();
  if (const auto* blob = std::get_if<Blob>(&value)) bytes += blob->bytes.size();
  return bytes;
}

}  // namespace

Error over_time(const RunLimits& limits) { return over_limit("time", std::to_string(limits.time.count()) + " ms"); }

// What can stop a query at SQLite's own pace.
struct Session::Watch {
  Clock::time_point deadline;
  bool late = false;

  bool must_stop() {
    if (Clock::now() >= deadline) late = true;
    return late;
  }
  static int look(void* watch) { return static_cast<Watch*>(watch)->must_stop() ? 1 : 0; }
};

// One state of the database for all that is asked in it. The fence stands while it is open.
class Session::Transaction {
 public:
  explicit Transaction(sqlite3* db) : db_(db) {
    code_ = sqlite3_exec(db_, "BEGIN", nullptr, nullptr, nullptr);
    if (code_ == SQLITE_OK) {
      const auto version = schema_version(db_);
      if (version) {
        version_ = *version;
      } else {
        code_ = sqlite3_errcode(db_);
        message_ = sqlite3_errmsg(db_);
      }
    }
  }
  ~Transaction() {
    Fence::lift(db_);
    sqlite3_exec(db_, "ROLLBACK", nullptr, nullptr, nullptr);
  }
  Transaction(const Transaction&) = delete;
  Transaction& operator=(const Transaction&) = delete;

  int code() const { return code_; }
  const std::string& message() const { return message_; }
  int64_t version() const { return version_; }

 private:
  sqlite3* db_;
  int code_ = SQLITE_OK;
  std::string message_;
  int64_t version_ = 0;
};

Result<std::unique_ptr<Session>> Session::open(SessionSpec spec) {
  std::unique_ptr<Session> session(new Session(std::move(spec)));
  if (const auto opened = session->open_file(); !opened) return opened.error();
  if (!session->spec_.stamp) session->spec_.stamp = session->stamp_;
  return session;
}

Result<Done> Session::open_file() {
  database_ = {};
  auto opened = open_read_only(spec_.path);
  if (!opened) return opened.error();
  sqlite3* const db = opened->connection.get();
  const auto wrong = [this](const Error& error) { return Error{error.message, spec_.path, {}}; };
  if (const auto locked = lock_down(db, spec_.limits, spec_.fence.has_value()); !locked) return wrong(locked.error());
  if (spec_.fence) {
    const Transaction transaction(db);
    const auto stamp = schema_stamp(db);
    if (!stamp) return wrong(stamp.error());
    stamp_ = *stamp;
    auto fence = Fence::make(db, *spec_.fence);
    if (!fence) return wrong(fence.error());
    fence_ = std::make_unique<Fence>(std::move(*fence));
  }
  database_ = std::move(*opened);
  return Done{};
}

RunReply Session::failure(int code, const std::string& message, const Watch& watch) {
  const std::string denial = fence_ ? fence_->take_denial() : "";
  if (watch.late) return failed(over_time(spec_.limits));
  if (!denial.empty()) return failed({"the database's fence denied the query: " + denial, {}, {}});
  switch (code & 0xff) {
    case SQLITE_NOMEM:
      return failed(over_memory(spec_.limits));
    case SQLITE_TOOBIG:
      return failed(over_memory(spec_.limits, " (one value is larger than that)"));
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
      return failed({"the database is locked by somebody who writes to it; try again when that is done", {}, {}});
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB:
      return failed({"the database is damaged: " + message, {}, {}});
    default:
      return failed({"the database refused the query: " + message, {}, {}});
  }
}

RunReply Session::attempt(const RunRequest& request, Watch& watch, RowSet& rows) {
  sqlite3* const db = database_.connection.get();
  const Transaction transaction(db);
  if (transaction.code() != SQLITE_OK) return failure(transaction.code(), transaction.message(), watch);
  if (fence_) {
    if (stamp_ != *spec_.stamp || transaction.version() != stamp_.version) {
      RunReply changed;
      changed.kind = RunReply::Kind::SchemaChanged;
      return changed;
    }
    fence_->guard(db);
  }
  PrepareOutcome prepared = prepare_one(db, request.sql);
  if (!prepared.statement) return failure(prepared.code, prepared.message, watch);
  const int columns = sqlite3_column_count(prepared.statement.get());
  // As the query was written: a column without an alias is called like its text.
  for (int i = 0; i < columns; ++i) {
    const char* name = sqlite3_column_name(prepared.statement.get(), i);
    rows.columns.emplace_back(name == nullptr ? "" : name);
  }
  if (request.instead) {
    // The judged query is not run, but the whole fence must have let it through.
    if (fence_) fence_->admit(request.admitted);
    prepared = prepare_one(db, *request.instead);
    if (!prepared.statement) {
      RunReply reply = failure(prepared.code, prepared.message, watch);
      reply.message = "with the conditions of its minimum group " + reply.message;
      return reply;
    }
  }
  sqlite3_stmt* const statement = prepared.statement.get();
  if (sqlite3_stmt_readonly(statement) == 0 || sqlite3_stmt_isexplain(statement) != 0 ||
      columns == 0 || sqlite3_column_count(statement) != columns) {
    return failure(SQLITE_ERROR, "it is not a query", watch);
  }
  if (sqlite3_bind_parameter_count(statement) != 0) {
    return failure(SQLITE_ERROR, "it has parameters without a value", watch);
  }

  size_t bytes = 0;
  int code = SQLITE_ROW;
  while ((code = sqlite3_step(statement)) == SQLITE_ROW) {
    if (watch.must_stop()) return failure(SQLITE_INTERRUPT, {}, watch);
    if (rows.rows.size() == spec_.limits.rows) {
      return failed(over_limit("row", std::to_string(spec_.limits.rows) + " rows"));
    }
    std::vector<Value>& row = rows.rows.emplace_back();
    row.reserve(static_cast<size_t>(columns));
    for (int i = 0; i < columns; ++i) bytes += bytes_of(row.emplace_back(value_at(statement, i)));
    // A conversion that found no memory gives an empty value: it must not pass for one.
    if (const int now = sqlite3_errcode(db); now == SQLITE_NOMEM) return failure(now, {}, watch);
    if (bytes > spec_.limits.memory) return failed(over_memory(spec_.limits, " (its rows are larger than that)"));
  }
  if (code != SQLITE_DONE) {
    // A sum that overflows does so before any condition is asked, and says how large it is. So it leaves nothing, as a group
    // that is too small does.
    const bool overflows = std::string_view(sqlite3_errmsg(db)) == "integer overflow";
    if (!request.instead || (code & 0xff) != SQLITE_ERROR || watch.late || !overflows) {
      return failure(code, sqlite3_errmsg(db), watch);
    }
    rows.rows.clear();
  }
  RunReply reply;
  reply.kind = RunReply::Kind::Rows;
  return reply;
}

RunReply Session::run(const RunRequest& request, RowSet& rows) {
  const std::string_view sql = request.sql;
  if (fence_) {
    if (const std::string name = fence_->disguise(sql); !name.empty()) {
      return failed(
          {"the database's fence denied the query: it gives a view's name, `" + name + "`, to something else", {}, {}});
    }
    fence_->take_denial();
  }
  const auto begun = Clock::now();
  Watch watch{begun + spec_.limits.time};
  RunReply reply;
  bool read_one_state = false;
  while (!read_one_state) {
    if (database_.connection == nullptr) {
      if (const auto opened = open_file(); !opened) return failed({opened.error().to_string(), {}, {}});
    }
    sqlite3* const db = database_.connection.get();
    sqlite3_progress_handler(db, kInstructionsBetweenLooks, Watch::look, &watch);
    sqlite3_hard_heap_limit64(sqlite3_memory_used() +
                              static_cast<sqlite3_int64>(spec_.limits.memory + kForConnection));
    rows = {};
    try {
      if (fence_) fence_->admit({});
      reply = attempt(request, watch, rows);
    } catch (const std::bad_alloc&) {
      rows = {};
      reply = failed(over_memory(spec_.limits));
    }
    sqlite3_hard_heap_limit64(0);
    sqlite3_progress_handler(db, 0, nullptr, nullptr);
    read_one_state = database_.still_unchanged() || watch.late;
    if (!read_one_state) {
      database_.connection.reset();
      if (watch.must_stop()) return failed(over_time(spec_.limits));
    }
  }
  if (reply.kind != RunReply::Kind::Rows) return reply;
  if (fence_ && !orders_result(sql)) sort_by_values(rows.rows);
  reply.columns = rows.columns;
  reply.rows = rows.rows.size();
  reply.took_ns = static_cast<uint64_t>(std::chrono::nanoseconds(Clock::now() - begun).count());
  return reply;
}

}  // namespace pccsql
