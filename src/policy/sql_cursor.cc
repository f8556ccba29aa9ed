// INVARIANT: the last lexeme is End and is never passed, so next() always exists.
#include "policy/sql_cursor.h"

#include "base/text.h"

namespace pccsql {

SqlCursor::SqlCursor(std::string_view sql, const std::string& file) : sql_(sql), file_(file) {
  unterminated_comment_ = lex(sql_, lexemes_).unterminated_comment;
}

std::optional<Error> SqlCursor::check() const {
  if (const size_t nul = sql_.find('\0'); nul != sql_.npos) return error_at(static_cast<uint32_t>(nul), "a NUL byte");
  if (const size_t bad = find_invalid_utf8(sql_); bad != sql_.npos) {
    return error_at(static_cast<uint32_t>(bad), "the text must be valid UTF-8");
  }
  if (unterminated_comment_) return error_at(static_cast<uint32_t>(sql_.size()), "a `/*` comment does not end");
  return std::nullopt;
}

bool SqlCursor::at_word(std::string_view word) const {
  return next().quote == Quote::None && next().terminal != Terminal::String && equal_folded(next_text(), word);
}

void SqlCursor::advance() {
  if (!at_end()) ++place_;
}

bool SqlCursor::take(Terminal terminal) {
  if (!at(terminal)) return false;
  advance();
  return true;
}

bool SqlCursor::take_word(std::string_view word) {
  if (!at_word(word)) return false;
  advance();
  return true;
}

std::optional<std::string> SqlCursor::take_name() {
  const Lexeme& lexeme = next();
  const bool keyword = lexeme.terminal > Terminal::LongArrow && lexeme.terminal < Terminal::Count;
  if (lexeme.terminal != Terminal::Name && lexeme.terminal != Terminal::String && !keyword) return std::nullopt;
  std::string buffer;
  std::string name(name_text(lexeme, sql_, buffer));
  advance();
  return name;
}

void SqlCursor::skip_statement() {
  while (!at_end() && !take(Terminal::Semicolon)) advance();
}

Error SqlCursor::error_at(uint32_t offset, std::string message) const {
  return {std::move(message), file_, position_of(sql_, offset)};
}

}  // namespace pccsql
