// Lint: policies that leak by construction. Each query alone may be judged rightly and the data still be had, because
// the same value can be reached under another name that permits more. A warning says which, and by which way.
#pragma once

#include <limits>
#include <string>
#include <vector>

#include "policy/finding.h"
#include "policy/policy.h"
#include "schema/catalog.h"

namespace pccsql {

// Of a finding about no table: a role, an extension.
inline constexpr TableId kNoTable = std::numeric_limits<TableId>::max();

struct Warning {
  Finding kind = Finding::View;
  std::string table;
  std::string column;   // the first of those that it is about; empty when the rows of a view are meant
  std::string message;  // whole sentence with the names in it
  TableId table_id = 0;
  std::vector<ColumnIndex> columns;  // all that it is about
};

// In the order of tables and columns. An empty list does not say that nothing leaks: docs/policy.md lists what is not
// promised.
std::vector<Warning> lint(const Catalog& catalog, const Policy& policy);

}  // namespace pccsql
