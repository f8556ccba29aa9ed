// SQLite as a witness: the same prepare that would run the query, with an authorizer that writes down every read. The
// statement is never stepped.
#include "exec/database.h"

#include <sqlite3.h>

#include <algorithm>
#include <climits>

#include "base/text.h"
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

bool only_blanks_and_comments(std::string_view tail, sqlite3* db) {
  while (!tail.empty()) {
    sqlite3_stmt* statement = nullptr;
    const char* rest = nullptr;
    const int rc = sqlite3_prepare_v2(db, tail.data(), static_cast<int>(tail.size()), &statement, &rest);
    sqlite3_finalize(statement);
    if (rc != SQLITE_OK || statement != nullptr) return false;
    tail.remove_prefix(static_cast<size_t>(rest - tail.data()));
  }
  return true;
}

}  // namespace

void Database::Close::operator()(sqlite3* db) const { CloseConnection{}(db); }

Result<Database> Database::open(const std::string& path) {
  Result<Connection> connection = open_read_only(path);
  if (!connection) return connection.error();
  return Database(connection->release());
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
  if (sql.size() > INT_MAX) {
    result.message = "the query is too long";
    return result;
  }
  if (sql.empty()) {
    result.message = "there is no statement";
    return result;
  }
  if (sql.find('\0') != std::string_view::npos) {  // SQLite would stop reading there
    result.message = "the query holds a NUL byte";
    return result;
  }
  sqlite3* db = db_.get();
  sqlite3_stmt* statement = nullptr;
  const char* tail = nullptr;
  sqlite3_set_authorizer(db, note_read, &result.reads);
  const int rc = sqlite3_prepare_v2(db, sql.data(), static_cast<int>(sql.size()), &statement, &tail);
  sqlite3_set_authorizer(db, nullptr, nullptr);
  if (rc != SQLITE_OK) {
    result.message = sqlite3_errmsg(db);
  } else if (statement == nullptr) {
    result.message = "there is no statement";
  } else if (!only_blanks_and_comments(sql.substr(static_cast<size_t>(tail - sql.data())), db)) {
    result.message = "there is text after the statement";
  } else {
    result.ok = true;
    result.columns = sqlite3_column_count(statement);
  }
  sqlite3_finalize(statement);
  std::sort(result.reads.begin(), result.reads.end());
  result.reads.erase(std::unique(result.reads.begin(), result.reads.end()), result.reads.end());
  return result;
}

}  // namespace pccsql
