#include "track/sql_tracker.h"

#include <algorithm>

#include "base/text.h"
#include "track/completion.h"
#include "track/hash.h"

namespace pccsql::track {
namespace {

using Kind = LexState::Kind;

}  // namespace

SqlTracker::SqlTracker(const World& world) : world_(world), store_(world), prefixes_(1), states_(1) {
  StateEntry first;
  first.state.stack = store_.control.start();
  states_.push_back(first);
  Prefix start;
  start.state_id = 1;
  prefixes_.push_back(start);
}

PrefixId SqlTracker::add(const Prefix& prefix) {
  prefixes_.push_back(prefix);
  return static_cast<PrefixId>(prefixes_.size() - 1);
}

Index SqlTracker::read_word(Index state_id, const Word& word) {
  Step step(store_, states_[state_id].state);
  if (!step.read(word)) return kNever;
  StateEntry entry;
  entry.state = step.commit();
  states_.push_back(entry);
  return static_cast<Index>(states_.size() - 1);
}

Index SqlTracker::read(Index state_id, const EndedLexeme& lexeme, const Literal& literal) {
  Word word;
  word.quote = lexeme.quote;
  word.literal = literal;
  word.terminal = store_.control.read_as(states_[state_id].state.stack, lexeme, store_.texts);
  if (word.terminal == Terminal::Illegal) return kNever;
  const bool canonical = world_.settings().style == Style::Canonical;
  if (word.terminal == Terminal::Name) {
    const std::string text = store_.texts.str(lexeme.text);
    // Of nothing between quotes only a string can come, in the quotes that make one, where no column is called so.
    const bool string = text.empty() && lexeme.quote == Quote::Double && expected_names(state_id).free_string &&
                        !world_.is_column_name(world_.names().find(text));
    if (text.empty() && !string) return kNever;
    if (canonical && !is_canonical_name(expected(state_id), folded(text), lexeme.quote)) return kNever;
    word.name = store_.names.intern(text);
    word.keyword = lexeme.quote == Quote::None && terminal_of(text) != Terminal::Illegal;
  }
  const bool means_more = word.terminal == Terminal::Name || word.terminal == Terminal::Integer ||
                          word.terminal == Terminal::Float || word.terminal == Terminal::String;
  if (means_more) return read_word(state_id, word);
  for (Index i = states_[state_id].reads; i != 0; i = reads_[i].previous) {
    if (reads_[i].terminal != word.terminal) continue;
    store_.asked |= reads_[i].asked;
    return reads_[i].to;
  }
  Index to = kNever;
  const bool asked = asks([&] { to = read_word(state_id, word); });
  reads_.push_back({state_id, word.terminal, to, states_[state_id].reads, asked});
  states_[state_id].reads = static_cast<Index>(reads_.size() - 1);
  return to;
}

// Whether a name that has ended is one of those expected, and not only the beginning of one.
bool SqlTracker::is_canonical_name(const Expectation& next, const std::string& text, Quote quote) const {
  const bool quoted = quote != Quote::None;
  const std::vector<std::string>& own = quoted ? next.own_quoted : next.own_bare;
  if (std::find(own.begin(), own.end(), text) != own.end()) return true;
  const RankSet& ranks = quoted ? next.quoted : next.bare;
  const NameId name = world_.names().find(text);
  if (name != kNoName && ranks.contains(world_.rank(name))) return true;
  if (quoted) return false;
  if (next.free_word || (next.alias && alias_fits(text))) return true;
  return next.some_alias && alias_fits(text) && !std::binary_search(next.taken.begin(), next.taken.end(), text);
}

Index SqlTracker::ended(PrefixId prefix) {
  if (prefixes_[prefix].ended != 0) {
    store_.asked |= prefixes_[prefix].ended_asked;
    return prefixes_[prefix].ended;
  }
  const LexStep last = finish(prefixes_[prefix].lex);
  Index state_id = last.ok ? prefixes_[prefix].state_id : kNever;
  const bool asked = asks([&] {
    for (int i = 0; i < last.count && state_id != kNever; ++i) {
      state_id = read(state_id, last.ended[i], prefixes_[prefix].literal);
    }
  });
  prefixes_[prefix].ended = state_id;
  prefixes_[prefix].ended_asked = asked;
  journal_.push_back(prefix);
  return state_id;
}

// Most bytes that are tried lead to no word at all: those are told without making anything.
bool SqlTracker::leads_to_no_word(const Prefix& before, uint8_t byte) {
  const bool begins = before.lex.kind == Kind::Blank;
  if (!begins && before.lex.kind != Kind::Word) return false;
  const char c = fold(static_cast<char>(byte));
  const bool letter = (c >= 'a' && c <= 'z') || c == '_';
  if (!letter && (begins || !is_digit(byte))) return false;
  const Expectation& next = expected(before.state_id);
  const uint32_t length = begins ? 1 : before.length + 1u;
  if (next.free_word || !next.own_bare.empty() || ((next.alias || next.some_alias) && length <= 4)) return false;
  if (next.alias && world_.settings().aliases == Aliases::Any) return false;
  if (length == 1 && c == 'x') return false;  // of a blob
  const uint32_t at = world_.trie().child(begins ? 1 : before.node, c);
  if (at == 0) return true;
  const WordTrie::Node& node = world_.trie().node(at);
  return !next.bare.any_in(node.first, node.last);
}

PrefixId SqlTracker::push(PrefixId id, uint8_t byte) {
  if (id == kDead || id >= prefixes_.size()) return kDead;
  if (leads_to_no_word(prefixes_[id], byte)) return kDead;
  const size_t texts = store_.texts.size();
  const PrefixId next = pushed(id, byte);
  if (next == kDead) store_.texts.truncate(texts);
  return next;
}

PrefixId SqlTracker::pushed(PrefixId id, uint8_t byte) {
  const Prefix before = prefixes_[id];
  const LexStep step = track::step(before.lex, byte, store_.texts);
  if (!step.ok) return kDead;
  Prefix after;
  after.lex = step.state;
  after.state_id = before.state_id;
  after.started = true;
  for (int i = 0; i < step.count; ++i) {
    // The lexeme that was open ends the same way whatever ends it; one that this byte is the whole of does not.
    const LexStep last = i == 0 && before.lex.kind != Kind::Blank ? finish(before.lex) : LexStep{};
    const bool shared = last.ok && last.count == 1 && last.ended[0].terminal == step.ended[0].terminal &&
                        last.ended[0].quote == step.ended[0].quote && last.ended[0].text == step.ended[0].text;
    after.state_id = shared ? ended(id) : read(after.state_id, step.ended[i], i == 0 ? before.literal : Literal{});
    if (after.state_id == kNever) return kDead;
  }
  const bool fresh = step.count > 0 || before.lex.kind == Kind::Blank;
  after.length = static_cast<uint16_t>(after.lex.kind == Kind::Blank ? after.lex.run
                                       : fresh                       ? 1
                                                                     : std::min(before.length + 1, 60000));
  if (!fresh) after.literal = before.literal;
  note_literal(after.literal, after.lex, byte);
  if (after.lex.kind == Kind::Word) {
    after.node = world_.trie().child(fresh ? 1 : before.node, fold(static_cast<char>(byte)));
  } else if (after.lex.kind == Kind::Quoted && !fresh) {
    // An opening quote is no part of the name; a doubled one stands for itself.
    after.node = world_.trie().child(before.node, fold(static_cast<char>(byte)));
  } else if (after.lex.kind == Kind::QuotedEnd) {
    after.node = before.node;
  }
  if (before.completion != 0) {
    const std::string& way = completions_[before.completion];
    if (before.completed < way.size() && static_cast<uint8_t>(way[before.completed]) == byte) {
      after.completion = before.completion;
      after.completed = before.completed + 1;
    }
  }
  if (world_.settings().style == Style::Canonical && !canonical_byte(before, after, byte)) return kDead;
  if (!open_fits(after)) return kDead;
  return add(after);
}

// One blank where blanks may be, none at the beginning; words spelled as the world spells them.
bool SqlTracker::canonical_byte(const Prefix& before, const Prefix& after, uint8_t byte) {
  if (after.lex.kind == Kind::Blank && after.lex.run > 0) {
    return byte == ' ' && after.lex.run == 1 && before.started && !expected(after.state_id).glued;
  }
  if (after.lex.kind == Kind::Dot && before.lex.kind == Kind::Blank && before.lex.run > 0) return false;
  const bool quoted = after.lex.kind == Kind::Quoted || after.lex.kind == Kind::QuotedEnd;
  if (after.lex.kind != Kind::Word && !quoted) return true;
  if (quoted && after.lex.quote != Quote::Double) return false;
  const std::string text = store_.texts.str(after.lex.text);
  const std::string small = folded(text);
  const Expectation& next = expected(after.state_id);
  if (!quoted &&
      (next.free_word || (next.alias && is_alias_prefix(small)) || (next.some_alias && alias_free(next, small))))
    return true;
  // A quote that is read last may close the name or be the first of two.
  const bool whole = after.lex.kind == Kind::QuotedEnd;
  const std::string doubled = text + static_cast<char>(after.lex.quote);
  const auto [first, last] = world_.range(small);
  const RankSet& ranks = quoted ? next.quoted : next.bare;
  for (Rank rank = ranks.next(first); rank < last; rank = ranks.next(rank + 1)) {
    for (const std::string_view word : world_.spellings(world_.word(rank), quoted)) {
      if (word.empty()) continue;
      if (whole ? word == text || word.starts_with(doubled) : word.starts_with(text)) return true;
    }
  }
  const std::vector<std::string>& own = quoted ? next.own_quoted : next.own_bare;
  return std::any_of(own.begin(), own.end(), [&](const std::string& word) {
    return whole ? word == small || word.starts_with(folded(doubled)) : word.starts_with(small);
  });
}

// Whether an item of FROM can have an alias that begins so: as it stands, or with the digits that there is room for.
bool SqlTracker::alias_free(const Expectation& next, const std::string& text) const {
  if (!is_alias_prefix(text)) return false;
  const auto free = [&](const std::string& name) {
    return is_alias_prefix(name) && terminal_of(name) == Terminal::Illegal &&
           !world_.is_column_name(world_.names().find(name)) &&
           world_.sources().find(world_.names().find(name)) == nullptr &&
           !std::binary_search(next.taken.begin(), next.taken.end(), name);
  };
  if (free(text)) return true;
  for (char digit = '0'; digit <= '9'; ++digit) {
    const std::string longer = text + digit;
    if (free(longer)) return true;
    for (char second = '0'; second <= '9' && is_alias_prefix(longer); ++second) {
      if (free(longer + second)) return true;
    }
  }
  return false;
}

bool SqlTracker::is_alias_prefix(std::string_view text) const {
  size_t letters = 0;
  while (letters < text.size() && text[letters] >= 'a' && text[letters] <= 'z') ++letters;
  size_t end = letters;
  while (end < text.size() && is_digit(static_cast<uint8_t>(text[end]))) ++end;
  return letters >= 1 && letters <= world_.alias_letters() && end - letters <= 2 && end == text.size();
}

// An alias that is being written: where no digit can be added any more, it must be one as it stands.
bool SqlTracker::alias_fits(const std::string& text) const {
  if (!is_alias_prefix(text)) return false;
  const size_t digits = text.size() - (text.size() > 1 && !is_digit(static_cast<uint8_t>(text[1])) ? 2 : 1);
  if (digits < 2) return true;
  return terminal_of(text) == Terminal::Illegal && !world_.is_column_name(world_.names().find(text)) &&
         world_.sources().find(world_.names().find(text)) == nullptr;
}

bool SqlTracker::word_fits(const Prefix& prefix) {
  const Expectation& next = expected(prefix.state_id);
  const bool any = next.free_word || (next.alias && world_.settings().aliases == Aliases::Any);
  if (any && prefix.length + utf8_owed(prefix.lex.utf8) + 2 <= kLongestNewName) return true;
  if (prefix.node != 0) {
    const WordTrie::Node& node = world_.trie().node(prefix.node);
    if (next.bare.any_in(node.first, node.last)) return true;
  }
  const bool blob = prefix.length == 1 && next.terminals[static_cast<size_t>(Terminal::Blob)];
  const bool alias = next.alias || next.some_alias;
  if (next.own_bare.empty() && !blob && (!alias || prefix.length > 4)) return false;
  const std::string text = folded(store_.texts.str(prefix.lex.text));
  for (const std::string& own : next.own_bare) {
    if (own.compare(0, text.size(), text) == 0) return true;
  }
  if (next.alias && alias_fits(text)) return true;
  if (next.some_alias && alias_free(next, text)) return true;
  return blob && text == "x";
}

// `more`: the name goes on; otherwise it may end here or, by a doubled quote, go on with one.
bool SqlTracker::quoted_fits(const Prefix& prefix, bool more) {
  const Expectation& next = expected_names(prefix.state_id);
  const bool any = next.alias && world_.settings().aliases == Aliases::Any && world_.settings().style == Style::Any;
  const bool string = next.free_string && prefix.lex.quote == Quote::Double;
  if ((next.free_quoted || string || any) && prefix.length + utf8_owed(prefix.lex.utf8) + 6 <= kLongestNewName)
    return true;
  if (const uint32_t at = more ? prefix.node : world_.trie().child(prefix.node, static_cast<char>(prefix.lex.quote));
      at != 0) {
    const WordTrie::Node& node = world_.trie().node(at);
    for (Rank rank = next.quoted.next(node.first); rank < node.last; rank = next.quoted.next(rank + 1)) {
      if (can_quote(world_.names().text(world_.word(rank)), prefix.lex.quote)) return true;
    }
  }
  const bool alias = next.alias && world_.settings().style == Style::Any;
  if (next.own_quoted.empty() && !alias) return false;
  std::string text = folded(store_.texts.str(prefix.lex.text));
  if (!more) text += static_cast<char>(prefix.lex.quote);
  if (more && alias && (text.empty() || alias_fits(text))) return true;
  return std::any_of(next.own_quoted.begin(), next.own_quoted.end(),
                     [&](const std::string& own) { return own.starts_with(text) && can_quote(own, prefix.lex.quote); });
}

bool SqlTracker::number_fits(const Prefix& prefix, const NumberKinds& next) const {
  // In canonical style as long as an integer can be: a longer one is a real number, which LIMIT does not take.
  const uint32_t longest = world_.settings().style == Style::Canonical ? 15 : kLongestNumber;
  if (prefix.length > longest) return false;
  const Kind kind = prefix.lex.kind;
  const bool is_real =
      kind == Kind::Fraction || kind == Kind::ExponentMark || kind == Kind::ExponentSign || kind == Kind::Exponent;
  const bool hex = kind == Kind::HexMark || kind == Kind::HexDigits;
  if (is_real || hex ? !(hex ? next.integer : next.real) : !(next.integer || next.real)) return false;
  if (hex && prefix.literal.digits > 17) return false;  // with the 0 before the x
  const bool owes = kind == Kind::HexMark || kind == Kind::ExponentMark || kind == Kind::ExponentSign;
  if (owes && prefix.length + 2u > longest) return false;
  // Where a point must come there is room for it.
  if (!is_real && !next.integer && prefix.length + 1u > longest) return false;
  if (next.most_digits != 0 && (prefix.literal.odd || prefix.literal.digits > next.most_digits)) return false;
  if (next.most_value == 0) return true;
  return !is_real && !hex && prefix.literal.integer && prefix.literal.value >= 1 &&
         prefix.literal.value <= next.most_value;
}

// Whether the lexeme that is open can be finished.
bool SqlTracker::open_fits(const Prefix& prefix) {
  const auto any = [&](std::initializer_list<Terminal> wanted) {
    return std::any_of(wanted.begin(), wanted.end(), [&](Terminal t) { return follows(prefix.state_id, t); });
  };
  switch (prefix.lex.kind) {
    case Kind::Blank:
      return prefix.lex.run <= kLongestBlank;
    case Kind::Word:
      return word_fits(prefix);
    case Kind::Quoted:
      return quoted_fits(prefix, true);
    case Kind::QuotedEnd: {
      if (quoted_fits(prefix, false)) return true;
      const LexStep last = finish(prefix.lex);
      const Store::Mark mark = store_.mark();
      const size_t states = states_.size();
      const bool fits = last.ok && read(prefix.state_id, last.ended[0], prefix.literal) != kNever;
      states_.resize(states);
      store_.release(mark);
      return fits;
    }
    case Kind::String:
      return prefix.length + utf8_owed(prefix.lex.utf8) + 1 <= kLongestLiteral && any({Terminal::String});
    case Kind::StringEnd:
      return any({Terminal::String});
    case Kind::BlobEven:
    case Kind::BlobOdd:
      return prefix.length + 2u <= kLongestLiteral && any({Terminal::Blob});
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
      return is_number(prefix.lex.kind) && number_fits(prefix, number_kinds(prefix.state_id));
  }
}

bool SqlTracker::may_end(PrefixId id) {
  if (id == kDead) return false;
  const Index state_id = ended(id);
  if (state_id == kNever) return false;
  return follows(state_id, Terminal::End);
}

FreeText SqlTracker::free_text(PrefixId id) {
  const Prefix& prefix = prefixes_[id];
  if (prefix.lex.utf8 != 0) return FreeText::None;
  if (prefix.lex.kind == Kind::String) return FreeText::String;
  if (prefix.lex.kind == Kind::Word) {
    const Expectation& next = expected_names(prefix.state_id);
    const bool any = next.free_word || (next.alias && world_.settings().aliases == Aliases::Any);
    return any ? FreeText::NewName : FreeText::None;
  }
  if (prefix.lex.kind == Kind::Quoted) {
    const Expectation& next = expected_names(prefix.state_id);
    const bool string = next.free_string && prefix.lex.quote == Quote::Double;
    if (next.free_quoted || string) return FreeText::Quoted;
  }
  return FreeText::None;
}

uint32_t SqlTracker::room(PrefixId id) {
  const Prefix& prefix = prefixes_[id];
  // Less what it takes to end it.
  const auto left = [&](uint32_t most) { return prefix.length + 9u >= most ? 0 : most - prefix.length - 9u; };
  switch (prefix.lex.kind) {
    case Kind::Blank:
      return left(kLongestBlank);
    case Kind::String:
    case Kind::BlobEven:
    case Kind::BlobOdd:
      return left(kLongestLiteral);
    case Kind::Word:
    case Kind::Quoted:
      return left(kLongestNewName);
    default:
      return 0;
  }
}

std::vector<Use> SqlTracker::uses(PrefixId id) {
  std::vector<Use> uses;
  const Index state_id = ended(id);
  const State& state = states_[state_id == kNever ? prefixes_[id].state_id : state_id].state;
  Step step(store_, state);
  const Store::Mark mark = store_.mark();
  Index settled = state.uses;
  if (state_id != kNever) {
    Step last(store_, state);
    if (last.end()) settled = last.commit().uses;  // what the end of the text settles is counted, too
  }
  std::vector<UseNode> decided;  // about select lists, the last word first
  for (Index i = settled; i != 0; i = store_.uses[i].below) {
    if (store_.uses[i].last != 0) decided.push_back(store_.uses[i]);
  }
  const auto add_use = [&](Use use, ListId list) {
    for (const UseNode& about : decided) {
      if (list.id < about.list.id || list.id > about.last || list.nesting != about.list.nesting) continue;
      use.role = about.compared ? Role::Where : Role::Sel;
      break;
    }
    uses.push_back(use);
  };
  const auto add_binding = [&](const Binding& binding, RoleSet roles, ListId list) {
    for (const ColumnRef& column : binding.columns) {
      for (const Role role : kRoles) {
        if ((roles & role_bit(role)) != 0) add_use({column, role}, list);
      }
    }
  };
  for (Index i = settled; i != 0; i = store_.uses[i].below) {
    if (store_.uses[i].last == 0) add_use(store_.uses[i].use, store_.uses[i].list);
  }
  for (Index at = state.level; at != 0; at = store_.levels[at].parent) {
    for (Index i = store_.levels[at].refs; i != 0; i = store_.refs[i].below) {
      const Ref& ref = store_.refs[i].ref;
      if (ref.binding == 0 || ref.bound_outside) continue;
      for (const auto& [roles, list] : parted(ref)) add_binding(store_.bindings[ref.binding], roles, list);
    }
  }
  store_.release(mark);
  std::sort(uses.begin(), uses.end());
  uses.erase(std::unique(uses.begin(), uses.end()), uses.end());
  return uses;
}

uint32_t SqlTracker::mark() {
  marks_.push_back(
      {store_.mark(), prefixes_.size(), states_.size(), journal_.size(), completions_.size(), reads_.size()});
  return static_cast<uint32_t>(marks_.size() - 1);
}

void SqlTracker::release(uint32_t id) {
  const Mark mark = marks_[id];
  marks_.resize(id);
  for (size_t i = mark.journal; i < journal_.size(); ++i) {
    if (journal_[i] >= mark.prefixes) continue;
    prefixes_[journal_[i]].ended = 0;
    if (prefixes_[journal_[i]].completion >= mark.completions) prefixes_[journal_[i]].completion = 0;
  }
  for (; reads_.size() > mark.reads; reads_.pop_back()) states_[reads_.back().from].reads = reads_.back().previous;
  journal_.resize(mark.journal);
  completions_.resize(mark.completions);
  prefixes_.resize(mark.prefixes);
  states_.resize(mark.states);
  store_.release(mark.store);
}

// Once a completion is known, what remains of it on its way is one again: so some byte always shortens it.
std::optional<std::string> SqlTracker::completion(PrefixId id) {
  if (id == kDead) return std::nullopt;
  if (prefixes_[id].completion != 0) return completions_[prefixes_[id].completion].substr(prefixes_[id].completed);
  std::optional<std::string> text = Completer(*this).complete(id);
  if (!text) return std::nullopt;
  completions_.push_back(*text);
  prefixes_[id].completion = static_cast<Index>(completions_.size() - 1);
  prefixes_[id].completed = 0;
  journal_.push_back(id);
  return text;
}

uint32_t SqlTracker::completion_bound(PrefixId prefix) {
  const std::optional<std::string> text = completion(prefix);
  return text ? static_cast<uint32_t>(text->size()) : UINT32_MAX;
}

}  // namespace pccsql::track
