// What a query brings, and the limits that it is held to: shared by the runner and the process that runs its queries.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <variant>
#include <vector>

namespace pccsql {

struct Null {
  friend bool operator==(const Null&, const Null&) = default;
};
struct Blob {
  std::string bytes;
  friend bool operator==(const Blob&, const Blob&) = default;
};
// Text is what the database holds, which need not be UTF-8.
using Value = std::variant<Null, int64_t, double, std::string, Blob>;

struct RowSet {
  std::vector<std::string> columns;  // as SQLite names them
  std::vector<std::vector<Value>> rows;
  std::chrono::nanoseconds took{0};
};

struct RunLimits {
  size_t rows = 10'000;
  size_t statement = size_t{64} << 10;  // bytes of the query's text
  std::chrono::milliseconds time{10'000};
  size_t memory = size_t{256} << 20;  // bytes, of what SQLite needs for the query and of the rows; each is held to it
};

}  // namespace pccsql
