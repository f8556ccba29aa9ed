#include "track/scope.h"

#include <algorithm>

namespace pccsql::track {

std::vector<FromItem> Scope::from_items(const Level& level) const {
  std::vector<FromItem> items(store_.from[level.from].count);
  size_t at = items.size();
  for (const FromNode& node : newest_first(store_.from, level.from)) items[--at] = node.item;
  return items;
}

std::vector<const Source*> Scope::ctes(const Level& level) const {
  std::vector<const Source*> sources;
  for (const CteNode& node : newest_first(store_.ctes, level.ctes)) sources.push_back(node.source);
  return sources;
}

std::vector<SelectItem> Scope::items(const Level& level) const {
  std::vector<SelectItem> items(store_.items[level.items].count);
  size_t at = items.size();
  for (const ItemNode& node : newest_first(store_.items, level.items)) items[--at] = node.item;
  return items;
}

// The names that a SELECT has used, in the order in which they were written.
std::vector<const Ref*> Scope::refs_of(const Level& level) const {
  std::vector<const Ref*> refs(store_.refs[level.refs].count);
  for (const RefNode& node : newest_first(store_.refs, level.refs)) refs[node.count - 1] = &node.ref;
  return refs;
}

std::optional<Scope::Outer> Scope::next_outer(const Level& level) const {
  if (level.view == Level::Nothing || level.parent == 0) return std::nullopt;
  if (level.kind == Level::Derived) return next_outer(store_.levels[level.parent]);  // siblings are not visible
  return Outer{level.parent, level.view == Level::ParentOnly};
}

bool Scope::aliases_visible(const Level& level) const {
  return level.clause == Clause::Where || level.clause == Clause::Group || level.clause == Clause::Having ||
         level.clause == Clause::Order;
}

bool Scope::names_unsettled() const {
  bool unsettled = false;
  for_each_visible([&](const Level& level) { unsettled |= !level.settled && level.clause == Clause::Items; });
  return unsettled;
}

// An alias before it exists is short, or it would be a way to write any word at all.
bool Scope::is_alias_shape(NameId name) const {
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

bool Scope::is_known_qualifier(NameId qualifier) const {
  if (const Source* table = world_.sources().find(qualifier)) return table->nameable;
  for (const CteNode& node : newest_first(store_.ctes, level_.ctes)) {
    if (node.source->name == qualifier) return true;
  }
  bool found = false;
  for_each_visible([&](const Level& level) {
    for (const FromNode& node : newest_first(store_.from, level.from)) found |= node.item.name == qualifier;
  });
  return found || is_alias_shape(qualifier);
}

std::vector<Obligation> Scope::pending(const Level& level) const {
  std::vector<Obligation> obligations;
  NameIndex index;
  for (const RefNode& node : newest_first(store_.refs, level.refs)) {
    const Ref& ref = node.ref;
    if (ref.binding != 0 || ref.bound_outside) continue;
    if (const auto known = index.find(ref.qualifier, ref.name)) {
      obligations[*known].roles |= ref.roles;
    } else {
      index.note(ref.qualifier, ref.name, obligations.size());
      obligations.push_back({ref.qualifier, ref.name, ref.roles});
    }
  }
  std::reverse(obligations.begin(), obligations.end());
  return obligations;
}

Scope::Found Scope::find_in_from(const Level& level, NameId qualifier, NameId name, Binding& binding) const {
  int groups = 0;
  std::vector<const FromNode*> nodes(store_.from[level.from].count);
  size_t at = nodes.size();
  for (const FromNode& node : newest_first(store_.from, level.from)) nodes[--at] = &node;
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
Scope::Found Scope::find_rowid(const Level& level, NameId qualifier, NameId name, Binding& binding) const {
  if (!world_.is_rowid(name)) return Found::No;
  const Source* match = nullptr;
  uint32_t candidates = 0;
  for (const FromNode& node : newest_first(store_.from, level.from)) {
    const FromItem& item = node.item;
    if (qualifier != kNoName && item.name != qualifier) continue;
    ++candidates;
    match = item.source;
    binding.item = node.count;
  }
  if (candidates == 0) return Found::No;
  if (candidates > 1 || !match->rowid || !match->table) return Found::Bad;
  binding.columns.push_back({*match->table, *match->rowid});
  binding.permitted = match->columns[*match->rowid].permitted;
  return Found::Yes;
}

const SelectItem* Scope::find_alias(const Level& level, NameId name) const {
  const SelectItem* found = nullptr;
  for (const ItemNode& node : newest_first(store_.items, level.items)) {
    const SelectItem& item = node.item;
    if (item.star == SelectItem::No && item.alias == name) found = &item;  // the first of several
  }
  return found;
}

// The names of what the SELECT puts out, by what its FROM holds so far. A repeated `x` becomes `x:1`, then `x:2`; after
// four of them the database draws lots.
std::vector<NameId> Scope::outputs_now(const Level& level) const {
  std::vector<NameId> names;
  std::vector<FromItem> from;
  if (level.star) from = from_items(level);
  NameIndex index;
  const auto taken = [&](NameId name) { return index.find(kNoName, name).has_value(); };
  const auto push = [&](NameId name) {
    if (name == world_.true_name() || name == world_.false_name()) name = kNoName;  // the database names it otherwise
    if (name != kNoName && taken(name)) {
      std::string stem(store_.names.text(name));
      const size_t colon = stem.find_last_not_of("0123456789");
      if (colon != std::string::npos && stem[colon] == ':' && colon + 1 < stem.size()) stem.resize(colon);
      for (int n = 1; name != kNoName && taken(name); ++n) {
        name = n <= 4 ? store_.names.intern(stem + ":" + std::to_string(n)) : kNoName;
      }
    }
    if (name != kNoName) index.note(kNoName, name, 0);
    names.push_back(name);
  };
  for (const SelectItem& item : items(level)) {
    if (item.star == SelectItem::No) {
      push(item.alias != kNoName ? item.alias : item.column);
      continue;
    }
    for_each_output(item, from, [&](const Source::Column& column) { push(column.name); });
  }
  return names;
}

int Scope::width_now(const Level& level) const {
  if (!level.star) return static_cast<int>(store_.items[level.items].count);
  return static_cast<int>(outputs_now(level).size());
}

// How many outputs the SELECT may have: as many as the first branch, and no more than a `*` around it can take.
int Scope::most_width(const Level& level) const {
  int most = level.width != 0 ? level.width : kMostOutputs;
  if (level.kind != Level::Derived || level.branches > 1) return most;
  const Level& outer = store_.levels[level.parent];
  if (!outer.plain_star) return most;
  return std::min(most, most_width(outer) - width_now(outer));
}

bool Scope::width_fixed(const Level& level) const {
  if (level.width != 0) return true;
  if (level.kind != Level::Derived || level.branches > 1) return false;
  const Level& outer = store_.levels[level.parent];
  return outer.plain_star && width_fixed(outer);
}

SelectItem Scope::item_at(int place) const {
  for (const SelectItem& item : items(level_)) {
    int width = 1;
    if (item.star != SelectItem::No) {
      width = 0;
      for_each_output(item, from_items(level_), [&](const Source::Column&) { ++width; });
    }
    if (place <= width) return item;
    place -= width;
  }
  return {};
}

bool Scope::output_name(NameId name) const {
  for (const NameNode& node : newest_first(store_.name_lists, level_.order_names)) {
    // Before a set operation a column that is an item is found as a column.
    if (node.name == name && (node.qualifier != kNoName || level_.branches > 1)) return true;
  }
  return false;
}

int Scope::room_for_conditions(const Level& level) const {
  return kTallest - level.conditions - store_.frames[level.outer_frame].height;
}

// Exactly one (merged) column of that name on the left, one on the right, and every column of them may be joined by.
bool Scope::can_merge(const Level& level, const FromItem& right, NameId name) const {
  RoleSet needed = role_bit(Role::Join);  // of `q.*` the search knows more
  if (level.plain_star) needed = level.compared ? needed | role_bit(Role::Where) : kEveryRole;
  // With RIGHT and FULL the merged column is made of both sides, so an ON further left cannot have meant it.
  for (const RefNode& node : newest_first(store_.refs, level.join.outer ? level.refs : 0)) {
    const Ref& ref = node.ref;
    if (ref.qualifier == kNoName && ref.name == name && ref.place.clause == Clause::On) return false;
  }
  const Source::Column* own = right.source->find(name);
  if (own == nullptr || (own->permitted & needed) != needed) return false;
  std::vector<FromItem> left = from_items(level);
  if (!left.empty() && left.back().source == right.source && left.back().name_open == right.name_open &&
      left.back().merge_open && right.merge_open && left.back().name == right.name) {
    left.pop_back();  // `right` is already the last of them
  }
  int groups = 0;
  for (const FromItem& item : left) {
    const Source::Column* column = item.source->find(name);
    if (column == nullptr) continue;
    if ((column->permitted & needed) != needed) return false;
    if (groups == 0 || !holds(item.merged, name)) ++groups;
  }
  return groups == 1;
}

// Every name that both sides have is merged.
bool Scope::merge_naturally(const Level& level, FromItem& right) const {
  for (const Source::Column& column : right.source->columns) {
    if (column.name == kNoName) return false;
    if (column.hidden) continue;
    bool common = false;
    for (Index i = level.from; i != 0 && !common; i = store_.from[i].below) {
      const Source::Column* left = store_.from[i].item.source->find(column.name);
      common = left != nullptr && !left->hidden;
    }
    if (!common) continue;
    if (!can_merge(level, right, column.name)) return false;
    if (!holds(right.merged, column.name)) right.merged.push_back(column.name);
  }
  return true;
}

// How many columns of a `*` USING could still merge with others, after the item at hand.
int Scope::mergeable(const Level& level) const {
  if (!level.plain_star || level.from == 0 || level.outer_join) return 0;
  const FromItem item = store_.from[level.from].item;
  if (!item.merge_open) return 0;
  int count = 0;
  for (const Source::Column& column : item.source->columns) {
    if (column.hidden || column.name == kNoName || item.source->find(column.name) != &column) continue;
    const bool merged = std::find(item.merged.begin(), item.merged.end(), column.name) != item.merged.end();
    count += !merged && can_merge(level, item, column.name);
  }
  return std::min(count, std::max(room_for_conditions(level), 0));
}

// How many columns of a `*` USING could merge, if one item more is all that the names ask for.
int Scope::could_merge(const Level& level, const Witness& found) const {
  if (!level.plain_star || level.outer_join || level.join.outer) return 0;
  if (level.from == 0 || found.from.size() != 1 || found.from[0].source == nullptr) return 0;
  if (width_now(level) >= most_width(level)) return 0;  // then nothing more is joined
  FromItem item;
  item.source = found.from[0].source;
  int count = 0;
  for (const Source::Column& column : item.source->columns) {
    count += !column.hidden && column.name != kNoName && can_merge(level, item, column.name);
  }
  return std::min(count, std::max(room_for_conditions(level), 0));
}

}  // namespace pccsql::track
