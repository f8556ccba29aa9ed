// RunText: the query that is run for one that was judged. Where columns are counted that are held to a minimum group
// (policy/group_rule.h), conditions are added that leave small groups out; any other query is run as it was written.
//
// A judge makes it (QueryChecker::run_text), each for its dialect. Whoever runs a query runs this one, tells `said`, and
// keeps both texts.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/span.h"
#include "policy/policy.h"
#include "schema/catalog.h"

namespace pccsql {

// A table whose columns the query counts, and how many entities a group of them must have.
struct HeldTable {
  TableId table = 0;
  uint32_t minimum = 1;
  friend bool operator==(const HeldTable&, const HeldTable&) = default;
};

struct RunText {
  std::string sql;
  std::vector<Span> added;      // without these pieces, by place, it is the query as written; empty: it is that
  std::vector<HeldTable> held;  // each table once, in the order of their ids
  // What the conditions read beside the query's own columns: table, and column or `rowid`.
  std::vector<std::pair<std::string, std::string>> admitted;

  bool changed() const { return !added.empty(); }
};

// What an asker is told where conditions were added: "Groups of fewer than 5 employees are left out, and nobody is counted
// twice." Entities are called after the table that the key refers to, or else their own. Empty: nothing was added.
std::string said(const Catalog& catalog, const Policy& policy, const RunText& run);
// Where nothing is left after that.
std::string said_if_empty(const Catalog& catalog, const Policy& policy, const RunText& run);

// The text with marks before and after each piece that was added, blanks at its begin aside.
std::string marked(const RunText& run, std::string_view before, std::string_view after);

}  // namespace pccsql
