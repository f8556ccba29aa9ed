// SQLite as a witness: the same prepare that would run the query, with an authorizer that writes down every read. The
// statement is never stepped.
#include "exec/database.h"

#include <sqlite3.h>

#include <algorithm>

#include "base/text.h"
#include "exec/statement.h"
#include "schema/connection.h"

namespace pccsql {
namespace {

using Reads = std::vector<std::pair<std::string, std::string>>;

int note_read(void* reads, int action, const char* table, const char* column, const char*, const char*) {
  if (action == SQLITE_READ) {
    static_cast<Reads*>(reads)->emplace_back(folded(table ? table : ""), folded(column ? column : ""));
  }
  return SQLITE_OK;
}

}  // namespace

void Database::Close::operator()(sqlite3* db) const { CloseConnection{}(db); }

Result<Database> Database::open(const std::string& path) {
  Result<ReadOnlyDatabase> opened = open_read_only(path);
  if (!opened) return opened.error();
  return Database(opened->connection.release());
}

Result<Database> Database::in_memory(std::string_view setup_sql) {
  Result<Connection> connection = open_in_memory();
  if (!connection) return connection.error();
  char* message = nullptr;
  if (sqlite3_exec(connection->get(), std::string(setup_sql).c_str(), nullptr, nullptr, &message) != SQLITE_OK) {
    Error error{
        std::string("setting up a database in memory failed: ") + (message ? message : "out of memory"), {}, {}};
    sqlite3_free(message);
    return error;
  }
  return Database(connection->release());
}

Prepared Database::prepare(std::string_view sql) {
  Prepared result;
  sqlite3* db = db_.get();
  sqlite3_set_authorizer(db, note_read, &result.reads);
  const PrepareOutcome outcome = prepare_one(db, sql);
  sqlite3_set_authorizer(db, nullptr, nullptr);
  result.ok = outcome.statement != nullptr;
  result.message = outcome.message;
  if (result.ok) result.columns = sqlite3_column_count(outcome.statement.get());
  std::sort(result.reads.begin(), result.reads.end());
  result.reads.erase(std::unique(result.reads.begin(), result.reads.end()), result.reads.end());
  return result;
}

}  // namespace pccsql
