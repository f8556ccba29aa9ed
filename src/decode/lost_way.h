// Lost way: what a model writes when it may not write what it wants, and nobody would mean. A condition twice in a chain, a
// value twice in a list, an expression beside itself, the same words for the third time.
//
// Each is safe, so that the mask has nothing against it; but what follows is more of the same. So whoever decodes looks
// here after each lexeme and chooses anew where it began. This knows words alone, no names and no meaning.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "syntax/lexer.h"

namespace pccsql {

struct LostWay {
  enum class Kind : uint8_t {
    None,
    Element,  // an element of a chain or list that was there before
    Operand,  // an operand like the one beside it
    Cast,     // a CAST of a CAST
    Piece,    // six words for the third time
    Table,    // a table for the third time in one FROM
  };
  Kind kind = Kind::None;
  // Where another token should have been taken, first choice first: places in the text whose byte it would have held.
  std::vector<uint32_t> places;
};

// What is wrong with the last of these lexemes. PRE: `lexemes` are those of `sql` from its beginning, each whole; after its last
// word an End follows.
LostWay lost_way(std::string_view sql, std::span<const Lexeme> lexemes);

}  // namespace pccsql
