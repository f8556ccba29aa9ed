// What PostgreSQL's lexer takes for a digit, and for a part of a word.
#pragma once

#include "base/text.h"

namespace pccsql::check_pg {

inline bool is_digit(char c) { return c >= '0' && c <= '9'; }
inline bool begins_word(char c) {
  return (fold(c) >= 'a' && fold(c) <= 'z') || c == '_' || static_cast<unsigned char>(c) >= 0x80;
}
inline bool is_word(char c) { return begins_word(c) || is_digit(c) || c == '$'; }

}  // namespace pccsql::check_pg
