// MinimumGroups: what a SELECT counts that is held to a minimum group, and what may stand beside it in the statement.
//
// An AggregateOnly column of a table for which the policy sets a minimum may be counted only in a form in which a row counts as the
// others do (arguments.h says which). Of a family of tables (policy/held_families.h) a SELECT counts one, under one name; of
// the statement's SELECTs it is the only one that counts that family, it names nothing of an enclosing one; and the statement
// names no other view of it. In any other form the column is tested as well.
//
// Which table a name means is not known before its FROM. Until then a name counts all families with a column of that name
// that is held to a minimum, two qualifiers are two tables, and a name that a view of a family shares with another table of it
// is not the view's. That is a bound: it narrows what is generated.
#pragma once

#include "track/scope.h"

namespace pccsql::track {

class MinimumGroups : public Scope {
 public:
  using Scope::Scope;

 protected:
  uint64_t grouped_families(const Ref& ref) const;
  // The views that it is itself a column of, if it is counted.
  uint64_t own_views(const Ref& ref) const;
  // Views that no FROM of this level may name: they show what may be made of values that the statement counts.
  uint64_t barred_views(const Level& level) const;
  // FROM names this one.
  bool name_view(const Source& source);
  // Whether the SELECTs from `inner` outward may name what the one at `outer` has, or one further out.
  bool may_name_outside(const Level& inner, Index outer) const;
  // They do. `outer` stays the level that it is.
  bool name_outside(Index outer);
  // Whether the column that has just come into the argument is multiplied with something that holds one.
  bool has_factors_beside() const;
  void close_form() { state_.counted |= level_.counted; }
};

}  // namespace pccsql::track
