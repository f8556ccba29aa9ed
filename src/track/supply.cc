// A question from its start, the items that FROM has, to the witness; what lies between is supply_search.cc.
#include "track/supply.h"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <memory>
#include <utility>

#include "track/supply_search.h"

namespace pccsql::track {

std::optional<Witness> Search::run(const Sources& sources, const SupplyQuestion& question) {
  question_ = &question;
  sources_ = &sources;
  may_pass_ = static_cast<bool>(question.can_pass);
  taken_count_ = pass_count_ = 0;
  open_item_name_ = kNoName;
  stack_.clear();
  witness_ = {};
  if (!asked_.read(sources, question)) return std::nullopt;
  State state;
  state.passed = asked_.passed;
  state.open = asked_.qualifier_count == 64 ? ~Mask{0} : (Mask{1} << asked_.qualifier_count) - 1;
  for (size_t i = 0; i < asked_.qualifier_count; ++i) {
    const Qualifier& qualifier = asked_.qualifiers[i];
    if (qualifier.columns == 0 && !qualifier.star) state.open &= ~(Mask{1} << i);
  }
  // A name that was bound outward once is bound outward wherever it stands.
  if (const Mask both = asked_.plain & asked_.passed; both != 0 && !pass(kNoName, both, asked_.roles)) {
    return std::nullopt;
  }
  if (!place_present(state)) return std::nullopt;
  return std::move(witness_);
}

// The items that FROM has: all but an open one have a name and merge what they merge.
bool Search::place_present(State& state) {
  for (size_t i = 0; i < question_->present.size(); ++i) {
    const FromItem& item = question_->present[i];
    const bool last = i + 1 == question_->present.size();
    if (last && (item.name_open || item.merge_open)) return place_open_item(state);
    const Held held = asked_.held_by(*item.source);
    if (!asked_.may_stand(held)) return false;
    const size_t qualifier = asked_.find_qualifier(item.name);
    const bool starred = qualifier < asked_.qualifier_count && asked_.qualifiers[qualifier].star;
    if ((held.hold & state.covered & ~asked_.mask_of(item.merged)) != 0) return false;
    if (!fits(state, held, starred)) return false;
    if (qualifier < asked_.qualifier_count && !settle(state, qualifier, held)) return false;
    cover(state, held, starred);
  }
  supplies_.prepare(asked_, *sources_, *question_, uncovered(state), state.open);
  return expand_merged(state, kNoName) && settle_qualifiers(state);
}

bool Search::place_open_item(const State& state) {
  const FromItem& item = question_->present.back();
  const Held held = asked_.held_by(*item.source);
  if (!asked_.may_stand(held)) return false;
  const Mask collision = held.hold & state.covered & ~asked_.mask_of(item.merged);
  if (collision != 0 && !item.merge_open) return false;
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
  const bool own_is_asked = asked_.find_qualifier(item.name) < asked_.qualifier_count;
  if (own_is_asked && keep_name()) return true;
  for (Mask left = state.open; left != 0; left &= left - 1) {
    const Qualifier& qualifier = asked_.qualifiers[static_cast<size_t>(std::countr_zero(left))];
    if (qualifier.is_source || is_taken(qualifier.name) || qualifier.name == item.name) continue;
    if ((held.named() & qualifier.columns) == 0 && !qualifier.star) continue;
    witness_.open_name = qualifier.name;
    if (name_open_item(state, held, qualifier.name)) return true;
  }
  witness_.open_name = kNoName;
  if (!own_is_asked && keep_name()) return true;
  witness_.open_fresh = true;
  return (own_is_asked || is_taken(item.name)) && name_open_item(state, held, kNoName);
}

bool Search::name_open_item(State state, const Held& held, NameId name) {
  const size_t passes = pass_count_;
  const size_t qualifier = asked_.find_qualifier(name);
  const bool known = qualifier < asked_.qualifier_count;
  const bool starred = known && asked_.qualifiers[qualifier].star;
  open_item_name_ = name;
  if (fits(state, held, starred) && (!known || settle(state, qualifier, held))) {
    cover(state, held, starred);
    if (expand_merged(state, name) && settle_qualifiers(state)) return true;
  }
  pass_count_ = passes;
  return false;
}

// What USING and NATURAL have merged: Join everywhere, one group on the left; and if `q.*` expands one of its members
// that the merge does not stand before, its role for whatever holds the name, now and later.
bool Search::expand_merged(State& state, NameId open_name) const {
  const std::span<const FromItem> present = question_->present;
  const auto expands = [&](size_t i) {
    const bool is_open = i + 1 == present.size() && present[i].name_open;
    const size_t qualifier = asked_.find_qualifier(is_open ? open_name : present[i].name);
    return qualifier < asked_.qualifier_count && asked_.qualifiers[qualifier].star;
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
FromChoice Search::filler(const State& state) const {
  const auto taken_if_free = [&](const Source& source) -> std::optional<FromChoice> {
    const Held held = asked_.held_by(source);
    if (!source.nameable || (held.hold & state.passed) != 0) return std::nullopt;
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

std::vector<NameId> Search::names_in(Mask mask) const {
  std::vector<NameId> names;
  for (; mask != 0; mask &= mask - 1) names.push_back(asked_.names[static_cast<size_t>(std::countr_zero(mask))]);
  return names;
}

bool Search::finish(const State& state) {
  witness_.from.reserve(taken_count_ + (state.derived != 0));
  for (size_t i = 0; i < taken_count_; ++i) {
    const Taken& taken = taken_[i];
    witness_.from.push_back({taken.source, taken.alias, taken.fresh, names_in(taken.merged), names_in(taken.outputs)});
  }
  if (state.derived != 0) witness_.from.push_back({nullptr, kNoName, false, {}, names_in(state.derived)});
  if ((question_->star || question_->item_needed) && question_->present.empty() && witness_.from.empty()) {
    witness_.from.push_back(filler(state));
  }
  witness_.passed.assign(passes_.begin(), passes_.begin() + static_cast<std::ptrdiff_t>(pass_count_));
  return true;
}

// can_pass may ask a question of its own while one is under way: each depth has buffers of its own.
std::optional<Witness> discharge(const Sources& sources, const SupplyQuestion& question) {
  thread_local std::vector<std::unique_ptr<Search>> searches;
  thread_local size_t depth = 0;
  if (depth == searches.size()) searches.push_back(std::make_unique<Search>());
  Search& search = *searches[depth++];
  std::optional<Witness> witness = search.run(sources, question);
  --depth;
  return witness;
}

}  // namespace pccsql::track
