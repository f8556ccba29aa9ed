#include "track/minimum_groups.h"

#include "track/precedence.h"

namespace pccsql::track {

uint64_t MinimumGroups::grouped_families(const Ref& ref) const {
  if (!world_.sets_minimum()) return 0;
  if (ref.binding == 0) return world_.grouped_families(ref.name);
  uint64_t families = 0;
  for (const ColumnRef& column : store_.bindings[ref.binding].columns) families |= world_.grouped_family(column);
  return families;
}

uint64_t MinimumGroups::own_views(const Ref& ref) const {
  if (ref.binding == 0) return world_.own_views({&ref.name, 1});
  uint64_t views = 0;
  for (const ColumnRef& column : store_.bindings[ref.binding].columns) views |= world_.own_view(column.table);
  return views;
}

uint64_t MinimumGroups::barred_views(const Level& level) const {
  if (!world_.has_views_beside()) return 0;
  uint64_t counted = state_.counted | level_.counted | level.counted;
  for (Index at = level_.parent; at != 0; at = store_.levels[at].parent) counted |= store_.levels[at].counted;
  if (counted == 0) return 0;
  std::vector<NameId> own;
  for (const RefNode& node : newest_first(store_.refs, level.counted != 0 ? level.refs : 0)) {
    const Ref& ref = node.ref;
    const bool in_form = ref.place.inside == Place::Argument && !ref.place.off_form && ref.binding == 0;
    if (in_form && grouped_families(ref) != 0) own.push_back(ref.name);
  }
  return world_.views_of(counted) & ~world_.own_views(own);
}

bool MinimumGroups::name_view(const Source& source) {
  if (source.view_bit == 0) return true;
  if ((source.view_bit & barred_views(level_)) != 0) return false;
  state_.viewed |= source.view_bit;
  return true;
}

bool MinimumGroups::may_name_outside(const Level& inner, Index outer) const {
  if (!world_.sets_minimum()) return true;
  if (inner.counted != 0) return false;
  for (Index at = inner.parent; at != outer && at != 0; at = store_.levels[at].parent) {
    if (store_.levels[at].counted != 0) return false;
  }
  return true;
}

bool MinimumGroups::name_outside(Index outer) {
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

bool MinimumGroups::has_factors_beside() const {
  if (!world_.sets_minimum()) return false;
  const Frame* at = &frame_;
  for (int open = state_.open; open > 0; --open, at = &store_.frames[at->below]) {
    if (at->kind == Frame::Call && at->call.function->mode == Callable::Sums) return false;
    if (at->kind != Frame::Expr) continue;
    uint32_t right = at->expr.operand;  // where the right operand begins
    for (const OperatorNode& op : newest_first(store_.operators, at->expr.operators)) {
      if (op.precedence == precedence(Terminal::Star) && !op.divides && op.left < right) return true;
      right = op.left;
    }
  }
  return false;
}

}  // namespace pccsql::track
