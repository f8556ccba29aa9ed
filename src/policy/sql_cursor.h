// A walk over the lexemes of DDL and GRANT texts, which are not of the query language: words by their spelling, names
// in any quoting, and the place of whatever is wrong.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "syntax/lexer.h"

namespace pccsql {

class SqlCursor {
 public:
  SqlCursor(std::string_view sql, const std::string& file);

  // What makes the text unreadable as a whole: NUL bytes, broken UTF-8, a comment without end.
  std::optional<Error> check() const;

  std::string_view sql() const { return sql_; }
  size_t place() const { return place_; }  // number of the next lexeme
  const Lexeme& lexeme(size_t place) const { return lexemes_[place]; }
  const Lexeme& next() const { return lexemes_[place_]; }
  bool at_end() const { return next().terminal == Terminal::End; }
  bool at(Terminal terminal) const { return next().terminal == terminal; }
  bool at_word(std::string_view word) const;  // bare, in any case

  void advance();  // stays at the end
  bool take(Terminal terminal);
  bool take_word(std::string_view word);
  // A name, bare or quoted, keywords and 'x' included; nothing is taken where there is none.
  std::optional<std::string> take_name();
  void skip_statement();  // past the next semicolon

  Error error_at(uint32_t offset, std::string message) const;
  Error error(std::string message) const { return error_at(next().span.begin, std::move(message)); }
  std::string_view next_text() const { return next().span.of(sql_); }

 private:
  std::string_view sql_;
  const std::string& file_;
  std::vector<Lexeme> lexemes_;
  bool unterminated_comment_ = false;
  size_t place_ = 0;
};

}  // namespace pccsql
