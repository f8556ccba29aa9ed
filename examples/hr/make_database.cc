// Makes the demo database: make_database OUT.sqlite FILE.sql... runs the SQL files, in order, into a new database.
//
// The database is built beside OUT and moved into place when it is whole, so that nobody ever opens half of one and an
// interrupted build leaves the old one. Every foreign key must hold.
#include <cstdio>
#include <filesystem>
#include <memory>
#include <string>
#include <system_error>

#include <sqlite3.h>
#include <unistd.h>

#include "base/file.h"

namespace {

struct Close {
  void operator()(sqlite3* db) const { sqlite3_close(db); }
};
using Connection = std::unique_ptr<sqlite3, Close>;

// The message is empty when all went well.
std::string run(sqlite3* db, const std::string& sql) {
  char* message = nullptr;
  sqlite3_exec(db, sql.c_str(), nullptr, nullptr, &message);
  std::string result = message != nullptr ? message : "";
  sqlite3_free(message);
  return result;
}

bool has_rows(sqlite3* db, const char* sql) {
  bool any = false;
  const auto seen = [](void* found, int, char**, char**) { return *static_cast<bool*>(found) = true, 0; };
  sqlite3_exec(db, sql, seen, &any, nullptr);
  return any;
}

std::string build(const std::string& path, int files, char** names) {
  sqlite3* opened = nullptr;
  const int status = sqlite3_open_v2(path.c_str(), &opened, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, nullptr);
  const Connection db(opened);
  if (status != SQLITE_OK) return "`" + path + "` cannot be made: " + sqlite3_errstr(status);
  if (std::string problem = run(db.get(), "BEGIN"); !problem.empty()) return problem;
  for (int i = 0; i < files; ++i) {
    const auto sql = pccsql::read_file(names[i]);
    if (!sql) return sql.error().to_string();
    if (std::string problem = run(db.get(), *sql); !problem.empty()) return std::string(names[i]) + ": " + problem;
  }
  if (has_rows(db.get(), "PRAGMA foreign_key_check")) return "a foreign key refers to a row that is not there";
  return run(db.get(), "COMMIT");
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) {
    std::fprintf(stderr, "usage: make_database OUT.sqlite FILE.sql...\n");
    return 2;
  }
  const std::string target = argv[1];
  const std::string temporary = target + ".tmp" + std::to_string(getpid());
  std::error_code error;
  std::filesystem::remove(temporary, error);
  std::string problem = build(temporary, argc - 2, argv + 2);
  if (problem.empty()) {
    std::filesystem::rename(temporary, target, error);
    if (error) problem = "`" + target + "` cannot be moved into place: " + error.message();
  }
  if (problem.empty()) return 0;
  std::fprintf(stderr, "make_database: %s\n", problem.c_str());
  std::filesystem::remove(temporary, error);
  std::filesystem::remove(temporary + "-journal", error);
  return 1;
}
