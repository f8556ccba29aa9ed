// Comments, for readers of DDL to whom they mean something: the lexer drops them, but they lie in the gaps between its
// lexemes.
#pragma once

#include <string_view>
#include <vector>

#include "base/span.h"

namespace pccsql {

struct Comment {
  Span span;                    // with its marks
  Span text;                    // without them
  bool to_end_of_line = false;  // `-- …`

  // `a INT -- Public,` as schemas are written in prompts: the comma that ends the column stands inside the comment.
  bool ends_with_comma(std::string_view sql) const;
};

// The comments in `gap`, which holds nothing but blanks and comments.
std::vector<Comment> comments_in(std::string_view sql, Span gap);

}  // namespace pccsql
