// Where the benchmarks' data are, for tests that need them. The data are never part of the repository: PCCSQL_DATA names the
// folder they were unpacked to, and `./test` sets it.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <optional>
#include <string>

namespace pccsql {

inline constexpr const char* kNoData =
    "no benchmark data: set PCCSQL_DATA to a folder that holds spider/ and bird/, or run ./test beside the data";

inline std::optional<std::string> data_folder() {
  const char* folder = std::getenv("PCCSQL_DATA");
  if (folder == nullptr || !std::filesystem::is_directory(folder)) return std::nullopt;
  return folder;
}

}  // namespace pccsql
