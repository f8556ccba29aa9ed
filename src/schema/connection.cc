// Every database file goes through try_open(): plainly read-only first, as an unchanging file where that cannot work.
#include "schema/connection.h"

#include <sqlite3.h>

#include <filesystem>
#include <system_error>

namespace pccsql {
namespace {

// A path as a URI that SQLite reads back to the same bytes.
std::string immutable_uri(const std::string& path) {
  constexpr char kHex[] = "0123456789ABCDEF";
  std::string uri = "file:";
  if (path.starts_with("//")) uri += "//";  // an empty authority, or the path's first part would be taken for one
  for (const char c : path) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '%' || c == '?' || c == '#' || byte < 0x20) {
      uri += '%';
      uri += kHex[byte >> 4];
      uri += kHex[byte & 15];
    } else {
      uri += c;
    }
  }
  return uri + "?immutable=1";
}

// Opening reads nothing yet; the first query finds out whether this is a database.
int try_open(const std::string& name, int flags, Connection& db) {
  constexpr int kPatienceWithWriters = 1000;  // milliseconds
  sqlite3* raw = nullptr;
  const int rc = sqlite3_open_v2(name.c_str(), &raw, flags, nullptr);
  db.reset(raw);
  if (rc != SQLITE_OK) return rc;
  sqlite3_busy_timeout(raw, kPatienceWithWriters);
  return sqlite3_exec(raw, "SELECT 1 FROM sqlite_schema", nullptr, nullptr, nullptr);
}

}  // namespace

void CloseConnection::operator()(sqlite3* db) const { sqlite3_close(db); }

Result<Connection> open_read_only(const std::string& path) {
  std::error_code ignored;
  if (path.find('\0') != std::string::npos) return Error{"a file name cannot hold a NUL byte", {}, {}};
  if (std::filesystem::is_directory(path, ignored))
    return Error{"is a directory; a SQLite file was expected", path, {}};
  if (!std::filesystem::exists(path, ignored)) return Error{"no such file; a SQLite file was expected", path, {}};
  // SQLite itself would take an empty file for a database without tables; here it is more likely a mistake.
  if (std::filesystem::file_size(path, ignored) == 0) return Error{"is empty; a SQLite file was expected", path, {}};
  Connection db;
  int rc = try_open(path, SQLITE_OPEN_READONLY, db);
  // A database in write-ahead mode needs files beside it; in a folder that cannot be written it opens only as one that
  // nobody changes.
  if ((rc & 0xff) == SQLITE_CANTOPEN || (rc & 0xff) == SQLITE_READONLY) {
    Connection unchanging;
    if (try_open(immutable_uri(path), SQLITE_OPEN_READONLY | SQLITE_OPEN_URI, unchanging) == SQLITE_OK)
      return unchanging;
  }
  if (rc == SQLITE_OK) return db;
  return Error{"cannot be opened as a SQLite database: " + std::string(sqlite3_errmsg(db.get())), path, {}};
}

Result<Connection> open_in_memory() {
  sqlite3* raw = nullptr;
  const int opened = sqlite3_open_v2(":memory:", &raw, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, nullptr);
  Connection db(raw);
  if (opened != SQLITE_OK) return Error{"a database in memory cannot be opened", {}, {}};
  return db;
}

}  // namespace pccsql
