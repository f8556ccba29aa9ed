// What can be seen from where a name stands: the names worth trying, and the shapes that a name may have.
#include <algorithm>

#include "track/step.h"

namespace pccsql::track {

std::optional<Step::Outer> Step::next_outer(const Level& level) const {
  if (level.view == Level::Nothing || level.parent == 0) return std::nullopt;
  if (level.kind == Level::Derived) return next_outer(store_.levels[level.parent]);  // siblings are not visible
  return Outer{level.parent, level.view == Level::ParentOnly};
}

bool Step::aliases_visible(const Level& level) const {
  return level.clause == Clause::Where || level.clause == Clause::Group || level.clause == Clause::Having ||
         level.clause == Clause::Order;
}

bool Step::sees_names() const { return operand_place().clause != Clause::Limit; }

// "x" is a string where no column or alias that is visible has that name, and none can come.
bool Step::string_fits(NameId name) const {
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
bool Step::boolean_fits(NameId name) const {
  if (name != world_.true_name() && name != world_.false_name()) return false;
  if (level_.kind == Level::Cte) return false;
  for (Index at = state_.level; at != 0; at = store_.levels[at].parent) {
    if (store_.levels[at].kind == Level::Cte) return false;
  }
  return !world_.is_column_name(name) || operand_place().clause == Clause::Limit || string_fits(name);
}

bool Step::function_fits(const Callable& function) {
  if (!has_depth(operand_depth() + parser_stack::kCall) || frame_.height >= kTallest) return false;
  const Place place = operand_place();
  switch (function.mode) {
    case Callable::Sums:
    case Callable::Aggregate:
      return aggregate_fits();
    case Callable::Window:
      return place.windows && has_depth(operand_depth() + parser_stack::kCall + parser_stack::kWindow);
    default:
      return !in_plain_argument() || on_copy([&](Step& copy) { return copy.call_in_argument(function); });
  }
}

// An alias before it exists is short, or it would be a way to write any word at all.
bool Step::is_alias_shape(NameId name) const {
  const std::string_view text = store_.names.text(name);
  if (name == world_.true_name() || name == world_.false_name()) return false;
  if (terminal_of(text) != Terminal::Illegal || world_.sources().find(name) != nullptr) return false;
  if (world_.settings().aliases == Aliases::Any) return true;
  if (world_.is_column_name(name)) return false;
  size_t letters = 0;
  while (letters < text.size() && text[letters] >= 'a' && text[letters] <= 'z') ++letters;
  size_t digits = letters;
  while (digits < text.size() && text[digits] >= '0' && text[digits] <= '9') ++digits;
  return letters >= 1 && letters <= world_.alias_letters() && digits - letters <= 2 && digits == text.size();
}

NameIndex Step::item_columns() const {
  NameIndex columns;
  if (level_.clause != Clause::Items || state_.open != 1 || frame_.kind != Frame::Expr || frame_.operators != 0)
    return columns;
  const std::vector<const Ref*> refs = refs_of(level_);
  for (Index i = level_.items; i != 0; i = store_.items[i].below) {
    const SelectItem& item = store_.items[i].item;
    if (item.column == kNoName || item.last_ref != item.first_ref + 1) continue;
    const NameId qualifier = refs[item.first_ref]->qualifier;
    if (!columns.find(qualifier, item.column)) columns.note(qualifier, item.column, 0);
  }
  return columns;
}

// Qualifiers all of whose columns are items of this SELECT already, where a further item begins.
std::vector<NameId> Step::exhausted_qualifiers() {
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

// Before FROM: a table that can be named, a CTE, something an enclosing FROM has, or the shape of an alias.
bool Step::is_known_qualifier(NameId qualifier) const {
  if (const Source* table = world_.sources().find(qualifier)) return table->nameable;
  for (Index i = level_.ctes; i != 0; i = store_.ctes[i].below) {
    if (store_.ctes[i].source->name == qualifier) return true;
  }
  const auto is_item = [&](const Level& level) {
    for (Index i = level.from; i != 0; i = store_.from[i].below) {
      if (store_.from[i].item.name == qualifier) return true;
    }
    return false;
  };
  Level at = level_;
  if (is_item(at)) return true;
  for (std::optional<Outer> next = next_outer(at); next; next = next_outer(at)) {
    at = store_.levels[next->level];
    if (is_item(at)) return true;
    if (next->last) break;
  }
  return is_alias_shape(qualifier);
}

bool Step::names_unsettled() const {
  Level at = level_;
  if (!at.settled && at.clause == Clause::Items) return true;
  for (std::optional<Outer> next = next_outer(at); next; next = next_outer(at)) {
    at = store_.levels[next->level];
    if (!at.settled && at.clause == Clause::Items) return true;
    if (next->last) break;
  }
  return false;
}

std::vector<NameId> Step::columns_of(NameId qualifier) const {
  std::vector<NameId> names;
  const auto add_source = [&](const Source& source) {
    for (const Source::Column& column : source.columns) {
      if (column.name != kNoName) names.push_back(column.name);
    }
    if (source.rowid) names.insert(names.end(), world_.rowid_names().begin(), world_.rowid_names().end());
  };
  bool everything = false;
  const auto add_level = [&](const Level& at) {
    for (Index i = at.from; i != 0; i = store_.from[i].below) {
      if (store_.from[i].item.name == qualifier) add_source(*store_.from[i].item.source);
    }
    everything |= !at.settled && at.clause == Clause::Items;
  };
  Level at = level_;
  add_level(at);
  for (std::optional<Outer> next = next_outer(at); next; next = next_outer(at)) {
    at = store_.levels[next->level];
    add_level(at);
    if (next->last) break;
  }
  if (everything) {
    const Source* table = world_.sources().find(qualifier);
    if (table != nullptr) {
      add_source(*table);
    } else {
      bool cte = false;
      for (Index i = level_.ctes; i != 0; i = store_.ctes[i].below) {
        if (store_.ctes[i].source->name != qualifier) continue;
        add_source(*store_.ctes[i].source);
        cte = true;
      }
      if (!cte) {
        names.insert(names.end(), world_.column_names().begin(), world_.column_names().end());
        names.insert(names.end(), world_.rowid_names().begin(), world_.rowid_names().end());
        for (Index i = level_.ctes; i != 0; i = store_.ctes[i].below) add_source(*store_.ctes[i].source);
      }
    }
  }
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  return names;
}

std::vector<NameId> Step::plain_names() const {
  std::vector<NameId> names;
  bool everything = false;
  const auto add_level = [&](const Level& at, bool own) {
    for (Index i = at.from; i != 0; i = store_.from[i].below) {
      const Source& source = *store_.from[i].item.source;
      for (const Source::Column& column : source.columns) {
        if (column.name != kNoName) names.push_back(column.name);
      }
      if (source.rowid && at.settled) {
        names.insert(names.end(), world_.rowid_names().begin(), world_.rowid_names().end());
      }
    }
    if (aliases_visible(at) || (own && at.clause == Clause::Order)) {
      for (Index i = at.items; i != 0; i = store_.items[i].below) {
        if (store_.items[i].item.alias != kNoName) names.push_back(store_.items[i].item.alias);
      }
    }
    if (own && at.clause == Clause::Order) {
      for (const Index list : {at.outputs, at.order_names}) {
        for (Index i = list; i != 0; i = store_.name_lists[i].below) {
          if (store_.name_lists[i].name != kNoName) names.push_back(store_.name_lists[i].name);
        }
      }
    }
    everything |= !at.settled && at.clause == Clause::Items;
  };
  Level at = level_;
  add_level(at, true);
  for (std::optional<Outer> next = next_outer(at); next; next = next_outer(at)) {
    at = store_.levels[next->level];
    add_level(at, false);
    if (next->last) break;
  }
  if (everything) {
    names.insert(names.end(), world_.column_names().begin(), world_.column_names().end());
    for (Index i = level_.ctes; i != 0; i = store_.ctes[i].below) {
      for (const Source::Column& column : store_.ctes[i].source->columns) {
        if (column.name != kNoName) names.push_back(column.name);
      }
    }
  }
  if (names_unsettled()) {
    for (const Obligation& wanted : pending(level_)) {
      if (wanted.qualifier == kNoName) names.push_back(wanted.name);
    }
  }
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  return names;
}

std::vector<NameId> Step::qualifiers() const {
  std::vector<NameId> names;
  Level at = level_;
  bool everything = false;
  const auto add_level = [&] {
    for (Index i = at.from; i != 0; i = store_.from[i].below) {
      if (store_.from[i].item.name != kNoName) names.push_back(store_.from[i].item.name);
    }
    if (at.settled || at.clause != Clause::Items) return;
    everything = true;
    for (const Obligation& wanted : pending(at)) {
      if (wanted.qualifier != kNoName) names.push_back(wanted.qualifier);
    }
  };
  add_level();
  for (std::optional<Outer> next = next_outer(at); next; next = next_outer(at)) {
    at = store_.levels[next->level];
    add_level();
    if (next->last) break;
  }
  if (everything) {
    for (const Source& source : world_.sources().all()) {
      if (source.nameable) names.push_back(source.name);
    }
    for (Index i = level_.ctes; i != 0; i = store_.ctes[i].below) names.push_back(store_.ctes[i].source->name);
  }
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  return names;
}

// An alias that nothing mentions: all of them are alike.
bool Step::fresh_qualifier_fits() {
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

std::vector<NameId> Step::using_candidates() const {
  std::vector<NameId> names;
  if (level_.from == 0) return names;
  for (const Source::Column& column : last_item().item.source->columns) {
    if (column.name != kNoName) names.push_back(column.name);
  }
  return names;
}

}  // namespace pccsql::track
