#include "track/completion.h"

#include <algorithm>

#include "base/bytes.h"
#include "base/text.h"

namespace pccsql::track {
namespace {

using Kind = LexState::Kind;

bool looks_bare(std::string_view text) {
  return !text.empty() && begins_word(static_cast<uint8_t>(text[0])) &&
         std::ranges::all_of(text, [](char c) { return continues_word(static_cast<uint8_t>(c)); }) &&
         terminal_of(text) == Terminal::Illegal && !text.starts_with("\xEF\xBB\xBF");
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
  const auto stands_bare = [&] {  // in canonical style, a keyword that can be a name here
    if (tracker_.world_.settings().style != Style::Canonical || rank == kNoRank) return false;
    return tracker_.expected(at_).bare.contains(rank);
  };
  if (looks_bare(shown) || stands_bare()) {
    choice.text = shown;
    choice.word.keyword = terminal_of(shown) != Terminal::Illegal;
  } else {
    // Between backticks it is a name wherever it stands.
    const bool canonical = tracker_.world_.settings().style == Style::Canonical;
    choice.word.quote = canonical ? Quote::Double : Quote::Backtick;
    const char quote = static_cast<char>(choice.word.quote);
    choice.text = quote;
    for (const char c : shown) choice.text += std::string(c == quote ? 2 : 1, c);
    choice.text += quote;
  }
  return choice;
}

std::optional<Completer::Choice> Completer::next_name() {
  const Expectation& expectation = tracker_.expected(at_);
  std::optional<std::string> best = shortest_word(expectation, "", true);
  if (!best) best = shortest_word(expectation, "", false);
  if (best) return name(*best);
  if (expectation.free_word) return name("x");
  return std::nullopt;
}

// A new name that can stand here.
std::optional<Completer::Choice> Completer::fresh_name(Index state_id) {
  for (int i = 0; i < 20000; ++i) {
    const std::string text = i < 3 ? std::string(1, static_cast<char>('x' + i)) : "x" + std::to_string(i - 3);
    const Choice fresh = name(text);
    if (fresh.word.quote != Quote::None) continue;
    if (tracker_.takes(tracker_.states_[state_id].state, fresh.word)) return name(text);
  }
  return std::nullopt;
}

Completer::Choice Completer::number(Terminal terminal, std::string_view text) const {
  Choice choice;
  choice.word.terminal = terminal;
  choice.word.literal.integer = terminal == Terminal::Integer;
  choice.word.literal.value = choice.word.literal.integer ? 1 : 0;
  choice.word.literal.digits = 1;
  choice.text = text;
  return choice;
}

std::optional<Completer::Choice> Completer::next(Index state_id) {
  at_ = state_id;
  Step step(store_, tracker_.states_[state_id].state);
  const Slot slot = store_.control.name_slot(tracker_.states_[state_id].state.stack);
  const bool in_frame = step.in_frame();
  const Level& level = step.level();
  const Frame frame = step.frame();

  // A name that can only be a qualifier or a function.
  if (in_frame && frame.kind == Frame::Expr && frame.name.name != kNoName && !frame.expr.after && frame.name.readings != 0 &&
      (frame.name.readings & (AsColumn | AsAlias | AsString | AsBoolean)) == 0) {
    if ((frame.name.readings & AsFunction) != 0) return word(Terminal::LeftParen);
    return word(Terminal::Dot);
  }
  if (in_frame && frame.kind == Frame::Expr && frame.name.qualifier != kNoName) {
    if (allows(Terminal::Star)) return word(Terminal::Star);
    return next_name();
  }
  if (slot == Slot::Name && in_frame && frame.kind == Frame::Expr && frame.expr.word == Expr::Exists) return word(Terminal::LeftParen);
  const auto literal = [&] {
    const Term* const term = step.term();
    if (term != nullptr && !term->compound) return word(Terminal::kw_NULL);
    return number(Terminal::Integer, "1");
  };
  if (in_frame && frame.kind == Frame::Call && frame.call.closed &&
      (frame.call.function->mode == Callable::Window || frame.call.over == Call::Owed) && allows(Terminal::kw_OVER)) {
    return word(Terminal::kw_OVER);
  }
  if (in_frame && frame.kind == Frame::Filter && store_.frames[frame.below].call.over == Call::Owed && allows(Terminal::kw_OVER)) {
    return word(Terminal::kw_OVER);
  }
  // What an open FROM owes comes before anything that closes it.
  if (!in_frame && level.from_open && !level.settled && level.clause == Clause::From) {
    if (const auto choice = next_in_from(step)) return choice;
  }
  // A derived table that must put out certain names.
  if (level.kind == Level::Derived && level.branches == 1 && level.clause == Clause::Items && !level.settled &&
      tracker_.world_.settings().derived_names && frames_open(state_id) <= 1 && level.item.alias == kNoName &&
      allows(Terminal::kw_AS)) {
    if (owed_output(step, false)) return word(Terminal::kw_AS);
  }
  if (level.kind == Level::Derived && level.branches == 1 && level.clause == Clause::Items && slot == Slot::NewName) {
    if (const auto owed = owed_output(step, true)) return name(store_.names.text(*owed));
  }
  if (level.kind == Level::Derived && level.branches == 1 && level.clause == Clause::Items &&
      level.item.alias != kNoName && allows(Terminal::Comma)) {
    if (owes_more(step)) return word(Terminal::Comma);
  }
  // One that NATURAL joins has names for all of its outputs.
  if (in_frame && frames_open(state_id) <= 1 && step.owes_output_name() && allows(Terminal::kw_AS) &&
      !allows(Terminal::kw_FROM) && !allows(Terminal::RightParen)) {
    return word(Terminal::kw_AS);
  }
  if (slot == Slot::NewName && !allows(Terminal::RightParen)) return fresh_name(state_id);
  if (step.owes_group(level) && allows(Terminal::kw_GROUP)) return word(Terminal::kw_GROUP);
  for (const Terminal closer : {Terminal::RightParen, Terminal::kw_END, Terminal::kw_THEN}) {
    if (allows(closer)) return word(closer);
  }
  if (slot == Slot::Column) return next_name();  // USING (
  if (slot == Slot::Collation || (slot == Slot::Type && !allows(Terminal::RightParen))) return next_name();
  if (allows(Terminal::Integer) && slot != Slot::Type) {  // an operand
    const bool signed_number = !allows(Terminal::LeftParen);
    if (signed_number || slot != Slot::Name) {
      const Choice one = literal();
      return one.word.terminal == Terminal::kw_NULL && !allows(Terminal::kw_NULL) ? number(Terminal::Integer, "1") : one;
    }
    return literal();
  }
  if (store_.operators[frame.expr.operators].divides && allows(Terminal::Float) && !frame.expr.after) {
    return number(Terminal::Float, "1.");
  }
  if (allows(Terminal::kw_NULL) && slot == Slot::Name) return word(Terminal::kw_NULL);
  for (const Terminal closer :
       {Terminal::kw_SELECT, Terminal::kw_BY, Terminal::kw_WHEN, Terminal::kw_ROW, Terminal::kw_PRECEDING,
        Terminal::kw_FOLLOWING, Terminal::kw_UNBOUNDED, Terminal::kw_OTHERS, Terminal::kw_TIES, Terminal::kw_FIRST,
        Terminal::kw_LAST, Terminal::kw_JOIN, Terminal::kw_LEFT, Terminal::kw_USING}) {
    if (allows(closer)) return word(closer);
  }
  if (in_frame && frame.kind == Frame::Expr && store_.frames[frame.below].kind == Frame::Cast && frames_open(state_id) > 1 &&
      allows(Terminal::kw_AS)) {
    return word(Terminal::kw_AS);
  }
  const Term* const term = step.term();
  if (term != nullptr && term->owes_operator && allows(Terminal::Plus)) return word(Terminal::Plus);
  if (in_frame && allows(Terminal::Comma) && !has_zero(step)) {
    // Arguments that are missing.
    for (Index i = tracker_.states_[state_id].state.frame; i != 0; i = store_.frames[i].below) {
      const Frame& open = store_.frames[i];
      if (open.kind == Frame::Call && !open.call.closed) return word(Terminal::Comma);
      if (open.kind != Frame::Expr) break;
    }
  }
  for (const Terminal op : {Terminal::Plus, Terminal::kw_ISNULL}) {  // the second one needs no room for an operand
    if (has_zero(step) && allows(op)) return word(op);
  }
  if (level.clause == Clause::Items && !level.settled) {
    const auto items = static_cast<int>(store_.items[level.items].count) + 1;  // with the one at hand
    if (level.width != 0 && items < level.width && !level.star && allows(Terminal::Comma)) return word(Terminal::Comma);
    if (allows(Terminal::kw_FROM)) return word(Terminal::kw_FROM);
    if (allows(Terminal::Comma)) return word(Terminal::Comma);
  }
  for (const Terminal closer : {Terminal::kw_AND, Terminal::kw_AS, Terminal::LeftParen, Terminal::kw_WHERE,
                                Terminal::Plus, Terminal::kw_IN, Terminal::kw_FROM, Terminal::Comma,
                                Terminal::kw_DISTINCT, Terminal::Dot, Terminal::kw_NULL, Terminal::kw_MATERIALIZED}) {
    if (allows(closer)) return word(closer);
  }
  return std::nullopt;
}

uint16_t Completer::frames_open(Index state_id) const { return tracker_.states_[state_id].state.open; }

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
      if (std::find(written.begin(), written.end(), output) != written.end() || output == level.item.alias) continue;
      const Store::Mark mark = store_.mark();
      bool fits = false;
      for (const Terminal end : {Terminal::Comma, Terminal::RightParen, Terminal::kw_FROM}) {
        Step copy(store_, tracker_.states_[at_].state);
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
      return output != level.item.alias && std::find(written.begin(), written.end(), output) == written.end();
    });
  }
  return false;
}

// The operand at hand is a 0 beside AND, which must become part of something larger.
bool Completer::has_zero(Step& step) const {
  if (!step.in_frame()) return false;
  const Frame& frame = step.frame();
  return frame.kind == Frame::Expr && frame.expr.zero &&
         (store_.operators[frame.expr.operators].and_ || (frame.expr.operators == 0 && frame.and_operand));
}

std::optional<std::string> Completer::complete(PrefixId id) {
  if (id == kDead) return std::nullopt;
  const uint32_t mark = tracker_.mark();
  std::optional<std::string> result;
  const std::optional<std::string> rest = finish_lexeme(id);
  if (rest) {
    const PrefixId at = pushed(id, *rest);
    // Words, numbers and quotes are parted; nothing that is written here could lengthen an operator.
    const Kind kind = at == kDead ? Kind::Blank : tracker_.prefixes_[at].lex.kind;
    const bool parted = kind == Kind::Blank || kind >= Kind::Dot;
    if (at != kDead && tracker_.ended(at) != SqlTracker::kNever) {
      if (const auto end = finish(tracker_.ended(at), parted)) result = *rest + *end;
    }
  }
  tracker_.release(mark);
  return result;
}

// From between two lexemes. What follows from a state follows from every state with its key.
std::optional<std::string> Completer::finish(Index state_id, bool parted) {
  constexpr int kMostLexemes = 50000;  // of several SELECTs that each owe 2,000 outputs
  constexpr size_t kLongestKept = 1024;  // of endings from the middle of it: there are as many as lexemes
  struct Station {
    Key key;
    size_t at;
  };
  std::vector<Station> stations;
  std::string text;
  auto& known = tracker_.endings_;
  bool ended = false;
  for (int i = 0; state_id != SqlTracker::kNever && i < kMostLexemes && !ended; ++i) {
    Key key = tracker_.state_key(state_id);
    key.low ^= parted ? 0x9E3779B97F4A7C15u : 0;
    stations.push_back({key, text.size()});
    if (const auto found = known.find(key); found != known.end()) {
      text += found->second;
      ended = true;
      break;
    }
    at_ = state_id;
    if (allows(Terminal::End)) {
      ended = true;
      break;
    }
    const std::optional<Choice> choice = next(state_id);
    if (!choice) return std::nullopt;
    const bool punctuation = choice->text == ")" || choice->text == "," || choice->text == "(" || choice->text == ".";
    if (!parted && !punctuation) text += ' ';
    text += choice->text;
    // After a number that ends with its point, END would begin an exponent.
    const char last = choice->word.terminal == Terminal::Float ? '1' : choice->text.back();
    parted = !continues_word(static_cast<uint8_t>(last)) && last != '`' && last != '"';
    state_id = tracker_.read_word(state_id, choice->word);
  }
  if (!ended) return std::nullopt;
  for (const Station& station : stations) {
    if (station.at != 0 && text.size() - station.at > kLongestKept) continue;
    const auto [ending, added] = known.try_emplace(station.key, text, station.at);
    if (added) tracker_.ending_bytes_ += held_bytes(ending->second) + kAllocationBytes;
  }
  return text;
}

}  // namespace pccsql::track
