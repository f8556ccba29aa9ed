// A comment begins where a gap has one of its two marks, and the lexer has already made sure that it ends inside.
#include "schema/comments.h"

#include <algorithm>

#include "base/text.h"

namespace pccsql {

bool Comment::ends_with_comma(std::string_view sql) const {
  return to_end_of_line && trimmed(text.of(sql)).ends_with(',');
}

std::vector<Comment> comments_in(std::string_view sql, Span gap) {
  std::vector<Comment> comments;
  const std::string_view within = sql.substr(0, gap.end);
  uint32_t at = gap.begin;
  while (at + 1 < gap.end) {
    const std::string_view opening = within.substr(at, 2);
    if (opening != "--" && opening != "/*") {
      ++at;
      continue;
    }
    Comment comment;
    comment.to_end_of_line = opening == "--";
    const size_t close = within.find(comment.to_end_of_line ? "\n" : "*/", at + 2);
    const auto end = static_cast<uint32_t>(std::min<size_t>(close, gap.end));
    comment.text = {at + 2, end};
    comment.span = {at, comment.to_end_of_line ? end : std::min(end + 2, gap.end)};
    at = comment.span.end;
    comments.push_back(comment);
  }
  return comments;
}

}  // namespace pccsql
