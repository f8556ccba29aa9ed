// Database: a SQLite database opened read-only, as outside evidence. It prepares a query without running it, and tells
// which columns SQLite's authorizer saw it read.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"

struct sqlite3;

namespace pccsql {

struct Prepared {
  bool ok = false;
  std::string message;  // SQLite's, when not ok
  int columns = 0;      // width of the result
  // (table, column) as the authorizer reported them, sorted, each once; lower case. Columns joined by USING or NATURAL
  // are not reported by SQLite, and a read of a table without naming a column is (table, "").
  std::vector<std::pair<std::string, std::string>> reads;
};

class Database {
 public:
  static Result<Database> open(const std::string& path);          // read-only, never created
  static Result<Database> in_memory(std::string_view setup_sql);  // an empty database, then this SQL

  // Prepares one statement. Trailing text after it makes it not ok.
  Prepared prepare(std::string_view sql);

 private:
  struct Close {
    void operator()(sqlite3* db) const;
  };
  explicit Database(sqlite3* db) : db_(db) {}
  std::unique_ptr<sqlite3, Close> db_;
};

}  // namespace pccsql
