#include "policy/finding.h"

namespace pccsql {

std::string_view to_string(Finding finding) {
  switch (finding) {
    case Finding::GeneratedColumn:
      return "generated-column";
    case Finding::View:
      return "view";
    case Finding::Rowid:
      return "rowid";
    case Finding::Twin:
      return "twin";
    case Finding::UniqueKey:
      return "unique-key";
    case Finding::Index:
      return "index";
    case Finding::NoMinGroup:
      return "no-min-group";
    case Finding::OneToOne:
      return "one-to-one";
    case Finding::KeyNotPerson:
      return "key-not-person";
    case Finding::SmallTable:
      return "small-table";
    case Finding::NewColumn:
      return "new-column";
    case Finding::Unrecorded:
      return "unrecorded";
    case Finding::UnusedAcceptance:
      return "unused-acceptance";
    case Finding::Barrier:
      return "barrier";
    case Finding::Grant:
      return "grant";
    case Finding::Role:
      return "role";
    case Finding::Extension:
      return "extension";
  }
  return "";
}

std::optional<Finding> parse_finding(std::string_view name) {
  for (const Finding finding : kFindings) {
    if (to_string(finding) == name) return finding;
  }
  return std::nullopt;
}

bool can_be_accepted(Finding finding) {
  return finding != Finding::NewColumn && finding != Finding::Unrecorded && finding != Finding::UnusedAcceptance;
}

bool needs_data(Finding finding) {
  return finding == Finding::OneToOne || finding == Finding::KeyNotPerson || finding == Finding::SmallTable;
}

}  // namespace pccsql
