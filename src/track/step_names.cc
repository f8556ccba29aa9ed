// One name: bound at once where FROM has closed, owed by the FROM to come where it has not, left to an enclosing SELECT
// where the own one has no such column.
#include <algorithm>

#include "track/step.h"

namespace pccsql::track {
namespace {

bool holds(const std::vector<NameId>& names, NameId name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

}  // namespace

RoleSet Step::roles_at(const Place& place, bool minmax) const {
  const bool strict = world_.strict();
  switch (place.inside) {
    case Place::Window:
      return role_bit(Role::Sel);
    case Place::Filter:
      return strict ? role_bit(Role::Where) | role_bit(Role::Agg) : role_bit(Role::Where);
    case Place::Argument:
      return strict && place.asked ? role_bit(Role::Where) | role_bit(Role::Agg) : role_bit(Role::Agg);
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
      roles = role_bit(Role::Sel);
      break;
  }
  return minmax && strict ? roles | role_bit(Role::Sel) : roles;
}

std::optional<Step::Outer> Step::next_outer(const Level& level) const {
  if (level.view == Level::Nothing || level.parent == 0) return std::nullopt;
  if (level.kind == Level::Derived) return next_outer(store_.levels[level.parent]);  // siblings are not visible
  return Outer{level.parent, level.view == Level::ParentOnly};
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
    if (groups == 1 && binding.item == 0) binding.item = node->count;
    binding.permitted &= column->permitted;
    if (item.source->table) {
      binding.columns.push_back(
          {*item.source->table, static_cast<ColumnIndex>(column - item.source->columns.data())});
    }
  }
  if (groups > 1) return Found::Bad;
  return groups == 0 ? Found::No : Found::Yes;
}

// A SELECT with a table settles what rowid means: it is never left to an enclosing one.
Step::Found Step::find_rowid(const Level& level, NameId qualifier, NameId name, Binding& binding) const {
  if (!world_.is_rowid(name)) return Found::No;
  const Source* match = nullptr;
  int candidates = 0;
  for (Index i = level.from; i != 0; i = store_.from[i].below) {
    const FromItem& item = store_.from[i].item;
    if (qualifier != kNoName && item.name != qualifier) continue;
    ++candidates;
    match = item.source;
  }
  if (candidates == 0) return Found::No;
  if (candidates > 1 || !match->rowid || !match->table) return Found::Bad;
  binding.columns.push_back({*match->table, *match->rowid});
  binding.permitted = match->columns[*match->rowid].permitted;
  return Found::Yes;
}

bool Step::aliases_visible(const Level& level) const {
  return level.clause == Clause::Where || level.clause == Clause::Group || level.clause == Clause::Having ||
         level.clause == Clause::Order;
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
  if (item.outward && (!same_level || place.inside != Place::Plain)) return false;
  if (item.extreme && place.inside == Place::Argument) return false;
  if (item.constant && level.clause == Clause::Group && same_level) return false;
  return true;
}

// An alias is its expression written again: what is counted there stays counted, the rest takes the role of the new place.
void Step::use_alias(Level& level, const SelectItem& item, const Place& place) {
  std::vector<Ref> again;
  for (Index i = level.refs; i != 0 && store_.refs[i].count > item.first_ref; i = store_.refs[i].below) {
    if (store_.refs[i].count > item.last_ref) continue;
    Ref ref = store_.refs[i].ref;
    if (ref.outward) continue;
    if (!ref.fixed && ref.place.inside == Place::Plain) {
      Place there = place;
      there.asked |= ref.place.asked;
      ref.place = there;
      ref.roles = roles_at(there, ref.minmax);
    }
    ref.fixed = true;
    again.push_back(ref);
  }
  for (const Ref& ref : again) push_ref(level, ref);
}

// Without look-ahead: some table permits it.
bool Step::plausible(const Ref& ref) const {
  const auto fits = [&](const Source& source) {
    if (!source.nameable) return false;
    if (ref.name == kNoName) return source.all_public;
    const Source::Column* column = source.find(ref.name);
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

bool Step::sees_names() const { return operand_place().clause != Clause::Limit; }

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
  level_dirty_ = true;
  Binding binding;
  if (!level_.settled && level_.clause == Clause::Items) {
    if (world_.is_rowid(name) && !world_.is_column_name(name)) return false;
    if (qualifier != kNoName && !is_known_qualifier(qualifier)) return false;
    push_ref(level_, ref);
    return world_.settings().lookahead ? viable(level_) : plausible(ref);
  }
  Found found = find_in_from(level_, qualifier, name, binding);
  // Until FROM closes, rowid can only be a column that is called so.
  if (found == Found::No && world_.is_rowid(name) && level_.from != 0) {
    if (!level_.settled) return false;
    found = find_rowid(level_, qualifier, name, binding);
  }
  if (found == Found::Bad) return false;
  if (found == Found::Yes) {
    if ((binding.permitted & ref.roles) != ref.roles) return false;
    if (level_.settled) ref.binding = bind(std::move(binding));
    push_ref(level_, ref);
    return viable(level_);  // a claim, until FROM closes: nothing that comes may hold it
  }
  if (qualifier == kNoName && aliases_visible(level_)) {
    if (const SelectItem* alias = find_alias(level_, name)) {
      if (!alias_usable(level_, *alias, place, true)) return false;
      const bool counts = !(place.inside == Place::Plain && (level_.clause == Clause::Group || level_.clause == Clause::Order));
      if (counts) use_alias(level_, SelectItem(*alias), place);
      return true;
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
    Level outer = store_.levels[id];
    ref.place.local = next->last;
    Binding binding;
    if (!outer.settled && outer.clause == Clause::Items) {
      if (world_.is_rowid(ref.name) && !world_.is_column_name(ref.name)) return false;
      push_ref(outer, ref);
      if (world_.settings().lookahead ? !viable(outer) : !plausible(ref)) return false;
      replace_level(id, outer);
      return true;
    }
    Found found = find_in_from(outer, ref.qualifier, ref.name, binding);
    if (found == Found::No && world_.is_rowid(ref.name) && outer.from != 0) {
      if (!outer.settled) return false;
      found = find_rowid(outer, ref.qualifier, ref.name, binding);
    }
    if (found == Found::Bad) return false;
    if (found == Found::Yes) {
      if ((binding.permitted & ref.roles) != ref.roles) return false;
      if (outer.settled) ref.binding = bind(std::move(binding));
      push_ref(outer, ref);
      if (!viable(outer)) return false;
      replace_level(id, outer);
      return true;
    }
    if (ref.qualifier == kNoName && aliases_visible(outer)) {
      if (const SelectItem* alias = find_alias(outer, ref.name)) {
        if (!alias_usable(outer, *alias, ref.place, false)) return false;
        use_alias(outer, SelectItem(*alias), ref.place);
        replace_level(id, outer);
        return true;
      }
    }
    if (next->last) return false;
    const std::optional<Outer> further = next_outer(outer);
    if (!further) return false;
    if (!outer.settled) {
      store_.name_lists.push_back(
          {outer.passed, store_.name_lists[outer.passed].count + 1, ref.qualifier, ref.name});
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
  question.derived_names = world_.settings().derived_names &&
                           std::none_of(wanted.begin(), wanted.end(), [&](const Obligation& obligation) {
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
  if (!found || !level.star) return found.has_value();
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
  if (left.empty()) return outer.settled || obligations.size() == left.size() || [&] {
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

// `q.*`, which must be the whole item.
bool Step::star_fits(NameId qualifier) {
  const bool whole = frame_.kind == Frame::Expr && sem_.open == 1 && level_.clause == Clause::Items &&
                     frame_.operators == 0 && !level_.settled;
  if (!whole || level_.kind == Level::Scalar || level_.kind == Level::In || most_width(level_) != kMostOutputs) return false;
  Ref ref;
  ref.qualifier = qualifier;
  ref.roles = role_bit(Role::Sel);
  ref.place = operand_place();
  push_ref(level_, ref);
  level_.star = level_.item_star = true;
  level_.item_alias = qualifier;
  level_dirty_ = true;
  return world_.settings().lookahead ? viable(level_) : plausible(ref);
}

bool Step::qualified_fits(NameId qualifier, NameId name) {
  return on_copy([&](Step& copy) { return name == kNoName ? copy.star_fits(qualifier) : copy.use_column(qualifier, name); });
}

// "x" is a string where no column or alias that is visible has that name, and none can come.
bool Step::string_fits(NameId name) const {
  for (Index i = 0, at = sem_.level; at != 0; at = store_.levels[at].parent, ++i) {
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

bool Step::boolean_fits(NameId name) const {
  if (name != world_.true_name() && name != world_.false_name()) return false;
  if (world_.is_column_name(name)) return false;
  if (level_.kind == Level::Cte) return false;
  for (Index at = sem_.level; at != 0; at = store_.levels[at].parent) {
    if (store_.levels[at].kind == Level::Cte) return false;
  }
  return true;
}

bool Step::function_fits(NameId name) const {
  const Callable* function = world_.function(name);
  if (function == nullptr || operand_depth() + 9 > kDeepest || frame_.height >= kTallest) return false;
  const Place place = operand_place();
  switch (function->mode) {
    case Callable::Sums:
    case Callable::Aggregate:
      return place.aggregates;
    case Callable::Window:
      return place.windows;
    default:
      return true;
  }
}

// An alias before it exists is short, or it would be a way to write any word at all.
bool Step::is_alias_shape(NameId name) const {
  const std::string_view text = store_.names.text(name);
  if (terminal_of(text) != Terminal::Illegal || world_.sources().find(name) != nullptr) return false;
  if (world_.settings().aliases == Aliases::Any) return true;
  if (world_.is_column_name(name)) return false;
  size_t letters = 0;
  while (letters < text.size() && text[letters] >= 'a' && text[letters] <= 'z') ++letters;
  size_t digits = letters;
  while (digits < text.size() && text[digits] >= '0' && text[digits] <= '9') ++digits;
  return letters >= 1 && letters <= 2 && digits - letters <= 2 && digits == text.size();
}

// Before FROM: a table that can be named, a CTE, something an enclosing FROM has, or the shape of an alias.
bool Step::is_known_qualifier(NameId qualifier) const {
  if (const Source* table = world_.sources().find(qualifier)) return table->nameable;
  for (Index i = level_.ctes; i != 0; i = store_.ctes[i].below) {
    if (store_.ctes[i].source->name == qualifier) return true;
  }
  Level at = level_;
  for (std::optional<Outer> next = next_outer(at); next; next = next_outer(at)) {
    at = store_.levels[next->level];
    for (Index i = at.from; i != 0; i = store_.from[i].below) {
      if (store_.from[i].item.name == qualifier) return true;
    }
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
      for (Index i = at.outputs; i != 0; i = store_.name_lists[i].below) {
        if (store_.name_lists[i].name != kNoName) names.push_back(store_.name_lists[i].name);
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

bool Step::qualifier_fits(NameId qualifier) {
  if (!sees_names()) return false;
  const Frame* const order = term();
  if (order != nullptr && order->compound) return false;
  if (!level_.settled && level_.clause == Clause::Items && !is_known_qualifier(qualifier)) return false;
  for (const NameId column : columns_of(qualifier)) {
    if (qualified_fits(qualifier, column)) return true;
  }
  return qualified_fits(qualifier, kNoName);
}

uint8_t Step::readings(NameId name, Quote quote) {
  uint8_t readings = 0;
  const Frame* const order = term();
  const bool pure = order != nullptr && order->pure && level_.clause == Clause::Order;
  if (pure && !order->signed_ && output_name(name)) readings |= AsAlias;
  if (order != nullptr && order->compound) return readings;
  if (quote == Quote::None && function_fits(name)) readings |= AsFunction;
  if (on_copy([&](Step& copy) { return copy.use_column(kNoName, name); })) readings |= AsColumn;
  if (quote == Quote::Double && (readings & (AsColumn | AsAlias)) == 0 && string_fits(name)) readings |= AsString;
  if (quote == Quote::None && (readings & AsColumn) == 0 && boolean_fits(name)) readings |= AsBoolean;
  return readings;
}

}  // namespace pccsql::track
