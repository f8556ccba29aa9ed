// Opening SQLite databases so that nothing is ever written, and nothing is left beside them: the one place that the
// readers, the witness and the runner share.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "base/result.h"

struct sqlite3;

namespace pccsql {

struct CloseConnection {
  void operator()(sqlite3* db) const;
};
using Connection = std::unique_ptr<sqlite3, CloseConnection>;

// What can be seen of a database file and its log from outside: it differs after any change of either.
struct FileState {
  static FileState of(const std::string& path);
  friend bool operator==(const FileState&, const FileState&) = default;

  struct One {
    bool there = false;
    std::array<int64_t, 7> about{};  // device, inode, size, and the times of the last changes, in seconds and below
    friend bool operator==(const One&, const One&) = default;
  };
  One database;
  One log;
};

struct ReadOnlyDatabase {
  Connection connection;

  // False: what was read may be neither the old state nor the new one, and must be read again from a file opened anew.
  // Always true where SQLite's own locks see to it.
  bool still_unchanged() const { return !assumed || *assumed == FileState::of(path); }

  std::string path;
  std::optional<FileState> assumed;  // it was opened as a file that nobody changes, in this state
};

// Read-only, never created. A directory, a missing file or one that is no database is an Error that names it. Files that
// SQLite keeps beside a database are used where they are there, and are not made where they are not.
Result<ReadOnlyDatabase> open_read_only(const std::string& path);

Result<Connection> open_in_memory();

}  // namespace pccsql
