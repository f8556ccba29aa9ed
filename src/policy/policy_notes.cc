#include "policy/policy_notes.h"

#include <algorithm>

#include "base/text.h"

namespace pccsql {

bool is_recorded(const PolicyNotes& notes, const Table& table, const Column& column) {
  if (!notes.opened) return false;
  for (const PolicyNotes::OpenedTable& opened : *notes.opened) {
    if (!equal_folded(opened.table, table.name)) continue;
    return std::ranges::any_of(opened.columns,
                               [&](const std::string& name) { return equal_folded(name, column.name); });
  }
  return false;
}

}  // namespace pccsql
