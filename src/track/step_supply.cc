// What a FROM still owes, and whether it can be supplied: the questions that the search of supply.h is asked.
#include <algorithm>

#include "track/step.h"

namespace pccsql::track {

std::vector<Obligation> Step::pending(const Level& level) const {
  std::vector<Obligation> obligations;
  for (Index i = level.refs; i != 0; i = store_.refs[i].below) {
    const Ref& ref = store_.refs[i].ref;
    if (ref.binding != 0 || ref.outward) continue;
    const auto known = std::find_if(obligations.begin(), obligations.end(), [&](const Obligation& o) {
      return o.qualifier == ref.qualifier && o.name == ref.name;
    });
    if (known != obligations.end()) {
      known->roles |= ref.roles;
    } else {
      obligations.push_back({ref.qualifier, ref.name, ref.roles});
    }
  }
  std::reverse(obligations.begin(), obligations.end());
  return obligations;
}

std::optional<Witness> Step::witness(const Level& level) const {
  const std::vector<Obligation> wanted = pending(level);
  std::vector<Obligation> passed;
  for (Index i = level.passed; i != 0; i = store_.name_lists[i].below) {
    passed.push_back({store_.name_lists[i].qualifier, store_.name_lists[i].name, 0});
  }
  const std::vector<FromItem> present = from_items(level);
  const std::vector<const Source*> tables = ctes(level);
  SupplyQuestion question;
  question.pending = wanted;
  question.passed = passed;
  question.present = present;
  question.ctes = tables;
  question.star = level.plain_star;
  question.item_needed = level.item_open;
  question.derived_names =
      world_.settings().derived_names && std::none_of(wanted.begin(), wanted.end(), [&](const Obligation& obligation) {
        return world_.is_rowid(obligation.name) || obligation.name == world_.true_name() ||
               obligation.name == world_.false_name();
      });
  if (next_outer(level)) {
    question.can_pass = [&](std::span<const Obligation> obligations) {
      for (const Obligation& obligation : obligations) {
        if (world_.is_rowid(obligation.name)) return false;
        for (Index i = level.refs; i != 0; i = store_.refs[i].below) {
          const Ref& ref = store_.refs[i].ref;
          if (ref.place.local && ref.qualifier == obligation.qualifier && ref.name == obligation.name) return false;
          // A name in ON is bound by what stands there already.
          if (ref.place.clause == Clause::On && !ref.fixed && ref.qualifier == obligation.qualifier &&
              ref.name == obligation.name)
            return false;
        }
      }
      return can_take(level, obligations);
    };
  }
  return discharge(world_.sources(), question);
}

bool Step::viable(const Level& level) const {
  if (level.settled || !world_.settings().lookahead) return true;
  const std::optional<Witness> found = witness(level);
  if (!found) return false;
  // A derived table needs room on the parser's stack.
  const int derived = level.depth + (level.branches > 1 ? 2 : 0) + 6 + kSelectDepth;
  for (const FromChoice& choice : found->from) {
    if (choice.source == nullptr && (derived > kDeepest || level.join_natural)) return false;
  }
  if (!level.star) return true;
  // With RIGHT or FULL, merged columns in `*` can be ambiguous to the database.
  if (level.outer_join) {
    bool merges = !found->open_merged.empty();
    for (const FromChoice& choice : found->from) merges |= !choice.merged.empty();
    if (merges) return false;
  }
  // `*` also puts out what the tables bring that the names ask for.
  int width = 0;
  const std::vector<SelectItem> written = items(level);
  const auto width_of = [](const Source* source, size_t outputs) {
    return static_cast<int>(source != nullptr ? source->columns.size() : std::max<size_t>(outputs, 1));
  };
  int from = 0;
  for (const FromItem& item : from_items(level)) from += width_of(item.source, 0);
  const bool asked = !pending(level).empty();
  for (const FromChoice& choice : found->from) from += asked ? width_of(choice.source, choice.outputs.size()) : 1;
  for (const SelectItem& item : written) width += item.star == SelectItem::No ? 1 : from;
  if (level.clause == Clause::Items) width += level.item_star ? from : 1;
  return width <= most_width(level) || (level.from_open && found->from.empty());
}

// Whether the SELECTs around `inner` could bind all of these.
bool Step::can_take(const Level& inner, std::span<const Obligation> obligations) const {
  const std::optional<Outer> next = next_outer(inner);
  if (!next) return obligations.empty();
  const Level& outer = store_.levels[next->level];
  if (!outer.settled && outer.clause == Clause::Items) {
    Level asked = outer;
    const size_t before = store_.refs.size();
    for (const Obligation& obligation : obligations) {
      Ref ref;
      ref.qualifier = obligation.qualifier;
      ref.name = obligation.name;
      ref.roles = obligation.roles;
      ref.fixed = true;
      ref.place.local = next->last;
      store_.refs.push_back({asked.refs, store_.refs[asked.refs].count + 1, ref});
      asked.refs = static_cast<Index>(store_.refs.size() - 1);
    }
    const bool fits = viable(asked);
    store_.refs.resize(before);
    return fits;
  }
  std::vector<Obligation> left;
  for (const Obligation& obligation : obligations) {
    Binding binding;
    const Found found = find_in_from(outer, obligation.qualifier, obligation.name, binding);
    if (found == Found::Bad) return false;
    if (found == Found::Yes) {
      if ((binding.permitted & obligation.roles) != obligation.roles) return false;
      continue;
    }
    if (obligation.qualifier == kNoName && aliases_visible(outer) && find_alias(outer, obligation.name) != nullptr)
      return false;
    left.push_back(obligation);
  }
  if (left.empty())
    return outer.settled || obligations.size() == left.size() || [&] {
      // Claims on a FROM that is still open.
      Level asked = outer;
      const size_t before = store_.refs.size();
      for (const Obligation& obligation : obligations) {
        Ref ref;
        ref.qualifier = obligation.qualifier;
        ref.name = obligation.name;
        ref.roles = obligation.roles;
        ref.fixed = true;
        store_.refs.push_back({asked.refs, store_.refs[asked.refs].count + 1, ref});
        asked.refs = static_cast<Index>(store_.refs.size() - 1);
      }
      const bool fits = viable(asked);
      store_.refs.resize(before);
      return fits;
    }();
  if (next->last || !outer.settled) return false;  // beyond an open FROM only what is written there is passed
  return can_take(outer, left);
}

bool Step::rewrite_refs(uint32_t from, const std::function<bool(Ref&)>& change) {
  std::vector<Ref> tail;
  Index at = level_.refs;
  for (; at != 0 && store_.refs[at].count > from; at = store_.refs[at].below) tail.push_back(store_.refs[at].ref);
  bool changed = false;
  bool open = false;
  for (Ref& ref : tail) {
    if (ref.fixed || !change(ref)) continue;
    changed = true;
    if (ref.binding == 0) {
      open = true;
    } else if ((store_.bindings[ref.binding].permitted & ref.roles) != ref.roles) {
      return false;
    }
  }
  if (!changed) return true;
  level_.refs = at;
  for (size_t i = tail.size(); i-- > 0;) push_ref(level_, tail[i]);
  level_dirty_ = true;
  if (!open) return true;
  if (world_.settings().lookahead) return viable(level_);
  return std::all_of(tail.begin(), tail.end(), [&](const Ref& ref) { return ref.binding != 0 || plausible(ref); });
}

}  // namespace pccsql::track
