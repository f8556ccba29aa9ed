// Where the benchmarks' data are, for tests that need them. The data are never part of the repository: PCCSQL_DATA
// names the folder they were unpacked to (`./test` sets it), else the user's cache is looked at.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <optional>
#include <string>

namespace pccsql {

inline constexpr const char* kNoData =
    "no benchmark data: set PCCSQL_DATA to a folder that holds spider/ and bird/, or run ./test beside the data";

inline std::optional<std::string> data_folder() {
  const auto text = [](const char* name) {
    const char* value = std::getenv(name);
    return std::string(value ? value : "");
  };
  std::string folder = text("PCCSQL_DATA");
  if (folder.empty()) {
    const std::string cache = text("XDG_CACHE_HOME").empty() ? text("HOME") + "/.cache" : text("XDG_CACHE_HOME");
    folder = cache + "/pccsql/data";
  }
  if (!std::filesystem::is_directory(folder)) return std::nullopt;
  return folder;
}

}  // namespace pccsql
