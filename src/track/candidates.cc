#include "track/candidates.h"

#include <algorithm>
#include <utility>

namespace pccsql::track {

uint8_t Candidates::readings(NameId name, Quote quote) {
  uint8_t readings = 0;
  const Term* const order = term();
  const bool pure = order != nullptr && order->pure && level_.clause == Clause::Order;
  const auto sorts = [&] {
    return level_.list.id == 0 || on_copy(*this, [&](Candidates& copy) { return copy.sort_by_output(name); });
  };
  if (pure && !order->has_sign && output_name(name) && sorts()) readings |= AsAlias;
  if (order != nullptr && order->compound) return readings;
  if (on_copy(*this, [&](Candidates& copy) { return copy.use_column(kNoName, name); })) readings |= AsColumn;
  const auto constant_fits = [&] {
    return !in_plain_argument() || on_copy(*this, [&](Candidates& copy) { return copy.test_argument(); });
  };
  if (quote == Quote::Double && (readings & (AsColumn | AsAlias)) == 0 && string_fits(name) && constant_fits())
    readings |= AsString;
  if (quote == Quote::None && (readings & AsColumn) == 0 && boolean_fits(name) && constant_fits())
    readings |= AsBoolean;
  return readings;
}

// "x" is a string where no column or alias that is visible has that name, and none can come.
bool Candidates::string_fits(NameId name) const {
  for (Index i = 0, at = state_.level; at != 0; at = store_.levels[at].parent, ++i) {
    if (store_.levels[at].kind == Level::Cte) return false;
  }
  if (level_.kind == Level::Cte || operand_place().clause == Clause::Limit) return false;
  Level at = level_;
  for (;;) {
    if (!at.settled) return false;
    Binding binding;
    if (find_in_from(at, kNoName, name, binding) != Found::No || find_alias(at, name) != nullptr) return false;
    if (world_.is_rowid(name)) return false;
    const std::optional<Outer> next = next_outer(at);
    if (!next) return true;
    at = store_.levels[next->level];
    if (next->last) {
      if (!at.settled || find_in_from(at, kNoName, name, binding) != Found::No || find_alias(at, name) != nullptr)
        return false;
      return true;
    }
  }
}

// TRUE and FALSE are columns where one of that name is visible.
bool Candidates::boolean_fits(NameId name) const {
  if (name != world_.true_name() && name != world_.false_name()) return false;
  if (level_.kind == Level::Cte) return false;
  for (Index at = state_.level; at != 0; at = store_.levels[at].parent) {
    if (store_.levels[at].kind == Level::Cte) return false;
  }
  return !world_.is_column_name(name) || operand_place().clause == Clause::Limit || string_fits(name);
}

bool Candidates::qualified_fits(NameId qualifier, NameId name) {
  return on_copy(*this, [&](Candidates& copy) { return name == kNoName ? copy.star_fits(qualifier) : copy.use_column(qualifier, name); });
}

bool Candidates::qualifier_fits(NameId qualifier) {
  if (!sees_names()) return false;
  const Term* const order = term();
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

// An alias that nothing mentions: all of them are alike.
bool Candidates::fresh_qualifier_fits() {
  if (!names_unsettled() || !sees_names() || compound_term()) return false;
  if (world_.settings().aliases == Aliases::Any) return qualifier_fits(store_.names.intern("zz_none"));
  const std::vector<NameId> known = qualifiers();
  for (char letter = 'z'; letter >= 'a'; --letter) {
    for (char digit = '9'; digit >= '0'; --digit) {
      const NameId name = store_.names.intern(std::string{letter, digit, '7'});
      if (!is_alias_shape(name) || holds(known, name)) continue;
      return qualifier_fits(name);
    }
  }
  return false;
}

std::vector<NameId> Candidates::columns_of(NameId qualifier) const {
  std::vector<NameId> names;
  const auto add_source = [&](const Source& source) {
    for (const Source::Column& column : source.columns) {
      if (column.name != kNoName) names.push_back(column.name);
    }
    if (source.rowid) names.insert(names.end(), world_.rowid_names().begin(), world_.rowid_names().end());
  };
  bool everything = false;
  const auto add_level = [&](const Level& at) {
    for (const FromNode& node : newest_first(store_.from, at.from)) {
      if (node.item.name == qualifier) add_source(*node.item.source);
    }
    everything |= !at.settled && at.clause == Clause::Items;
  };
  for_each_visible(add_level);
  if (everything) {
    const Source* table = world_.sources().find(qualifier);
    if (table != nullptr) {
      add_source(*table);
    } else {
      bool cte = false;
      for (const CteNode& node : newest_first(store_.ctes, level_.ctes)) {
        if (node.source->name != qualifier) continue;
        add_source(*node.source);
        cte = true;
      }
      if (!cte) {
        names.insert(names.end(), world_.column_names().begin(), world_.column_names().end());
        names.insert(names.end(), world_.rowid_names().begin(), world_.rowid_names().end());
        for (const CteNode& node : newest_first(store_.ctes, level_.ctes)) add_source(*node.source);
      }
    }
  }
  return sorted_once(std::move(names));
}

std::vector<NameId> Candidates::plain_names() const {
  std::vector<NameId> names;
  bool everything = false;
  const auto add_level = [&](const Level& at, bool own) {
    for (const FromNode& node : newest_first(store_.from, at.from)) {
      const Source& source = *node.item.source;
      for (const Source::Column& column : source.columns) {
        if (column.name != kNoName) names.push_back(column.name);
      }
      if (source.rowid && at.settled) {
        names.insert(names.end(), world_.rowid_names().begin(), world_.rowid_names().end());
      }
    }
    if (aliases_visible(at) || (own && at.clause == Clause::Order)) {
      for (const ItemNode& node : newest_first(store_.items, at.items)) {
        if (node.item.alias != kNoName) names.push_back(node.item.alias);
      }
    }
    if (own && at.clause == Clause::Order) {
      for (const Index list : {at.outputs, at.order_names}) {
        for (const NameNode& node : newest_first(store_.name_lists, list)) {
          if (node.name != kNoName) names.push_back(node.name);
        }
      }
    }
    everything |= !at.settled && at.clause == Clause::Items;
  };
  for_each_visible([&](const Level& at) { add_level(at, &at == &level_); });
  if (everything) {
    names.insert(names.end(), world_.column_names().begin(), world_.column_names().end());
    for (const CteNode& node : newest_first(store_.ctes, level_.ctes)) {
      for (const Source::Column& column : node.source->columns) {
        if (column.name != kNoName) names.push_back(column.name);
      }
    }
  }
  if (names_unsettled()) {
    for (const Obligation& wanted : pending(level_)) {
      if (wanted.qualifier == kNoName) names.push_back(wanted.name);
    }
  }
  return sorted_once(std::move(names));
}

std::vector<NameId> Candidates::qualifiers() const {
  std::vector<NameId> names;
  bool everything = false;
  for_each_visible([&](const Level& at) {
    for (const FromNode& node : newest_first(store_.from, at.from)) {
      if (node.item.name != kNoName) names.push_back(node.item.name);
    }
    if (at.settled || at.clause != Clause::Items) return;
    everything = true;
    for (const Obligation& wanted : pending(at)) {
      if (wanted.qualifier != kNoName) names.push_back(wanted.qualifier);
    }
  });
  if (everything) {
    for (const Source& source : world_.sources().all()) {
      if (source.nameable) names.push_back(source.name);
    }
    for (const CteNode& node : newest_first(store_.ctes, level_.ctes)) names.push_back(node.source->name);
  }
  return sorted_once(std::move(names));
}

NameIndex Candidates::item_columns() const {
  NameIndex columns;
  if (level_.clause != Clause::Items || state_.open != 1 || frame_.kind != Frame::Expr || frame_.expr.operators != 0)
    return columns;
  const std::vector<const Ref*> refs = refs_of(level_);
  for (const ItemNode& node : newest_first(store_.items, level_.items)) {
    const SelectItem& item = node.item;
    if (item.column == kNoName || item.last_ref != item.first_ref + 1) continue;
    const NameId qualifier = refs[item.first_ref]->qualifier;
    if (!columns.find(qualifier, item.column)) columns.note(qualifier, item.column, 0);
  }
  return columns;
}

// Qualifiers all of whose columns are items of this SELECT already, where a further item begins.
std::vector<NameId> Candidates::exhausted_qualifiers() {
  std::vector<NameId> exhausted, seen;
  if (!asks_supply() || level_.items == 0) return exhausted;
  const NameIndex written = item_columns();
  for (const Obligation& wanted : pending(level_)) {
    const NameId qualifier = wanted.qualifier;
    if (qualifier == kNoName || wanted.name == kNoName || holds(seen, qualifier)) continue;
    if (!written.find(qualifier, wanted.name)) continue;
    seen.push_back(qualifier);
    const std::vector<NameId> columns = supplied(qualifier, columns_of(qualifier), false);
    const auto repeated = [&](NameId name) {
      return written.find(qualifier, name) || (world_.is_rowid(name) && !world_.is_column_name(name));
    };
    if (std::ranges::all_of(columns, repeated)) exhausted.push_back(qualifier);
  }
  return exhausted;
}

// Before FROM, and without `*`: the names among `candidates` that some FROM can supply. Most need no search: a FROM that was
// found for what is owed already, or for a candidate before, supplies them as well.
std::vector<NameId> Candidates::supplied(NameId qualifier, std::span<const NameId> candidates, bool one_is_enough) {
  std::vector<NameId> fit;
  const Place place = operand_place();
  if (place.clause == Clause::Limit) return fit;
  const RoleSet roles = roles_at(place);
  Question owed(*this, level_);
  store_.asked = true;
  std::optional<Witness> before = owed.ask(world_);
  if (!before) return fit;
  owed.local = place.local;
  // Names that could be a column a second time: whether an argument stays plain with them is asked one by one.
  const std::vector<NameId> left = names_left();
  const auto recurs = [&](NameId name) {
    return !left.empty() && (world_.is_rowid(name) || std::any_of(left.begin(), left.end(), [&](NameId other) {
                               return other == name || world_.is_rowid(other);
                             }));
  };
  // A factor beside another column takes the form of a minimum group from both of them.
  const bool factor = place.inside == Place::Argument && in_plain_argument() && has_factors_beside();
  NameIndex wanted;
  for (size_t i = 0; i < owed.wanted.size(); ++i) wanted.note(owed.wanted[i].qualifier, owed.wanted[i].name, i);
  const bool has_place = owed.wanted.size() + owed.passed.size() < kMostOwed;  // for one name more
  constexpr size_t kKept = 4;
  std::vector<Witness> witnesses;  // of FROMs that supply what is owed, and leave none of it to the outside
  const auto keep = [&](Witness&& found) {
    if (!found.passed.empty()) return;
    if (witnesses.size() == kKept) witnesses.erase(witnesses.begin() + 1);
    witnesses.push_back(std::move(found));
  };
  keep(*std::move(before));
  for (const NameId name : candidates) {
    // So is whether it keeps the form that its minimum group asks for.
    if (recurs(name) || factor || (place.inside == Place::Argument && world_.grouped_families(name) != 0)) {
      if (!on_copy(*this, [&](Candidates& copy) { return copy.use_column(qualifier, name); })) continue;
      fit.push_back(name);
      if (one_is_enough) break;
      continue;
    }
    if (qualifier == kNoName && world_.is_rowid(name) && !world_.is_column_name(name)) continue;
    const bool boolean = qualifier == kNoName && (name == world_.true_name() || name == world_.false_name());
    if (boolean && !world_.is_column_name(name)) continue;
    const std::optional<size_t> known = wanted.find(qualifier, name);
    bool fits = false;
    if (!known && has_place && !world_.is_rowid(name)) {
      fits = std::ranges::any_of(witnesses, [&](const Witness& found) { return supplies(found, {qualifier, name, roles}); });
    } else if (known && (owed.wanted[*known].roles & roles) == roles) {
      fits = !witnesses.empty();  // nothing more is asked of it
    }
    if (!fits) {
      owed.extra = {qualifier, name, roles};
      if (known) {
        owed.extra.roles = std::exchange(owed.wanted[*known].roles, owed.wanted[*known].roles | roles);
      } else {
        owed.wanted.push_back(owed.extra);
      }
      std::optional<Witness> found = owed.ask(world_);
      fits = found && witness_fits(level_, *found);
      if (known) {
        owed.wanted[*known].roles = owed.extra.roles;
      } else {
        owed.wanted.pop_back();
      }
      if (fits) keep(*std::move(found));
    }
    if (!fits) continue;
    fit.push_back(name);
    if (one_is_enough) break;
  }
  return fit;
}

}  // namespace pccsql::track
