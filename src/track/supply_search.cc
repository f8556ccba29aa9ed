// Which items are tried for a name, and in which order: qualifiers first, then plain names, fewest candidates first.
#include "track/supply_search.h"

#include <bit>
#include <utility>

namespace pccsql::track {

// An item of the qualifier's name: what it holds it must permit, what it lacks falls through to the outside, rowid aside.
bool Search::settle(State& state, size_t index, const Held& held) {
  const Qualifier& qualifier = asked_.qualifiers[index];
  if (asked_.captures(held, qualifier.passed) || (qualifier.star && !asked_.expands(*held.source))) return false;
  if (!held.permits_named(qualifier.roles)) return false;
  state.open &= ~(Mask{1} << index);
  const Mask lacking = qualifier.columns & ~held.named();
  return lacking == 0 || ((lacking & asked_.rowids) == 0 && pass(qualifier.name, lacking, qualifier.roles));
}

bool Search::fits(const State& state, const Held& held, bool starred) const {
  if ((held.hold & (state.passed | state.derived)) != 0) return false;
  if ((held.hold & state.expanded & ~held.permit[static_cast<size_t>(asked_.star_role)]) != 0) return false;
  const Mask collision = held.hold & state.covered;
  if (collision != 0 && !question_->may_merge) return false;
  if ((collision & ~(state.joinable & held.permit[kJoin])) != 0) return false;
  const Mask selected = starred ? collision : collision & state.starred;
  return (selected & ~(state.selectable & held.permit[static_cast<size_t>(asked_.star_role)])) == 0;
}

void Search::cover(State& state, const Held& held, bool starred) const {
  const Mask names = held.hold & asked_.plain;
  state.covered |= names;
  state.joinable &= ~names | held.permit[kJoin];
  state.selectable &= ~names | held.permit[static_cast<size_t>(asked_.star_role)];
  if (starred) state.starred |= names;
}

// The caller puts pass_count_ back where the step fails.
bool Search::pass(NameId qualifier, Mask columns, const RoleMasks& roles) {
  if (!may_pass_) return false;
  for (Mask left = columns; left != 0; left &= left - 1) {
    const auto bit = static_cast<size_t>(std::countr_zero(left));
    Obligation& passed = passes_[pass_count_++];
    passed = {qualifier, asked_.names[bit], 0};
    for (const Role role : kRoles) {
      if ((roles[static_cast<size_t>(role)] >> bit & 1) != 0) passed.roles |= role_bit(role);
    }
  }
  return question_->can_pass(std::span(passes_).first(pass_count_));
}

// A qualifier that names a table or CTE has one candidate; of the others the one with fewest comes first.
size_t Search::next_qualifier(const State& state) const {
  const auto first = static_cast<size_t>(std::countr_zero(state.open));
  if ((state.open & (state.open - 1)) == 0) return first;
  size_t best = first;
  size_t fewest = ~size_t{0};
  for (Mask left = state.open; left != 0; left &= left - 1) {
    const auto index = static_cast<size_t>(std::countr_zero(left));
    if (asked_.qualifiers[index].is_source) return index;
    size_t count = 0;
    for (const uint32_t item : supplies_.alive) {
      count += suits(state, asked_.qualifiers[index], supplies_.items[item]);
    }
    if (count >= fewest) continue;
    fewest = count;
    best = index;
  }
  return best;
}

// Whether an item could be called `qualifier`. One without any of its columns helps `q.*` alone; then one that holds no
// name at all is as good as any.
bool Search::suits(const State& state, const Qualifier& qualifier, const Held& held) const {
  const Mask supplied = held.named() & qualifier.columns;
  if (supplied == 0 && (!qualifier.star || (held.hold != 0 && supplies_.has_free))) return false;
  const Mask lacking = qualifier.columns & ~supplied;
  if (lacking != 0 && (!may_pass_ || (lacking & asked_.rowids) != 0)) return false;
  if (asked_.captures(held, qualifier.passed) || (qualifier.star && !asked_.expands(*held.source))) return false;
  return has_room(state, held) && held.permits_named(qualifier.roles) && fits(state, held, qualifier.star);
}

bool Search::settle_qualifiers(const State& state) {
  if (state.open == 0) {
    const size_t first = stack_.size();
    stack_.insert(stack_.end(), supplies_.alive.begin(), supplies_.alive.end());
    if (supply_plain(state, first, stack_.size())) return true;
    stack_.resize(first);
    return false;
  }
  if (++witness_.nodes > kMostNodes) return false;
  if (!may_pass_ && !question_->derived_names) {
    Mask reachable = 0;
    for (const uint32_t item : supplies_.alive) {
      const Held& held = supplies_.items[item];
      if (has_room(state, held) && fits(state, held, false)) reachable |= held.hold;
    }
    if ((uncovered(state) & ~reachable) != 0) return false;
  }
  const size_t index = next_qualifier(state);
  const Qualifier& qualifier = asked_.qualifiers[index];
  if (qualifier.is_source) {
    const uint32_t item = supplies_.own_item[index];
    if (item != kNoItem && take_for_qualifier(state, index, item)) return true;
  } else if (take_candidates(state, index)) {
    return true;
  }
  return (may_pass_ && !qualifier.star && pass_qualifier(state, index)) ||
         (question_->derived_names && !qualifier.is_source && derive_qualifier(state, index));
}

// The candidate that covers most goes first: the search ends sooner, and so does the FROM.
bool Search::take_candidates(const State& state, size_t index) {
  const Qualifier& qualifier = asked_.qualifiers[index];
  const size_t first = stack_.size();
  int most = -1;
  for (const uint32_t item : supplies_.alive) {
    const Held& held = supplies_.items[item];
    if (!suits(state, qualifier, held)) continue;
    stack_.push_back(item);
    const int covers =
        2 * std::popcount(held.named() & qualifier.columns) + std::popcount(held.hold & uncovered(state));
    if (covers <= most) continue;
    most = covers;
    std::swap(stack_[first], stack_.back());
  }
  const size_t last = stack_.size();
  for (size_t i = first; i < last; ++i) {
    if (take_for_qualifier(state, index, stack_[i])) return true;
  }
  stack_.resize(first);
  return false;
}

bool Search::take_for_qualifier(const State& state, size_t index, uint32_t item) {
  const Qualifier& qualifier = asked_.qualifiers[index];
  const Held& held = supplies_.items[item];
  const size_t passes = pass_count_;
  State next = state;
  if (has_room(state, held) && fits(state, held, qualifier.star) && settle(next, index, held)) {
    cover(next, held, qualifier.star);
    next.tables += held.source->tables;
    taken_[taken_count_++] = {held.source, qualifier.is_source ? kNoName : qualifier.name, false,
                              held.hold & state.covered, 0};
    if (settle_qualifiers(next)) return true;
    --taken_count_;
  }
  pass_count_ = passes;
  return false;
}

bool Search::pass_qualifier(State state, size_t index) {
  const Qualifier& qualifier = asked_.qualifiers[index];
  const size_t passes = pass_count_;
  state.open &= ~(Mask{1} << index);
  state.passed_qualifiers |= Mask{1} << index;
  if (pass(qualifier.name, qualifier.columns, qualifier.roles) && settle_qualifiers(state)) return true;
  pass_count_ = passes;
  return false;
}

bool Search::derive_qualifier(State state, size_t index) {
  const Qualifier& qualifier = asked_.qualifiers[index];
  Held held;
  held.hold = qualifier.columns & ~qualifier.passed;
  held.permit.fill(held.hold);
  if ((held.hold & (state.covered | state.passed | state.derived)) != 0) return false;
  if ((qualifier.passed & asked_.rowids) != 0 || ++state.tables > question_->room) return false;
  const size_t passes = pass_count_;
  const Mask lacking = qualifier.columns & qualifier.passed;
  state.open &= ~(Mask{1} << index);
  if (lacking == 0 || pass(qualifier.name, lacking, qualifier.roles)) {
    cover(state, held, qualifier.star);
    taken_[taken_count_++] = {nullptr, qualifier.name, false, 0, held.hold};
    if (settle_qualifiers(state)) return true;
    --taken_count_;
  }
  pass_count_ = passes;
  return false;
}

// Candidates are what of stack_[first, last) still fits: what does not fit now does not later.
bool Search::supply_plain(const State& state, size_t first, size_t last) {
  if (++witness_.nodes > kMostNodes) return false;
  const Mask wanted = uncovered(state);
  if (wanted == 0) return finish(state);
  const size_t begin = stack_.size();
  Mask one = 0;  // names with at least one candidate, two, three
  Mask two = 0;
  Mask three = 0;
  for (size_t i = first; i < last; ++i) {
    const Held& held = supplies_.items[stack_[i]];
    const Mask holds = held.hold & wanted;
    if (holds == 0 || !has_room(state, held) || !fits(state, held, false)) continue;
    stack_.push_back(stack_[i]);
    three |= two & holds;
    two |= one & holds;
    one |= holds;
  }
  const size_t end = stack_.size();
  Mask fewest = wanted & ~one;
  if (fewest != 0 && !may_pass_ && !question_->derived_names) {
    stack_.resize(begin);
    return false;
  }
  if (fewest == 0) fewest = wanted & ~two;
  if (fewest == 0) fewest = wanted & ~three;
  if (fewest == 0) fewest = wanted;
  const Mask name = fewest & (~fewest + 1);

  int most = 0;
  size_t best = begin;
  for (size_t i = begin; i < end; ++i) {
    const Mask hold = supplies_.items[stack_[i]].hold;
    if ((hold & name) == 0 || std::popcount(hold & wanted) <= most) continue;
    most = std::popcount(hold & wanted);
    best = i;
  }
  if (most > 0) std::swap(stack_[begin], stack_[best]);
  for (size_t i = begin; i < end && most > 0; ++i) {
    if ((supplies_.items[stack_[i]].hold & name) != 0 && take_for_plain(state, stack_[i], begin, end)) return true;
  }
  if (may_pass_) {
    const size_t passes = pass_count_;
    State next = state;
    next.passed |= name;
    if (pass(kNoName, name, asked_.roles) && supply_plain(next, begin, end)) return true;
    pass_count_ = passes;
  }
  if (question_->derived_names && (name & asked_.rowids) == 0) {
    State next = state;
    next.tables += next.derived == 0 ? 1 : 0;  // one for all of them
    next.derived |= name;
    if (next.tables <= question_->room && supply_plain(next, begin, end)) return true;
  }
  stack_.resize(begin);
  return false;
}

bool Search::take_for_plain(const State& state, uint32_t item, size_t first, size_t last) {
  const Held& held = supplies_.items[item];
  State next = state;
  cover(next, held, false);
  next.tables += held.source->tables;
  taken_[taken_count_++] = {held.source, kNoName, !own_name_is_free(state, held), held.hold & state.covered, 0};
  if (supply_plain(next, first, last)) return true;
  --taken_count_;
  return false;
}

// A table under its own name must not stand beside an item of that name, nor capture what was left to the outside.
bool Search::own_name_is_free(const State& state, const Held& held) const {
  const NameId name = held.source->name;
  for (size_t i = 0; i < question_->present.size(); ++i) {
    const FromItem& item = question_->present[i];
    const bool open = i + 1 == question_->present.size() && item.name_open;
    if ((open ? open_item_name_ : item.name) == name) return false;
  }
  const size_t index = asked_.find_qualifier(name);
  if (index == asked_.qualifier_count) return true;
  const Qualifier& qualifier = asked_.qualifiers[index];
  const Mask columns = (state.passed_qualifiers >> index & 1) != 0 ? qualifier.columns : 0;
  return !asked_.captures(held, columns | qualifier.passed);
}

}  // namespace pccsql::track
