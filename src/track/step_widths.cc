// Outputs: how many a SELECT has and may have, and what those of a derived table do to the SELECT around it.
#include <algorithm>

#include "track/step.h"

namespace pccsql::track {

int Step::width_now(const Level& level) const {
  if (!level.star) return static_cast<int>(store_.items[level.items].count);
  return static_cast<int>(outputs_now(level).size());
}

bool Step::widths_fit(bool closing) const {
  const int width = width_now(level_);
  if (width - (closing ? 0 : mergeable(level_)) > most_width(level_)) return false;
  return !closing || level_.width == 0 || width == level_.width;
}

// How many columns of a `*` USING could still merge with others, after the item at hand.
int Step::mergeable(const Level& level) const {
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

// What a derived table puts out must not repeat a name that the SELECT around it has claimed. Before the last of them is
// written, names that it is there to introduce may still come; then it is known how many tables the others leave it.
bool Step::outputs_fit(bool complete) {
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
bool Step::star_leaves_room() {
  const bool introduces = level_.kind == Level::Derived && level_.branches == 1 && world_.settings().derived_names;
  if (!introduces || !world_.settings().lookahead || pending(store_.levels[level_.parent]).empty()) return true;
  const int room = room_for_derived(store_.levels[level_.parent], outputs_now(level_), true, level_.tables);
  level_.most_tables = static_cast<uint16_t>(std::min<int>(level_.most_tables, room));
  level_dirty_ = true;
  return room > 0;
}

// Whether FROM can take one at all.
bool Step::derived_table_fits() {
  if (table_room(level_).tables < 1 || !derived_table_has_depth(level_)) return false;
  // Under `*` it puts out one column at least, beside what the names ask for.
  return !(level_.plain_star || level_.join_natural) || !world_.settings().lookahead ||
         room_for_derived(level_, {}, false, 0) > 0;
}

// How many tables a derived table with these outputs may have in all, of which it has `tables`. 0: it does not fit.
int Step::room_for_derived(Level outer, std::vector<NameId> outputs, bool complete, int tables) const {
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
  if (outputs.empty()) outputs.push_back(outer.join_natural ? store_.names.intern("\x01") : kNoName);
  if (outer.plain_star && static_cast<int>(outputs.size()) > most_width(outer) - width_now(outer)) return 0;
  Source source;
  for (const NameId name : outputs) source.columns.push_back({name, kEveryRole, false});
  source.index();
  FromNode node;
  node.below = outer.from;
  node.count = store_.from[outer.from].count + 1;
  node.item.source = &source;
  node.outer = outer.join_outer;
  node.item.name_open = true;
  node.item.merge_open = outer.from != 0 && !outer.join_natural;
  if (outer.join_natural) {
    if (!merge_naturally(outer, node.item)) return 0;
    if (outer.star && !node.item.merged.empty() && (outer.outer_join || outer.join_outer)) return 0;
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

// Names that a derived table with a `*` must not put out: the SELECTs around it claim them.
std::vector<NameId> Step::barred_outputs(const Level& level) const {
  std::vector<NameId> barred;
  for (const Level* at = &level; at->star && at->kind == Level::Derived && at->branches == 1;) {
    at = &store_.levels[at->parent];
    for (const Obligation& claim : pending(*at)) {
      if (claim.qualifier == kNoName) barred.push_back(claim.name);
    }
    for (Index i = at->passed; i != 0; i = store_.name_lists[i].below) {
      if (store_.name_lists[i].qualifier == kNoName) barred.push_back(store_.name_lists[i].name);
    }
  }
  std::erase_if(barred, [&](NameId name) {
    return room_for_derived(store_.levels[level.parent], {name}, false, level.tables) > 0;
  });
  return barred;
}

// How many columns of a `*` USING could merge, if one item more is all that the names ask for.
int Step::could_merge(const Level& level, const Witness& found) const {
  if (!level.plain_star || level.outer_join || level.join_outer) return 0;
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

// How many columns a further item of FROM may have, for the `*` of a SELECT.
int Step::room_in_star(const Level& level) const {
  if (!level.plain_star) return kMostOutputs;
  int width = width_now(level) - mergeable(level);
  if (level.clause == Clause::Items && !level.item_star) ++width;
  return most_width(level) - width;
}

}  // namespace pccsql::track
