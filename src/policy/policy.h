// Policy: what the owner of the data permits each column to be used for. The permission table is the paper's Table 1.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "policy/group_rule.h"
#include "schema/catalog.h"

namespace pccsql {

enum class Role : uint8_t { Sel, Join, Where, Agg };
enum class ColumnPolicy : uint8_t { Public, ConditionOnly, AggregateOnly, Hidden };
// How uses are counted: strict closes every point the paper leaves open on the safe side; paper counts as it does.
enum class Profile : uint8_t { Strict, Paper };

inline constexpr std::array kRoles{Role::Sel, Role::Join, Role::Where, Role::Agg};
inline constexpr std::array kColumnPolicies{ColumnPolicy::Public, ColumnPolicy::ConditionOnly,
                                            ColumnPolicy::AggregateOnly, ColumnPolicy::Hidden};

// perm(policy, role) of the paper.
bool permitted(ColumnPolicy policy, Role role);

// The policy that permits just what both permit: ConditionOnly with AggregateOnly is Hidden.
ColumnPolicy intersection(ColumnPolicy a, ColumnPolicy b);
// Whether `wide` permits a role that `narrow` does not.
inline bool permits_more(ColumnPolicy wide, ColumnPolicy narrow) { return intersection(wide, narrow) != wide; }

std::string_view to_string(Role role);
std::string_view to_string(ColumnPolicy policy);
std::string_view to_string(Profile profile);  // "strict", "paper"
std::optional<ColumnPolicy> parse_column_policy(std::string_view text);  // exact spelling

// A policy for every column of one catalogue, and the smallest group of every table. Values only: it does not keep the
// catalogue.
class Policy {
 public:
  Policy(const Catalog& catalog, ColumnPolicy everywhere);

  ColumnPolicy of(ColumnRef column) const { return columns_[first_[column.table] + column.column]; }
  void set(ColumnRef column, ColumnPolicy policy) { columns_[first_[column.table] + column.column] = policy; }
  // A table all of whose columns are Hidden: under profile strict it cannot be named at all.
  bool all_hidden(TableId table) const;

  size_t tables() const { return groups_.size(); }
  size_t columns(TableId table) const { return first_[table + 1] - first_[table]; }
  const GroupRule& group(TableId table) const { return groups_[table]; }
  void set_group(TableId table, GroupRule rule) { groups_[table] = std::move(rule); }

 private:
  std::vector<uint32_t> first_;  // per table, and one past the last
  std::vector<ColumnPolicy> columns_;
  std::vector<GroupRule> groups_;  // per table
};

}  // namespace pccsql
