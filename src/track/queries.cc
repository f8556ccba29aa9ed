#include "track/queries.h"

#include <algorithm>

namespace pccsql::track {

bool Queries::open_query() {
  Level inner;
  inner.view = Level::All;
  inner.most_tables = world_.most_tables();
  if (state_.level == 0 && !level_dirty_) {
    inner.kind = Level::Statement;
  } else {
    switch (frame_.kind) {
      case Frame::CteHead:
        inner.kind = Level::Cte;
        inner.view = Level::Nothing;
        inner.width = static_cast<uint16_t>(store_.name_lists[level_.declared].count);
        inner.depth = frame_.depth;
        break;
      case Frame::DerivedTable: {
        inner.kind = Level::Derived;
        inner.depth = frame_.depth;
        const TableRoom room = table_room(level_);
        if (room.tables < 1) return false;
        inner.most_tables = static_cast<uint16_t>(room.tables);
        inner.width = static_cast<uint16_t>(room.width);
        break;
      }
      case Frame::InSet:
        if (frame_.paren.filled) return false;
        inner.kind = Level::In;
        open_list(inner, frame_.lists.standing);
        inner.width = 1;
        inner.depth = static_cast<uint16_t>(frame_.depth - parser_stack::kInSet + parser_stack::kInQuery);
        break;
      case Frame::Exists:
        inner.kind = Level::Exists;
        open_list(inner, frame_.lists.standing);
        inner.depth = frame_.depth;
        break;
      case Frame::Paren:
        if (compound_term() || !test_argument()) return false;
        inner.kind = Level::Scalar;
        open_list(inner, frame_.lists.standing);
        inner.width = 1;
        inner.depth = frame_.depth;
        break;
      default:
        return false;
    }
    if (!has_depth(inner.depth + parser_stack::kSelect)) return false;
    if (inner.kind != Level::Cte && inner.kind != Level::Derived) {
      if (frame_.place.clause == Clause::Limit) {
        inner.view = Level::Nothing;
      } else if (frame_.place.local || frame_.place.clause == Clause::Group || frame_.place.clause == Clause::Order) {
        inner.view = Level::ParentOnly;
      }
      if (level_.clause == Clause::Items) {
        level_.item.nested = true;
        level_dirty_ = true;
      }
    }
    inner.ctes = level_.ctes;
    inner.nesting = static_cast<uint16_t>(level_.nesting + 1);
  }
  commit();
  inner.parent = state_.level;
  inner.outer_open = state_.open;
  inner.outer_frame = state_.frame;
  state_.open = 0;
  level_ = inner;
  level_dirty_ = true;
  return true;
}

bool Queries::close_query() {
  flush_refs();
  close_form();
  const Level inner = level_;
  level_ = store_.levels[inner.parent];
  state_.level = inner.parent;
  level_dirty_ = false;
  state_.open = inner.outer_open;
  state_.bare = kNoName;
  state_.zero = false;
  if (inner.kind == Level::Statement) return true;
  if (inner.kind != Level::Cte && inner.kind != Level::Derived) {
    frame_.paren.select = frame_dirty_ = true;
    close_list(inner);
    return true;
  }
  Source source;
  const Index names = inner.kind == Level::Cte && level_.declared != 0 ? level_.declared : inner.outputs;
  for (const NameNode& node : newest_first(store_.name_lists, names)) {
    source.columns.push_back({node.name, kEveryRole, false});
  }
  std::reverse(source.columns.begin(), source.columns.end());
  if (inner.kind == Level::Cte) source.name = frame_.name.name;
  source.tables = std::max<uint16_t>(inner.tables, 1);
  source.index();
  store_.sources.push_back(std::move(source));
  const Source* made = &store_.sources.back();
  if (inner.kind == Level::Derived) {
    FromItem item;
    item.source = made;
    item.name_open = true;
    item.merge_open = level_.from != 0 && !level_.join.natural;
    if (level_.join.natural && !merge_naturally(level_, item)) return false;
    return add_item(std::move(item));
  }
  store_.ctes.push_back({level_.ctes, made});
  level_.ctes = static_cast<Index>(store_.ctes.size() - 1);
  level_dirty_ = true;
  return true;
}

bool Queries::read_cte_name(const Word& word) {
  if (word.keyword || word.name == world_.true_name() || word.name == world_.false_name()) return false;
  if (frame_.name.name == kNoName) {
    if (world_.sources().find(word.name) != nullptr) return false;
    for (const NameNode& node : newest_first(store_.name_lists, state_.cte_names)) {
      if (node.name == word.name) return false;
    }
    store_.name_lists.push_back({state_.cte_names, store_.name_lists[state_.cte_names].count + 1, kNoName, word.name});
    state_.cte_names = static_cast<Index>(store_.name_lists.size() - 1);
    frame_.name.name = word.name;
    frame_dirty_ = true;
    return true;
  }
  // The names that a body's outputs get, told apart as outputs are.
  if (store_.name_lists[level_.declared].count >= kMostArguments) return false;
  for (const NameNode& node : newest_first(store_.name_lists, level_.declared)) {
    if (node.name == word.name) return false;
  }
  store_.name_lists.push_back({level_.declared, store_.name_lists[level_.declared].count + 1, kNoName, word.name});
  level_.declared = static_cast<Index>(store_.name_lists.size() - 1);
  level_dirty_ = true;
  return true;
}

bool Queries::open_select() {
  if (level_.branches > 0) {
    flush_refs();
    close_form();
    static_cast<Select&>(level_) = {};
  }
  ++level_.branches;
  level_.clause = Clause::Items;
  level_dirty_ = true;
  return true;
}

// Everything a SELECT named is bound by now; what is left of it are its outputs.
bool Queries::close_select() {
  if (owes_group(level_)) return false;
  if (!level_.settled && !settle()) return false;
  if (!widths_fit(true)) return false;
  if (level_.branches == 1) {
    for (const NameId name : outputs_now(level_)) {
      store_.name_lists.push_back({level_.outputs, store_.name_lists[level_.outputs].count + 1, kNoName, name});
      level_.outputs = static_cast<Index>(store_.name_lists.size() - 1);
    }
    level_.width = static_cast<uint16_t>(store_.name_lists[level_.outputs].count);
    if (!outputs_fit(true)) return false;
  }
  note_order_names();
  level_.clause = Clause::Done;
  level_dirty_ = true;
  return true;
}

// The names that ORDER BY can mean outputs by: aliases, columns that `*` brought, and, after a set operation, an item that
// is a column and that its bare name finds again. The database looks into every branch.
void Queries::note_order_names() {
  NameIndex columns, aliases;
  for (const NameNode& known : newest_first(store_.name_lists, level_.order_names)) {
    NameIndex& index = known.qualifier != kNoName ? aliases : columns;
    if (!index.find(kNoName, known.name)) index.note(kNoName, known.name, 0);
  }
  const std::vector<const Ref*> refs = refs_of(level_);
  const auto add = [&](NameId name, bool alias) {
    if (name == kNoName || aliases.find(kNoName, name) || (!alias && columns.find(kNoName, name))) return;
    (alias ? aliases : columns).note(kNoName, name, 0);
    store_.name_lists.push_back(
        {level_.order_names, store_.name_lists[level_.order_names].count + 1, alias ? name : kNoName, name});
    level_.order_names = static_cast<Index>(store_.name_lists.size() - 1);
  };
  for (const SelectItem& item : items(level_)) {
    if (item.star != SelectItem::No) {
      for_each_output(item, from_items(level_), [&](const Source::Column& column) { add(column.name, true); });
    } else if (item.alias != kNoName) {
      add(item.alias, true);
    } else if (item.column != kNoName && item.last_ref == item.first_ref + 1) {
      const Ref& ref = *refs[item.first_ref];
      if (ref.binding == 0) continue;
      const Binding& bound = store_.bindings[ref.binding];
      NameId name = item.column;
      if (world_.is_rowid(name) && bound.columns.size() == 1) name = world_.catalog().column(bound.columns[0]).id;
      Binding binding;
      if (find_in_from(level_, kNoName, name, binding) == Found::Yes && binding.item == bound.item) add(name, false);
    }
  }
}

bool Queries::close_item() {
  SelectItem item;
  const bool star = level_.item.star;
  item.star = !star ? SelectItem::No : level_.item.alias != kNoName ? SelectItem::Qualified : SelectItem::All;
  if (star) {
    item.qualifier = level_.item.alias;  // of `q.*`, which has no alias
  } else {
    item.alias = level_.item.alias;
    item.column = state_.bare;
  }
  item.aggregate = level_.item.aggregate;
  item.window = level_.item.window;
  item.nested = level_.item.nested;
  item.first_ref = level_.item.refs;
  item.last_ref = ref_count();
  item.number = level_.item.leaf == ItemDraft::Integer && !level_.item.nested;
  store_.items.push_back({level_.items, store_.items[level_.items].count + 1, item});
  level_.items = static_cast<Index>(store_.items.size() - 1);
  level_dirty_ = true;
  return outputs_fit(false);
}

bool Queries::comma_between_items() {
  const auto count = static_cast<int>(store_.items[level_.items].count);
  level_.item.star = false;
  level_dirty_ = true;
  return count < most_width(level_) && (!level_.star || viable(level_));
}

bool Queries::plain_star() {
  if (level_.kind == Level::Scalar || level_.kind == Level::In || joined_naturally(level_)) return false;
  if (level_.plain_star && width_fixed(level_)) return false;  // two of them have no odd width
  // Nor does one, if it is there to introduce names.
  const bool introduces = level_.kind == Level::Derived && world_.settings().derived_names && width_fixed(level_);
  if (introduces && !pending(store_.levels[level_.parent]).empty()) return false;
  if (!star_leaves_room()) return false;
  level_.star = level_.plain_star = level_.item.star = true;
  level_dirty_ = true;
  return viable(level_);
}

bool Queries::new_name(const Word& word) {
  if (word.terminal == Terminal::kw_AS) {
    state_.as = true;
    if (level_.clause == Clause::Items) return true;
    if (fresh_alias_fits()) return true;
    for (const Obligation& wanted : pending(level_)) {
      if (wanted.qualifier != kNoName && alias_fits(wanted.qualifier)) return true;
    }
    return false;
  }
  if (word.terminal != Terminal::Name || word.keyword) return false;
  if (word.name == world_.true_name() || word.name == world_.false_name()) return false;
  if (level_.clause != Clause::Items) return name_item(word.name);
  if (!state_.as && world_.settings().aliases != Aliases::Any) return false;
  level_.item.alias = word.name;
  level_dirty_ = true;
  if (level_.kind != Level::Derived || level_.branches != 1 || !world_.settings().lookahead) return true;
  std::vector<NameId> outputs = outputs_now(level_);
  outputs.push_back(word.name);
  return room_for_derived(store_.levels[level_.parent], std::move(outputs), false, level_.tables) > 0;
}

bool Queries::open_clause(Clause clause) {
  if (level_.clause == Clause::Items && !outputs_fit(true)) return false;
  if (!level_.settled && !settle()) return false;
  if (clause == Clause::Having && !level_.grouped && !level_.aggregating) return false;
  // What the other branches put out at that place would be shown as well.
  if (clause == Clause::Order && level_.branches > 1 && level_.list.id != 0) return false;
  if (clause == Clause::Group || clause == Clause::Having) level_.grouped = true;
  level_.terms = 0;
  level_.clause = clause;
  level_dirty_ = true;
  return true;
}

bool Queries::read_end() {
  if (state_.ended) return false;
  state_.ended = true;
  return true;
}

bool Queries::open_with() const { return has_depth(level_.depth + parser_stack::kCteBody + parser_stack::kSelect); }

bool Queries::close_with() {
  level_.depth = static_cast<uint16_t>(level_.depth + parser_stack::kWith);
  level_dirty_ = true;
  return true;
}

bool Queries::open_cte() {
  level_.declared = 0;
  level_dirty_ = true;
  return open_frame(frame_of(Frame::CteHead), level_.depth + parser_stack::kCteBody);
}

bool Queries::read_cte_columns(const Word& word) {
  return word.terminal != Terminal::Comma || store_.name_lists[level_.declared].count < kMostArguments;
}

bool Queries::read_compound(const Word& word) {
  if (word.terminal == Terminal::kw_ALL && level_.kind != Level::Statement) {
    if (state_.outer_join || world_.catalog().view_bodies().outer_join) return false;
    state_.union_all = true;
  }
  return level_.branches < kMostBranches;
}

bool Queries::read_select(const Word& word) { return word.terminal != Terminal::Comma || comma_between_items(); }

bool Queries::open_item() {
  level_.item.refs = ref_count();
  level_.item.alias = kNoName;
  level_.item.nested = level_.item.aggregate = level_.item.window = false;
  level_.item.leaf = ItemDraft::Nothing;
  level_.item.star = false;
  level_dirty_ = true;
  return true;
}

bool Queries::open_alias() {
  state_.as = false;
  return !(level_.clause == Clause::Items && level_.item.star);
}

bool Queries::open_order() {
  if (in_frame() && frame_.kind == Frame::Window) return frame_.window.terms < kMostTerms;
  return open_clause(Clause::Order);
}

}  // namespace pccsql::track
