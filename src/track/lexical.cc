#include "track/lexical.h"

#include "base/text.h"

namespace pccsql::track {
namespace {

using Kind = LexState::Kind;

// Which bytes may continue a character: states of the usual automaton for well-formed UTF-8.
enum Utf8 : uint8_t { Whole, One, Two, Three, AfterE0, AfterED, AfterF0, AfterF4 };

bool is_hex(uint8_t c) {
  const char folded = fold(static_cast<char>(c));
  return is_digit(c) || (folded >= 'a' && folded <= 'f');
}
bool is_blank(uint8_t c) { return c == ' ' || c == '\t' || c == '\n' || c == '\f' || c == '\r'; }
class Stepper {
 public:
  explicit Stepper(TextArena& texts) : texts_(texts) {}

  LexStep step(const LexState& state, uint8_t byte) {
    step_.ok = true;
    step_.state = state;
    if (!utf8_step(step_.state.utf8, byte) || byte == 0) return dead();
    return go_on(state, byte);
  }

 private:
  LexStep dead() {
    step_.ok = false;
    return step_;
  }
  LexStep stay(Kind kind) {
    step_.state.kind = kind;
    return step_;
  }
  LexStep keep(Kind kind, uint8_t byte) {
    step_.state.text = texts_.append(step_.state.text, byte);
    return stay(kind);
  }
  void end(Terminal terminal, Quote quote = Quote::None, TextId text = kEmptyText) {
    step_.ended[step_.count++] = {terminal, quote, text};
  }
  // The open lexeme ends before `byte`, which begins another.
  LexStep end_before(uint8_t byte, Terminal terminal, Quote quote = Quote::None, TextId text = kEmptyText) {
    end(terminal, quote, text);
    return begin(byte);
  }
  // `byte` is the last of a lexeme that nothing could extend.
  LexStep end_with(Terminal terminal, Quote quote = Quote::None, TextId text = kEmptyText) {
    end(terminal, quote, text);
    return open(Kind::Blank);
  }
  LexStep open(Kind kind, Quote quote = Quote::None) {
    const uint8_t utf8 = step_.state.utf8;
    step_.state = {};
    step_.state.utf8 = utf8;
    step_.state.kind = kind;
    step_.state.quote = quote;
    return step_;
  }

  LexStep begin(uint8_t byte) {
    if (is_blank(byte)) {
      open(Kind::Blank);
      step_.state.run = 1;
      return step_;
    }
    if (begins_word(byte)) {
      open(Kind::Word);
      return keep(Kind::Word, byte);
    }
    if (byte == '0') return open(Kind::Zero);
    if (is_digit(byte)) return open(Kind::Digits);
    switch (byte) {
      case '"':
        return open(Kind::Quoted, Quote::Double);
      case '`':
        return open(Kind::Quoted, Quote::Backtick);
      case '[':
        return open(Kind::Quoted, Quote::Bracket);
      case '\'':
        return open(Kind::String);
      case '(':
        return end_with(Terminal::LeftParen);
      case ')':
        return end_with(Terminal::RightParen);
      case ',':
        return end_with(Terminal::Comma);
      case ';':
        return end_with(Terminal::Semicolon);
      case '+':
        return end_with(Terminal::Plus);
      case '*':
        return end_with(Terminal::Star);
      case '%':
        return end_with(Terminal::Percent);
      case '&':
        return end_with(Terminal::Ampersand);
      case '~':
        return end_with(Terminal::Tilde);
      case '.':
        return open(Kind::Dot);
      case '<':
        return open(Kind::Less);
      case '>':
        return open(Kind::Greater);
      case '|':
        return open(Kind::Bar);
      case '=':
        return open(Kind::Equal);
      case '!':
        return open(Kind::Bang);
      case '-':
        return open(Kind::Minus);
      case '/':
        return open(Kind::Slash);
      default:
        return dead();
    }
  }

  LexStep go_on(const LexState& state, uint8_t byte) {
    switch (state.kind) {
      case Kind::Blank:
        if (!is_blank(byte)) return begin(byte);
        if (step_.state.run < UINT16_MAX) ++step_.state.run;
        return step_;
      case Kind::Word:
        // At the beginning of a word the database reads a byte order mark as a blank.
        if (byte == 0xBF && texts_.length(state.text) == 2 && texts_.str(state.text) == "\xEF\xBB") return dead();
        if (continues_word(byte)) return keep(Kind::Word, byte);
        if (byte == '\'' && texts_.folded(state.text) == texts_.append(kEmptyText, 'x')) return open(Kind::BlobEven);
        return end_before(byte, Terminal::Name, Quote::None, state.text);
      case Kind::Quoted:
        if (byte == ']' && state.quote == Quote::Bracket) return end_with(Terminal::Name, state.quote, state.text);
        if (byte == static_cast<uint8_t>(state.quote) && state.quote != Quote::Bracket) return stay(Kind::QuotedEnd);
        return keep(Kind::Quoted, byte);
      case Kind::QuotedEnd:
        if (byte == static_cast<uint8_t>(state.quote)) return keep(Kind::Quoted, byte);
        return end_before(byte, Terminal::Name, state.quote, state.text);
      case Kind::String:
        return stay(byte == '\'' ? Kind::StringEnd : Kind::String);
      case Kind::StringEnd:
        return byte == '\'' ? stay(Kind::String) : end_before(byte, Terminal::String);
      case Kind::BlobEven:
        if (byte == '\'') return end_with(Terminal::Blob);
        return is_hex(byte) ? stay(Kind::BlobOdd) : dead();
      case Kind::BlobOdd:
        return is_hex(byte) ? stay(Kind::BlobEven) : dead();
      case Kind::Dot:
        return is_digit(byte) ? stay(Kind::Fraction) : end_before(byte, Terminal::Dot);
      case Kind::Less:
        if (byte == '=') return end_with(Terminal::LessEqual);
        if (byte == '>') return end_with(Terminal::NotEqual);
        return byte == '<' ? end_with(Terminal::ShiftLeft) : end_before(byte, Terminal::Less);
      case Kind::Greater:
        if (byte == '=') return end_with(Terminal::GreaterEqual);
        return byte == '>' ? end_with(Terminal::ShiftRight) : end_before(byte, Terminal::Greater);
      case Kind::Bar:
        return byte == '|' ? end_with(Terminal::Concat) : end_before(byte, Terminal::Bar);
      case Kind::Equal:
        return byte == '=' ? end_with(Terminal::Equal) : end_before(byte, Terminal::Equal);
      case Kind::Bang:
        return byte == '=' ? end_with(Terminal::NotEqual) : dead();
      case Kind::Minus:
        if (byte == '-') return dead();  // would begin a comment
        return byte == '>' ? stay(Kind::Arrow) : end_before(byte, Terminal::Minus);
      case Kind::Arrow:
        return byte == '>' ? end_with(Terminal::LongArrow) : end_before(byte, Terminal::Arrow);
      case Kind::Slash:
        return byte == '*' ? dead() : end_before(byte, Terminal::Slash);  // would begin a comment
      default:
        return number(state, byte);
    }
  }

  LexStep number(const LexState& state, uint8_t byte) {
    const bool digit = is_digit(byte);
    const bool exponent = fold(static_cast<char>(byte)) == 'e';
    switch (state.kind) {
      case Kind::Zero:
      case Kind::Digits:
        if (state.kind == Kind::Zero && fold(static_cast<char>(byte)) == 'x') return stay(Kind::HexMark);
        if (digit) return stay(Kind::Digits);
        if (byte == '.') return stay(Kind::Fraction);
        if (exponent) return stay(Kind::ExponentMark);
        return number_ends(byte, Terminal::Integer);
      case Kind::HexMark:
        return is_hex(byte) ? stay(Kind::HexDigits) : dead();
      case Kind::HexDigits:
        return is_hex(byte) ? stay(Kind::HexDigits) : number_ends(byte, Terminal::Integer);
      case Kind::Fraction:
        if (digit) return stay(Kind::Fraction);
        return exponent ? stay(Kind::ExponentMark) : number_ends(byte, Terminal::Float);
      case Kind::ExponentMark:
        if (digit) return stay(Kind::Exponent);
        return byte == '+' || byte == '-' ? stay(Kind::ExponentSign) : dead();
      case Kind::ExponentSign:
        return digit ? stay(Kind::Exponent) : dead();
      case Kind::Exponent:
        return digit ? stay(Kind::Exponent) : number_ends(byte, Terminal::Float);
      default:
        return dead();
    }
  }
  // A letter right after a number would make it a word that means nothing.
  LexStep number_ends(uint8_t byte, Terminal terminal) {
    return continues_word(byte) ? dead() : end_before(byte, terminal);
  }

  TextArena& texts_;
  LexStep step_;
};

}  // namespace

bool utf8_step(uint8_t& state, uint8_t byte) {
  const auto between = [byte](uint8_t low, uint8_t high) { return byte >= low && byte <= high; };
  switch (state) {
    case Whole:
      if (byte < 0x80) return true;
      if (between(0xC2, 0xDF)) return state = One, true;
      if (byte == 0xE0) return state = AfterE0, true;
      if (byte == 0xED) return state = AfterED, true;
      if (between(0xE1, 0xEF)) return state = Two, true;
      if (byte == 0xF0) return state = AfterF0, true;
      if (between(0xF1, 0xF3)) return state = Three, true;
      if (byte == 0xF4) return state = AfterF4, true;
      return false;
    case One:
      return state = Whole, between(0x80, 0xBF);
    case Two:
      return state = One, between(0x80, 0xBF);
    case Three:
      return state = Two, between(0x80, 0xBF);
    case AfterE0:
      return state = One, between(0xA0, 0xBF);
    case AfterED:
      return state = One, between(0x80, 0x9F);
    case AfterF0:
      return state = Two, between(0x90, 0xBF);
    case AfterF4:
      return state = Two, between(0x80, 0x8F);
    default:
      return false;
  }
}

bool begins_word(uint8_t c) {
  const char folded = fold(static_cast<char>(c));
  return (folded >= 'a' && folded <= 'z') || c == '_' || c >= 0x80;
}
bool continues_word(uint8_t c) { return begins_word(c) || is_digit(c) || c == '$'; }

uint32_t utf8_owed(uint8_t state) {
  constexpr uint8_t kOwed[] = {0, 1, 2, 3, 2, 2, 3, 3};
  return kOwed[state];
}

LexStep step(const LexState& state, uint8_t byte, TextArena& texts) { return Stepper(texts).step(state, byte); }

LexStep finish(const LexState& state) {
  LexStep done;
  done.ok = state.utf8 == Whole;
  const auto end = [&](Terminal terminal) {
    done.ended[done.count++] = {terminal, state.quote, state.text};
    return done;
  };
  switch (state.kind) {
    case Kind::Blank:
      return done;
    case Kind::Word:
    case Kind::QuotedEnd:
      return end(Terminal::Name);
    case Kind::StringEnd:
      return end(Terminal::String);
    case Kind::Zero:
    case Kind::Digits:
    case Kind::HexDigits:
      return end(Terminal::Integer);
    case Kind::Fraction:
    case Kind::Exponent:
      return end(Terminal::Float);
    case Kind::Dot:
      return end(Terminal::Dot);
    case Kind::Less:
      return end(Terminal::Less);
    case Kind::Greater:
      return end(Terminal::Greater);
    case Kind::Bar:
      return end(Terminal::Bar);
    case Kind::Equal:
      return end(Terminal::Equal);
    case Kind::Minus:
      return end(Terminal::Minus);
    case Kind::Arrow:
      return end(Terminal::Arrow);
    case Kind::Slash:
      return end(Terminal::Slash);
    default:
      break;  // something is owed: a quote, a digit
  }
  done.ok = false;
  return done;
}

}  // namespace pccsql::track
