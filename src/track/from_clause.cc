#include "track/from_clause.h"

namespace pccsql::track {

bool FromClause::read_from() {
  const auto count = static_cast<int>(store_.items[level_.items].count);
  if (level_.width != 0 && !level_.star && count != level_.width) return false;
  if (count > most_width(level_)) return false;
  if (!level_.star && !outputs_fit(true)) return false;
  level_.clause = Clause::From;
  level_.from_open = true;
  begin_join();
  level_.table_needed = true;
  level_dirty_ = true;
  return level_.tables < level_.most_tables && viable(level_);
}

void FromClause::begin_join() {
  level_.join.natural = level_.join.left = level_.join.outer = level_.join.full = false;
  level_.join.words = 0;
  level_dirty_ = true;
}

// The words of a join come in any order; in canonical style as they are commonly written, NATURAL first, OUTER last.
bool FromClause::read_join(Terminal word) {
  if (world_.settings().style == Style::Canonical) {
    const bool first = level_.join.words == (level_.join.natural && word != Terminal::kw_NATURAL ? 1 : 0);
    const bool usual = word == Terminal::kw_OUTER ? level_.join.left || level_.join.outer : first;
    if (word != Terminal::kw_JOIN && !usual) return false;
  }
  level_.join.words = static_cast<uint8_t>(level_.join.words + 1);
  if (level_.tables >= level_.most_tables) return false;
  if (stands_alone()) return false;
  if (level_.plain_star && width_now(level_) >= most_width(level_)) return false;
  level_dirty_ = true;
  level_.table_needed = true;
  switch (word) {
    case Terminal::kw_RIGHT:
    case Terminal::kw_FULL:
      if (state_.union_all || world_.catalog().view_bodies().union_all) return false;
      if (!obligations_may_come_later()) return false;
      state_.outer_join = true;
      level_.join.outer = true;
      level_.join.full |= word == Terminal::kw_FULL || level_.join.left;
      if (level_.star && (level_.merges || level_.join.natural)) return false;
      level_.outer_join |= level_.star;
      return viable(level_) && something_joins();
    case Terminal::kw_LEFT:
      level_.join.left = true;
      level_.join.full |= level_.join.outer;
      return viable(level_) && something_joins();
    case Terminal::kw_NATURAL:
      level_.join.natural = true;
      if (level_.star && level_.join.outer) return false;
      for (const FromNode& node : newest_first(store_.from, level_.from)) {
        for (const Source::Column& column : node.item.source->columns) {
          if (column.name == kNoName) return false;
        }
      }
      return something_joins();
    default:
      return viable(level_) && something_joins();
  }
}

// Whether any item can come now: all tables may hold names that would be ambiguous. A derived table disturbs none, if it is
// not joined naturally and there is room for a SELECT in the parser's stack.
bool FromClause::something_joins() {
  if (!level_.join.natural && (!world_.settings().lookahead || derived_table_has_depth(level_))) return true;
  store_.asked = true;
  for (const Source& source : world_.sources().all()) {
    if (source.nameable && table_fits(source.name)) return true;
  }
  for (const Source* source : ctes(level_)) {
    if (table_fits(source->name)) return true;
  }
  return derived_table_fits();
}

// In canonical style, a table of which nothing may be used is joined with nothing that no name asks for.
bool FromClause::stands_alone() const {
  if (world_.settings().style != Style::Canonical) return false;
  bool closed = false;
  for (const FromNode& node : newest_first(store_.from, level_.from)) closed |= node.item.source->closed;
  return closed && pending(level_).empty();
}

bool FromClause::read_table(NameId name) {
  const Source* source = nullptr;
  for (Index i = level_.ctes; i != 0 && source == nullptr; i = store_.ctes[i].below) {
    if (store_.ctes[i].source->name == name) source = store_.ctes[i].source;
  }
  if (source == nullptr) source = world_.sources().find(name);
  if (source == nullptr || !source->nameable || !name_view(*source)) return false;
  FromItem item;
  item.source = source;
  item.name = name;
  item.name_open = true;
  item.merge_open = level_.from != 0 && !level_.join.natural;
  if (level_.join.natural && !merge_naturally(level_, item)) return false;
  return add_item(std::move(item));
}

bool FromClause::add_item(FromItem item) {
  const uint16_t tables = item.source->tables;
  if (level_.tables + tables > level_.most_tables) return false;
  if (level_.plain_star && !item.source->expands_to(level_.compared ? Role::Where : Role::Sel)) return false;
  level_.tables = static_cast<uint16_t>(level_.tables + tables);
  level_.table_needed = false;
  if (static_cast<int>(item.merged.size()) > room_for_conditions(level_)) return false;
  level_.conditions = static_cast<uint16_t>(level_.conditions + item.merged.size());
  level_.merges |= !item.merged.empty();
  level_.outer_join |= level_.join.outer;
  // With RIGHT and FULL the database expands merged columns by their bare names, which can be ambiguous.
  if (level_.star && level_.merges && level_.outer_join) return false;
  FromNode node;
  node.below = level_.from;
  node.count = store_.from[level_.from].count + 1;
  node.item = std::move(item);
  node.outer = level_.join.outer;
  node.full = level_.join.full;
  store_.from.push_back(std::move(node));
  level_.from = static_cast<Index>(store_.from.size() - 1);
  level_dirty_ = true;
  return widths_fit(false) && viable(level_) && (!level_.star || outputs_fit(false));
}

bool FromClause::name_item(NameId name) {
  FromItem item = last_item().item;
  if (!item.name_open) return false;
  for (const FromNode& node : newest_first(store_.from, store_.from[level_.from].below)) {
    if (node.item.name == name) return false;
  }
  item.name = name;
  item.name_open = false;
  store_last_item(std::move(item));
  return widths_fit(false) && viable(level_) && (!level_.star || outputs_fit(false));
}

bool FromClause::end_item_name() {
  FromItem item = last_item().item;
  if (!item.name_open) return true;
  for (Index i = store_.from[level_.from].below; i != 0 && item.name != kNoName; i = store_.from[i].below) {
    if (store_.from[i].item.name == item.name) return false;
  }
  item.name_open = false;
  store_last_item(std::move(item));
  return viable(level_) && (!level_.star || outputs_fit(false));
}

bool FromClause::end_item_merge() {
  if (level_.from == 0 || !last_item().item.merge_open) return true;
  FromItem item = last_item().item;
  item.merge_open = false;
  store_last_item(std::move(item));
  return viable(level_) && (!level_.plain_star || widths_fit(false));
}

void FromClause::store_last_item(FromItem item) {
  FromNode node = store_.from[level_.from];
  node.item = std::move(item);
  store_.from.push_back(std::move(node));
  level_.from = static_cast<Index>(store_.from.size() - 1);
  level_dirty_ = true;
}

bool FromClause::open_using() {
  store_.asked = true;
  if (level_.join.natural || level_.from == 0 || !last_item().item.merge_open) return false;
  for (const Source::Column& column : last_item().item.source->columns) {
    if (column.name != kNoName && using_fits(column.name)) return true;
  }
  return false;
}

bool FromClause::read_using(const Word& word) {
  if (word.terminal == Terminal::Name) return merge_by(word.name);
  if (word.terminal == Terminal::Comma) {
    return std::ranges::any_of(using_candidates(), [&](NameId name) { return using_fits(name); });
  }
  return word.terminal != Terminal::RightParen || end_item_merge();
}

bool FromClause::merge_by(NameId name) {
  FromItem item = last_item().item;
  if (name == kNoName || !item.merge_open || holds(item.merged, name) || !can_merge(level_, item, name)) return false;
  if (level_.star && level_.outer_join) return false;
  if (room_for_conditions(level_) < 1) return false;
  ++level_.conditions;
  item.merged.push_back(name);
  level_.merges = true;
  store_last_item(std::move(item));
  return viable(level_);
}

std::vector<NameId> FromClause::using_candidates() const {
  std::vector<NameId> names;
  if (level_.from == 0) return names;
  for (const Source::Column& column : last_item().item.source->columns) {
    if (column.name != kNoName) names.push_back(column.name);
  }
  return names;
}

// Names that the SELECT at hand has used for tables, of its own or of those around it: a new item may not be free to have them.
std::vector<NameId> FromClause::names_in_use() const {
  std::vector<NameId> names;
  const auto add = [&](NameId name) {
    if (name != kNoName && !holds(names, name)) names.push_back(name);
  };
  for (const FromNode& node : newest_first(store_.from, level_.from)) add(node.item.name);
  for (const RefNode& node : newest_first(store_.refs, level_.refs)) add(node.ref.qualifier);
  for (const NameNode& node : newest_first(store_.name_lists, level_.passed)) add(node.qualifier);
  for (const ItemNode& node : newest_first(store_.items, level_.items)) add(node.item.qualifier);
  return names;
}

bool FromClause::names_from_item() const { return !in_frame() && level_.clause == Clause::From && level_.from != 0; }

bool FromClause::table_fits(NameId name) {
  return on_copy(*this, [&](FromClause& copy) { return copy.read_table(name); });
}

bool FromClause::alias_fits(NameId name) {
  return on_copy(*this, [&](FromClause& copy) { return copy.name_item(name); });
}

bool FromClause::using_fits(NameId name) {
  return on_copy(*this, [&](FromClause& copy) { return copy.merge_by(name); });
}

bool FromClause::fresh_alias_fits() {
  return on_copy(*this, [&](FromClause& copy) { return copy.name_item(copy.store_.names.intern("\x01")); });
}

void FromClause::note_join_uses() {
  const std::vector<FromItem> items = from_items(level_);
  for (size_t right = 0; right < items.size(); ++right) {
    for (const NameId name : items[right].merged) {
      for (size_t i = 0; i <= right; ++i) {
        const Source::Column* column = items[i].source->find(name);
        if (column == nullptr || !items[i].source->table) continue;
        const auto index = static_cast<ColumnIndex>(column - items[i].source->columns.data());
        add_use({{{*items[i].source->table, index}}, kEveryRole}, role_bit(Role::Join));
      }
    }
  }
}

// False: what `q.*` reaches is not all permitted. With look-ahead the search has seen to that.
bool FromClause::note_star_uses() {
  const std::vector<FromItem> items = from_items(level_);
  bool permitted = true;
  Ref ref;
  ref.place.compared = level_.compared;
  ref.roles = roles_at(ref.place);
  ref.list = list_at(ref.place);
  const auto add_column = [&](const Source& source, const Source::Column& column) {
    permitted &= (column.permitted & ref.roles) != 0;
    note_unshown(ref, column.permitted);
    if (!source.table) return;
    const auto index = static_cast<ColumnIndex>(&column - source.columns.data());
    add_use({{{*source.table, index}}, kEveryRole}, ref.roles, ref.list);
  };
  for (const SelectItem& star : this->items(level_)) {
    if (star.star == SelectItem::No) continue;
    for (size_t i = 0; i < items.size(); ++i) {
      if (star.star == SelectItem::Qualified && items[i].name != star.qualifier) continue;
      for (const Source::Column& column : items[i].source->columns) {
        if (!column.hidden) add_column(*items[i].source, column);
        if (star.star != SelectItem::Qualified || column.name == kNoName) continue;
        // `q.*` of a merged column reaches every column it is merged with.
        bool merged = false;
        for (size_t k = i; k < items.size(); ++k) merged |= holds(items[k].merged, column.name);
        for (size_t k = 0; k < items.size() && merged; ++k) {
          const Source::Column* partner = k == i ? nullptr : items[k].source->find(column.name);
          if (partner != nullptr) add_column(*items[k].source, *partner);
        }
      }
    }
  }
  return permitted;
}

// FROM has closed, or cannot come any more: every name is bound here, or by an enclosing SELECT.
bool FromClause::settle() {
  if (level_.plain_star && level_.from == 0) return false;
  if (captures_passed()) return false;
  std::vector<Ref> refs(store_.refs[level_.refs].count);
  size_t at = refs.size();
  for (const RefNode& node : newest_first(store_.refs, level_.refs)) refs[--at] = node.ref;
  level_.settled = true;
  level_.from_open = false;
  level_dirty_ = true;
  bool any_outside = false;
  for (Ref& ref : refs) {
    if (ref.binding != 0 || ref.bound_outside) continue;
    if (ref.name == kNoName) {  // `q.*`
      bool found = false;
      for (const FromNode& node : newest_first(store_.from, level_.from)) {
        const FromItem& item = node.item;
        found |= item.name == ref.qualifier && item.source->expands_to(level_.compared ? Role::Where : Role::Sel);
      }
      if (!found) return false;
      ref.binding = bind({});
      continue;
    }
    Binding binding;
    switch (find(level_, ref.qualifier, ref.name, binding)) {
      case Found::Bad:
        return false;
      case Found::Yes:
        if ((binding.permitted & ref.roles) != ref.roles) return false;
        ref.binding = bind(std::move(binding));
        break;
      case Found::No:
        if (ref.qualifier == kNoName && world_.is_rowid(ref.name)) return false;
        if (ref.place.local || !bind_outside(ref)) return false;
        ref.bound_outside = any_outside = true;
        break;
    }
  }
  if (!settle_arguments(refs) || !settle_form(refs)) return false;
  level_.refs = 0;
  for (const Ref& ref : refs) push_ref(level_, ref);
  if (any_outside) {
    std::vector<SelectItem> items = this->items(level_);
    level_.items = 0;
    for (SelectItem& item : items) {
      for (uint32_t i = item.first_ref; i < item.last_ref; ++i) item.names_outside |= refs[i].bound_outside;
      store_.items.push_back({level_.items, store_.items[level_.items].count + 1, item});
      level_.items = static_cast<Index>(store_.items.size() - 1);
    }
  }
  note_join_uses();
  return note_star_uses() && widths_fit(true);
}

bool FromClause::open_join() {
  begin_join();
  return end_item_merge();
}

bool FromClause::open_condition(const Word& word) { return word.terminal == Terminal::kw_USING || end_item_merge(); }

bool FromClause::read_condition() {
  if (level_.join.natural) return false;
  level_.clause = Clause::On;
  level_dirty_ = true;
  return true;
}

bool FromClause::close_condition() {
  level_.clause = Clause::From;
  level_dirty_ = true;
  return true;
}

bool FromClause::read_derived(const Word& word) {
  if (word.terminal == Terminal::RightParen) {
    pop_frame();
    return true;
  }
  return derived_table_fits() && open_frame(frame_of(Frame::DerivedTable), derived_table_depth(level_));
}

}  // namespace pccsql::track
