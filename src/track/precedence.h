// How tightly the database's binary operators bind, loosest first. The checker has a table of its own: the two judges share none.
#pragma once

#include "syntax/lexer.h"

namespace pccsql::track {

inline constexpr int kAnd = 2, kEquality = 4, kCollate = 11;
// And the prefix operators: NOT loosely, signs tightest.
inline constexpr int kNot = 3, kUnary = 12;

inline bool is_comparison(Terminal op) {
  switch (op) {
    case Terminal::Equal:
    case Terminal::NotEqual:
    case Terminal::Less:
    case Terminal::LessEqual:
    case Terminal::Greater:
    case Terminal::GreaterEqual:
    case Terminal::kw_IS:
    case Terminal::kw_ISNULL:
    case Terminal::kw_NOTNULL:
    case Terminal::kw_BETWEEN:
      return true;
    default:
      return false;
  }
}
inline int precedence(Terminal op) {
  switch (op) {
    case Terminal::kw_OR:
      return 1;
    case Terminal::kw_AND:
      return kAnd;
    case Terminal::Less:
    case Terminal::LessEqual:
    case Terminal::Greater:
    case Terminal::GreaterEqual:
      return 5;
    case Terminal::Ampersand:
    case Terminal::Bar:
    case Terminal::ShiftLeft:
    case Terminal::ShiftRight:
      return 7;
    case Terminal::Plus:
    case Terminal::Minus:
      return 8;
    case Terminal::Star:
    case Terminal::Slash:
    case Terminal::Percent:
      return 9;
    case Terminal::Concat:
    case Terminal::Arrow:
    case Terminal::LongArrow:
      return 10;
    case Terminal::kw_COLLATE:
      return kCollate;
    default:
      return kEquality;
  }
}

}  // namespace pccsql::track
