// Three ways to open a file, because a database in write-ahead mode wants a log and an index of the log beside it, which
// SQLite makes where they are missing and which a connection that only reads cannot take away again.
//
//   plainly        a database with a rollback journal; in write-ahead mode where both files are there
//   as unchanging  in write-ahead mode without a log: all there is stands in the file itself
//   private log    in write-ahead mode with a log without an index: its user is gone, and left it behind
//
// The latter two take no locks that a writer would heed. So the state of the files is noted, and whoever has read looks
// whether it is still the same.
#include "schema/connection.h"

#include <sqlite3.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <system_error>
#include <thread>

#include <sys/stat.h>

#include "schema/private_log.h"

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
int try_open(const std::string& name, int flags, const char* vfs, Connection& db) {
  constexpr int kPatienceWithWriters = 1000;  // milliseconds
  sqlite3* raw = nullptr;
  const int rc = sqlite3_open_v2(name.c_str(), &raw, flags, vfs);
  db.reset(raw);
  if (rc != SQLITE_OK) return rc;
  sqlite3_busy_timeout(raw, kPatienceWithWriters);
  return sqlite3_exec(raw, "SELECT 1 FROM sqlite_schema", nullptr, nullptr, nullptr);
}

FileState::One state_of(const std::string& path) {
  struct stat about {};
  FileState::One state;
  if (::stat(path.c_str(), &about) != 0 || !S_ISREG(about.st_mode)) return state;
  state.there = true;
#ifdef __APPLE__
  const timespec modified = about.st_mtimespec;
  const timespec changed = about.st_ctimespec;
#else
  const timespec modified = about.st_mtim;
  const timespec changed = about.st_ctim;
#endif
  state.about = {static_cast<int64_t>(about.st_dev), static_cast<int64_t>(about.st_ino),
                 static_cast<int64_t>(about.st_size), modified.tv_sec, modified.tv_nsec, changed.tv_sec,
                 changed.tv_nsec};
  return state;
}
bool is_empty(const FileState::One& file) { return !file.there || file.about[2] == 0; }

// The times of files go by ticks of some milliseconds: a file that was changed in this very tick could be changed again
// and look the same. One that has been left alone for a moment cannot.
FileState settled_state(const std::string& path) {
  using namespace std::chrono;
  constexpr nanoseconds kTick = milliseconds(20);
  for (int looks = 0;; ++looks) {
    const FileState state = FileState::of(path);
    nanoseconds youngest = kTick;
    for (const FileState::One* file : {&state.database, &state.log}) {
      if (!file->there) continue;
      const nanoseconds changed = seconds(file->about[5]) + nanoseconds(file->about[6]);
      const nanoseconds age = system_clock::now().time_since_epoch() - changed;
      if (age >= nanoseconds(0)) youngest = std::min(youngest, age);
    }
    if (youngest >= kTick || looks == 3) return state;
    std::this_thread::sleep_for(kTick - youngest);
  }
}

// The file format's two bytes for it.
bool is_in_write_ahead_mode(const std::string& path) {
  constexpr size_t kWriteVersion = 18, kReadVersion = 19;
  char header[20] = {};
  std::ifstream in(path, std::ios::binary);
  return in.read(header, sizeof header) && header[kWriteVersion] == 2 && header[kReadVersion] == 2;
}

int open_as_unchanging(const std::string& path, Connection& db) {
  return try_open(immutable_uri(path), SQLITE_OPEN_READONLY | SQLITE_OPEN_URI, nullptr, db);
}

int open_with_private_log(const std::string& path, Connection& db) {
  const char* const vfs = private_log_vfs();
  return vfs == nullptr ? SQLITE_CANTOPEN : try_open(path, SQLITE_OPEN_READONLY, vfs, db);
}

int open_write_ahead(const std::string& path, ReadOnlyDatabase& out) {
  const bool has_index = state_of(path + "-shm").there;
  const FileState::One log = state_of(path + "-wal");
  int rc = SQLITE_CANTOPEN;
  if (log.there && has_index) {
    rc = try_open(path, SQLITE_OPEN_READONLY, nullptr, out.connection);
    // The index cannot be used by somebody with fewer rights.
    if ((rc & 0xff) != SQLITE_CANTOPEN && (rc & 0xff) != SQLITE_READONLY) return rc;
  }
  out.assumed = settled_state(path);
  return is_empty(out.assumed->log) ? open_as_unchanging(path, out.connection)
                                    : open_with_private_log(path, out.connection);
}

}  // namespace

void CloseConnection::operator()(sqlite3* db) const { sqlite3_close(db); }

FileState FileState::of(const std::string& path) { return {state_of(path), state_of(path + "-wal")}; }

Result<ReadOnlyDatabase> open_read_only(const std::string& path) {
  std::error_code ignored;
  if (path.find('\0') != std::string::npos) return Error{"a file name cannot hold a NUL byte", {}, {}};
  if (std::filesystem::is_directory(path, ignored))
    return Error{"is a directory; a SQLite file was expected", path, {}};
  if (!std::filesystem::exists(path, ignored)) return Error{"no such file; a SQLite file was expected", path, {}};
  // SQLite itself would take an empty file for a database without tables; here it is more likely a mistake.
  if (std::filesystem::file_size(path, ignored) == 0) return Error{"is empty; a SQLite file was expected", path, {}};
  ReadOnlyDatabase db{nullptr, path, std::nullopt};
  const int rc = is_in_write_ahead_mode(path) ? open_write_ahead(path, db)
                                              : try_open(path, SQLITE_OPEN_READONLY, nullptr, db.connection);
  if (rc == SQLITE_OK) return db;
  if ((rc & 0xff) == SQLITE_READONLY) {
    return Error{"a change of it was broken off, and only a program that may write can undo it; open it with one",
                 path,
                 {}};
  }
  return Error{
      "cannot be opened as a SQLite database: " + std::string(sqlite3_errmsg(db.connection.get())), path, {}};
}

Result<Connection> open_in_memory() {
  sqlite3* raw = nullptr;
  const int opened = sqlite3_open_v2(":memory:", &raw, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, nullptr);
  Connection db(raw);
  if (opened != SQLITE_OK) return Error{"a database in memory cannot be opened", {}, {}};
  return db;
}

}  // namespace pccsql
