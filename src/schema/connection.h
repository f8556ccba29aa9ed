// Opening SQLite databases so that nothing is ever written: the one place that the readers and the witness share.
#pragma once

#include <memory>
#include <string>

#include "base/result.h"

struct sqlite3;

namespace pccsql {

struct CloseConnection {
  void operator()(sqlite3* db) const;
};
using Connection = std::unique_ptr<sqlite3, CloseConnection>;

// Read-only, never created. A directory, a missing file or one that is no database is an Error that names it.
Result<Connection> open_read_only(const std::string& path);

Result<Connection> open_in_memory();

}  // namespace pccsql
