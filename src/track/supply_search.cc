// The search: from the items that FROM has to the witness. Which items are tried for a name, and in which order: qualifiers
// first, then plain names, fewest candidates first.
#include "track/supply_search.h"

#include <algorithm>
#include <utility>

namespace pccsql::track {

template <size_t Words>
std::optional<Witness> Search<Words>::run(const Sources& sources, const SupplyQuestion& question) {
  question_ = &question;
  sources_ = &sources;
  may_pass_ = static_cast<bool>(question.can_pass);
  taken_.clear();
  passes_.clear();
  open_item_name_ = kNoName;
  stack_.clear();
  witness_ = {};
  if (!asked_.read(sources, question)) return std::nullopt;
  State state;
  state.passed = asked_.passed;
  state.open = Mask::below(asked_.qualifiers.size());
  for (size_t i = 0; i < asked_.qualifiers.size(); ++i) {
    const Qualifier<Words>& qualifier = asked_.qualifiers[i];
    if (qualifier.columns.none() && !qualifier.star) state.open.clear(i);
  }
  // A name that was bound outward once is bound outward wherever it stands.
  if (const Mask both = asked_.plain & asked_.passed; both.any() && !pass(kNoName, both, asked_.roles)) {
    return std::nullopt;
  }
  if (!place_present(state)) return std::nullopt;
  return std::move(witness_);
}

// The items that FROM has: all but an open one have a name and merge what they merge.
template <size_t Words>
bool Search<Words>::place_present(State& state) {
  for (size_t i = 0; i < question_->present.size(); ++i) {
    const FromItem& item = question_->present[i];
    const bool last = i + 1 == question_->present.size();
    if (last && (item.name_open || item.merge_open)) return place_open_item(state);
    const Item held = asked_.held_by(*item.source);
    if (!asked_.may_stand(held)) return false;
    const size_t qualifier = asked_.find_qualifier(item.name);
    const bool starred = qualifier < asked_.qualifiers.size() && asked_.qualifiers[qualifier].star;
    if ((held.hold & state.covered & ~asked_.mask_of(item.merged)).any()) return false;
    if (!fits(state, held, starred)) return false;
    if (qualifier < asked_.qualifiers.size() && !settle(state, qualifier, held)) return false;
    cover(state, held, starred);
  }
  supplies_.prepare(asked_, *sources_, *question_, uncovered(state), state.open);
  return expand_merged(state, kNoName) && settle_qualifiers(state);
}

template <size_t Words>
bool Search<Words>::place_open_item(const State& state) {
  const FromItem& item = question_->present.back();
  const Item held = asked_.held_by(*item.source);
  if (!asked_.may_stand(held)) return false;
  const Mask collision = held.hold & state.covered & ~asked_.mask_of(item.merged);
  if (collision.any() && (!item.merge_open || collision.count() > question_->merges)) return false;
  witness_.open_merged = names_in(collision);
  State after = state;
  cover(after, held, false);
  supplies_.prepare(asked_, *sources_, *question_, uncovered(after), state.open);

  const auto is_taken = [&](NameId name) {
    const auto others = question_->present.first(question_->present.size() - 1);
    return name != kNoName &&
           std::any_of(others.begin(), others.end(), [&](const FromItem& other) { return other.name == name; });
  };
  const auto keep_name = [&] { return !is_taken(item.name) && name_open_item(state, held, item.name); };
  if (!item.name_open) return keep_name();
  // What settles something goes first: an alias that is asked for saves another item.
  const bool own_is_asked = asked_.find_qualifier(item.name) < asked_.qualifiers.size();
  if (own_is_asked && keep_name()) return true;
  for (const size_t index : state.open) {
    const Qualifier<Words>& qualifier = asked_.qualifiers[index];
    if (qualifier.is_source || is_taken(qualifier.name) || qualifier.name == item.name) continue;
    if ((held.named() & qualifier.columns).none() && !qualifier.star) continue;
    witness_.open_name = qualifier.name;
    if (name_open_item(state, held, qualifier.name)) return true;
  }
  witness_.open_name = kNoName;
  if (!own_is_asked && keep_name()) return true;
  witness_.open_fresh = true;
  return (own_is_asked || is_taken(item.name)) && name_open_item(state, held, kNoName);
}

template <size_t Words>
bool Search<Words>::name_open_item(State state, const Item& held, NameId name) {
  const size_t passes = passes_.size();
  const size_t qualifier = asked_.find_qualifier(name);
  const bool known = qualifier < asked_.qualifiers.size();
  const bool starred = known && asked_.qualifiers[qualifier].star;
  open_item_name_ = name;
  if (fits(state, held, starred) && (!known || settle(state, qualifier, held))) {
    state.merges = witness_.open_merged.size();
    cover(state, held, starred);
    if (expand_merged(state, name) && settle_qualifiers(state)) return true;
  }
  passes_.resize(passes);
  return false;
}

// What USING and NATURAL have merged: Join everywhere, one group on the left; and if `q.*` expands one of its members
// that the merge does not stand before, its role for whatever holds the name, now and later.
template <size_t Words>
bool Search<Words>::expand_merged(State& state, NameId open_name) const {
  const std::span<const FromItem> present = question_->present;
  const auto expands = [&](size_t i) {
    const bool is_open = i + 1 == present.size() && present[i].name_open;
    const size_t qualifier = asked_.find_qualifier(is_open ? open_name : present[i].name);
    return qualifier < asked_.qualifiers.size() && asked_.qualifiers[qualifier].star;
  };
  for (size_t i = 0; i < present.size(); ++i) {
    for (const NameId name : present[i].merged) {
      size_t groups = 0;
      bool expanded = false;
      for (size_t k = 0; k <= i; ++k) {
        const Source::Column* column = present[k].source->find(name);
        if (column == nullptr) continue;
        if ((column->permitted & role_bit(Role::Join)) == 0) return false;
        const auto& merged = present[k].merged;
        groups += groups == 0 || std::find(merged.begin(), merged.end(), name) == merged.end();
        expanded |= expands(k);
      }
      if (groups != 1 || present[i].source->find(name) == nullptr) return false;
      if (!expanded) continue;
      state.expanded |= asked_.mask_of(std::span(&name, 1));
      for (const FromItem& item : present) {
        const Source::Column* column = item.source->find(name);
        if (column != nullptr && (column->permitted & role_bit(asked_.star_role)) == 0) return false;
      }
    }
  }
  return true;
}

// A table for a FROM that must hold something although no name asks for it.
template <size_t Words>
FromChoice Search<Words>::filler(const State& state) const {
  const auto taken_if_free = [&](const Source& source) -> std::optional<FromChoice> {
    const Item held = asked_.held_by(source);
    if (!source.nameable || (held.hold & state.passed).any()) return std::nullopt;
    if ((source.view_bit & asked_.barred_views) != 0) return std::nullopt;
    if (question_->star && !asked_.expands(source)) return std::nullopt;
    return FromChoice{&source, kNoName, !own_name_is_free(state, held), {}, {}};
  };
  if (question_->star) {
    for (const uint32_t id : sources_->expanding_to(question_->star_role)) {
      if (auto choice = taken_if_free(sources_->all()[id])) return *std::move(choice);
    }
  } else {
    for (const Source& source : sources_->all()) {
      if (auto choice = taken_if_free(source)) return *std::move(choice);
    }
  }
  return {};
}

template <size_t Words>
std::vector<NameId> Search<Words>::names_in(const Mask& mask) const {
  std::vector<NameId> names;
  for (const size_t bit : mask) names.push_back(asked_.names[bit]);
  return names;
}

template <size_t Words>
bool Search<Words>::finish(const State& state) {
  witness_.from.reserve(taken_.size() + (state.derived.any() ? 1 : 0));
  for (const Taken& taken : taken_) {
    witness_.from.push_back({taken.source, taken.alias, taken.fresh, names_in(taken.merged), names_in(taken.outputs)});
  }
  if (state.derived.any()) witness_.from.push_back({nullptr, kNoName, false, {}, names_in(state.derived)});
  if ((question_->star || question_->item_needed) && question_->present.empty() && witness_.from.empty()) {
    witness_.from.push_back(filler(state));
  }
  witness_.passed = passes_;
  return true;
}

// An item of the qualifier's name: what it holds it must permit, what it lacks falls through to the outside, rowid aside.
template <size_t Words>
bool Search<Words>::settle(State& state, size_t index, const Item& held) {
  const Qualifier<Words>& qualifier = asked_.qualifiers[index];
  if (asked_.captures(held, qualifier.passed) || (qualifier.star && !asked_.expands(*held.source))) return false;
  if (!held.permits_named(qualifier.roles)) return false;
  state.open.clear(index);
  const Mask lacking = qualifier.columns & ~held.named();
  return lacking.none() || ((lacking & asked_.rowids).none() && pass(qualifier.name, lacking, qualifier.roles));
}

template <size_t Words>
bool Search<Words>::fits(const State& state, const Item& held, bool starred) const {
  if ((held.hold & (state.passed | state.derived)).any()) return false;
  const Mask& expandable = held.permit[static_cast<size_t>(asked_.star_role)];
  if ((held.hold & state.expanded & ~expandable).any()) return false;
  const Mask collision = held.hold & state.covered;
  if (collision.none()) return true;
  if (!question_->may_merge) return false;
  if ((collision & ~(state.joinable & held.permit[kJoin])).any()) return false;
  const Mask selected = starred ? collision : collision & state.starred;
  return (selected & ~(state.selectable & expandable)).none();
}

template <size_t Words>
void Search<Words>::cover(State& state, const Item& held, bool starred) const {
  const Mask names = held.hold & asked_.plain;
  state.covered |= names;
  state.joinable &= ~names | held.permit[kJoin];
  state.selectable &= ~names | held.permit[static_cast<size_t>(asked_.star_role)];
  if (starred) state.starred |= names;
}

// The caller forgets what was passed where the step fails.
template <size_t Words>
bool Search<Words>::pass(NameId qualifier, const Mask& columns, const RoleMasks<Words>& roles) {
  if (!may_pass_) return false;
  for (const size_t bit : columns) {
    Obligation& passed = passes_.emplace_back();
    passed = {qualifier, asked_.names[bit], 0};
    for (const Role role : kRoles) {
      if (roles[static_cast<size_t>(role)].test(bit)) passed.roles |= role_bit(role);
    }
  }
  return question_->can_pass(passes_);
}

// A qualifier that names a table or CTE has one candidate; of the others the one with fewest comes first.
template <size_t Words>
size_t Search<Words>::next_qualifier(const State& state) const {
  size_t best = state.open.first();
  if (state.open.count() == 1) return best;
  size_t fewest = ~size_t{0};
  for (const size_t index : state.open) {
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
template <size_t Words>
bool Search<Words>::suits(const State& state, const Qualifier<Words>& qualifier, const Item& held) const {
  const Mask supplied = held.named() & qualifier.columns;
  if (supplied.none() && (!qualifier.star || (held.hold.any() && supplies_.has_free))) return false;
  const Mask lacking = qualifier.columns & ~supplied;
  if (lacking.any() && (!may_pass_ || (lacking & asked_.rowids).any())) return false;
  if (asked_.captures(held, qualifier.passed) || (qualifier.star && !asked_.expands(*held.source))) return false;
  return has_room(state, held) && held.permits_named(qualifier.roles) && fits(state, held, qualifier.star);
}

template <size_t Words>
bool Search<Words>::settle_qualifiers(const State& state) {
  if (state.open.none()) {
    const size_t first = stack_.size();
    stack_.insert(stack_.end(), supplies_.alive.begin(), supplies_.alive.end());
    if (supply_plain(state, first, stack_.size())) return true;
    stack_.resize(first);
    return false;
  }
  if (++witness_.nodes > question_->most_nodes) return false;
  if (!may_pass_ && !question_->derived_names) {
    Mask reachable;
    for (const uint32_t item : supplies_.alive) {
      const Item& held = supplies_.items[item];
      if (has_room(state, held) && fits(state, held, false)) reachable |= held.hold;
    }
    if ((uncovered(state) & ~reachable).any()) return false;
  }
  const size_t index = next_qualifier(state);
  const Qualifier<Words>& qualifier = asked_.qualifiers[index];
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
template <size_t Words>
bool Search<Words>::take_candidates(const State& state, size_t index) {
  const Qualifier<Words>& qualifier = asked_.qualifiers[index];
  const size_t first = stack_.size();
  std::optional<size_t> most;
  for (const uint32_t item : supplies_.alive) {
    const Item& held = supplies_.items[item];
    if (!suits(state, qualifier, held)) continue;
    stack_.push_back(item);
    const size_t covers = 2 * (held.named() & qualifier.columns).count() + (held.hold & uncovered(state)).count();
    if (most && covers <= *most) continue;
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

template <size_t Words>
bool Search<Words>::take_for_qualifier(const State& state, size_t index, uint32_t item) {
  const Qualifier<Words>& qualifier = asked_.qualifiers[index];
  const Item& held = supplies_.items[item];
  const size_t passes = passes_.size();
  State next = state;
  if (has_room(state, held) && fits(state, held, qualifier.star) && settle(next, index, held)) {
    next.merges += (held.hold & state.covered).count();
    cover(next, held, qualifier.star);
    next.tables += held.source->tables;
    taken_.push_back(
        {held.source, qualifier.is_source ? kNoName : qualifier.name, false, held.hold & state.covered, {}});
    if (settle_qualifiers(next)) return true;
    taken_.pop_back();
  }
  passes_.resize(passes);
  return false;
}

template <size_t Words>
bool Search<Words>::pass_qualifier(State state, size_t index) {
  const Qualifier<Words>& qualifier = asked_.qualifiers[index];
  const size_t passes = passes_.size();
  state.open.clear(index);
  state.passed_qualifiers.set(index);
  if (pass(qualifier.name, qualifier.columns, qualifier.roles) && settle_qualifiers(state)) return true;
  passes_.resize(passes);
  return false;
}

template <size_t Words>
bool Search<Words>::derive_qualifier(State state, size_t index) {
  const Qualifier<Words>& qualifier = asked_.qualifiers[index];
  Item held;
  held.hold = qualifier.columns & ~qualifier.passed;
  held.permit.fill(held.hold);
  if ((held.hold & (state.covered | state.passed | state.derived)).any()) return false;
  if ((qualifier.passed & asked_.rowids).any() || ++state.tables > question_->room) return false;
  const size_t passes = passes_.size();
  const Mask lacking = qualifier.columns & qualifier.passed;
  state.open.clear(index);
  if (lacking.none() || pass(qualifier.name, lacking, qualifier.roles)) {
    cover(state, held, qualifier.star);
    taken_.push_back({nullptr, qualifier.name, false, {}, held.hold});
    if (settle_qualifiers(state)) return true;
    taken_.pop_back();
  }
  passes_.resize(passes);
  return false;
}

// Candidates are what of stack_[first, last) still fits: what does not fit now does not later.
template <size_t Words>
bool Search<Words>::supply_plain(const State& state, size_t first, size_t last) {
  if (++witness_.nodes > question_->most_nodes) return false;
  const Mask wanted = uncovered(state);
  if (wanted.none()) return finish(state);
  const size_t begin = stack_.size();
  Mask one;  // names with at least one candidate, two, three
  Mask two;
  Mask three;
  for (size_t i = first; i < last; ++i) {
    const Item& held = supplies_.items[stack_[i]];
    const Mask holds = held.hold & wanted;
    if (holds.none() || !has_room(state, held) || !fits(state, held, false)) continue;
    stack_.push_back(stack_[i]);
    three |= two & holds;
    two |= one & holds;
    one |= holds;
  }
  const size_t end = stack_.size();
  if (const Mask missing = wanted & ~one; missing.any()) {
    const bool supplied = supply_missing(state, missing, begin, end);
    if (!supplied) stack_.resize(begin);
    return supplied;
  }
  Mask fewest = wanted & ~two;
  if (fewest.none()) fewest = wanted & ~three;
  if (fewest.none()) fewest = wanted;
  const size_t name = fewest.first();

  size_t most = 0;
  size_t best = begin;
  for (size_t i = begin; i < end; ++i) {
    const Mask& hold = supplies_.items[stack_[i]].hold;
    if (!hold.test(name)) continue;
    const size_t covers = (hold & wanted).count();
    if (covers <= most) continue;
    most = covers;
    best = i;
  }
  if (most > 0) std::swap(stack_[begin], stack_[best]);
  for (size_t i = begin; i < end && most > 0; ++i) {
    if (supplies_.items[stack_[i]].hold.test(name) && take_for_plain(state, stack_[i], begin, end)) return true;
  }
  if (may_pass_) {
    const size_t passes = passes_.size();
    State next = state;
    next.passed.set(name);
    if (pass(kNoName, Mask::one(name), asked_.roles) && supply_plain(next, begin, end)) return true;
    passes_.resize(passes);
  }
  if (question_->derived_names && !asked_.rowids.test(name)) {
    State next = state;
    next.tables += next.derived.none() ? 1 : 0;  // one for all of them
    next.derived.set(name);
    if (next.tables <= question_->room && supply_plain(next, begin, end)) return true;
  }
  stack_.resize(begin);
  return false;
}

// Names that no item can bring any more: all are left to the outside, or a derived table brings those that can be an output
// of one. Which of these some of them could do without the others needs no trying: either does to the rest what both do.
template <size_t Words>
bool Search<Words>::supply_missing(const State& state, const Mask& missing, size_t first, size_t last) {
  const size_t passes = passes_.size();
  const auto supplied = [&](const Mask& derived) {
    State next = state;
    const Mask passed = missing & ~derived;
    next.passed |= passed;
    next.tables += derived.any() && next.derived.none() ? 1 : 0;  // one for all of them
    next.derived |= derived;
    if (next.tables > question_->room) return false;
    if (passed.any() && !pass(kNoName, passed, asked_.roles)) return false;
    return supply_plain(next, first, last);
  };
  if (may_pass_) {
    if (supplied({})) return true;
    passes_.resize(passes);
  }
  const Mask derived = missing & ~asked_.rowids;
  if (question_->derived_names && derived.any() && (may_pass_ || derived == missing)) {
    if (supplied(derived)) return true;
    passes_.resize(passes);
  }
  return false;
}

template <size_t Words>
bool Search<Words>::take_for_plain(const State& state, uint32_t item, size_t first, size_t last) {
  const Item& held = supplies_.items[item];
  State next = state;
  next.merges += (held.hold & state.covered).count();
  cover(next, held, false);
  next.tables += held.source->tables;
  taken_.push_back({held.source, kNoName, !own_name_is_free(state, held), held.hold & state.covered, {}});
  if (supply_plain(next, first, last)) return true;
  taken_.pop_back();
  return false;
}

// A table under its own name must not stand beside an item of that name, nor capture what was left to the outside.
template <size_t Words>
bool Search<Words>::own_name_is_free(const State& state, const Item& held) const {
  const NameId name = held.source->name;
  for (size_t i = 0; i < question_->present.size(); ++i) {
    const FromItem& item = question_->present[i];
    const bool open = i + 1 == question_->present.size() && item.name_open;
    if ((open ? open_item_name_ : item.name) == name) return false;
  }
  const size_t index = asked_.find_qualifier(name);
  if (index == asked_.qualifiers.size()) return true;
  const Qualifier<Words>& qualifier = asked_.qualifiers[index];
  const Mask columns = state.passed_qualifiers.test(index) ? qualifier.columns : Mask{};
  return !asked_.captures(held, columns | qualifier.passed);
}

template class Search<1>;
template class Search<kWide>;
template class Search<kWidest>;

}  // namespace pccsql::track
