#include "check_pg/lexemes.h"

#include <algorithm>

#include "base/text.h"
#include "check_pg/letters.h"

namespace pccsql::check_pg {
namespace {

bool is_blank(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

class Scanner {
 public:
  explicit Scanner(std::string_view sql) : sql_(sql) {}

  std::vector<Lexeme> run() {
    while (skip_to_lexeme()) {
      const size_t begin = at_;
      const Lexeme::Kind kind = step();
      at_ = std::min(at_, sql_.size());
      lexemes_.push_back({kind, {static_cast<uint32_t>(begin), static_cast<uint32_t>(at_)}});
    }
    return std::move(lexemes_);
  }

 private:
  char peek(size_t ahead = 0) const { return at_ + ahead < sql_.size() ? sql_[at_ + ahead] : '\0'; }

  bool skip_to_lexeme() {
    while (at_ < sql_.size()) {
      if (is_blank(peek())) {
        ++at_;
      } else if (peek() == '-' && peek(1) == '-') {
        at_ = std::min(sql_.find_first_of("\n\r", at_), sql_.size());
      } else if (peek() == '/' && peek(1) == '*') {
        skip_comment();
      } else {
        return true;
      }
    }
    return false;
  }

  // They nest.
  void skip_comment() {
    size_t depth = 0;
    do {
      const bool opens = peek() == '/' && peek(1) == '*', closes = peek() == '*' && peek(1) == '/';
      depth += opens ? 1 : 0;
      depth -= closes ? 1 : 0;
      at_ += opens || closes ? 2 : 1;
    } while (depth > 0 && at_ < sql_.size());
  }

  Lexeme::Kind step() {
    const char c = peek();
    if (c == '\'' || c == '"') {
      quoted(c, false);
      return c == '"' ? Lexeme::Quoted : Lexeme::String;
    }
    const bool prefix = peek(1) == '\'' && std::string_view("eEbBxXnN").find(c) != std::string_view::npos;
    if (prefix) {
      ++at_;
      quoted('\'', fold(c) == 'e');
      return Lexeme::String;
    }
    if (fold(c) == 'u' && peek(1) == '&' && (peek(2) == '\'' || peek(2) == '"')) {
      at_ += 2;
      const char quote = peek();
      quoted(quote, false);
      return quote == '"' ? Lexeme::Quoted : Lexeme::String;
    }
    if (begins_word(c)) {
      while (is_word(peek())) ++at_;
      return Lexeme::Word;
    }
    if (c == '$' && dollar_quoted()) return Lexeme::String;
    if (is_digit(c) || (c == '.' && is_digit(peek(1)))) {
      while (is_digit(peek()) || peek() == '.' || begins_word(peek())) ++at_;
      return Lexeme::Number;
    }
    ++at_;
    return Lexeme::Sign;
  }

  void quoted(char quote, bool escapes) {
    for (++at_; at_ < sql_.size(); ++at_) {
      if (escapes && peek() == '\\') {
        ++at_;
      } else if (peek() == quote) {
        if (peek(1) != quote) break;
        ++at_;
      }
    }
    ++at_;
  }

  // `$tag$ … $tag$`; the tag may be empty.
  bool dollar_quoted() {
    size_t end = at_ + 1;
    while (end < sql_.size() && sql_[end] != '$' && is_word(sql_[end])) ++end;
    if (end >= sql_.size() || sql_[end] != '$' || is_digit(sql_[at_ + 1])) return false;
    const std::string_view tag = sql_.substr(at_, end + 1 - at_);
    const size_t close = sql_.find(tag, end + 1);
    at_ = close == std::string_view::npos ? sql_.size() : close + tag.size();
    return true;
  }

  std::string_view sql_;
  size_t at_ = 0;
  std::vector<Lexeme> lexemes_;
};

}  // namespace

std::vector<Lexeme> lexemes_of(std::string_view sql) { return Scanner(sql).run(); }

}  // namespace pccsql::check_pg
