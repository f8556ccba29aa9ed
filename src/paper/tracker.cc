#include "paper/tracker.h"

#include <algorithm>

#include "base/bytes.h"
#include "base/text.h"
#include "track/hash.h"

namespace pccsql::paper {
namespace {

using Kind = LexState::Kind;
using Words = PaperWords;

constexpr uint32_t kMostBlanks = 4;
constexpr uint32_t kLongestLiteralBytes = 256;
constexpr uint32_t kLongestNameBytes = 64;
constexpr uint32_t kRestOfCharacter = 3;  // bytes that the beginning of a UTF-8 character can owe

bool is_quoted(Kind kind) { return kind == Kind::Quoted || kind == Kind::QuotedEnd; }

}  // namespace

std::string_view to_string(PaperTrigger trigger) {
  switch (trigger) {
    case PaperTrigger::OutOfFragment:
      return "out-of-fragment prefix";
    case PaperTrigger::OutOfScope:
      return "out-of-scope reference at SELECT-list closure";
    case PaperTrigger::TerminalValidation:
      return "failed terminal validation";
    case PaperTrigger::EmptyAllowed:
      return "empty allowed set at a column slot";
    default:
      return "";
  }
}

PaperTracker::PaperTracker(const Catalog& catalog, const Policy& policy, TrackSettings settings)
    : grammar_(sql_grammar()),
      control_(grammar_),
      scopes_(catalog, policy, settings, texts_),
      longest_name_(kLongestNameBytes),
      states_(2),
      uses_(1),
      select_item_(rule("select_item")),
      from_(rule("from")),
      join_(rule("join")),
      join_condition_(rule("join_condition")),
      using_(rule("using")),
      where_(rule("where")),
      filter_(rule("filter")),
      group_by_(rule("group_by")),
      having_(rule("having")),
      order_by_(rule("order_by")),
      limit_(rule("limit")),
      derived_(rule("derived")),
      operand_(rule("operand")),
      call_(rule("call")) {
  states_[1].stack = control_.start();
  for (const Table& table : catalog.tables()) {
    longest_name_ = std::max(longest_name_, static_cast<uint32_t>(table.name.size()));
    for (const Column& column : table.columns) {
      longest_name_ = std::max(longest_name_, static_cast<uint32_t>(column.name.size()));
    }
  }
}

size_t PaperTracker::kept_bytes() const {
  // A word of a slot, a completion, a use: some hundred bytes each, with their places in a map.
  return texts_.bytes() + control_.bytes() + scopes_.bytes() + spare_bytes(states_) +
         (uses_.size() + use_ids_.size() + keywords_.size() * 40 + completions_.size() * 2) * 100;
}

void PaperTracker::forget() {
  std::vector<char> held(control_.size());
  for (const State& state : states_) held[state.stack] = 1;
  const std::vector<StackId> stacks = control_.keep_only(std::move(held));
  for (State& state : states_) state.stack = stacks[state.stack];
  drop_all(keywords_);
  drop_all(completions_);
  scopes_.forget_words();
  pccsql::drop_spare(states_);
}

PrefixId PaperTracker::push(PrefixId prefix, uint8_t byte) {
  State state = states_[prefix];
  if (prefix == kDead || state.refused != PaperTrigger::None) return kDead;
  const LexStep step = track::step(state.lex, byte, texts_);
  if (!step.ok) return kDead;
  for (int i = 0; i < step.count && state.refused == PaperTrigger::None; ++i) {
    if (!read(state, step.ended[i])) return kDead;
  }
  const bool fresh = step.count > 0 || state.lex.kind == Kind::Blank;
  state.lex = step.state;
  state.length = state.lex.kind == Kind::Blank ? 0 : static_cast<uint16_t>(fresh ? 1 : state.length + 1);
  if (!within_bounds(state)) return kDead;
  if (state.refused == PaperTrigger::None && !may_begin(state)) return kDead;
  states_.push_back(state);
  return static_cast<PrefixId>(states_.size() - 1);
}

bool PaperTracker::within_bounds(const State& state) const {
  const Kind kind = state.lex.kind;
  if (kind == Kind::Blank) return state.lex.run <= kMostBlanks;
  const uint32_t quotes = is_quoted(kind) ? 2 : 0;
  const uint32_t most = kind == Kind::Word || is_quoted(kind) ? longest_name_ + quotes : kLongestLiteralBytes;
  // Room is kept for what is owed: the closing quote, the rest of a character.
  const bool open = kind == Kind::String || kind == Kind::Quoted;
  return state.length + (open ? 1 : 0) + (state.lex.utf8 != 0 ? kRestOfCharacter : 0) <= most;
}

PaperTrigger PaperTracker::end_trigger(PrefixId prefix) {
  State state = states_[prefix];
  if (prefix == kDead) return PaperTrigger::TerminalValidation;
  if (state.refused != PaperTrigger::None) return state.refused;
  const LexStep last = finish(state.lex);
  bool whole = last.ok;
  for (int i = 0; i < last.count && whole; ++i) whole = read(state, last.ended[i]);
  if (whole && state.refused != PaperTrigger::None) return state.refused;
  if (!whole || !settle_name(state, Terminal::End, kNone) || !control_.may_end(state.stack)) {
    return PaperTrigger::TerminalValidation;
  }
  if (state.refused == PaperTrigger::None) close_from(state);
  return state.refused;
}

// Whether the open lexeme can still become one that may stand here.
bool PaperTracker::may_begin(State& state) {
  const Kind kind = state.lex.kind;
  if (kind == Kind::Blank) return true;
  const uint8_t could_be = state.name_flags;
  if (could_be != 0) {
    const bool dot = kind == Kind::Dot;
    if (dot ? !(could_be & Words::Qualifier) : !(could_be & (Words::Column | kStringFlag))) return false;
  }
  const TerminalSet& viable = control_.viable(state.stack);
  const auto any = [&](std::initializer_list<Terminal> terminals) {
    return std::any_of(terminals.begin(), terminals.end(), [&](Terminal t) { return viable[static_cast<size_t>(t)]; });
  };
  switch (kind) {
    case Kind::Word:
      return word_may_go_on(state);
    case Kind::Quoted:
      return any({Terminal::Name}) && name_may_go_on(state, texts_.str(texts_.folded(state.lex.text)));
    case Kind::QuotedEnd: {
      // The lexeme is whole unless its quote is doubled, which only a name with a quote in it would need.
      State ended = state;
      return read(ended, {Terminal::Name, state.lex.quote, state.lex.text}) ||
             name_may_go_on(state, texts_.str(texts_.folded(state.lex.text)) + static_cast<char>(state.lex.quote));
    }
    case Kind::String:
    case Kind::StringEnd:
      return any({Terminal::String});
    case Kind::BlobEven:
    case Kind::BlobOdd:
      return any({Terminal::Blob});
    case Kind::Zero:
    case Kind::Digits:
      return any({Terminal::Integer, Terminal::Float});
    case Kind::HexMark:
    case Kind::HexDigits:
      return any({Terminal::Integer});
    case Kind::Dot:
      return any({Terminal::Dot, Terminal::Float});
    case Kind::Less:
      return any({Terminal::Less, Terminal::LessEqual, Terminal::NotEqual, Terminal::ShiftLeft});
    case Kind::Greater:
      return any({Terminal::Greater, Terminal::GreaterEqual, Terminal::ShiftRight});
    case Kind::Bar:
      return any({Terminal::Bar, Terminal::Concat});
    case Kind::Equal:
      return any({Terminal::Equal});
    case Kind::Bang:
      return any({Terminal::NotEqual});
    case Kind::Minus:
      return any({Terminal::Minus, Terminal::Arrow, Terminal::LongArrow});
    case Kind::Arrow:
      return any({Terminal::Arrow, Terminal::LongArrow});
    case Kind::Slash:
      return any({Terminal::Slash});
    default:
      return any({Terminal::Float});
  }
}

bool PaperTracker::word_may_go_on(State& state) {
  const std::string text = texts_.str(texts_.folded(state.lex.text));
  // A keyword that would be refused is refused at its last letter: the model has said it, and the next must not be
  // bent into a longer word, unless a word of the column slot goes on so.
  const Terminal keyword = terminal_of(text);
  if (keyword != Terminal::Illegal && control_.read(state.stack, keyword) != kDeadStack) {
    const bool slot = control_.name_slot(state.stack) == Slot::Name;
    const bool longer = slot && scopes_.words(state.select, scopes_.need(state.select))
                                        .extension(text, Words::Bare, Words::Column | Words::Qualifier) != nullptr;
    State ended = state;
    if (!longer && read(ended, {Terminal::Name, Quote::None, state.lex.text})) state.refused = ended.refused;
    if (state.refused != PaperTrigger::None) return true;
  }
  if (begins_keyword(state.stack, text)) return true;
  if (text == "x" && control_.viable(state.stack)[static_cast<size_t>(Terminal::Blob)]) return true;
  return control_.viable(state.stack)[static_cast<size_t>(Terminal::Name)] && name_may_go_on(state, text);
}

// Whether a name that begins with `text` could fill the slot.
bool PaperTracker::name_may_go_on(const State& state, std::string_view text) {
  const Slot slot = control_.name_slot(state.stack);
  if (slot != Slot::Name && slot != Slot::Column) return true;
  const bool bare = state.lex.quote == Quote::None;
  if (slot == Slot::Name && (state.lex.quote == Quote::Double || scopes_.could_introduce(state.select, text)))
    return true;
  const Words& words = scopes_.words(state.select, scopes_.need(state.select), state.qualifier);
  const uint8_t function = bare && slot == Slot::Name ? Words::Function : 0;
  const uint8_t qualifier = slot == Slot::Name ? Words::Qualifier : 0;
  return words.extension(text, bare ? Words::Bare : 0, Words::Column | qualifier | function) != nullptr;
}

const std::vector<std::string>& PaperTracker::keywords(StackId stack) {
  const auto [entry, added] = keywords_.try_emplace(stack);
  if (added) {
    const TerminalSet& viable = control_.viable(stack);
    for (auto t = static_cast<size_t>(Terminal::kw_ABORT); t < kTerminals; ++t) {
      if (viable[t]) entry->second.push_back(folded(spelling(static_cast<Terminal>(t))));
    }
  }
  return entry->second;
}

bool PaperTracker::begins_keyword(StackId stack, std::string_view prefix) {
  const auto& viable = keywords(stack);
  return std::any_of(viable.begin(), viable.end(), [&](const std::string& word) { return word.starts_with(prefix); });
}

Key PaperTracker::key(PrefixId prefix) {
  const State& state = states_[prefix];
  Hasher hasher;
  hasher.add(static_cast<uint64_t>(state.refused));
  if (state.refused != PaperTrigger::None) return hasher.key();
  hasher.add(control_.hash(state.stack));
  hasher.add(scopes_.hash(state.select).high);
  hasher.add(scopes_.hash(state.select).low);
  hasher.add(static_cast<uint64_t>(state.lex.kind) | static_cast<uint64_t>(state.lex.quote) << 8 |
             uint64_t{state.lex.utf8} << 16 | uint64_t{state.lex.run} << 24 | uint64_t{state.ended} << 40 |
             uint64_t{state.name_flags} << 48);
  hasher.add(state.length);
  const bool is_name = state.lex.kind == Kind::Word || is_quoted(state.lex.kind);
  hasher.add(is_name ? texts_.str(texts_.folded(state.lex.text)) : "");
  hasher.add(texts_.str(state.name));
  hasher.add(texts_.str(state.qualifier));
  return hasher.key();
}

FreeText PaperTracker::free_text(PrefixId prefix) {
  const State& state = states_[prefix];
  if (state.refused != PaperTrigger::None || state.lex.utf8 != 0) return FreeText::None;
  if (state.lex.kind == Kind::String) return FreeText::String;
  if (state.lex.kind != Kind::Word) return FreeText::None;
  const Slot slot = control_.name_slot(state.stack);
  if (slot == Slot::None || slot == Slot::Name || slot == Slot::Column) return FreeText::None;
  // A word that can still become a keyword may come to the Refuse state on its way.
  return begins_keyword(state.stack, texts_.str(texts_.folded(state.lex.text))) ? FreeText::None : FreeText::NewName;
}

uint32_t PaperTracker::room(PrefixId prefix) {
  const State& state = states_[prefix];
  if (state.lex.kind == Kind::Blank) return kMostBlanks - std::min<uint32_t>(kMostBlanks, state.lex.run);
  const bool is_name = state.lex.kind == Kind::Word || is_quoted(state.lex.kind);
  const uint32_t most = (is_name ? longest_name_ : kLongestLiteralBytes) - 1 - kRestOfCharacter;
  return most - std::min<uint32_t>(most, state.length);
}

void PaperTracker::add_uses(State& state, const std::vector<Use>& uses) {
  for (const Use& use : uses) {
    const auto [entry, added] = use_ids_.try_emplace(std::pair(state.uses, use), static_cast<uint32_t>(uses_.size()));
    if (added) uses_.push_back({state.uses, use});
    state.uses = entry->second;
  }
}

std::vector<Use> PaperTracker::uses(PrefixId prefix) {
  std::vector<Use> all;
  for (uint32_t at = states_[prefix].uses; at != 0; at = uses_[at].previous) all.push_back(uses_[at].use);
  std::sort(all.begin(), all.end());
  all.erase(std::unique(all.begin(), all.end()), all.end());
  return all;
}

}  // namespace pccsql::paper
