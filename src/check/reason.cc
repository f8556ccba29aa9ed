// What a user is told of a use that is not permitted: the column, its policy, what would be allowed, and where it stood.
#include "check/check.h"

namespace pccsql {

std::string complaint(const Catalog& catalog, const Occurrence& use, ColumnPolicy policy) {
  const Table& table = catalog.table(use.column.table);
  std::string text =
      "`" + table.name + "." + table.columns[use.column.column].name + "` is " + std::string(to_string(policy)) + ": ";
  const std::string role = " (" + std::string(to_string(use.role)) + ")";
  if (policy == ColumnPolicy::Hidden) return text + "it may not be used at all" + role;
  text += policy == ColumnPolicy::AggregateOnly ? "it may stand only inside COUNT, SUM or AVG, not "
                                                : "it may stand only in JOIN conditions, WHERE and HAVING, not ";
  switch (use.role) {
    case Role::Sel:
      return text + (use.minmax ? "inside MIN or MAX" : "in the output, grouping or ordering") + role;
    case Role::Join:
      return text + "in a JOIN condition" + role;
    case Role::Where:
      return text + "in a condition" + role;
    case Role::Agg:
      return text + "inside COUNT, SUM or AVG" + role;
  }
  return text;
}

std::string complaint(const Catalog& catalog, const NamedTable& mention) {
  return "`" + catalog.table(mention.table).name + "` may not be named: every column of it is Hidden";
}

}  // namespace pccsql
