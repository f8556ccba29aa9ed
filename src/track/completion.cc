#include "track/completion.h"

#include <algorithm>

#include "base/text.h"

namespace pccsql::track {
namespace {

using Kind = LexState::Kind;

bool is_word_byte(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return (byte >= '0' && byte <= '9') || (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') || byte == '_' ||
         byte == '$' || byte >= 0x80;
}

// Bytes that end a character that was begun, by the lexer's states.
std::string utf8_tail(uint8_t state) {
  switch (state) {
    case 0:
      return "";
    case 1:
      return "\x80";
    case 2:
      return "\x80\x80";
    case 3:
      return "\x80\x80\x80";
    case 4:
      return "\xA0\x80";
    case 5:
      return "\x80\x80";
    case 6:
      return "\x90\x80\x80";
    default:
      return "\x80\x80\x80";
  }
}

bool looks_bare(std::string_view text) {
  for (size_t i = 0; i < text.size(); ++i) {
    if (!is_word_byte(text[i]) || (i == 0 && ((text[i] >= '0' && text[i] <= '9') || text[i] == '$'))) return false;
  }
  return !text.empty() && terminal_of(text) == Terminal::Illegal;
}

}  // namespace

Completer::Choice Completer::word(Terminal terminal) const {
  Choice choice;
  choice.word.terminal = terminal;
  choice.text = spelling(terminal);
  return choice;
}

Completer::Choice Completer::name(std::string_view text) const {
  Choice choice;
  choice.word.terminal = Terminal::Name;
  choice.word.name = store_.names.intern(text);
  const Rank rank = tracker_.world_.rank(choice.word.name);
  const std::string shown(rank != kNoRank ? tracker_.world_.canonical(choice.word.name) : text);
  if (looks_bare(shown)) {
    choice.text = shown;
  } else {
    choice.word.quote = Quote::Backtick;
    choice.text = "`";
    for (const char c : shown) choice.text += c == '`' ? "``" : std::string(1, c);
    choice.text += "`";
  }
  return choice;
}

std::optional<std::string> Completer::shortest_word(const Expectation& next, const std::string& prefix,
                                                    bool quoted) const {
  const World& world = tracker_.world_;
  std::optional<std::string> best;
  const auto offer = [&](std::string_view word) {
    if (!best || word.size() < best->size()) best = std::string(word);
  };
  const auto [first, last] = world.range(folded(prefix));
  const std::vector<Rank>& ranks = quoted ? next.quoted : next.bare;
  const bool spelled = world.settings().style == Style::Canonical && !quoted;
  for (auto it = std::lower_bound(ranks.begin(), ranks.end(), first); it != ranks.end() && *it < last; ++it) {
    const std::string_view word = world.canonical(world.word(*it));
    if (!spelled || word.substr(0, prefix.size()) == prefix) offer(word);
  }
  const std::string small = folded(prefix);
  for (const std::string& own : quoted ? next.own_quoted : next.own_bare) {
    if (own.compare(0, small.size(), small) == 0) offer(own);
  }
  return best;
}

// What is missing of the lexeme that is open. Nothing missing is an empty text; no way to end it is nothing.
std::optional<std::string> Completer::finish_lexeme(PrefixId id) {
  const SqlTracker::Prefix prefix = tracker_.prefixes_[id];
  const LexState& lex = prefix.lex;
  const std::string tail = utf8_tail(lex.utf8);
  const Expectation& next = tracker_.expected(prefix.sem);
  switch (lex.kind) {
    case Kind::Blank:
      return "";
    case Kind::Word:
    case Kind::Quoted: {
      const bool quoted = lex.kind == Kind::Quoted;
      const std::string close = !quoted                       ? ""
                                : lex.quote == Quote::Bracket ? "]"
                                                              : std::string(1, static_cast<char>(lex.quote));
      const std::string text = folded(store_.texts.str(lex.text));
      // As it stands, then the shortest known word, then letters that make a new name of it.
      std::vector<std::string> ways;
      if (tail.empty()) ways.push_back(close);
      if (const auto known = shortest_word(next, store_.texts.str(lex.text), quoted)) {
        std::string rest = known->substr(std::min(known->size(), text.size()));
        std::string escaped;
        for (const char c : rest)
          escaped += quoted && close == std::string(1, c) ? std::string(2, c) : std::string(1, c);
        ways.push_back(escaped + close);
      }
      if (next.free_word || next.free_quoted || next.free_string || next.alias) {
        for (const std::string_view more : {"", "1", "7", "17", "x", "x1", "x17", "z1", "zq", "zqx"})
          ways.push_back(tail + std::string(more) + close);
      }
      if (!quoted && text == "x") ways.push_back("''");
      for (const std::string& way : ways) {
        PrefixId at = id;
        for (const char c : way) at = tracker_.push(at, static_cast<uint8_t>(c));
        if (at != kDead && tracker_.ended(at) != SqlTracker::kNever) return way;
      }
      return std::nullopt;
    }
    case Kind::QuotedEnd:
      if (tracker_.ended(id) != SqlTracker::kNever) return "";
      if (next.free_quoted || next.free_string || next.alias) {
        const std::string quote(1, static_cast<char>(lex.quote));
        for (const std::string_view more : {"", "x", "zq", "zqx"}) {
          const std::string way = quote + std::string(more) + quote;
          PrefixId at = id;
          for (const char c : way) at = tracker_.push(at, static_cast<uint8_t>(c));
          if (at != kDead && tracker_.ended(at) != SqlTracker::kNever) return way;
        }
      }
      // The quote was the first of a doubled one.
      if (const auto known =
              shortest_word(next, folded(store_.texts.str(lex.text)) + static_cast<char>(lex.quote), true)) {
        const std::string rest = known->substr(store_.texts.length(lex.text));
        std::string escaped;
        for (const char c : rest) {
          escaped += c;
          if (c == static_cast<char>(lex.quote)) escaped += c;
        }
        return escaped.substr(1) + static_cast<char>(lex.quote);
      }
      return std::nullopt;
    case Kind::String:
      return tail + "'";
    case Kind::HexMark:
    case Kind::ExponentMark:
    case Kind::ExponentSign:
      return "1";
    case Kind::BlobEven:
      return "'";
    case Kind::BlobOdd:
      return "0'";
    case Kind::Less:
    case Kind::Greater:
    case Kind::Bar:
    case Kind::Minus:
    case Kind::Arrow:
      for (const std::string_view way : {"", "=", ">", "<", "|"}) {
        PrefixId at = id;
        for (const char c : way) at = tracker_.push(at, static_cast<uint8_t>(c));
        if (at != kDead && tracker_.ended(at) != SqlTracker::kNever) return std::string(way);
      }
      return std::nullopt;
    case Kind::Bang:
      return "=";
    case Kind::Dot:
      return allows(next, Terminal::Dot) ? "" : "1";
    default:
      return "";
  }
}

std::optional<Completer::Choice> Completer::next_name(const Expectation& expectation) const {
  std::optional<std::string> best = shortest_word(expectation, "", true);
  if (!best) best = shortest_word(expectation, "", false);
  if (best) return name(*best);
  if (expectation.free_word) return name("x");
  return std::nullopt;
}

// A FROM that is owed or has begun, by the witness of the search.
std::optional<Completer::Choice> Completer::next_in_from(Step& step, const Expectation& expectation) {
  const Level& level = step.level();
  const std::optional<Witness> witness = step.witness(level);
  if (!witness) return std::nullopt;
  const FromNode* const last = level.from == 0 ? nullptr : &store_.from[level.from];
  const bool at_item = store_.control.name_slot(tracker_.sems_[at_].sem.stack) == Slot::Table;
  if (at_item) {
    const bool derived = std::any_of(witness->from.begin(), witness->from.end(), [](const FromChoice& choice) {
      return choice.source == nullptr && !choice.outputs.empty();
    });
    if (derived && allows(expectation, Terminal::LeftParen)) return word(Terminal::LeftParen);
    for (const FromChoice& choice : witness->from) {
      if (choice.source != nullptr && choice.source->name != kNoName) {
        const std::string text(store_.names.text(choice.source->name));
        if (step.table_fits(choice.source->name)) return name(text);
      }
    }
    if (allows(expectation, Terminal::LeftParen)) return word(Terminal::LeftParen);
    return next_name(expectation);
  }
  if (store_.control.name_slot(tracker_.sems_[at_].sem.stack) == Slot::NewName && last != nullptr) {  // after AS
    if (witness->open_name != kNoName) return name(store_.names.text(witness->open_name));
    if (const auto fresh = fresh_name(at_)) return fresh;
    return next_name(expectation);
  }
  if (last != nullptr && last->item.name_open) {
    if (witness->open_name != kNoName || witness->open_fresh) {
      if (allows(expectation, Terminal::kw_AS)) return word(Terminal::kw_AS);
    }
  }
  if (last != nullptr && last->item.merge_open && !witness->open_merged.empty() &&
      allows(expectation, Terminal::kw_USING)) {
    return word(Terminal::kw_USING);
  }
  if (allows(expectation, Terminal::RightParen)) return word(Terminal::RightParen);
  if (store_.control.name_slot(tracker_.sems_[at_].sem.stack) == Slot::Column) {  // of USING
    if (!witness->open_merged.empty()) return name(store_.names.text(witness->open_merged.front()));
    return next_name(expectation);
  }
  // Another item: joined where USING must merge, else with a comma.
  const bool owed = !witness->from.empty() || (level.width != 0 && step.width_now(level) < level.width);
  if (!owed) return std::nullopt;
  const bool merges = !witness->from.empty() && !witness->from.front().merged.empty();
  if (merges && allows(expectation, Terminal::kw_JOIN)) return word(Terminal::kw_JOIN);
  if (allows(expectation, Terminal::Comma)) return word(Terminal::Comma);
  if (allows(expectation, Terminal::kw_JOIN)) return word(Terminal::kw_JOIN);
  return std::nullopt;
}

// A new name that can stand here.
std::optional<Completer::Choice> Completer::fresh_name(Index sem) {
  for (int i = 0; i < 1000; ++i) {
    const std::string text = i < 3 ? std::string(1, static_cast<char>('x' + i)) : "x" + std::to_string(i);
    const Choice fresh = name(text);
    if (fresh.word.quote != Quote::None) continue;
    const Store::Mark mark = store_.mark();
    bool fits = false;
    {
      Step copy(store_, tracker_.sems_[sem].sem);
      fits = copy.read(fresh.word);
    }
    store_.release(mark);
    if (fits) return name(text);
  }
  return std::nullopt;
}

std::optional<Completer::Choice> Completer::next(Index sem) {
  at_ = sem;
  const Expectation& expectation = tracker_.expected(sem);
  Step step(store_, tracker_.sems_[sem].sem);
  const Slot slot = store_.control.name_slot(tracker_.sems_[sem].sem.stack);
  const bool in_frame = step.in_frame();
  const Level& level = step.level();
  const Frame frame = step.frame();

  // A name that can only be a qualifier or a function.
  if (in_frame && frame.kind == Frame::Expr && frame.name != kNoName && !frame.after && frame.readings != 0 &&
      (frame.readings & (AsColumn | AsAlias | AsString | AsBoolean)) == 0) {
    if ((frame.readings & AsFunction) != 0) return word(Terminal::LeftParen);
    return word(Terminal::Dot);
  }
  if (in_frame && frame.kind == Frame::Expr && frame.qualifier != kNoName) {
    if (allows(expectation, Terminal::Star)) return word(Terminal::Star);
    return next_name(expectation);
  }
  if (slot == Slot::Name && in_frame && frame.kind == Frame::Expr && frame.part == 3) return word(Terminal::LeftParen);
  const auto literal = [&] {
    const Frame* const term = step.term();
    if (term != nullptr && !term->compound) return word(Terminal::kw_NULL);
    Choice one;
    one.word.terminal = Terminal::Integer;
    one.word.literal.value = 1;
    one.word.literal.digits = 1;
    one.text = "1";
    return one;
  };
  if (in_frame && frame.kind == Frame::Call && frame.closed && frame.function->mode == Callable::Window &&
      allows(expectation, Terminal::kw_OVER)) {
    return word(Terminal::kw_OVER);
  }
  // What an open FROM owes comes before anything that closes it.
  if (!in_frame && level.from_open && !level.settled && level.clause == Clause::From) {
    if (const auto choice = next_in_from(step, expectation)) return choice;
  }
  // A derived table that must put out certain names.
  if (level.kind == Level::Derived && level.branches == 1 && level.clause == Clause::Items && !level.settled &&
      tracker_.world_.settings().derived_names && sems_open(sem) <= 1 && level.item_alias == kNoName &&
      allows(expectation, Terminal::kw_AS)) {
    if (owed_output(step, false)) return word(Terminal::kw_AS);
  }
  if (level.kind == Level::Derived && level.branches == 1 && level.clause == Clause::Items && slot == Slot::NewName) {
    if (const auto owed = owed_output(step, true)) return name(store_.names.text(*owed));
  }
  if (level.kind == Level::Derived && level.branches == 1 && level.clause == Clause::Items &&
      level.item_alias != kNoName && allows(expectation, Terminal::Comma)) {
    if (owes_more(step)) return word(Terminal::Comma);
  }
  if (slot == Slot::NewName && !allows(expectation, Terminal::RightParen)) return fresh_name(sem);
  for (const Terminal closer : {Terminal::RightParen, Terminal::kw_END, Terminal::kw_THEN}) {
    if (allows(expectation, closer)) return word(closer);
  }
  if (slot == Slot::Column) return next_name(expectation);  // USING (
  if (slot == Slot::Collation || (slot == Slot::Type && !allows(expectation, Terminal::RightParen)))
    return next_name(expectation);
  if (allows(expectation, Terminal::Integer) && slot != Slot::Type) {  // an operand
    const bool signed_number = !allows(expectation, Terminal::LeftParen);
    if (signed_number || slot != Slot::Name) {
      Choice one = literal();
      if (one.word.terminal == Terminal::kw_NULL && !allows(expectation, Terminal::kw_NULL)) {
        one = Choice{};
        one.word.terminal = Terminal::Integer;
        one.word.literal.value = 1;
        one.text = "1";
      }
      return one;
    }
    return literal();
  }
  if (allows(expectation, Terminal::kw_NULL) && slot == Slot::Name) return word(Terminal::kw_NULL);
  for (const Terminal closer :
       {Terminal::kw_SELECT, Terminal::kw_BY, Terminal::kw_WHEN, Terminal::kw_ROW, Terminal::kw_PRECEDING,
        Terminal::kw_FOLLOWING, Terminal::kw_UNBOUNDED, Terminal::kw_OTHERS, Terminal::kw_TIES, Terminal::kw_FIRST,
        Terminal::kw_LAST, Terminal::kw_JOIN, Terminal::kw_USING}) {
    if (allows(expectation, closer)) return word(closer);
  }
  if (in_frame && frame.kind == Frame::Expr && store_.frames[frame.below].kind == Frame::Cast && sems_open(sem) > 1 &&
      allows(expectation, Terminal::kw_AS)) {
    return word(Terminal::kw_AS);
  }
  const Frame* const term = step.term();
  if (term != nullptr && term->owes_operator && allows(expectation, Terminal::Plus)) return word(Terminal::Plus);
  if (in_frame && allows(expectation, Terminal::Comma) && !has_zero(step)) {
    // Arguments that are missing.
    for (Index i = tracker_.sems_[sem].sem.frame; i != 0; i = store_.frames[i].below) {
      const Frame& open = store_.frames[i];
      if (open.kind == Frame::Call && !open.closed) return word(Terminal::Comma);
      if (open.kind != Frame::Expr) break;
    }
  }
  if (has_zero(step) && allows(expectation, Terminal::Plus)) return word(Terminal::Plus);
  if (level.clause == Clause::Items && !level.settled) {
    const auto items = static_cast<int>(store_.items[level.items].count) + 1;  // with the one at hand
    if (level.width != 0 && items < level.width && !level.star && allows(expectation, Terminal::Comma))
      return word(Terminal::Comma);
    if (allows(expectation, Terminal::kw_FROM)) return word(Terminal::kw_FROM);
    if (allows(expectation, Terminal::Comma)) return word(Terminal::Comma);
  }
  for (const Terminal closer : {Terminal::kw_AND, Terminal::kw_AS, Terminal::LeftParen, Terminal::kw_WHERE,
                                Terminal::Plus, Terminal::kw_IN, Terminal::kw_FROM, Terminal::Comma,
                                Terminal::kw_DISTINCT, Terminal::Dot, Terminal::kw_NULL, Terminal::kw_MATERIALIZED}) {
    if (allows(expectation, closer)) return word(closer);
  }
  return std::nullopt;
}

uint16_t Completer::sems_open(Index sem) const { return tracker_.sems_[sem].sem.open; }

// A name that the item at hand must have for the SELECT around the derived table. Not every order of them will do: with
// only some of its outputs the table may be of no use yet.
std::optional<NameId> Completer::owed_output(Step& step, bool after_as) {
  const Level& level = step.level();
  const std::optional<Witness> witness = step.witness(store_.levels[level.parent]);
  if (!witness) return std::nullopt;
  const std::vector<NameId> written = step.outputs_now(level);
  for (const FromChoice& choice : witness->from) {
    if (choice.source != nullptr) continue;
    for (const NameId output : choice.outputs) {
      if (std::find(written.begin(), written.end(), output) != written.end() || output == level.item_alias) continue;
      const Store::Mark mark = store_.mark();
      bool fits = false;
      for (const Terminal end : {Terminal::Comma, Terminal::RightParen}) {
        Step copy(store_, tracker_.sems_[at_].sem);
        fits |= (after_as || copy.read(word(Terminal::kw_AS).word)) &&
                copy.read(name(store_.names.text(output)).word) && copy.read(word(end).word);
      }
      store_.release(mark);
      if (fits) return output;
    }
    return std::nullopt;
  }
  return std::nullopt;
}

// Whether the derived table still lacks a name once the item at hand is there.
bool Completer::owes_more(Step& step) {
  const Level& level = step.level();
  const std::optional<Witness> witness = step.witness(store_.levels[level.parent]);
  if (!witness) return false;
  const std::vector<NameId> written = step.outputs_now(level);
  for (const FromChoice& choice : witness->from) {
    if (choice.source != nullptr) continue;
    return std::any_of(choice.outputs.begin(), choice.outputs.end(), [&](NameId output) {
      return output != level.item_alias && std::find(written.begin(), written.end(), output) == written.end();
    });
  }
  return false;
}

// The operand at hand is a 0 beside AND, which must become part of something larger.
bool Completer::has_zero(Step& step) const {
  if (!step.in_frame()) return false;
  const Frame& frame = step.frame();
  return frame.kind == Frame::Expr && frame.zero &&
         (store_.operators[frame.operators].and_ || (frame.operators == 0 && frame.and_operand));
}

std::optional<std::string> Completer::complete(PrefixId id) {
  if (id == kDead) return std::nullopt;
  const uint32_t mark = tracker_.mark();
  std::optional<std::string> result;
  const std::optional<std::string> rest = finish_lexeme(id);
  if (rest) {
    std::string text = *rest;
    PrefixId at = id;
    for (const char c : *rest) at = tracker_.push(at, static_cast<uint8_t>(c));
    Index sem = at == kDead ? SqlTracker::kNever : tracker_.ended(at);
    // Words, numbers and quotes are parted; nothing that is written here could lengthen an operator.
    const Kind kind = at == kDead ? Kind::Blank : tracker_.prefixes_[at].lex.kind;
    bool parted = kind == Kind::Blank || kind >= Kind::Dot;
    constexpr int kMostLexemes = 6000;
    for (int i = 0; sem != SqlTracker::kNever && i < kMostLexemes; ++i) {
      if (allows(tracker_.expected(sem), Terminal::End)) {
        result = text;
        break;
      }
      const std::optional<Choice> choice = next(sem);
      if (!choice) break;
      const bool punctuation = choice->text == ")" || choice->text == "," || choice->text == "(" || choice->text == ".";
      if (!parted && !punctuation) text += ' ';
      text += choice->text;
      parted = !is_word_byte(choice->text.back()) && choice->text.back() != '`';
      sem = tracker_.read_word(sem, choice->word);
    }
  }
  tracker_.release(mark);
  return result;
}

}  // namespace pccsql::track
