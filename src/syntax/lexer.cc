#include "syntax/lexer.h"

#include <array>

#include "base/text.h"

namespace pccsql {
namespace {

struct KeywordEntry {
  std::string_view text;
  KeywordKind kind;
};

constexpr KeywordEntry kKeywords[] = {
#define KEYWORD(name, kind) {#name, KeywordKind::kind},
#include "syntax/keywords.def"
#undef KEYWORD
};
constexpr size_t kFirstKeyword = static_cast<size_t>(Terminal::LongArrow) + 1;
constexpr size_t kLongestKeyword = 17;  // CURRENT_TIMESTAMP
static_assert(kFirstKeyword + std::size(kKeywords) == kTerminals);

constexpr std::string_view kPunctuation[] = {"(", ")",  ",",  ".", ";", "+",  "-", "*",  "/", "%",  "||", "&",
                                             "|", "<<", ">>", "~", "<", "<=", ">", ">=", "=", "<>", "->", "->>"};
constexpr size_t kFirstPunctuation = static_cast<size_t>(Terminal::LeftParen);
static_assert(kFirstPunctuation + std::size(kPunctuation) == kFirstKeyword);

// A hash table of the keywords made at compile time; a word that is none costs one probe as a rule.
constexpr size_t kKeywordTableSize = 1024;
constexpr uint32_t hash_word(std::string_view word) {
  uint32_t hash = 2166136261u;
  for (const char c : word) hash = (hash ^ static_cast<unsigned char>(fold(c))) * 16777619u;
  return (hash ^ (hash >> 15)) & (kKeywordTableSize - 1);
}
constexpr auto kKeywordSlots = [] {
  std::array<uint8_t, kKeywordTableSize> slots{};
  for (size_t i = 0; i < std::size(kKeywords); ++i) {
    size_t slot = hash_word(kKeywords[i].text);
    while (slots[slot] != 0) slot = (slot + 1) & (kKeywordTableSize - 1);
    slots[slot] = static_cast<uint8_t>(i + 1);
  }
  return slots;
}();

Terminal word_terminal(std::string_view word) {
  if (word.size() > kLongestKeyword) return Terminal::Name;
  for (size_t slot = hash_word(word); kKeywordSlots[slot] != 0; slot = (slot + 1) & (kKeywordTableSize - 1)) {
    const size_t i = kKeywordSlots[slot] - 1u;
    if (equal_folded(kKeywords[i].text, word)) return static_cast<Terminal>(kFirstKeyword + i);
  }
  return Terminal::Name;
}

enum Class : uint8_t { Other, Blank, Letter, Digit };
constexpr auto kClasses = [] {
  std::array<uint8_t, 256> classes{};
  for (const unsigned char c : {' ', '\t', '\n', '\f', '\r'}) classes[c] = Blank;
  for (int c = 'a'; c <= 'z'; ++c) classes[c] = Letter;
  for (int c = 'A'; c <= 'Z'; ++c) classes[c] = Letter;
  classes['_'] = Letter;
  for (int c = 0x80; c < 256; ++c) classes[c] = Letter;
  for (int c = '0'; c <= '9'; ++c) classes[c] = Digit;
  return classes;
}();

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_hex(char c) { return is_digit(c) || (fold(c) >= 'a' && fold(c) <= 'f'); }
bool is_name_byte(char c) {
  const uint8_t kind = kClasses[static_cast<unsigned char>(c)];
  return kind == Letter || kind == Digit || c == '$';
}

class Scanner {
 public:
  Scanner(std::string_view sql, std::vector<Lexeme>& out) : sql_(sql), out_(out) {}

  LexResult run() {
    while (true) {
      skip_blanks();
      begin_ = at_;
      if (at_ >= sql_.size()) break;
      scan();
    }
    emit(Terminal::End);
    return result_;
  }

 private:
  char peek(size_t ahead = 0) const { return at_ + ahead < sql_.size() ? sql_[at_ + ahead] : '\0'; }

  void emit(Terminal terminal, Quote quote = Quote::None) {
    out_.push_back({terminal, quote, {static_cast<uint32_t>(begin_), static_cast<uint32_t>(at_)}});
  }

  void skip_blanks() {
    while (at_ < sql_.size()) {
      const char c = sql_[at_];
      if (kClasses[static_cast<unsigned char>(c)] == Blank) {
        ++at_;
        while (peek() == '\v') ++at_;  // SQLite takes a vertical tab in a run of blanks, but not as its first
      } else if (c == '-' && peek(1) == '-') {
        while (at_ < sql_.size() && sql_[at_] != '\n') ++at_;
      } else if (c == '/' && peek(1) == '*') {
        const size_t end = sql_.find("*/", at_ + 2);
        result_.unterminated_comment |= end == std::string_view::npos;
        at_ = end == std::string_view::npos ? sql_.size() : end + 2;
      } else if (sql_.substr(at_, 3) == "\xEF\xBB\xBF") {  // a byte order mark is a blank to SQLite
        at_ += 3;
      } else {
        return;
      }
    }
  }

  void scan() {
    const char c = sql_[at_];
    switch (kClasses[static_cast<unsigned char>(c)]) {
      case Letter:
        if (fold(c) == 'x' && peek(1) == '\'') return scan_blob();
        return scan_word();
      case Digit:
        return scan_number();
      default:
        return scan_symbol(c);
    }
  }

  void scan_word() {
    while (at_ < sql_.size() && is_name_byte(sql_[at_])) ++at_;
    emit(word_terminal(sql_.substr(begin_, at_ - begin_)));
  }

  void scan_number() {
    bool real = false;
    if (peek() == '0' && fold(peek(1)) == 'x' && is_hex(peek(2))) {
      at_ += 2;
      while (is_hex(peek())) ++at_;
    } else {
      while (is_digit(peek())) ++at_;
      if (peek() == '.') {
        real = true;
        ++at_;
        while (is_digit(peek())) ++at_;
      }
      const bool sign = peek(1) == '+' || peek(1) == '-';
      if (fold(peek()) == 'e' && is_digit(peek(sign ? 2 : 1))) {
        real = true;
        at_ += sign ? 2 : 1;
        while (is_digit(peek())) ++at_;
      }
    }
    if (at_ < sql_.size() && is_name_byte(sql_[at_])) {  // 12abc is one word that means nothing
      while (at_ < sql_.size() && is_name_byte(sql_[at_])) ++at_;
      return emit(Terminal::Illegal);
    }
    emit(real ? Terminal::Float : Terminal::Integer);
  }

  void scan_blob() {
    at_ += 2;
    while (is_hex(peek())) ++at_;
    const bool whole = peek() == '\'' && (at_ - begin_) % 2 == 0;
    if (!whole) {
      while (at_ < sql_.size() && sql_[at_] != '\'') ++at_;
    }
    if (at_ < sql_.size()) ++at_;
    emit(whole ? Terminal::Blob : Terminal::Illegal);
  }

  // 'x', "x", `x`: the quote doubled stands for itself. [x] has no such escape.
  void scan_quoted(char close, Terminal terminal, Quote quote) {
    ++at_;
    while (at_ < sql_.size()) {
      if (sql_[at_] != close) {
        ++at_;
      } else if (close != ']' && peek(1) == close) {
        at_ += 2;
      } else {
        ++at_;
        return emit(terminal, quote);
      }
    }
    emit(Terminal::Illegal);
  }

  // ?, ?12, :name, @name, $name; as in TCL a name may hold `::` and end in (…).
  void scan_parameter() {
    const bool numbered = sql_[at_++] == '?';
    const size_t first = at_;
    while (at_ < sql_.size()) {
      if (numbered ? is_digit(sql_[at_]) : is_name_byte(sql_[at_])) {
        ++at_;
      } else if (!numbered && peek() == ':' && peek(1) == ':') {
        at_ += 2;
      } else if (!numbered && peek() == '(' && at_ > first) {
        size_t close = at_ + 1;
        while (close < sql_.size() && sql_[close] != ')' && kClasses[static_cast<unsigned char>(sql_[close])] != Blank)
          ++close;
        const bool closed = close < sql_.size() && sql_[close] == ')';
        at_ = closed ? close + 1 : close;
        return emit(closed ? Terminal::Parameter : Terminal::Illegal);
      } else {
        break;
      }
    }
    emit(numbered || at_ > first ? Terminal::Parameter : Terminal::Illegal);
  }

  void symbol(Terminal terminal, size_t length) {
    at_ += length;
    emit(terminal);
  }

  void scan_symbol(char c) {
    switch (c) {
      case '\'':
        return scan_quoted('\'', Terminal::String, Quote::None);
      case '"':
        return scan_quoted('"', Terminal::Name, Quote::Double);
      case '`':
        return scan_quoted('`', Terminal::Name, Quote::Backtick);
      case '[':
        return scan_quoted(']', Terminal::Name, Quote::Bracket);
      case '?':
      case ':':
      case '@':
      case '$':
        return scan_parameter();
      case '(':
        return symbol(Terminal::LeftParen, 1);
      case ')':
        return symbol(Terminal::RightParen, 1);
      case ',':
        return symbol(Terminal::Comma, 1);
      case '.':
        return is_digit(peek(1)) ? scan_number() : symbol(Terminal::Dot, 1);
      case ';':
        return symbol(Terminal::Semicolon, 1);
      case '+':
        return symbol(Terminal::Plus, 1);
      case '*':
        return symbol(Terminal::Star, 1);
      case '/':
        return symbol(Terminal::Slash, 1);
      case '%':
        return symbol(Terminal::Percent, 1);
      case '&':
        return symbol(Terminal::Ampersand, 1);
      case '~':
        return symbol(Terminal::Tilde, 1);
      case '-':
        if (peek(1) != '>') return symbol(Terminal::Minus, 1);
        return peek(2) == '>' ? symbol(Terminal::LongArrow, 3) : symbol(Terminal::Arrow, 2);
      case '|':
        return peek(1) == '|' ? symbol(Terminal::Concat, 2) : symbol(Terminal::Bar, 1);
      case '=':
        return symbol(Terminal::Equal, peek(1) == '=' ? 2 : 1);
      case '!':
        return peek(1) == '=' ? symbol(Terminal::NotEqual, 2) : symbol(Terminal::Illegal, 1);
      case '<':
        if (peek(1) == '=') return symbol(Terminal::LessEqual, 2);
        if (peek(1) == '>') return symbol(Terminal::NotEqual, 2);
        return peek(1) == '<' ? symbol(Terminal::ShiftLeft, 2) : symbol(Terminal::Less, 1);
      case '>':
        if (peek(1) == '=') return symbol(Terminal::GreaterEqual, 2);
        return peek(1) == '>' ? symbol(Terminal::ShiftRight, 2) : symbol(Terminal::Greater, 1);
      default:
        return symbol(Terminal::Illegal, 1);
    }
  }

  std::string_view sql_;
  std::vector<Lexeme>& out_;
  size_t at_ = 0;
  size_t begin_ = 0;
  LexResult result_;
};

bool reads_as_name(Terminal terminal) {
  return terminal == Terminal::Name || terminal == Terminal::String ||
         (terminal >= static_cast<Terminal>(kFirstKeyword) && keyword_kind(terminal) != KeywordKind::Reserved);
}

// OVER, FILTER and WINDOW are names unless their company says otherwise, as in SQLite's tokenizer.
void settle_window_words(std::vector<Lexeme>& lexemes) {
  const auto terminal = [&](size_t i) { return i < lexemes.size() ? lexemes[i].terminal : Terminal::End; };
  for (size_t i = 0; i < lexemes.size(); ++i) {
    const bool after_call = i > 0 && lexemes[i - 1].terminal == Terminal::RightParen;
    bool keyword = true;
    switch (lexemes[i].terminal) {
      case Terminal::kw_WINDOW:
        keyword = reads_as_name(terminal(i + 1)) && terminal(i + 2) == Terminal::kw_AS;
        break;
      case Terminal::kw_OVER:
        keyword = after_call && (terminal(i + 1) == Terminal::LeftParen || reads_as_name(terminal(i + 1)));
        break;
      case Terminal::kw_FILTER:
        keyword = after_call && terminal(i + 1) == Terminal::LeftParen;
        break;
      default:
        break;
    }
    if (!keyword) lexemes[i].terminal = Terminal::Name;
  }
}

}  // namespace

KeywordKind keyword_kind(Terminal keyword) {
  const auto i = static_cast<size_t>(keyword);
  return i >= kFirstKeyword && i < kTerminals ? kKeywords[i - kFirstKeyword].kind : KeywordKind::Reserved;
}

std::string_view spelling(Terminal terminal) {
  const auto i = static_cast<size_t>(terminal);
  if (i >= kFirstKeyword) return i < kTerminals ? kKeywords[i - kFirstKeyword].text : "";
  if (i >= kFirstPunctuation) return kPunctuation[i - kFirstPunctuation];
  switch (terminal) {
    case Terminal::End:
      return "the end of the query";
    case Terminal::Name:
      return "a name";
    case Terminal::String:
      return "a string";
    case Terminal::Integer:
      return "an integer";
    case Terminal::Float:
      return "a number";
    case Terminal::Blob:
      return "a blob";
    case Terminal::Parameter:
      return "a parameter";
    default:
      return "an unknown lexeme";
  }
}

Terminal terminal_of(std::string_view text) {
  for (size_t i = 0; i < std::size(kPunctuation); ++i) {
    if (kPunctuation[i] == text) return static_cast<Terminal>(kFirstPunctuation + i);
  }
  const Terminal word = word_terminal(text);
  return word == Terminal::Name ? Terminal::Illegal : word;
}

LexResult lex(std::string_view sql, std::vector<Lexeme>& out) {
  out.clear();
  const LexResult result = Scanner(sql, out).run();
  settle_window_words(out);
  return result;
}

std::string_view name_text(const Lexeme& lexeme, std::string_view sql, std::string& buffer) {
  std::string_view text = lexeme.span.of(sql);
  const bool string = lexeme.terminal == Terminal::String;
  if (lexeme.quote == Quote::None && !string) return text;
  const char close = string ? '\'' : static_cast<char>(lexeme.quote);
  text = text.substr(1, text.size() - 2);
  if (lexeme.quote == Quote::Bracket || text.find(close) == std::string_view::npos) return text;
  buffer.clear();
  for (size_t i = 0; i < text.size(); ++i) {
    buffer += text[i];
    if (text[i] == close) ++i;
  }
  return buffer;
}

}  // namespace pccsql
