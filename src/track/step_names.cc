// One name: bound at once where FROM has closed, owed by the FROM to come where it has not, left to an enclosing SELECT
// where the own one has no such column.
#include <algorithm>

#include "track/step.h"

namespace pccsql::track {
RoleSet Step::roles_at(const Place& place) const {
  const bool strict = world_.strict();
  switch (place.inside) {
    case Place::Window:
      return role_bit(Role::Sel);
    case Place::Filter:
      return strict ? role_bit(Role::Where) | role_bit(Role::Agg) : role_bit(Role::Where);
    case Place::Argument:
      return strict && place.tested ? role_bit(Role::Where) | role_bit(Role::Agg) : role_bit(Role::Agg);
    case Place::Plain:
      break;
  }
  RoleSet roles = 0;
  switch (place.clause) {
    case Clause::On:
      roles = role_bit(Role::Join);
      break;
    case Clause::Where:
    case Clause::Having:
      roles = role_bit(Role::Where);
      break;
    case Clause::Group:
    case Clause::Order:
      roles = strict ? role_bit(Role::Sel) : 0;
      break;
    default:
      roles = role_bit(place.compared && strict ? Role::Where : Role::Sel);
      break;
  }
  return place.minmax && strict ? roles | role_bit(Role::Sel) : roles;
}

Index Step::bind(Binding binding) {
  store_.bindings.push_back(std::move(binding));
  return static_cast<Index>(store_.bindings.size() - 1);
}

void Step::push_ref(Level& level, const Ref& ref) {
  store_.refs.push_back({level.refs, store_.refs[level.refs].count + 1, ref});
  level.refs = static_cast<Index>(store_.refs.size() - 1);
}

// The levels from `from` outward, with `old` replaced: those inside it are made again to point at it.
Index Step::rebuilt(Index from, Index old, const Level& changed) {
  Level copy = from == old ? changed : store_.levels[from];
  if (from != old) copy.parent = rebuilt(copy.parent, old, changed);
  store_.levels.push_back(copy);
  return static_cast<Index>(store_.levels.size() - 1);
}

Step::Found Step::find_in_from(const Level& level, NameId qualifier, NameId name, Binding& binding) const {
  int groups = 0;
  std::vector<const FromNode*> nodes(store_.from[level.from].count);
  size_t at = nodes.size();
  for (Index i = level.from; i != 0; i = store_.from[i].below) nodes[--at] = &store_.from[i];
  for (const FromNode* node : nodes) {
    const FromItem& item = node->item;
    if (qualifier != kNoName && item.name != qualifier) continue;
    const Source::Column* column = item.source->find(name);
    if (column == nullptr) continue;
    if (groups == 0 || qualifier != kNoName || !holds(item.merged, name)) ++groups;
    // Of merged ones the database takes the left one, after RIGHT the right one, after FULL whichever is not NULL.
    if (groups == 1 && (binding.item == 0 || node->outer)) {
      binding.item = binding.item != 0 && node->full ? kCoalesced : node->count;
    }
    binding.permitted &= column->permitted;
    binding.derived |= !item.source->table;
    if (item.source->table) {
      binding.columns.push_back({*item.source->table, static_cast<ColumnIndex>(column - item.source->columns.data())});
    }
  }
  if (groups > 1) return Found::Bad;
  return groups == 0 ? Found::No : Found::Yes;
}

// A SELECT with a table settles what rowid means: it is never left to an enclosing one.
Step::Found Step::find_rowid(const Level& level, NameId qualifier, NameId name, Binding& binding) const {
  if (!world_.is_rowid(name)) return Found::No;
  const Source* match = nullptr;
  uint32_t candidates = 0;
  for (Index i = level.from; i != 0; i = store_.from[i].below) {
    const FromItem& item = store_.from[i].item;
    if (qualifier != kNoName && item.name != qualifier) continue;
    ++candidates;
    match = item.source;
    binding.item = store_.from[i].count;
  }
  if (candidates == 0) return Found::No;
  if (candidates > 1 || !match->rowid || !match->table) return Found::Bad;
  binding.columns.push_back({*match->table, *match->rowid});
  binding.permitted = match->columns[*match->rowid].permitted;
  return Found::Yes;
}

const SelectItem* Step::find_alias(const Level& level, NameId name) const {
  const SelectItem* found = nullptr;
  for (Index i = level.items; i != 0; i = store_.items[i].below) {
    const SelectItem& item = store_.items[i].item;
    if (item.star == SelectItem::No && item.alias == name) found = &item;  // the first of several
  }
  return found;
}

bool Step::alias_usable(const Level& level, const SelectItem& item, const Place& place, bool same_level) const {
  if (item.aggregate && !(same_level && place.aggregates)) return false;
  if (item.window && !(same_level && place.windows)) return false;
  if (item.outward && level.clause != Clause::Group && level.clause != Clause::Order) return false;
  if (item.outward && (!same_level || place.inside != Place::Plain || place.local || level.list.id != 0)) return false;
  // Nor whether a condition compares a SELECT in it.
  if (item.nested && in_frame() && frame_.standing != Standing::None) return false;
  // Whether its expression keeps an argument plain is not looked at.
  if (world_.strict() && place.inside == Place::Argument && !place.tested && item.column == kNoName) return false;
  return true;
}

// An alias is its expression written again: what is counted there stays counted, the rest takes the role of the new place, and
// with it whatever that place still turns out to be, unless the place is in a nested SELECT.
// False: what it names does not permit that.
bool Step::use_alias(Level& level, const SelectItem& item, const Place& place, bool nested) {
  std::vector<Ref> again;
  for (Index i = level.refs; i != 0 && store_.refs[i].count > item.first_ref; i = store_.refs[i].below) {
    if (store_.refs[i].count > item.last_ref) continue;
    Ref ref = store_.refs[i].ref;
    if (ref.outward) continue;
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

// Without look-ahead: some table permits it.
bool Step::plausible(const Ref& ref) const {
  const auto fits = [&](const Source& source) {
    if (!source.nameable) return false;
    if (ref.name == kNoName) return source.expands_to(level_.compared ? Role::Where : Role::Sel);
    const Source::Column* column = source.find(ref.name);
    if (column == nullptr && ref.qualifier != kNoName && world_.is_rowid(ref.name)) column = source.rowid_column();
    return column != nullptr && (column->permitted & ref.roles) == ref.roles;
  };
  const Source* own = ref.qualifier == kNoName ? nullptr : world_.sources().find(ref.qualifier);
  if (own != nullptr) return fits(*own);
  for (const Source* source : ctes(level_)) {
    if ((ref.qualifier == kNoName || source->name == ref.qualifier) && fits(*source)) return true;
  }
  for (const Source& source : world_.sources().all()) {
    if (fits(source)) return true;
  }
  return false;
}

bool Step::use_column(NameId qualifier, NameId name) {
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
    judge_form(ref);
    push_ref(level_, ref);
    if (!column_in_argument()) return false;
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
    return viable(level_);  // a claim, until FROM closes: nothing that comes may hold it
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
  if (!outward(ref)) return false;
  if (level_.settled) return true;
  store_.name_lists.push_back({level_.passed, store_.name_lists[level_.passed].count + 1, qualifier, name});
  level_.passed = static_cast<Index>(store_.name_lists.size() - 1);
  return viable(level_);
}

// A name that the innermost SELECT does not bind, to the enclosing ones.
bool Step::outward(Ref ref) {
  ref.fixed = true;
  ref.binding = 0;
  std::optional<Outer> next = next_outer(level_);
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

// A name that went outward past a SELECT may have taken what that one would have passed on.
bool Step::around_fits() const {
  if (!world_.settings().lookahead) return true;
  for (Index id = level_.parent; id != 0; id = store_.levels[id].parent) {
    const Level level = store_.levels[id];
    if (!level.settled && !viable(level)) return false;
  }
  return true;
}

// `q.*`, which must be the whole item.
bool Step::star_fits(NameId qualifier) {
  const bool whole = frame_.kind == Frame::Expr && state_.open == 1 && level_.clause == Clause::Items &&
                     frame_.operators == 0 && !level_.settled;
  if (!whole || level_.kind == Level::Scalar || level_.kind == Level::In || width_fixed(level_)) return false;
  if (joined_naturally(level_) || !star_leaves_room()) return false;
  Ref ref;
  ref.qualifier = qualifier;
  ref.place = operand_place();
  ref.roles = roles_at(ref.place);
  push_ref(level_, ref);
  level_.star = level_.item_star = true;
  level_.item_alias = qualifier;
  level_dirty_ = true;
  return world_.settings().lookahead ? viable(level_) : plausible(ref);
}

bool Step::qualified_fits(NameId qualifier, NameId name) {
  return on_copy(
      [&](Step& copy) { return name == kNoName ? copy.star_fits(qualifier) : copy.use_column(qualifier, name); });
}

bool Step::qualifier_fits(NameId qualifier) {
  if (!sees_names()) return false;
  const Frame* const order = term();
  if (order != nullptr && order->compound) return false;
  if (names_unsettled() && !is_known_qualifier(qualifier)) return false;
  if (asks_supply()) {
    const std::vector<NameId> columns = columns_of(qualifier);
    return !supplied(qualifier, columns, true).empty() || qualified_fits(qualifier, kNoName);
  }
  for (const NameId column : columns_of(qualifier)) {
    if (qualified_fits(qualifier, column)) return true;
  }
  return qualified_fits(qualifier, kNoName);
}

uint8_t Step::readings(NameId name, Quote quote) {
  uint8_t readings = 0;
  const Frame* const order = term();
  const bool pure = order != nullptr && order->pure && level_.clause == Clause::Order;
  const auto sorts = [&] {
    return level_.list.id == 0 || on_copy([&](Step& copy) { return copy.sort_by_output(name); });
  };
  if (pure && !order->signed_ && output_name(name) && sorts()) readings |= AsAlias;
  if (order != nullptr && order->compound) return readings;
  if (on_copy([&](Step& copy) { return copy.use_column(kNoName, name); })) readings |= AsColumn;
  const auto constant_fits = [&] {
    return !in_plain_argument() || on_copy([&](Step& copy) { return copy.test_argument(); });
  };
  if (quote == Quote::Double && (readings & (AsColumn | AsAlias)) == 0 && string_fits(name) && constant_fits())
    readings |= AsString;
  if (quote == Quote::None && (readings & AsColumn) == 0 && boolean_fits(name) && constant_fits())
    readings |= AsBoolean;
  return readings;
}

}  // namespace pccsql::track
