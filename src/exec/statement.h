// One statement of SQLite, prepared and nothing else: the witness and the runner cut text in the same way.
#pragma once

#include <memory>
#include <string>
#include <string_view>

struct sqlite3;
struct sqlite3_stmt;

namespace pccsql {

struct FinalizeStatement {
  void operator()(sqlite3_stmt* statement) const;
};
using Statement = std::unique_ptr<sqlite3_stmt, FinalizeStatement>;

struct PrepareOutcome {
  Statement statement;  // nullptr: `message` says why
  int code = 0;         // SQLite's, where it was SQLite that refused
  std::string message;
};

// Prepares the one statement that `sql` is. No statement, a second one or other text after it, and NUL bytes (at which
// SQLite would stop reading) are refused. After the statement only blanks, comments and semicolons may stand.
PrepareOutcome prepare_one(sqlite3* db, std::string_view sql);

}  // namespace pccsql
