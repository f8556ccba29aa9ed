#include "track/open_from.h"

#include <algorithm>
#include <utility>

namespace pccsql::track {

OpenFrom::Question::Question(const OpenFrom& from, const Level& of) : level(of) {
  const Store& store = from.store_;
  wanted = from.pending(of);
  for (const NameNode& node : newest_first(store.name_lists, of.passed)) {
    passed.push_back({node.qualifier, node.name, 0});
  }
  present = from.from_items(of);
  tables = from.ctes(of);
  barred = from.barred_outputs(of);
  question.passed = passed;
  question.present = present;
  question.ctes = tables;
  question.rowids = from.world_.rowid_names();
  question.star = of.plain_star;
  question.star_role = of.compared ? Role::Where : Role::Sel;
  question.barred = barred;
  question.barred_views = from.barred_views(of);
  question.may_merge = !(of.star && of.outer_join);  // merged columns in `*` could be ambiguous to the database
  question.merges = static_cast<size_t>(std::max(from.room_for_conditions(of), 0));
  question.widest = static_cast<size_t>(std::max(from.room_in_star(of), 0));
  question.item_needed = of.table_needed;
  // A name that no FROM is found for soon is refused; once FROM has begun, it must be found again on the way.
  if (of.clause != Clause::Items) question.most_nodes *= 8;
  const int filler = from.must_be_filled(of) && !wanted.empty() ? 1 : 0;
  question.room = static_cast<size_t>(std::max(of.most_tables - of.tables - filler, 0));
  if (!from.next_outer(of)) return;
  for (const RefNode& node : newest_first(store.refs, of.refs)) {
    const Ref& ref = node.ref;
    // A name in ON is bound by what stands there already.
    const bool own = ref.place.local || (ref.place.clause == Clause::On && !ref.fixed);
    if (own && !kept.find(ref.qualifier, ref.name)) kept.note(ref.qualifier, ref.name, 0);
  }
  question.can_pass = [this, &from](std::span<const Obligation> obligations) {
    for (const Obligation& obligation : obligations) {
      if (obligation.qualifier == kNoName && from.world_.is_rowid(obligation.name)) return false;
      if (local && obligation.qualifier == extra.qualifier && obligation.name == extra.name) return false;
      if (kept.find(obligation.qualifier, obligation.name)) return false;
    }
    return from.can_take(level, level, obligations);
  };
}

std::optional<Witness> OpenFrom::Question::ask(const World& world) {
  question.pending = wanted;
  question.derived_names = world.settings().derived_names && std::ranges::none_of(wanted, [&](const Obligation& one) {
                             return one.name == world.true_name() || one.name == world.false_name();
                           });
  return discharge(world.sources(), question);
}

std::optional<Witness> OpenFrom::witness(const Level& level) const {
  store_.asked = true;
  return Question(*this, level).ask(world_);
}

bool OpenFrom::viable(const Level& level) const {
  if (level.settled || !world_.settings().lookahead) return true;
  const std::optional<Witness> found = witness(level);
  return found && witness_fits(level, *found);
}

int OpenFrom::tables_of(const Witness& found) {
  int tables = 0;
  for (const FromChoice& choice : found.from) tables += choice.source != nullptr ? choice.source->tables : 1;
  return tables;
}

// For a derived table that is opened now: beside what the names still need, and what then fills a `*`. It is itself what the
// search wants where that is a derived table, or no more than something to stand there.
OpenFrom::TableRoom OpenFrom::table_room(const Level& level) const {
  const int room = level.most_tables - level.tables;
  if (level.settled || !world_.settings().lookahead) return {room, 0};
  const std::optional<Witness> found = witness(level);
  if (!found) return {};
  const bool itself = std::any_of(found->from.begin(), found->from.end(),
                                  [](const FromChoice& choice) { return choice.source == nullptr; }) ||
                      (!found->from.empty() && pending(level).empty());
  const int left = room - tables_of(*found) + (itself ? 1 : 0);
  if (!must_be_filled(level)) return {left, 0};
  if (left > 1) return {left - 1, 0};
  // The last table: it must fill the `*` alone.
  const bool alone = found->from.empty() || (itself && found->from.size() == 1);
  const int missing = level.width - width_now(level);
  if (left < 1 || !alone || level.join.natural || missing < 1) return {};
  return {1, missing};
}

// A `*` that must come to a given width, and has not: one more table can always bring it there, if there is room for one.
bool OpenFrom::must_be_filled(const Level& level) const {
  return level.plain_star && level.width != 0 && (level.table_needed || width_now(level) != level.width);
}

// Whether a `*` wants one table more than the search has found. Where no name asks for it, what was found is only something to
// stand there, and can be what fills the `*`.
bool OpenFrom::is_short_of_one(const Level& level, const Witness& found) const {
  return must_be_filled(level) && (found.from.empty() || !pending(level).empty());
}

// For the last item of the FROM, a derived table with `tables` of them so far: what the names that are still owed leave it.
// 0: too little. Before it is complete it can still become what fills the `*`.
int OpenFrom::room_beside(Level level, int tables, bool complete) const {
  const int room = level.most_tables - level.tables;
  if (level.settled || !world_.settings().lookahead) return room;
  level.table_needed = false;
  Level asked = level;
  const bool fills = !complete && must_be_filled(level) && !pending(level).empty();
  asked.tables = static_cast<uint16_t>(level.tables + tables - (fills ? 1 : 0));
  const std::optional<Witness> found = witness(asked);
  if (!found) return 0;
  const int filler = is_short_of_one(level, *found) ? 1 : 0;
  level.tables = static_cast<uint16_t>(level.tables + tables - (complete ? 0 : filler));
  if (!witness_fits(level, *found)) return 0;
  return room - tables_of(*found) - (complete ? filler : 0);
}

// What the search does not look at: the parser's stack, the number of tables and of outputs, joins that `*` does not go with.
bool OpenFrom::witness_fits(const Level& level, const Witness& found) const {
  if (level.tables + tables_of(found) + (is_short_of_one(level, found) ? 1 : 0) > level.most_tables) return false;
  const bool derived_fits = derived_table_has_depth(level);
  for (const FromChoice& choice : found.from) {
    if (choice.source == nullptr && !derived_fits) return false;
  }
  // Where `*` must come to a given width, only derived tables are sure to fill it.
  const bool wants_item = level.table_needed || level.clause == Clause::Items;
  if (level.plain_star && wants_item && !derived_fits && width_fixed(level)) return false;
  // A name in ON cannot be merged by RIGHT or FULL further right.
  if (level.from != 0 && store_.from[level.from].outer) {
    for (const RefNode& node : newest_first(store_.refs, found.open_merged.empty() ? 0 : level.refs)) {
      const Ref& ref = node.ref;
      if (ref.qualifier != kNoName || ref.place.clause != Clause::On) continue;
      if (std::find(found.open_merged.begin(), found.open_merged.end(), ref.name) != found.open_merged.end())
        return false;
    }
  }
  if (!arguments_fit(level, found)) return false;
  if (!level.star) return true;
  // With RIGHT or FULL, merged columns in `*` can be ambiguous to the database.
  if (level.outer_join) {
    bool merges = !found.open_merged.empty();
    for (const FromChoice& choice : found.from) merges |= !choice.merged.empty();
    if (merges) return false;
  }
  // `*` also puts out what the tables bring that the names ask for.
  int width = 0;
  const auto width_of = [](const Source* source, size_t outputs) {
    return static_cast<int>(source != nullptr ? source->columns.size() : std::max<size_t>(outputs, 1));
  };
  int from = -mergeable(level);
  for (const FromItem& item : from_items(level)) {
    from += width_of(item.source, 0) - (level.plain_star ? static_cast<int>(item.merged.size()) : 0);
  }
  const bool asked = !pending(level).empty();
  for (const FromChoice& choice : found.from) from += asked ? width_of(choice.source, choice.outputs.size()) : 1;
  if (asked) from -= could_merge(level, found);
  for (const SelectItem& item : items(level)) width += item.star == SelectItem::No ? 1 : from;
  if (level.clause == Clause::Items) width += level.item.star ? from : 1;
  if (width <= most_width(level)) return true;
  if (!level.from_open || !found.from.empty()) return false;
  // Nothing more need be joined, and what there is was counted as it came; but for `q.*`, which has no table until one has its name.
  if (found.open_name == kNoName) return true;
  Level named = level;
  FromNode last = store_.from[level.from];
  last.item.name = found.open_name;
  last.item.name_open = false;
  store_.from.push_back(std::move(last));
  named.from = static_cast<Index>(store_.from.size() - 1);
  const bool fits = width_now(named) - mergeable(named) <= most_width(named);
  store_.from.pop_back();
  return fits;
}

// Likewise, by the FROM that the search has found.
bool OpenFrom::arguments_fit(const Level& level, const Witness& found) const {
  if (!world_.strict()) return true;
  std::vector<std::pair<uint32_t, const Ref*>> open;  // by count
  for (const RefNode& node : newest_first(store_.refs, level.refs)) {
    const Ref& ref = node.ref;
    if (ref.binding == 0 && ref.in_open_argument()) open.emplace_back(node.count, &ref);
  }
  if (open.empty()) return true;
  const std::vector<FromItem> present = from_items(level);
  const auto bound_by = [&](const Ref& ref) {
    Binding binding;
    const auto look = [&](const Source* source, NameId called, const std::vector<NameId>& outputs) {
      if (ref.qualifier != kNoName && ref.qualifier != called) return;
      if (source == nullptr) {
        binding.derived |= std::find(outputs.begin(), outputs.end(), ref.name) != outputs.end();
        return;
      }
      const Source::Column* column = source->find(ref.name);
      if (column == nullptr && ref.qualifier != kNoName && world_.is_rowid(ref.name)) column = source->rowid_column();
      if (column == nullptr) return;
      binding.permitted &= column->permitted;
      binding.derived |= !source->table;
      if (!source->table) return;
      binding.columns.push_back({*source->table, static_cast<ColumnIndex>(column - source->columns.data())});
    };
    for (const FromItem& item : present) {
      const bool renamed = item.name_open && found.open_name != kNoName;
      look(item.source, renamed ? found.open_name : item.name, {});
    }
    for (const FromChoice& choice : found.from) {
      const NameId own = choice.fresh || choice.source == nullptr ? kNoName : choice.source->name;
      look(choice.source, choice.alias != kNoName ? choice.alias : own, choice.outputs);
    }
    return binding;
  };
  std::vector<uint32_t> tested;
  for (const auto& [count, ref] : open) {
    if (bound_by(*ref).derived) tested.push_back(ref->argument);
  }
  for (const TwinNode& node : newest_first(store_.twins, level.twins)) {
    const auto find = [&](uint32_t count) -> const Ref* {
      for (const auto& [at, ref] : open) {
        if (at == count) return ref;
      }
      return nullptr;
    };
    const Ref* const left = find(node.left);
    const Ref* const right = find(node.right);
    if (left == nullptr || right == nullptr) continue;
    if (bound_by(*left).meets(bound_by(*right))) tested.push_back(left->argument);
  }
  if (tested.empty()) return true;
  const RoleSet needed = role_bit(Role::Agg) | role_bit(Role::Where);
  return std::all_of(open.begin(), open.end(), [&](const auto& each) {
    return !holds(tested, each.second->argument) || (bound_by(*each.second).permitted & needed) == needed;
  });
}

// Whether a FROM that was found for other names supplies this one, too: an item of its qualifier's name holds it, or one item
// alone does where it has none, and permits it.
bool OpenFrom::supplies(const Witness& found, const Obligation& wanted) const {
  int holders = 0;
  bool permitted = true;
  for (const FromChoice& choice : found.from) {
    if (choice.source == nullptr) return false;  // what else such a table puts out is not known yet
    const NameId called = choice.alias != kNoName || choice.fresh ? choice.alias : choice.source->name;
    if (wanted.qualifier != kNoName && called != wanted.qualifier) continue;
    const Source::Column* column = choice.source->find(wanted.name);
    if (column == nullptr) continue;
    ++holders;
    permitted &= (column->permitted & wanted.roles) == wanted.roles;
  }
  return holders == 1 && permitted;
}

// What `ask` makes of a level that these names are left to.
template <typename Ask>
auto OpenFrom::with_claims(Level level, std::span<const Obligation> claims, bool local, const Ask& ask) const {
  const size_t before = store_.refs.size();
  for (const Obligation& claim : claims) {
    Ref ref;
    ref.qualifier = claim.qualifier;
    ref.name = claim.name;
    ref.roles = claim.roles;
    ref.fixed = true;
    ref.place.local = local;
    store_.refs.push_back({level.refs, store_.refs[level.refs].count + 1, ref});
    level.refs = static_cast<Index>(store_.refs.size() - 1);
  }
  auto answer = ask(level);
  store_.refs.resize(before);
  return answer;
}

std::vector<std::optional<Witness>> OpenFrom::witnesses() const {
  std::vector<std::optional<Witness>> all;
  std::vector<Obligation> left;  // to the level `to`
  std::optional<Outer> to;
  for (Index at = state_.level; at != 0; at = store_.levels[at].parent) {
    const Level& level = at == state_.level ? level_ : store_.levels[at];
    const bool here = to && to->level == at;
    if (here && level.settled) {
      std::erase_if(left, [&](const Obligation& one) {
        Binding binding;
        return find(level, one.qualifier, one.name, binding) != Found::No;
      });
    }
    const auto ask = [&](const Level& asked) { return witness(asked); };
    std::optional<Witness> found;
    if (here && !level.settled) {
      found = with_claims(level, left, to->last, ask);
      left.clear();
    } else if (!level.settled) {
      found = witness(level);
    }
    if (found) left.insert(left.end(), found->passed.begin(), found->passed.end());
    all.push_back(std::move(found));
    if (here || !to) to = next_outer(level);
  }
  return all;
}

// Whether these names of `innermost` could be left to the FROM of the level `at`, which is not settled. SELECTs between the two
// whose FROM is open will leave names to it as well: all of them together must find their tables.
bool OpenFrom::can_claim(const Level& innermost, Index at, std::span<const Obligation> obligations, bool local) const {
  return with_claims(store_.levels[at], obligations, local, [&](const Level& claimed) {
    if (!viable(claimed)) return false;
    const Index before = std::exchange(store_.levels[at].refs, claimed.refs);
    bool fits = true;
    for (Index i = innermost.parent; fits && i != at; i = store_.levels[i].parent) {
      fits = pending(store_.levels[i]).empty() || viable(store_.levels[i]);
    }
    store_.levels[at].refs = before;
    return fits;
  });
}

// Whether the SELECTs around `inner` could bind all of these, which come from `innermost`.
bool OpenFrom::can_take(const Level& innermost, const Level& inner, std::span<const Obligation> obligations) const {
  const std::optional<Outer> next = next_outer(inner);
  if (!next) return obligations.empty();
  if (!obligations.empty() && !may_name_outside(inner, next->level)) return false;
  const Level& outer = store_.levels[next->level];
  if (!outer.settled && outer.clause == Clause::Items) {
    return can_claim(innermost, next->level, obligations, next->last);
  }
  std::vector<Obligation> left;
  for (const Obligation& obligation : obligations) {
    Binding binding;
    const Found found = find(outer, obligation.qualifier, obligation.name, binding);
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
    // Claims on a FROM that is still open.
    return outer.settled || obligations.size() == left.size() || can_claim(innermost, next->level, obligations, false);
  if (next->last || !outer.settled) return false;  // beyond an open FROM only what is written there is passed
  return can_take(innermost, outer, left);
}

bool OpenFrom::obligations_may_come_later() const {
  if (!world_.settings().lookahead || pending(level_).empty()) return true;
  Level fuller = level_;
  return ++fuller.tables <= fuller.most_tables && witness(fuller);
}

// A name that went outward past a SELECT may have taken what that one would have passed on.
bool OpenFrom::around_fits() const {
  if (!world_.settings().lookahead) return true;
  for (Index id = level_.parent; id != 0; id = store_.levels[id].parent) {
    const Level level = store_.levels[id];
    if (!level.settled && !viable(level)) return false;
  }
  return true;
}

// What has come to be counted here bars views from the FROMs of the SELECTs around.
bool OpenFrom::others_stay_viable() const {
  if (!world_.has_views_beside() || !world_.settings().lookahead) return true;
  for (Index at = level_.parent; at != 0; at = store_.levels[at].parent) {
    const Level& around = store_.levels[at];
    if (!pending(around).empty() && !viable(around)) return false;
  }
  return true;
}

// How many columns a further item of FROM may have, for the `*` of a SELECT.
int OpenFrom::room_in_star(const Level& level) const {
  if (!level.plain_star) return kMostOutputs;
  int width = width_now(level) - mergeable(level);
  if (level.clause == Clause::Items && !level.item.star) ++width;
  return most_width(level) - width;
}

// Names that a derived table with a `*` must not put out: the SELECTs around it claim them.
std::vector<NameId> OpenFrom::barred_outputs(const Level& level) const {
  std::vector<NameId> barred;
  for (const Level* at = &level; at->star && at->kind == Level::Derived && at->branches == 1;) {
    at = &store_.levels[at->parent];
    for (const Obligation& claim : pending(*at)) {
      if (claim.qualifier == kNoName) barred.push_back(claim.name);
    }
    for (const NameNode& node : newest_first(store_.name_lists, at->passed)) {
      if (node.qualifier == kNoName) barred.push_back(node.name);
    }
  }
  std::erase_if(barred, [&](NameId name) {
    return room_for_derived(store_.levels[level.parent], {name}, false, level.tables) > 0;
  });
  return barred;
}

// Whether FROM can take one at all.
bool OpenFrom::derived_table_fits() {
  if (table_room(level_).tables < 1 || !derived_table_has_depth(level_)) return false;
  // Under `*` it puts out one column at least, beside what the names ask for.
  return !(level_.plain_star || level_.join.natural) || !world_.settings().lookahead ||
         room_for_derived(level_, {}, false, 0) > 0;
}

// How many tables a derived table with these outputs may have in all, of which it has `tables`. 0: it does not fit.
int OpenFrom::room_for_derived(Level outer, std::vector<NameId> outputs, bool complete, int tables) const {
  if (!complete && world_.settings().derived_names) {
    if (const std::optional<Witness> before = witness(outer)) {
      for (const FromChoice& choice : before->from) {
        if (choice.source != nullptr) continue;
        for (const NameId name : choice.outputs) {
          if (std::find(outputs.begin(), outputs.end(), name) == outputs.end()) outputs.push_back(name);
        }
        break;
      }
    }
  }
  if (outputs.empty()) outputs.push_back(outer.join.natural ? store_.names.intern("\x01") : kNoName);
  if (outer.plain_star && static_cast<int>(outputs.size()) > most_width(outer) - width_now(outer)) return 0;
  Source source;
  for (const NameId name : outputs) source.columns.push_back({name, kEveryRole, false});
  source.index();
  FromNode node;
  node.below = outer.from;
  node.count = store_.from[outer.from].count + 1;
  node.item.source = &source;
  node.outer = outer.join.outer;
  node.item.name_open = true;
  node.item.merge_open = outer.from != 0 && !outer.join.natural;
  if (outer.join.natural) {
    if (!merge_naturally(outer, node.item)) return 0;
    if (outer.star && !node.item.merged.empty() && (outer.outer_join || outer.join.outer)) return 0;
  }
  store_.from.push_back(node);
  outer.from = static_cast<Index>(store_.from.size() - 1);
  const int room = room_beside(outer, std::max(tables, 1), complete);
  // Through a `*` they are put out further.
  const bool further = room > 0 && outer.star && outer.kind == Level::Derived && outer.branches == 1;
  const bool fits = !further || room_for_derived(store_.levels[outer.parent], outputs_now(outer), false,
                                                 outer.tables + std::max(tables, 1)) > 0;
  store_.from.pop_back();
  return fits ? room : 0;
}

bool OpenFrom::widths_fit(bool closing) const {
  const int width = width_now(level_);
  if (width - (closing ? 0 : mergeable(level_)) > most_width(level_)) return false;
  return !closing || level_.width == 0 || width == level_.width;
}

// What a derived table puts out must not repeat a name that the SELECT around it has claimed. Before the last of them is
// written, names that it is there to introduce may still come; then it is known how many tables the others leave it.
bool OpenFrom::outputs_fit(bool complete) {
  if (level_.kind != Level::Derived || level_.branches != 1) return true;
  if (!world_.settings().lookahead && !joined_naturally(level_)) return true;
  const int room = room_for_derived(store_.levels[level_.parent], outputs_now(level_), complete, level_.tables);
  if (room == 0) return false;
  if (complete && room < level_.most_tables) {
    level_.most_tables = static_cast<uint16_t>(room);
    level_dirty_ = true;
  }
  return true;
}

// What a derived table puts out by `*` introduces no name, so from then on there must be room beside it for another that does,
// unless it has done so already.
bool OpenFrom::star_leaves_room() {
  const bool introduces = level_.kind == Level::Derived && level_.branches == 1 && world_.settings().derived_names;
  if (!introduces || !world_.settings().lookahead || pending(store_.levels[level_.parent]).empty()) return true;
  const int room = room_for_derived(store_.levels[level_.parent], outputs_now(level_), true, level_.tables);
  level_.most_tables = static_cast<uint16_t>(std::min<int>(level_.most_tables, room));
  level_dirty_ = true;
  return room > 0;
}

}  // namespace pccsql::track
