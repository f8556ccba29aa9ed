// Files for tests that need real ones: a folder of its own per object, gone with it.
#pragma once

#include <sqlite3.h>
#include <stdlib.h>

#include <filesystem>
#include <stdexcept>
#include <string>
#include <string_view>

#include "base/file.h"

namespace pccsql {

class Scratch {
 public:
  Scratch() {
    std::string name = (std::filesystem::temp_directory_path() / "pccsql-test-XXXXXX").string();
    if (!mkdtemp(name.data())) throw std::runtime_error("no scratch folder");
    folder_ = name;
  }
  ~Scratch() {
    std::error_code ignored;
    std::filesystem::remove_all(folder_, ignored);
  }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;

  std::string path(const std::string& name) const { return (folder_ / name).string(); }

  std::string file(const std::string& name, std::string_view content) const {
    if (!write_file(path(name), content)) throw std::runtime_error("cannot write " + name);
    return path(name);
  }

  std::string database(const std::string& name, const std::string& sql) const {
    sqlite3* db = nullptr;
    const bool ok = sqlite3_open(path(name).c_str(), &db) == SQLITE_OK &&
                    sqlite3_exec(db, sql.c_str(), nullptr, nullptr, nullptr) == SQLITE_OK;
    const std::string message = sqlite3_errmsg(db);
    sqlite3_close(db);
    if (!ok) throw std::runtime_error(message);
    return path(name);
  }

 private:
  std::filesystem::path folder_;
};

}  // namespace pccsql
