// Derived columns, of views and generated ones: which columns they give away.
//
// A derived column has a policy of its own. It gives a column away when a use that its policy permits would not be
// permitted if its expression were written out there: `yearly AS (salary * 12)` may be AggregateOnly over an
// AggregateOnly salary, because SUM(salary * 12) is permitted, but not Public. The judge of finished queries says what
// an expression uses; what is given away by one derived column is given away by those computed from it.
#pragma once

#include <optional>
#include <vector>

#include "policy/policy.h"
#include "schema/catalog.h"

namespace pccsql {

struct GivenAway {
  TableId table = 0;                  // of the derived column
  std::optional<ColumnIndex> column;  // none: the rows of the view depend on it, whichever column is asked for
  std::vector<ColumnRef> columns;     // what is given away, each once; none of them itself derived from another here
  std::vector<TableId> tables;        // whose rows are given away although all their columns are Hidden
};

// In the order of tables, for each its rows first, then its columns.
std::vector<GivenAway> find_given_away(const Catalog& catalog, const Policy& policy);

}  // namespace pccsql
