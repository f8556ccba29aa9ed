#include "base/span.h"

namespace pccsql {

Position position_of(std::string_view text, uint32_t offset) {
  Position at{1, 1};
  for (size_t i = 0; i < text.size() && i < offset; ++i) {
    if (text[i] == '\n') {
      ++at.line;
      at.column = 1;
    } else {
      ++at.column;
    }
  }
  return at;
}

}  // namespace pccsql
