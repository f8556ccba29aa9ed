// Lexer: SQL text -> lexemes, as SQLite's tokenizer cuts it.
//
// Comments and blanks disappear; every other byte belongs to exactly one lexeme. The lexer never fails: what SQLite would
// not recognise becomes an Illegal lexeme, and the parser says so at its place.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/span.h"

namespace pccsql {

enum class Terminal : uint8_t {
  End,
  Illegal,
  Name,     // any identifier, quoted or not; see Lexeme::quote
  String,   // 'x'
  Integer,  // 12, 0x1F
  Float,
  Blob,
  Parameter,
  LeftParen,
  RightParen,
  Comma,
  Dot,
  Semicolon,
  Plus,
  Minus,
  Star,
  Slash,
  Percent,
  Concat,
  Ampersand,
  Bar,
  ShiftLeft,
  ShiftRight,
  Tilde,
  Less,
  LessEqual,
  Greater,
  GreaterEqual,
  Equal,      // = and ==
  NotEqual,   // <> and !=
  Arrow,      // ->
  LongArrow,  // ->>
#define KEYWORD(name, kind) kw_##name,
#include "syntax/keywords.def"
#undef KEYWORD
  Count
};
inline constexpr size_t kTerminals = static_cast<size_t>(Terminal::Count);

enum class KeywordKind : uint8_t { Reserved, Fallback, JoinWord, Window };
KeywordKind keyword_kind(Terminal keyword);    // Reserved for whatever is no keyword
std::string_view spelling(Terminal terminal);  // "SELECT", "(", "a name"
// The terminal a grammar writes as `'text'`: a keyword in any case, or punctuation. Illegal if there is none.
Terminal terminal_of(std::string_view text);

enum class Quote : char { None = 0, Double = '"', Backtick = '`', Bracket = '[' };

struct Lexeme {
  Terminal terminal = Terminal::End;
  Quote quote = Quote::None;
  Span span;
};

struct LexResult {
  bool unterminated_comment = false;
};

// Replaces `out` with the lexemes of `sql`, the last one End.
LexResult lex(std::string_view sql, std::vector<Lexeme>& out);

// A name without its quotes, doubled quotes undone. Points into `sql` or into `buffer`.
std::string_view name_text(const Lexeme& lexeme, std::string_view sql, std::string& buffer);

}  // namespace pccsql
