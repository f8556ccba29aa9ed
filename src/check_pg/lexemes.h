// Lexemes of PostgreSQL's texts: where each word and sign of a query that the server's parser has read begins and ends. The
// parser's tree says where things begin, not where they end; who inserts into a text needs both.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "base/span.h"

namespace pccsql::check_pg {

struct Lexeme {
  enum Kind : uint8_t { Word, Quoted, String, Number, Sign } kind = Sign;  // a Word may be a keyword; a Sign is one byte
  Span span;
};

// PRE: PostgreSQL's parser has read `sql`. Blanks and comments are left out.
std::vector<Lexeme> lexemes_of(std::string_view sql);

}  // namespace pccsql::check_pg
