// Lint: policies that leak by construction. Each query alone may be judged rightly and the data still be had, because
// the same value can be reached under another name that permits more. A warning says which, and by which way.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "policy/policy.h"
#include "schema/catalog.h"

namespace pccsql {

enum class Leak : uint8_t {
  GeneratedColumn,  // permits a use that, written out, would not be permitted
  View,             // likewise, or its rows depend on a column that may not be used so
  Rowid,            // a restricted INTEGER PRIMARY KEY: `rowid` is its other name, and rows come in its order
  Twin,             // the column at the other end of a foreign key holds the same values and permits more
  UniqueKey,        // an AggregateOnly column beside a Public key: groups of one show the value
  Index,            // rows that are found by an index come in the order of a restricted column
};
std::string_view to_string(Leak leak);  // "generated-column", "view", "rowid", "twin", "unique-key", "index"

struct Warning {
  Leak kind = Leak::View;
  std::string table;
  std::string column;   // empty when the rows of a view are meant
  std::string message;  // whole sentence with the names in it
};

// In the order of tables and columns. An empty list does not say that nothing leaks: docs/policy.md lists what is not
// promised.
std::vector<Warning> lint(const Catalog& catalog, const Policy& policy);

}  // namespace pccsql
