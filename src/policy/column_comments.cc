#include "policy/column_comments.h"

#include "base/text.h"
#include "policy/unknown.h"

namespace pccsql {
namespace {

// The word after `pccsql:`, wherever in the comment; nothing where there is no such mark.
std::optional<std::string> label_in(const std::string& comment) {
  constexpr std::string_view kMark = "pccsql:";
  const size_t mark = folded(comment).find(kMark);
  if (mark == std::string::npos) return std::nullopt;
  const std::string rest = trimmed(std::string_view(comment).substr(mark + kMark.size()));
  size_t end = 0;
  while (end < rest.size() && ((fold(rest[end]) >= 'a' && fold(rest[end]) <= 'z') || rest[end] == '_')) ++end;
  return rest.substr(0, end);
}

}  // namespace

Result<std::optional<Policy>> policy_of_comments(const Catalog& catalog, ColumnPolicy otherwise) {
  Policy policy(catalog, otherwise);
  bool any = false;
  for (TableId id = 0; id < catalog.tables().size(); ++id) {
    const Table& table = catalog.table(id);
    for (ColumnIndex c = 0; c < table.columns.size(); ++c) {
      const std::optional<std::string> label = label_in(table.columns[c].comment);
      if (!label) continue;
      const std::optional<ColumnPolicy> given = parse_column_policy(*label);
      if (!given) {
        return Error{
            "the comment on column `" + table.name + "." + table.columns[c].name + "`: " + unknown_policy(*label),
            {},
            {}};
      }
      policy.set({id, c}, *given);
      any = true;
    }
  }
  if (!any) return std::optional<Policy>();
  return std::optional(std::move(policy));
}

}  // namespace pccsql
