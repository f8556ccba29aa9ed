#include "exec/runner.h"

#include <sqlite3.h>

#include <algorithm>
#include <optional>

#include "exec/heap_share.h"
#include "exec/statement.h"

namespace pccsql {
namespace {

using Clock = std::chrono::steady_clock;

// How many instructions of SQLite's machine pass between two looks at the clock: some microseconds.
constexpr int kInstructionsBetweenLooks = 1000;

Error over(const std::string& limit, const std::string& amount) {
  return Error{"the query is over the " + limit + " limit of " + amount, {}, {}};
}

std::string shown(std::chrono::milliseconds time) { return std::to_string(time.count()) + " ms"; }

// Every setting is asked back where SQLite answers: one that did not take is an Error.
Result<Done> lock_down(sqlite3* db, const RunLimits& limits) {
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
  const char* const pragmas =
      "PRAGMA query_only = ON; PRAGMA temp_store = MEMORY; PRAGMA mmap_size = 0; PRAGMA cell_size_check = ON;";
  if (sqlite3_exec(db, pragmas, nullptr, nullptr, nullptr) != SQLITE_OK) {
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

// What can stop a query from outside, and whether it did.
struct Runner::Watch {
  Clock::time_point deadline;
  const std::atomic<bool>* cancel = nullptr;
  bool late = false;
  bool cancelled = false;

  bool must_stop() {
    if (cancel != nullptr && cancel->load(std::memory_order_relaxed)) cancelled = true;
    if (Clock::now() >= deadline) late = true;
    return cancelled || late;
  }
  static int look(void* watch) { return static_cast<Watch*>(watch)->must_stop() ? 1 : 0; }
};

struct Runner::Attempt {
  std::optional<RowSet> rows;
  std::optional<Error> error;
  bool no_memory = false;
  bool had_company = false;
};

Result<Runner> Runner::open_unfenced(const std::string& path, RunLimits limits) {
  Result<Connection> db = open_read_only(path);
  if (!db) return db.error();
  if (const auto locked = lock_down(db->get(), limits); !locked) return Error{locked.error().message, path, {}};
  return Runner(std::move(*db), nullptr, limits);
}

Result<Runner> Runner::open(const std::string& path, const Catalog& catalog, const Policy& policy, Profile profile,
                            RunLimits limits) {
  Result<Runner> runner = open_unfenced(path, limits);
  if (!runner) return runner;
  auto fence = Fence::make(runner->db_.get(), catalog, policy, profile);
  if (!fence) return Error{fence.error().message, path, {}};
  runner->fence_ = std::make_unique<Fence>(std::move(*fence));
  runner->fence_->guard(runner->db_.get());
  return runner;
}

Error Runner::failure(int code, const std::string& message, const Watch& watch) {
  const std::string denial = fence_ ? fence_->take_denial() : "";
  if (watch.cancelled) return Error{"the query was stopped", {}, {}};
  if (watch.late) return over("time", shown(limits_.time));
  if (!denial.empty()) return Error{"the database's fence denied the query: " + denial, {}, {}};
  switch (code & 0xff) {
    case SQLITE_NOMEM:
      return over("memory", std::to_string(limits_.memory) + " bytes");
    case SQLITE_TOOBIG:
      return over("memory", std::to_string(limits_.memory) + " bytes (one value is larger than that)");
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
      return Error{"the database is locked by somebody who writes to it; try again when that is done", {}, {}};
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB:
      return Error{"the database is damaged: " + message, {}, {}};
    default:
      return Error{"the database refused the query: " + message, {}, {}};
  }
}

Runner::Attempt Runner::attempt(std::string_view sql, Watch& watch) {
  Attempt result;
  sqlite3* const db = db_.get();
  PrepareOutcome prepared = prepare_one(db, sql);
  const auto fail = [&](int code, const std::string& message) {
    result.no_memory = (code & 0xff) == SQLITE_NOMEM && !watch.late && !watch.cancelled;
    result.error = failure(code, message, watch);
    return std::move(result);
  };
  if (!prepared.statement) return fail(prepared.code, prepared.message);
  sqlite3_stmt* const statement = prepared.statement.get();
  if (sqlite3_stmt_readonly(statement) == 0 || sqlite3_stmt_isexplain(statement) != 0 ||
      sqlite3_column_count(statement) == 0) {
    return fail(SQLITE_ERROR, "it is not a query");
  }
  if (sqlite3_bind_parameter_count(statement) != 0) return fail(SQLITE_ERROR, "it has parameters without a value");

  RowSet rows;
  const int columns = sqlite3_column_count(statement);
  for (int i = 0; i < columns; ++i) {
    const char* name = sqlite3_column_name(statement, i);
    rows.columns.emplace_back(name == nullptr ? "" : name);
  }
  size_t bytes = 0;
  int code = SQLITE_ROW;
  while ((code = sqlite3_step(statement)) == SQLITE_ROW) {
    if (watch.must_stop()) return fail(SQLITE_INTERRUPT, {});
    if (rows.rows.size() == limits_.rows) {
      result.error = over("row", std::to_string(limits_.rows) + " rows");
      return result;
    }
    std::vector<Value>& row = rows.rows.emplace_back();
    row.reserve(static_cast<size_t>(columns));
    for (int i = 0; i < columns; ++i) bytes += bytes_of(row.emplace_back(value_at(statement, i)));
    // A conversion that found no memory gives an empty value: it must not pass for one.
    if (const int now = sqlite3_errcode(db); now == SQLITE_NOMEM) return fail(now, {});
    if (bytes > limits_.memory) {
      result.error = over("memory", std::to_string(limits_.memory) + " bytes (its rows are larger than that)");
      return result;
    }
  }
  if (code != SQLITE_DONE) return fail(code, sqlite3_errmsg(db));
  result.rows = std::move(rows);
  return result;
}

Result<RowSet> Runner::run(std::string_view sql, const std::atomic<bool>* cancel) {
  if (sql.size() > limits_.statement) return over("statement length", std::to_string(limits_.statement) + " bytes");
  if (fence_) {
    if (const std::string name = fence_->disguise(sql); !name.empty()) {
      return Error{
          "the database's fence denied the query: it gives a view's name, `" + name + "`, to something else", {}, {}};
    }
    fence_->take_denial();
  }
  sqlite3* const db = db_.get();
  const auto begun = Clock::now();
  Watch watch{begun + limits_.time, cancel};
  sqlite3_progress_handler(db, kInstructionsBetweenLooks, Watch::look, &watch);
  Attempt result;
  for (const auto company : {HeapShare::Company::Others, HeapShare::Company::Alone}) {
    const HeapShare share(limits_.memory, company);
    result = attempt(sql, watch);
    result.had_company = share.had_company();
    if (!result.no_memory || !result.had_company) break;
  }
  sqlite3_progress_handler(db, 0, nullptr, nullptr);
  if (result.error) return *result.error;
  result.rows->took = Clock::now() - begun;
  return *std::move(result.rows);
}

}  // namespace pccsql
