#include "track/references.h"

namespace pccsql::track {

// Before FROM: whether no item that can come has such a column, nor an enclosing SELECT.
bool References::is_held_nowhere(NameId qualifier, NameId name) const {
  return qualifier == kNoName && world_.settings().lookahead && !world_.settings().derived_names && level_.ctes == 0 &&
         world_.sources().holders(name).empty() && !next_outer(level_);
}

bool References::use_column(NameId qualifier, NameId name, bool known) {
  const Place place = operand_place();
  if (place.clause == Clause::Limit || name == kNoName) return false;
  const bool boolean = qualifier == kNoName && (name == world_.true_name() || name == world_.false_name());
  if (boolean && !world_.is_column_name(name)) return false;
  Ref ref;
  ref.qualifier = qualifier;
  ref.name = name;
  ref.place = place;
  ref.roles = roles_at(place);
  ref.list = list_at(place);
  if (place.inside == Place::Argument) ref.argument = frame_.argument.refs + 1;
  level_dirty_ = true;
  Binding binding;
  if (!level_.settled && level_.clause == Clause::Items) {
    if (qualifier == kNoName && world_.is_rowid(name) && !world_.is_column_name(name)) return false;
    if (qualifier != kNoName && !is_known_qualifier(qualifier)) return false;
    if (is_held_nowhere(qualifier, name)) return false;
    judge_form(ref);
    push_ref(level_, ref);
    if (!column_in_argument()) return false;
    if (known) return true;
    return world_.settings().lookahead ? viable(level_) : plausible(store_.refs[level_.refs].ref);
  }
  const Found found = find(level_, qualifier, name, binding);
  if (found == Found::Bad) return false;
  if (found == Found::Yes) {
    const RoleSet permitted = binding.permitted;
    if (level_.settled) ref.binding = bind(std::move(binding));
    judge_form(ref);
    if ((permitted & ref.roles) != ref.roles) return false;
    push_ref(level_, ref);
    if (!column_in_argument()) return false;
    return known || viable(level_);  // a claim, until FROM closes: nothing that comes may hold it
  }
  if (qualifier == kNoName && aliases_visible(level_)) {
    if (const SelectItem* alias = find_alias(level_, name)) {
      if (!alias_usable(level_, *alias, place, true)) return false;
      if (alias->aggregate) {  // as if it were written here: no aggregate may be around it
        ++level_.aggregates;
        level_dirty_ = true;
      }
      if (alias->window) make_scalars(0);
      note_number(*alias);
      const bool counts =
          level_.list.id != 0 ||
          !(place.inside == Place::Plain && (level_.clause == Clause::Group || level_.clause == Clause::Order));
      return !counts || (use_alias(level_, SelectItem(*alias), place, false) && column_in_argument());
    }
  }
  if (place.local || level_.clause == Clause::Group || level_.clause == Clause::Order) return false;
  if (!bind_outside(ref)) return false;
  if (level_.settled) return true;
  store_.name_lists.push_back({level_.passed, store_.name_lists[level_.passed].count + 1, qualifier, name});
  level_.passed = static_cast<Index>(store_.name_lists.size() - 1);
  return viable(level_);
}

bool References::bind_outside(Ref ref) {
  ref.fixed = true;
  ref.binding = 0;
  std::optional<Outer> next = next_outer(level_);
  store_.asked |= next.has_value();
  while (next) {
    const Index id = next->level;
    if (!name_outside(id)) return false;
    Level outer = store_.levels[id];
    ref.place.local = next->last;
    Binding binding;
    if (!outer.settled && outer.clause == Clause::Items) {
      if (ref.qualifier == kNoName && world_.is_rowid(ref.name) && !world_.is_column_name(ref.name)) return false;
      push_ref(outer, ref);
      note_unshown(ref, 0);
      if (world_.settings().lookahead ? !viable(outer) : !plausible(ref)) return false;
      replace_level(id, outer);
      return around_fits();
    }
    const Found found = find(outer, ref.qualifier, ref.name, binding);
    if (found == Found::Bad) return false;
    if (found == Found::Yes) {
      if ((binding.permitted & ref.roles) != ref.roles) return false;
      note_unshown(ref, binding.permitted);
      if (outer.settled) ref.binding = bind(std::move(binding));
      push_ref(outer, ref);
      if (!viable(outer)) return false;
      replace_level(id, outer);
      return around_fits();
    }
    if (ref.qualifier == kNoName && aliases_visible(outer)) {
      if (const SelectItem* alias = find_alias(outer, ref.name)) {
        if (!alias_usable(outer, *alias, ref.place, false)) return false;
        if (!use_alias(outer, SelectItem(*alias), ref.place, true)) return false;
        replace_level(id, outer);
        return true;
      }
    }
    if (next->last) return false;
    const std::optional<Outer> further = next_outer(outer);
    if (!further) return false;
    if (!outer.settled) {
      store_.name_lists.push_back({outer.passed, store_.name_lists[outer.passed].count + 1, ref.qualifier, ref.name});
      outer.passed = static_cast<Index>(store_.name_lists.size() - 1);
      if (!viable(outer)) return false;
      const Index before = further->level;
      replace_level(id, outer);
      next = Outer{before, further->last};
      continue;
    }
    next = further;
  }
  return false;
}

bool References::star_fits(NameId qualifier) {
  const bool whole = frame_.kind == Frame::Expr && state_.open == 1 && level_.clause == Clause::Items &&
                     frame_.expr.operators == 0 && !level_.settled;
  if (!whole || level_.kind == Level::Scalar || level_.kind == Level::In || width_fixed(level_)) return false;
  if (joined_naturally(level_) || !star_leaves_room()) return false;
  Ref ref;
  ref.qualifier = qualifier;
  ref.place = operand_place();
  ref.roles = roles_at(ref.place);
  push_ref(level_, ref);
  level_.star = level_.item.star = true;
  level_.item.alias = qualifier;
  level_dirty_ = true;
  return world_.settings().lookahead ? viable(level_) : plausible(ref);
}

// Whether an item holds a name that was left to an enclosing SELECT before the item came. With look-ahead the search has
// seen to it that none does.
bool References::captures_passed() const {
  for (const NameNode& node : newest_first(store_.name_lists, level_.passed)) {
    const auto& [below, count, qualifier, name] = node;
    for (Index from = level_.from; from != 0; from = store_.from[from].below) {
      const FromItem& item = store_.from[from].item;
      if (qualifier != kNoName && qualifier != item.name) continue;
      if (item.source->find(name) != nullptr || (qualifier != kNoName && world_.is_rowid(name))) return true;
    }
  }
  return false;
}

bool References::alias_usable(const Level& level, const SelectItem& item, const Place& place, bool same_level) const {
  if (item.aggregate && !(same_level && place.aggregates)) return false;
  if (item.window && !(same_level && place.windows)) return false;
  if (item.names_outside && level.clause != Clause::Group && level.clause != Clause::Order) return false;
  if (item.names_outside && (!same_level || place.inside != Place::Plain || place.local || level.list.id != 0)) return false;
  // Nor whether a condition compares a SELECT in it.
  if (item.nested && in_frame() && frame_.lists.standing != Standing::None) return false;
  // Whether its expression keeps an argument plain is not looked at.
  if (world_.strict() && place.inside == Place::Argument && !place.tested && item.column == kNoName) return false;
  return true;
}

// An alias is its expression written again: what is counted there stays counted, the rest takes the role of the new place, and
// with it whatever that place still turns out to be, unless the place is in a nested SELECT.
// False: what it names does not permit that.
bool References::use_alias(Level& level, const SelectItem& item, const Place& place, bool nested) {
  std::vector<Ref> again;
  for (Index i = level.refs; i != 0 && store_.refs[i].count > item.first_ref; i = store_.refs[i].below) {
    if (store_.refs[i].count > item.last_ref) continue;
    Ref ref = store_.refs[i].ref;
    if (ref.bound_outside) continue;
    if (!ref.fixed && ref.place.inside == Place::Plain) {
      Place there = place;
      there.minmax |= ref.place.minmax;
      ref.place = there;
      ref.roles = roles_of(ref);
      ref.argument = there.inside == Place::Argument && !nested ? frame_.argument.refs + 1 : 0;
      ref.list = list_at(there);
      ref.fixed = nested;
      if (ref.binding != 0 && (store_.bindings[ref.binding].permitted & ref.roles) != ref.roles) return false;
      if (nested) note_unshown(ref, store_.bindings[ref.binding].permitted);
    } else {
      ref.fixed = true;
    }
    again.push_back(ref);
  }
  for (const Ref& ref : again) push_ref(level, ref);
  return true;
}

// Where there are windows the database reads GROUP BY twice, and the second time a number in an item's stead as a place. By
// then a column of an enclosing SELECT may have become a number too.
void References::note_number(const SelectItem& item) {
  const Term* const group = term();
  if ((!item.number && !item.names_outside) || level_.clause != Clause::Group || group == nullptr || !group->pure) return;
  const bool windowed = level_.windowed;
  change_term([&](Term& term) {
    term.number = true;
    term.owes_operator = windowed;
  });
}

bool References::sort_by_item(const SelectItem& item) {
  if (level_.list.id == 0) return true;
  Place place;
  place.clause = level_.clause;
  return item.star == SelectItem::No && !item.names_outside && use_alias(level_, item, place, false);
}

bool References::sort_by_output(NameId name) {
  if (level_.list.id == 0) return true;
  const SelectItem* const item = find_alias(level_, name);
  if (item == nullptr) return use_column(kNoName, name);
  Binding binding;
  if (level_.star && find_in_from(level_, kNoName, name, binding) != Found::No) return false;
  return sort_by_item(SelectItem(*item));
}

}  // namespace pccsql::track
