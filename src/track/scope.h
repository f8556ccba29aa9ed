// Scope: what names mean: which SELECTs a name can reach, what their FROMs hold, what a SELECT puts out and under which names.
#pragma once

#include <algorithm>
#include <optional>
#include <vector>

#include "track/cursor.h"
#include "track/name_index.h"

namespace pccsql::track {

// What `*` or `q.*` puts out, in order: `visit(column)`. Of columns that are merged, `*` shows the first.
template <typename Visit>
void for_each_output(const SelectItem& star, const std::vector<FromItem>& from, const Visit& visit) {
  for (const FromItem& item : from) {
    if (star.star == SelectItem::Qualified && item.name != star.qualifier) continue;
    for (const Source::Column& column : item.source->columns) {
      const bool merged = star.star == SelectItem::All && std::ranges::find(item.merged, column.name) != item.merged.end();
      if (!column.hidden && !merged) visit(column);
    }
  }
}

inline std::vector<NameId> sorted_once(std::vector<NameId> names) {
  std::ranges::sort(names);
  names.erase(std::unique(names.begin(), names.end()), names.end());
  return names;
}

class Scope : public Cursor {
 public:
  using Cursor::Cursor;

  std::vector<FromItem> from_items(const Level& level) const;
  std::vector<const Source*> ctes(const Level& level) const;
  // What a FROM that has not closed owes: each name once, with the roles that it must permit.
  std::vector<Obligation> pending(const Level& level) const;
  bool names_unsettled() const;  // names here wait for a FROM

  // Outputs of a SELECT, by what its FROM holds so far: their names, how many, and how many there may be.
  std::vector<NameId> outputs_now(const Level& level) const;
  int width_now(const Level& level) const;
  int most_width(const Level& level) const;
  // Whether the item at hand is an output of a derived table that NATURAL joins, and has no alias yet.
  bool owes_output_name() const {
    return level_.clause == Clause::Items && level_.item.alias == kNoName && joined_naturally(level_);
  }
  // Whether the SELECT must still be grouped, or aggregate outside of windows too. In a derived table or CTE the database
  // moves conditions from around it inside, past a window that is partitioned, and then takes them for a HAVING: with
  // aggregates inside OVER alone it finds nothing that has one.
  bool owes_group(const Level& level) const {
    return level.window_aggregate && level.window_partition && !level.grouped && !level.aggregating &&
           (level.kind == Level::Derived || level.kind == Level::Cte);
  }

  enum class Found { No, Yes, Bad };
  // What a FROM binds the name to. Until it closes, `rowid` without a qualifier can only be a column that is called so.
  Found find(const Level& level, NameId qualifier, NameId name, Binding& binding) const {
    const Found found = find_in_from(level, qualifier, name, binding);
    if (found != Found::No || !world_.is_rowid(name) || level.from == 0) return found;
    if (!level.settled && qualifier == kNoName) return Found::Bad;
    return find_rowid(level, qualifier, name, binding);
  }

 protected:
  struct Outer {
    Index level = 0;
    bool last = false;  // nothing beyond it is visible
  };
  std::optional<Outer> next_outer(const Level& level) const;
  // The SELECTs that a name here can reach, the innermost first: `visit(level)`.
  template <typename Visit>
  void for_each_visible(const Visit& visit) const {
    visit(level_);
    for (std::optional<Outer> next = next_outer(level_); next;) {
      const Level& level = store_.levels[next->level];
      visit(level);
      next = next->last ? std::nullopt : next_outer(level);
    }
  }
  bool aliases_visible(const Level& level) const;
  // Before FROM: a table that can be named, a CTE, something an enclosing FROM has, or the shape of an alias.
  bool is_known_qualifier(NameId qualifier) const;
  bool is_alias_shape(NameId name) const;

  Found find_in_from(const Level& level, NameId qualifier, NameId name, Binding& binding) const;
  const SelectItem* find_alias(const Level& level, NameId name) const;

  const FromNode& last_item() const { return store_.from[level_.from]; }
  std::vector<SelectItem> items(const Level& level) const;
  // The item that puts out the column at this place, counted from 1.
  SelectItem item_at(int place) const;
  // Whether ORDER BY can mean an output by this name.
  bool output_name(NameId name) const;
  std::vector<const Ref*> refs_of(const Level& level) const;

  // Whether the number of outputs is given, by an earlier branch or by what a `*` around it must come to.
  bool width_fixed(const Level& level) const;
  // Whether it is a derived table of which NATURAL will ask the names.
  bool joined_naturally(const Level& level) const {
    return level.kind == Level::Derived && level.branches == 1 && store_.levels[level.parent].join.natural;
  }
  // What USING and NATURAL merge: one name; every name that both sides have; how many columns of a `*` USING could still merge
  // after the item at hand, or with the one item that the names ask for.
  bool can_merge(const Level& level, const FromItem& right, NameId name) const;
  bool merge_naturally(const Level& level, FromItem& right) const;
  int mergeable(const Level& level) const;
  int could_merge(const Level& level, const Witness& found) const;
  // How many operators more the conditions of a SELECT may have. The database makes one expression of ON, USING and WHERE.
  int room_for_conditions(const Level& level) const;

 private:
  Found find_rowid(const Level& level, NameId qualifier, NameId name, Binding& binding) const;
};

}  // namespace pccsql::track
