// HeldFamilies: which tables and views may hold the same values, as far as minimum groups go.
//
// Two sums over the same values, set side by side, tell the difference: of one person, where one sum leaves that person
// out. It does not matter under which name the values are summed. So what is asked of one table in a statement is asked
// of all that are of one family with it:
//
//   - a view, and the tables whose restricted columns its text names: it shows of the same rows;
//   - tables whose entities are the same by their foreign keys, as employees and the payments to them: what is paid in
//     twelve months is the salary. A foreign key tells the rows of the table that it refers to, by whichever unique
//     columns; and a table whose rows are counted one by one may refer by any of its unique columns.
//
// Views are read word by word, and for more than they may say: a family is rather too large than too small.
#pragma once

#include <vector>

#include "policy/policy.h"
#include "schema/catalog.h"

namespace pccsql {

class HeldFamilies {
 public:
  HeldFamilies(const Catalog& catalog, const Policy& policy);

  // The same number for tables of one family; a table that is alone has its own.
  TableId of(TableId table) const { return family_[table]; }
  // Whether this is a view of a family that has another member: what it shows may be made of their values.
  bool shows_others(TableId table) const { return shows_others_[table]; }

 private:
  std::vector<TableId> family_;
  std::vector<bool> shows_others_;
};

}  // namespace pccsql
