// Findings: what `policy lint` can find in a policy, by the names under which it is told, and under which an owner
// accepts it in the policy file.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

namespace pccsql {

enum class Finding : uint8_t {
  GeneratedColumn,   // permits a use that, written out, would not be permitted
  View,              // likewise, or its rows depend on a column that may not be used so
  Rowid,             // a restricted INTEGER PRIMARY KEY: `rowid` is its other name, and rows come in its order
  Twin,              // the column at the other end of a foreign key holds the same values and permits more
  UniqueKey,         // an AggregateOnly column beside a Public key: groups of one show the value
  Index,             // rows that are found by an index come in the order of a restricted column
  NoMinGroup,        // an AggregateOnly column in a table without a minimum group size
  OneToOne,          // the data: a Public column names each entity whose values may only be added up
  KeyNotPerson,      // the data: rows of one person stand under several keys
  SmallTable,        // the data: fewer entities than the minimum group size
  NewColumn,         // opened by `*` or `default`, and added since that was looked at
  Unrecorded,        // opened by `*` or `default`, and nobody has written down what that was meant for
  UnusedAcceptance,  // the policy file accepts what is not found
  Barrier,           // PostgreSQL: a view that leaves rows out and is no security barrier
  Grant,             // PostgreSQL: the policy permits a column that the role may not read
  Role,              // PostgreSQL: the role has rights that questions must not have
  Extension          // PostgreSQL: an extension that reaches files or other servers
};
inline constexpr std::array kFindings{
    Finding::GeneratedColumn, Finding::View,     Finding::Rowid,        Finding::Twin,       Finding::UniqueKey,
    Finding::Index,           Finding::NoMinGroup, Finding::OneToOne,   Finding::KeyNotPerson, Finding::SmallTable,
    Finding::NewColumn,       Finding::Unrecorded, Finding::UnusedAcceptance, Finding::Barrier, Finding::Grant,
    Finding::Role,            Finding::Extension};

std::string_view to_string(Finding finding);  // "generated-column", "rowid", …
std::optional<Finding> parse_finding(std::string_view name);

// Whether a policy file can accept it. What `*` opens is settled by `policy diff --accept`; an acceptance that is not used,
// by taking it out.
bool can_be_accepted(Finding finding);
// Whether it takes a look at the data to find it.
bool needs_data(Finding finding);

}  // namespace pccsql
