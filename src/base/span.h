// A half-open range of bytes in a text: how every message and every use says where.
#pragma once

#include <cstdint>
#include <string_view>

#include <pccsql/result.h>

namespace pccsql {

struct Span {
  uint32_t begin = 0;
  uint32_t end = 0;

  bool empty() const { return begin == end; }
  std::string_view of(std::string_view text) const { return text.substr(begin, end - begin); }
  friend bool operator==(const Span&, const Span&) = default;
};

Position position_of(std::string_view text, uint32_t offset);

}  // namespace pccsql
