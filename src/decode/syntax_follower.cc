#include "decode/syntax_follower.h"

#include <algorithm>
#include <initializer_list>

#include "base/text.h"

namespace pccsql {
namespace {

using LexKind = track::LexState::Kind;

bool is_blank(uint8_t c) { return c == ' ' || c == '\t' || c == '\n' || c == '\f' || c == '\r'; }

// What an open lexeme other than a word may turn out to be.
std::initializer_list<Terminal> outcomes(LexKind kind) {
  static constexpr std::initializer_list<Terminal> kName{Terminal::Name}, kString{Terminal::String},
      kNumber{Terminal::Integer, Terminal::Float}, kFloat{Terminal::Float}, kBlob{Terminal::Blob},
      kDot{Terminal::Dot, Terminal::Float},
      kLess{Terminal::Less, Terminal::LessEqual, Terminal::NotEqual, Terminal::ShiftLeft},
      kGreater{Terminal::Greater, Terminal::GreaterEqual, Terminal::ShiftRight}, kBar{Terminal::Bar, Terminal::Concat},
      kEqual{Terminal::Equal}, kBang{Terminal::NotEqual}, kMinus{Terminal::Minus, Terminal::Arrow, Terminal::LongArrow},
      kArrow{Terminal::Arrow, Terminal::LongArrow}, kSlash{Terminal::Slash};
  switch (kind) {
    case LexKind::Quoted:
    case LexKind::QuotedEnd:
      return kName;
    case LexKind::String:
    case LexKind::StringEnd:
      return kString;
    case LexKind::Fraction:
    case LexKind::ExponentMark:
    case LexKind::ExponentSign:
    case LexKind::Exponent:
      return kFloat;
    case LexKind::BlobEven:
    case LexKind::BlobOdd:
      return kBlob;
    case LexKind::Dot:
      return kDot;
    case LexKind::Less:
      return kLess;
    case LexKind::Greater:
      return kGreater;
    case LexKind::Bar:
      return kBar;
    case LexKind::Equal:
      return kEqual;
    case LexKind::Bang:
      return kBang;
    case LexKind::Minus:
      return kMinus;
    case LexKind::Arrow:
      return kArrow;
    case LexKind::Slash:
      return kSlash;
    default:
      return kNumber;
  }
}

}  // namespace

SyntaxFollower::SyntaxFollower(Language language) : control_(sql_grammar(), language) {}

SyntaxFollower::State SyntaxFollower::start() const {
  State state;
  state.stack = control_.start();
  return state;
}

// Whether the open lexeme can end as something that may stand here.
bool SyntaxFollower::can_become(const State& state) {
  if (state.lexeme.kind == LexKind::Blank) return true;
  const track::TerminalSet& viable = control_.viable(state.stack);
  const auto stands = [&](Terminal terminal) { return viable[static_cast<size_t>(terminal)]; };
  if (state.lexeme.kind != LexKind::Word) return std::ranges::any_of(outcomes(state.lexeme.kind), stands);
  if (stands(Terminal::Name)) return true;
  const std::string word = folded(texts_.str(state.lexeme.text));
  if (word == "x" && stands(Terminal::Blob)) return true;
  for (size_t t = static_cast<size_t>(Terminal::LongArrow) + 1; t < kTerminals; ++t) {
    if (viable[t] && folded(spelling(static_cast<Terminal>(t))).starts_with(word)) return true;
  }
  return false;
}

bool SyntaxFollower::read(State& state, const track::EndedLexeme& lexeme, uint32_t end, std::vector<NameEnd>& names) {
  const Terminal terminal = control_.read_as(state.stack, lexeme, texts_);
  if (terminal == Terminal::Illegal) return false;
  const Slot slot = terminal == Terminal::Name ? control_.name_slot(state.stack) : Slot::None;
  state.stack = control_.read(state.stack, terminal);
  if (state.stack == track::kDeadStack) return false;
  if (state.pending && !state.has_column) {
    if (terminal == Terminal::Dot) {
      state.after_dot = true;
      return true;
    }
    if (state.after_dot && terminal == Terminal::Name) {
      state.after_dot = false;
      state.has_column = true;
      state.name.span.end = end;
      return true;
    }
    // A function, or `t.*`.
    if (terminal == Terminal::LeftParen || state.after_dot) state.pending = false;
  }
  if (state.pending) {
    names.push_back(state.name);
    state.pending = false;
  }
  state.after_dot = false;
  if (slot == Slot::Name || slot == Slot::Table || slot == Slot::Column) {
    state.pending = true;
    state.has_column = slot != Slot::Name;
    state.name = {{state.begun, end}, slot == Slot::Table};
  }
  return true;
}

std::optional<SyntaxFollower::State> SyntaxFollower::follow(State state, std::string_view bytes,
                                                            std::vector<NameEnd>& names) {
  for (const char c : bytes) {
    const auto byte = static_cast<uint8_t>(c);
    const bool was_open = state.lexeme.kind != LexKind::Blank;
    const track::LexStep step = track::step(state.lexeme, byte, texts_);
    if (!step.ok) return std::nullopt;
    for (int i = 0; i < step.count; ++i) {
      // The byte belongs to the lexeme that nothing could extend, and to no other.
      const bool own_byte = i + 1 == step.count && step.state.kind == LexKind::Blank && step.state.run == 0;
      if (i > 0 || !was_open) state.begun = state.length;
      if (!read(state, step.ended[i], own_byte ? state.length + 1 : state.length, names)) return std::nullopt;
    }
    state.lexeme = step.state;
    if (state.lexeme.kind != LexKind::Blank && (!was_open || step.count > 0)) state.begun = state.length;
    ++state.length;
    // The first byte of the next lexeme tells whether a name is a column, a function or a qualifier.
    const bool undecided = state.after_dot || (!state.has_column && (byte == '.' || byte == '('));
    if (state.pending && !undecided && !is_blank(byte) && state.length > state.name.span.end) {
      names.push_back(state.name);
      state.pending = false;
    }
    if (!can_become(state)) return std::nullopt;
  }
  return state;
}

bool SyntaxFollower::may_end(State state, std::vector<NameEnd>& names) {
  const track::LexStep last = track::finish(state.lexeme);
  if (!last.ok) return false;
  for (int i = 0; i < last.count; ++i) {
    if (!read(state, last.ended[i], state.length, names)) return false;
  }
  if (state.pending && !state.after_dot) names.push_back(state.name);
  return control_.may_end(state.stack);
}

}  // namespace pccsql
