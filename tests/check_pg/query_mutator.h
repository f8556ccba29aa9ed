// Queries with random changes: what somebody might write who nearly knows how. A change puts another name, word, number or
// operator in the place of one, takes something out, or brings in a piece of another query.
#pragma once

#include <cstdint>
#include <random>
#include <string>
#include <string_view>
#include <vector>

namespace pccsql {

class PgQueryMutator {
 public:
  explicit PgQueryMutator(uint64_t seed) : random_(seed) {}

  // `others` are queries of the same database, whose names and pieces are used.
  std::string mutate(const std::string& sql, const std::vector<std::string>& others);

 private:
  size_t below(size_t end) { return std::uniform_int_distribution<size_t>(0, end - 1)(random_); }
  std::mt19937_64 random_;
};

}  // namespace pccsql
