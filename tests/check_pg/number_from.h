// A number that an environment variable gives to a test: how many queries, which of them.
#pragma once

#include <cstdint>
#include <cstdlib>

namespace pccsql {

inline uint64_t number_from(const char* variable, uint64_t otherwise) {
  const char* const text = std::getenv(variable);
  return text == nullptr ? otherwise : std::strtoull(text, nullptr, 10);
}

}  // namespace pccsql
