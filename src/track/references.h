// References: one name: bound at once where FROM has closed, owed by the FROM to come where it has not, left to an enclosing
// SELECT where the own one has no such column, or an alias, which is its expression written again.
#pragma once

#include "track/calls.h"

namespace pccsql::track {

class References : public Calls {
 public:
  using Calls::Calls;

 protected:
  // `known`: it was found to fit when it was read, and nothing has come since.
  bool use_column(NameId qualifier, NameId name, bool known = false);
  // A name that the innermost SELECT does not bind, to the enclosing ones.
  bool bind_outside(Ref ref);
  // `q.*`, which must be the whole item.
  bool star_fits(NameId qualifier);
  // Whether an item of FROM holds a name that was left to an enclosing SELECT before the item came.
  bool captures_passed() const;
  // ORDER BY and GROUP BY show the order of an item, which is no more than was shown already, unless the item is compared.
  bool sort_by_item(const SelectItem& item);
  bool sort_by_output(NameId name);
  void note_number(const SelectItem& item);

 private:
  bool is_held_nowhere(NameId qualifier, NameId name) const;
  bool alias_usable(const Level& level, const SelectItem& item, const Place& place, bool same_level) const;
  bool use_alias(Level& level, const SelectItem& item, const Place& place, bool nested);
};

}  // namespace pccsql::track
