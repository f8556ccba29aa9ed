#include "syntax/grammar_reader.h"

#include <charconv>
#include <optional>
#include <utility>

#include "base/text.h"

namespace pccsql {
namespace {

constexpr std::pair<std::string_view, Slot> kSlotNames[] = {
    {"name", Slot::Name},           {"table", Slot::Table},      {"column", Slot::Column},
    {"alias", Slot::Alias},         {"new_name", Slot::NewName}, {"window", Slot::Window},
    {"collation", Slot::Collation}, {"type", Slot::Type},        {"index", Slot::Index},
};
constexpr std::pair<std::string_view, Terminal> kLiterals[] = {
    {"string", Terminal::String}, {"integer", Terminal::Integer},     {"float", Terminal::Float},
    {"blob", Terminal::Blob},     {"parameter", Terminal::Parameter},
};
constexpr std::pair<std::string_view, FunctionKind> kFunctionKinds[] = {
    {"scalar", FunctionKind::Scalar},
    {"aggregate", FunctionKind::Aggregate},
    {"window", FunctionKind::Window},
    {"outside", FunctionKind::Outside},
};

bool is_word(char c) { return c == '_' || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9'); }

// Recursive descent over the notation. The first error stops it: `error_` is set and every step after it is a no-op.
class Reader {
 public:
  Reader(std::string_view text, std::string file) : text_(text), file_(std::move(file)) {}

  Result<GrammarText> run() {
    while (!error_ && !at_end()) {
      if (accept('%')) {
        read_functions();
      } else {
        read_rule();
      }
    }
    if (error_) return *error_;
    return std::move(result_);
  }

 private:
  void fail(std::string message) {
    if (!error_) error_ = Error{std::move(message), file_, position_of(text_, static_cast<uint32_t>(at_))};
  }

  void skip() {
    while (at_ < text_.size()) {
      const char c = text_[at_];
      if (c == '#') {
        while (at_ < text_.size() && text_[at_] != '\n') ++at_;
      } else if (c == ' ' || c == '\n' || c == '\t' || c == '\r') {
        ++at_;
      } else {
        return;
      }
    }
  }
  bool at_end() {
    skip();
    return at_ >= text_.size();
  }
  bool next_is(char c) {
    skip();
    return at_ < text_.size() && text_[at_] == c;
  }
  bool accept(char c) {
    if (error_ || !next_is(c)) return false;
    ++at_;
    return true;
  }
  void expect(char c) {
    if (!accept(c)) fail(std::string("expected `") + c + "`");
  }
  std::string_view word() {
    skip();
    const size_t begin = at_;
    while (at_ < text_.size() && is_word(text_[at_])) ++at_;
    if (begin == at_) fail("expected a word");
    return text_.substr(begin, at_ - begin);
  }
  std::string_view until(char close) {
    const size_t begin = at_;
    const size_t end = text_.find(close, begin);
    if (end == std::string_view::npos) {
      fail(std::string("a `") + close + "` is missing");
      at_ = text_.size();
      return {};
    }
    at_ = end + 1;
    return text_.substr(begin, end - begin);
  }
  uint32_t here() {
    skip();
    return static_cast<uint32_t>(at_);
  }

  void read_rule() {
    GrammarRule rule;
    rule.at = here();
    rule.rule.name = std::string(word());
    if (accept('[')) {
      do {
        read_attribute(rule.rule);
      } while (accept(','));
      expect(']');
    }
    expect('=');
    rule.body = read_choice();
    expect(';');
    result_.rules.push_back(std::move(rule));
  }

  void read_attribute(Rule& rule) {
    const std::string_view name = word();
    expect('=');
    expect('"');
    const std::string value(error_ ? std::string_view{} : until('"'));
    if (name == "outside") {
      rule.outside = value;
    } else if (name == "beyond") {
      rule.beyond = value;
    } else {
      fail("unknown attribute `" + std::string(name) + "`; there are `outside` and `beyond`");
    }
  }

  GrammarItem read_choice() {
    GrammarItem choice{GrammarItem::Choice, {}, {}, {}, {}, here()};
    do {
      choice.parts.push_back(read_sequence());
    } while (accept('|'));
    return choice.parts.size() == 1 ? std::move(choice.parts[0]) : choice;
  }

  GrammarItem read_sequence() {
    GrammarItem sequence{GrammarItem::Sequence, {}, {}, {}, {}, here()};
    while (!error_ && !at_end() && !next_is('|') && !next_is(')') && !next_is(';')) {
      GrammarItem item = read_atom();
      for (;;) {
        GrammarItem::Kind kind;
        if (accept('?')) {
          kind = GrammarItem::Optional;
        } else if (accept('*')) {
          kind = GrammarItem::Star;
        } else if (accept('+')) {
          kind = GrammarItem::Plus;
        } else {
          break;
        }
        GrammarItem repeated{kind, {}, {}, {}, {}, item.at};
        repeated.parts.push_back(std::move(item));
        item = std::move(repeated);
      }
      sequence.parts.push_back(std::move(item));
    }
    if (sequence.parts.empty()) fail("an empty alternative; make its use optional instead");
    return sequence;
  }

  GrammarItem read_atom() {
    GrammarItem item{GrammarItem::Lexeme, {}, {}, {}, {}, here()};
    if (accept('(')) {
      item = read_choice();
      expect(')');
    } else if (accept('\'')) {
      const std::string_view text = until('\'');
      item.terminal = terminal_of(text);
      if (item.terminal == Terminal::Illegal) fail("`" + std::string(text) + "` is no keyword or punctuation of SQL");
    } else if (accept('<')) {
      item.terminal = Terminal::Name;
      item.slot = look_up(kSlotNames, until('>'), "slot", Slot::None);
    } else if (accept(':')) {
      item.terminal = look_up(kLiterals, word(), "literal", Terminal::Illegal);
    } else {
      item.kind = GrammarItem::Call;
      item.rule = std::string(word());
    }
    return item;
  }

  template <typename Table, typename Value>
  Value look_up(const Table& table, std::string_view name, std::string_view what, Value none) {
    std::string known;
    for (const auto& [text, value] : table) {
      if (text == name) return value;
      known += (known.empty() ? "" : ", ") + std::string(text);
    }
    fail("unknown " + std::string(what) + " `" + std::string(name) + "`; there are " + known);
    return none;
  }

  size_t number() {
    const std::string_view digits = word();
    size_t value = 0;
    const auto [end, status] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    if (status != std::errc() || end != digits.data() + digits.size() || value >= kNone) fail("expected a number");
    return value;
  }

  void read_functions() {
    if (word() != "functions") return fail("expected `%functions`");
    const FunctionKind kind = look_up(kFunctionKinds, word(), "kind of function", FunctionKind::Scalar);
    while (!error_ && !next_is(';')) {
      Function function{std::string(word()), kind, 0, 0};
      expect('(');
      function.least = function.most = static_cast<uint16_t>(number());
      if (accept('.')) {
        expect('.');
        function.most = next_is(')') ? kNone : static_cast<uint16_t>(number());
      }
      expect(')');
      result_.functions.push_back(std::move(function));
    }
    expect(';');
  }

  std::string_view text_;
  std::string file_;
  size_t at_ = 0;
  std::optional<Error> error_;
  GrammarText result_;
};

}  // namespace

Result<GrammarText> read_grammar(std::string_view text, const std::string& file) { return Reader(text, file).run(); }

}  // namespace pccsql
