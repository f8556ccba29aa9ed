// What is held to a minimum group: an AggregateOnly column of a table for which the policy sets one may be counted only in
// a form in which a row counts as the others do. The argument is plain and holds no CASE, COALESCE, IFNULL or IIF, and
// no product of columns; there is no DISTINCT and no FILTER; the SELECT names nothing of an enclosing one; of a family of
// tables (policy/held_families.h) it counts one, under one name; of the statement's SELECTs it is the only one that counts
// that family; and the statement names no other view of it. In any other form the column is tested as well.
//
// Which table a name means is not known before its FROM. Until then a name counts all families with a column of that name
// that is held to a minimum, two qualifiers are two tables, and a name that a view of a family shares with another table of it
// is not the view's. That is a bound: it narrows what is generated.
#include <algorithm>
#include <utility>

#include "track/precedence.h"
#include "track/step.h"

namespace pccsql::track {

uint64_t Step::grouped_families(const Ref& ref) const {
  if (!world_.sets_minimum()) return 0;
  if (ref.binding == 0) return world_.grouped_families(ref.name);
  uint64_t families = 0;
  for (const ColumnRef& column : store_.bindings[ref.binding].columns) families |= world_.grouped_family(column);
  return families;
}

// The views that it is itself a column of, if it is counted.
uint64_t Step::own_views(const Ref& ref) const {
  if (ref.binding == 0) return world_.own_views({&ref.name, 1});
  uint64_t views = 0;
  for (const ColumnRef& column : store_.bindings[ref.binding].columns) views |= world_.own_view(column.table);
  return views;
}

RoleSet Step::roles_of(const Ref& ref) const {
  const RoleSet roles = roles_at(ref.place);
  const bool off = ref.place.inside == Place::Argument && ref.place.off_form && grouped_families(ref) != 0;
  return off ? roles | role_bit(Role::Where) : roles;
}

// A name in an argument of this SELECT, not yet among its refs.
void Step::judge_form(Ref& ref) {
  if (ref.place.inside != Place::Argument) return;
  const uint64_t families = grouped_families(ref);
  if (families == 0) return;
  bool off = ref.place.off_form || level_.names_outside;
  uint64_t elsewhere = state_.counted;
  for (Index at = level_.parent; at != 0; at = store_.levels[at].parent) elsewhere |= store_.levels[at].counted;
  off |= (families & elsewhere) != 0;
  off |= (state_.viewed & world_.views_of(families) & ~own_views(ref)) != 0;
  for (Index i = (families & level_.counted) != 0 ? level_.refs : 0; i != 0 && !off; i = store_.refs[i].below) {
    const Ref& other = store_.refs[i].ref;
    if (other.place.inside != Place::Argument || other.place.off_form) continue;
    if ((grouped_families(other) & families) == 0) continue;
    const bool bound = other.binding != 0 && ref.binding != 0;
    off = bound ? store_.bindings[other.binding].item != store_.bindings[ref.binding].item
                : other.qualifier != ref.qualifier ||
                      (ref.qualifier == kNoName && !world_.are_of_one_item(other.name, ref.name));
  }
  if (!off) {
    const uint64_t before = std::exchange(level_.counted, level_.counted | families);
    if (level_.counted != before && !others_stay_viable()) {
      level_.counted = before;
      off = true;
    }
    level_dirty_ = true;
  }
  ref.place.off_form = off;
  ref.roles = roles_of(ref);
}

// Views that no FROM of this level may name: they show what may be made of values that the statement counts.
uint64_t Step::barred_views(const Level& level) const {
  if (!world_.has_views_beside()) return 0;
  uint64_t counted = state_.counted | level_.counted | level.counted;
  for (Index at = level_.parent; at != 0; at = store_.levels[at].parent) counted |= store_.levels[at].counted;
  if (counted == 0) return 0;
  std::vector<NameId> own;
  for (Index i = level.counted != 0 ? level.refs : 0; i != 0; i = store_.refs[i].below) {
    const Ref& ref = store_.refs[i].ref;
    const bool in_form = ref.place.inside == Place::Argument && !ref.place.off_form && ref.binding == 0;
    if (in_form && grouped_families(ref) != 0) own.push_back(ref.name);
  }
  return world_.views_of(counted) & ~world_.own_views(own);
}

// FROM names this one.
bool Step::name_view(const Source& source) {
  if (source.view_bit == 0) return true;
  if ((source.view_bit & barred_views(level_)) != 0) return false;
  state_.viewed |= source.view_bit;
  return true;
}

// What has come to be counted here bars views from the FROMs of the SELECTs around.
bool Step::others_stay_viable() const {
  if (!world_.has_views_beside() || !world_.settings().lookahead) return true;
  for (Index at = level_.parent; at != 0; at = store_.levels[at].parent) {
    const Level& around = store_.levels[at];
    if (!pending(around).empty() && !viable(around)) return false;
  }
  return true;
}

// The argument at hand holds what a minimum group forbids in it.
bool Step::leave_form() {
  if (!world_.sets_minimum() || !in_plain_argument() || frame_.argument.off_form) return true;
  frame_.argument.off_form = frame_dirty_ = true;
  return leave_form(frame_.argument.refs);
}

// Likewise, of the refs after `from`.
bool Step::leave_form(uint32_t from) {
  if (!world_.sets_minimum()) return true;
  level_dirty_ = true;
  return rewrite_refs(level_, from, [&](Ref& ref) {
    if (ref.place.inside != Place::Argument || ref.place.off_form) return false;
    ref.place.off_form = true;
    ref.roles = roles_of(ref);
    return true;
  });
}

// Whether the column that has just come into the argument is multiplied with something that holds one.
bool Step::has_factors_beside() const {
  if (!world_.sets_minimum()) return false;
  const Frame* at = &frame_;
  for (int open = state_.open; open > 0; --open, at = &store_.frames[at->below]) {
    if (at->kind == Frame::Call && at->function->mode == Callable::Sums) return false;
    if (at->kind != Frame::Expr) continue;
    uint32_t right = at->operand;  // where the right operand begins
    for (Index i = at->operators; i != 0; i = store_.operators[i].below) {
      const OperatorNode& op = store_.operators[i];
      if (op.precedence == precedence(Terminal::Star) && !op.divides && op.left < right) return true;
      right = op.left;
    }
  }
  return false;
}

// FROM has closed and bound these refs, all of the level: what it counts is known now.
bool Step::settle_form(std::vector<Ref>& refs) {
  if (!world_.sets_minimum()) return true;
  level_.counted = 0;
  std::vector<std::pair<uint64_t, uint32_t>> items;  // which item of FROM a family is counted of
  for (Ref& ref : refs) {
    if (ref.place.inside != Place::Argument || ref.binding == 0) continue;
    ref.roles = roles_of(ref);
    if (ref.place.off_form) continue;
    const Binding& binding = store_.bindings[ref.binding];
    for (const ColumnRef& column : binding.columns) {
      const uint64_t family = world_.grouped_family(column);
      if (family == 0) continue;
      level_.counted |= family;
      const auto known = std::find_if(items.begin(), items.end(), [&](const auto& i) { return i.first == family; });
      if (known == items.end()) {
        items.emplace_back(family, binding.item);
      } else if (known->second != binding.item) {
        return false;
      }
    }
  }
  return level_.counted == 0 || !level_.names_outside;
}

// Whether the SELECTs from `inner` outward may name what the one at `outer` has, or one further out.
bool Step::may_name_outside(const Level& inner, Index outer) const {
  if (!world_.sets_minimum()) return true;
  if (inner.counted != 0) return false;
  for (Index at = inner.parent; at != outer && at != 0; at = store_.levels[at].parent) {
    if (store_.levels[at].counted != 0) return false;
  }
  return true;
}

// They do. `outer` stays the level that it is.
bool Step::name_outside(Index outer) {
  if (!world_.sets_minimum()) return true;
  if (!may_name_outside(level_, outer)) return false;
  level_.names_outside = level_dirty_ = true;
  for (Index at = level_.parent; at != outer && at != 0;) {
    Level changed = store_.levels[at];
    const Index next = changed.parent;
    if (!changed.names_outside) {
      changed.names_outside = true;
      replace_level(at, changed);
    }
    at = next;
  }
  return true;
}

}  // namespace pccsql::track
