// Lexical: SQL text one byte at a time. After any prefix the state says how far into which lexeme the text has come.
//
// It cuts exactly as the lexer does (a test compares them), with what a generator must never write left out: comments,
// parameters, bytes that are not UTF-8. A lexeme is reported by the byte that shows it has ended; where no byte could
// extend it (a parenthesis), by its own last byte.
#pragma once

#include <cstdint>

#include "syntax/lexer.h"
#include "track/text_arena.h"

namespace pccsql::track {

inline bool is_digit(uint8_t c) { return c >= '0' && c <= '9'; }

// Whether a name can stand in such quotes: there is no way to write `]` between brackets.
inline bool can_quote(std::string_view name, Quote quote) {
  return quote != Quote::Bracket || name.find(']') == std::string_view::npos;
}

struct LexState {
  enum class Kind : uint8_t {
    Blank,         // between lexemes; `run` blanks so far
    Word,          // a bare name or a keyword
    Quoted,        // inside "x", `x` or [x]
    QuotedEnd,     // after a closing " or `, which doubled would go on
    String,        // inside 'x'
    StringEnd,     // after a closing '
    Digits,        // 12
    Zero,          // 0, which an x would make hexadecimal
    HexMark,       // 0x: owes a digit
    HexDigits,     // 0x1F
    Fraction,      // 1. and 1.5
    ExponentMark,  // 1e: owes a digit
    ExponentSign,  // 1e-: owes a digit
    Exponent,      // 1e-3
    BlobEven,      // inside x'…', an even number of digits
    BlobOdd,
    Dot,   // a dot, or the beginning of .5
    Less,  // <, which may become <=, <> or <<
    Greater,
    Bar,
    Equal,
    Bang,   // !: owes =
    Minus,  // -, which may become ->
    Arrow,  // ->, which may become ->>
    Slash,
  };
  Kind kind = Kind::Blank;
  Quote quote = Quote::None;
  uint8_t utf8 = 0;  // inside a character: which bytes may continue it
  uint16_t run = 0;
  TextId text = kEmptyText;  // of a word; of what a quoted name means, quotes undone. What a string says is not kept

  friend bool operator==(const LexState&, const LexState&) = default;
};

struct EndedLexeme {
  Terminal terminal = Terminal::End;  // Name for a word: whether it is a keyword is for the parser to say
  Quote quote = Quote::None;
  TextId text = kEmptyText;
};

struct LexStep {
  bool ok = false;
  LexState state;
  int count = 0;  // lexemes that ended, in order
  EndedLexeme ended[2];
};

// The text goes on with `byte`.
LexStep step(const LexState& state, uint8_t byte, TextArena& texts);

// Whether `byte` may come in well-formed UTF-8, by a state that is 0 at whole characters.
bool utf8_step(uint8_t& state, uint8_t byte);
// Bytes that the character at hand still needs.
uint32_t utf8_owed(uint8_t state);
// Whether a bare word can begin, or go on, with `byte`.
bool begins_word(uint8_t byte);
bool continues_word(uint8_t byte);

// The text ends here: ok unless something is owed; reports the lexeme that was open.
LexStep finish(const LexState& state);

}  // namespace pccsql::track
