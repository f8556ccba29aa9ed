#include "track/column_uses.h"

#include <algorithm>

namespace pccsql::track {

std::array<std::pair<RoleSet, ListId>, 2> parted(const Ref& ref) {
  const bool apart = ref.place.minmax && ref.list.id != 0;
  const RoleSet shown = apart ? role_bit(Role::Sel) : RoleSet{0};
  const RoleSet rest = apart && (ref.roles & ~shown) != 0 ? static_cast<RoleSet>(ref.roles & ~shown) : ref.roles;
  return {{{shown, {}}, {rest, ref.list}}};
}

RoleSet ColumnUses::roles_at(const Place& place) const {
  const bool strict = world_.strict();
  switch (place.inside) {
    case Place::Window:
      return role_bit(Role::Sel);
    case Place::Filter:
      return strict ? role_bit(Role::Where) | role_bit(Role::Agg) : role_bit(Role::Where);
    case Place::Argument:
      return strict && place.tested ? role_bit(Role::Where) | role_bit(Role::Agg) : role_bit(Role::Agg);
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
      roles = role_bit(place.compared && strict ? Role::Where : Role::Sel);
      break;
  }
  return place.minmax && strict ? roles | role_bit(Role::Sel) : roles;
}

RoleSet ColumnUses::roles_of(const Ref& ref) const {
  const RoleSet roles = roles_at(ref.place);
  const bool off = ref.place.inside == Place::Argument && ref.place.off_form && grouped_families(ref) != 0;
  return off ? roles | role_bit(Role::Where) : roles;
}

Index ColumnUses::bind(Binding binding) {
  store_.bindings.push_back(std::move(binding));
  return static_cast<Index>(store_.bindings.size() - 1);
}

void ColumnUses::push_ref(Level& level, const Ref& ref) {
  store_.refs.push_back({level.refs, store_.refs[level.refs].count + 1, ref});
  level.refs = static_cast<Index>(store_.refs.size() - 1);
}

bool ColumnUses::rewrite_refs(Level& level, uint32_t from, const std::function<bool(Ref&)>& change) {
  std::vector<Ref> tail;
  Index at = level.refs;
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
  level.refs = at;
  for (size_t i = tail.size(); i-- > 0;) push_ref(level, tail[i]);
  if (!open) return true;
  if (world_.settings().lookahead) return viable(level);
  return std::all_of(tail.begin(), tail.end(), [&](const Ref& ref) { return ref.binding != 0 || plausible(ref); });
}

bool ColumnUses::put_out(uint32_t from) {
  level_dirty_ = true;
  return rewrite_refs(level_, from, [&](Ref& ref) {
    if (ref.place.inside == Place::Window) return false;
    ref.place.inside = Place::Window;
    ref.roles = roles_at(ref.place);
    ref.list = {};
    return true;
  });
}

bool ColumnUses::plausible(const Ref& ref) const {
  const auto fits = [&](const Source& source) {
    if (!source.nameable) return false;
    if (ref.name == kNoName) return source.expands_to(level_.compared ? Role::Where : Role::Sel);
    const Source::Column* column = source.find(ref.name);
    if (column == nullptr && ref.qualifier != kNoName && world_.is_rowid(ref.name)) column = source.rowid_column();
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

void ColumnUses::note_unshown(const Ref& ref, RoleSet permitted) {
  if (!level_.compared || level_.unshown || ref.list.id == 0 || ref.list.id != level_.list.id) return;
  if ((permitted & role_bit(Role::Sel)) != 0) return;
  level_.unshown = level_dirty_ = true;
}

void ColumnUses::add_use(const Binding& binding, RoleSet roles, ListId list) {
  for (const ColumnRef& column : binding.columns) {
    for (const Role role : kRoles) {
      if ((roles & role_bit(role)) == 0) continue;
      store_.uses.push_back({state_.uses, {column, role}, list});
      state_.uses = static_cast<Index>(store_.uses.size() - 1);
    }
  }
}

void ColumnUses::flush_refs() {
  for (const RefNode& node : newest_first(store_.refs, level_.refs)) {
    const Ref ref = node.ref;
    if (ref.binding == 0 || ref.bound_outside) continue;
    const Binding binding = store_.bindings[ref.binding];
    note_unshown(ref, binding.permitted);
    for (const auto& [roles, list] : parted(ref)) add_use(binding, roles, list);
  }
}

}  // namespace pccsql::track
