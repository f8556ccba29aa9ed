// How a FROM is written that is owed: item by item, with the aliases and merges that the witness of the search says.
#include <algorithm>

#include "track/completion.h"

namespace pccsql::track {

// A FROM that is owed or has begun, by the witness of the search.
std::optional<Completer::Choice> Completer::next_in_from(Step& step) {
  const Level& level = step.level();
  const std::optional<Witness> witness = step.witness(level);
  if (!witness) return std::nullopt;
  const bool any = level.from != 0;
  const FromItem last = store_.from[level.from].item;
  const bool at_item = store_.control.name_slot(tracker_.states_[at_].state.stack) == Slot::Table;
  if (at_item) {
    const bool derived = std::any_of(witness->from.begin(), witness->from.end(), [](const FromChoice& choice) {
      return choice.source == nullptr && !choice.outputs.empty();
    });
    if (derived && allows(Terminal::LeftParen)) return word(Terminal::LeftParen);
    for (const FromChoice& choice : witness->from) {
      if (choice.source != nullptr && choice.source->name != kNoName) {
        const std::string text(store_.names.text(choice.source->name));
        if ((!choice.source->closed || expects(choice.source->name)) && table_fits(step, choice)) return name(text);
      }
    }
    if (allows(Terminal::LeftParen)) return word(Terminal::LeftParen);
    return next_name();
  }
  if (store_.control.name_slot(tracker_.states_[at_].state.stack) == Slot::NewName && any) {  // after AS
    if (witness->open_name != kNoName && step.alias_fits(witness->open_name)) {
      return name(store_.names.text(witness->open_name));
    }
    if (tracker_.world_.settings().style == Style::Canonical) {  // an alias that is owed goes before a new one
      for (const Obligation& wanted : step.pending(level)) {
        if (wanted.qualifier != kNoName && step.alias_fits(wanted.qualifier)) {
          return name(store_.names.text(wanted.qualifier));
        }
      }
    }
    if (const auto fresh = fresh_name(at_)) return fresh;
    return next_name();
  }
  if (any && last.name_open) {
    // What `q.*` makes of this item may be too much; then another one takes the name.
    const bool fits = witness->open_name == kNoName || step.alias_fits(witness->open_name);
    if (!fits && allows(Terminal::Comma)) return word(Terminal::Comma);
    if (witness->open_name != kNoName || witness->open_fresh) {
      if (allows(Terminal::kw_AS)) return word(Terminal::kw_AS);
    }
  }
  const bool too_wide = level.plain_star && step.width_now(level) > step.most_width(level);
  if (any && last.merge_open && (too_wide || !witness->open_merged.empty()) && allows(Terminal::kw_USING)) {
    return word(Terminal::kw_USING);
  }
  if (allows(Terminal::RightParen)) return word(Terminal::RightParen);
  if (too_wide && allows(Terminal::Comma)) return word(Terminal::Comma);          // of USING
  if (store_.control.name_slot(tracker_.states_[at_].state.stack) == Slot::Column) {  // of USING
    if (!witness->open_merged.empty()) return name(store_.names.text(witness->open_merged.front()));
    return next_name();
  }
  // Another item: joined where USING must merge, else with a comma.
  const bool owed = !witness->from.empty() || (level.width != 0 && step.width_now(level) < level.width);
  if (!owed) return std::nullopt;
  const bool merges = !witness->from.empty() && !witness->from.front().merged.empty();
  if (merges && allows(Terminal::kw_JOIN)) return word(Terminal::kw_JOIN);
  if (allows(Terminal::Comma)) return word(Terminal::Comma);
  if (allows(Terminal::kw_JOIN)) return word(Terminal::kw_JOIN);
  return std::nullopt;
}

// Whether the name is one of those that the mask lets come: of closed tables canonical style leaves some out.
bool Completer::expects(NameId name) {
  const Expectation& expectation = tracker_.expected(at_);
  const Rank rank = tracker_.world_.rank(name);
  return expectation.bare.contains(rank) || expectation.quoted.contains(rank);
}

// Whether the item can come, under the alias that it is there for: what `q.*` makes of it may be too much.
bool Completer::table_fits(Step& step, const FromChoice& choice) {
  if (!step.table_fits(choice.source->name)) return false;
  if (choice.alias == kNoName || !step.level().star) return true;
  const Store::Mark mark = store_.mark();
  bool fits = false;
  {
    Step copy(store_, tracker_.states_[at_].state);
    fits = copy.read(name(store_.names.text(choice.source->name)).word) && copy.read(word(Terminal::kw_AS).word) &&
           copy.read(name(store_.names.text(choice.alias)).word);
  }
  store_.release(mark);
  return fits;
}

}  // namespace pccsql::track
