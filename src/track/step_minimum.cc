// What is held to a minimum group: an AggregateOnly column of a table for which the policy sets one may be counted only in
// a form in which a row counts as the others do. The argument is plain and holds no CASE, COALESCE, IFNULL or IIF, and
// no product of columns; there is no DISTINCT and no FILTER; the SELECT names nothing of an enclosing one; of its tables
// of that name it counts one; and of the statement's SELECTs it is the only one that counts that table. In any other form
// the column is tested as well.
//
// Which table a name means is not known before its FROM. Until then a name counts all tables whose column of that name
// is held to a minimum, and two qualifiers are two tables. That is a bound: it narrows what is generated.
#include <algorithm>
#include <utility>

#include "track/precedence.h"
#include "track/step.h"

namespace pccsql::track {

uint64_t Step::grouped_tables(const Ref& ref) const {
  if (!world_.sets_minimum()) return 0;
  if (ref.binding == 0) return world_.grouped_tables(ref.name);
  uint64_t tables = 0;
  for (const ColumnRef& column : store_.bindings[ref.binding].columns) tables |= world_.grouped_table(column);
  return tables;
}

RoleSet Step::roles_of(const Ref& ref) const {
  const RoleSet roles = roles_at(ref.place);
  const bool off = ref.place.inside == Place::Argument && ref.place.off_form && grouped_tables(ref) != 0;
  return off ? roles | role_bit(Role::Where) : roles;
}

// A name in an argument of this SELECT, not yet among its refs.
void Step::judge_form(Ref& ref) {
  if (ref.place.inside != Place::Argument) return;
  const uint64_t tables = grouped_tables(ref);
  if (tables == 0) return;
  bool off = ref.place.off_form || level_.names_outside;
  uint64_t elsewhere = state_.counted;
  for (Index at = level_.parent; at != 0; at = store_.levels[at].parent) elsewhere |= store_.levels[at].counted;
  off |= (tables & elsewhere) != 0;
  for (Index i = (tables & level_.counted) != 0 ? level_.refs : 0; i != 0 && !off; i = store_.refs[i].below) {
    const Ref& other = store_.refs[i].ref;
    if (other.place.inside != Place::Argument || other.place.off_form) continue;
    if ((grouped_tables(other) & tables) == 0) continue;
    const bool bound = other.binding != 0 && ref.binding != 0;
    off = bound ? store_.bindings[other.binding].item != store_.bindings[ref.binding].item
                : other.qualifier != ref.qualifier;
  }
  ref.place.off_form = off;
  ref.roles = roles_of(ref);
  if (off) return;
  level_.counted |= tables;
  level_dirty_ = true;
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
  std::vector<std::pair<TableId, uint32_t>> items;  // which item of FROM a table is counted of
  for (Ref& ref : refs) {
    if (ref.place.inside != Place::Argument || ref.binding == 0) continue;
    ref.roles = roles_of(ref);
    if (ref.place.off_form) continue;
    const Binding& binding = store_.bindings[ref.binding];
    for (const ColumnRef& column : binding.columns) {
      const uint64_t table = world_.grouped_table(column);
      if (table == 0) continue;
      level_.counted |= table;
      const auto known = std::find_if(items.begin(), items.end(), [&](const auto& i) { return i.first == column.table; });
      if (known == items.end()) {
        items.emplace_back(column.table, binding.item);
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
