// ColumnUses: the names that a SELECT has used, each with the roles it is used in, and what becomes of these when a later lexeme
// changes what was asked of them.
#pragma once

#include <array>
#include <utility>

#include "track/open_from.h"

namespace pccsql::track {

// The roles of a ref, those that hang on what becomes of a select list apart: MIN and MAX show in any case.
std::array<std::pair<RoleSet, ListId>, 2> parted(const Ref& ref);

class ColumnUses : public OpenFrom {
 public:
  using OpenFrom::OpenFrom;

  RoleSet roles_at(const Place& place) const;

 protected:
  RoleSet roles_of(const Ref& ref) const;
  ListId list_at(const Place& place) const {
    return place.clause == Clause::Items && place.inside == Place::Plain ? level_.list : ListId{};
  }
  Index bind(Binding binding);
  void push_ref(Level& level, const Ref& ref);
  // Changes the refs after the first `from`. False: what one of them names does not permit what it is used for then.
  bool rewrite_refs(Level& level, uint32_t from, const std::function<bool(Ref&)>& change);
  // Refs from `from` on become arguments of a window function.
  bool put_out(uint32_t from);
  // Without look-ahead: some table permits it.
  bool plausible(const Ref& ref) const;
  // A name in the list of the innermost SELECT: what it is bound to permits this.
  void note_unshown(const Ref& ref, RoleSet permitted);
  void add_use(const Binding& binding, RoleSet roles, ListId list = {});
  void flush_refs();
};

}  // namespace pccsql::track
