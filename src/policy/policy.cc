// The permission table, written once, as the paper prints it.
#include "policy/policy.h"

#include <algorithm>

namespace pccsql {
namespace {

constexpr bool yes = true;
constexpr bool no_ = false;

constexpr bool kPermitted[4][4] = {
    //                 Sel  Join Where  Agg
    /* Public        */ {yes, yes, yes, yes},
    /* ConditionOnly */ {no_, yes, yes, no_},
    /* AggregateOnly */ {no_, no_, no_, yes},
    /* Hidden        */ {no_, no_, no_, no_},
};

}  // namespace

bool permitted(ColumnPolicy policy, Role role) {
  return kPermitted[static_cast<size_t>(policy)][static_cast<size_t>(role)];
}

ColumnPolicy intersection(ColumnPolicy a, ColumnPolicy b) {
  // INVARIANT: Public permits everything, Hidden nothing, and the two between them share no role.
  if (a == b || b == ColumnPolicy::Public) return a;
  return a == ColumnPolicy::Public ? b : ColumnPolicy::Hidden;
}

std::string_view to_string(Role role) {
  constexpr std::array<std::string_view, 4> kNames{"Sel", "Join", "Where", "Agg"};
  return kNames[static_cast<size_t>(role)];
}

std::string_view to_string(ColumnPolicy policy) {
  constexpr std::array<std::string_view, 4> kNames{"Public", "ConditionOnly", "AggregateOnly", "Hidden"};
  return kNames[static_cast<size_t>(policy)];
}

std::string_view to_string(Profile profile) { return profile == Profile::Paper ? "paper" : "strict"; }

std::optional<ColumnPolicy> parse_column_policy(std::string_view text) {
  for (const ColumnPolicy policy : kColumnPolicies) {
    if (text == to_string(policy)) return policy;
  }
  return std::nullopt;
}

Policy::Policy(const Catalog& catalog, ColumnPolicy everywhere) {
  uint32_t total = 0;
  for (const Table& table : catalog.tables()) {
    first_.push_back(total);
    total += static_cast<uint32_t>(table.columns.size());
  }
  first_.push_back(total);
  columns_.assign(total, everywhere);
  groups_.resize(catalog.tables().size());
}

bool Policy::all_hidden(TableId table) const {
  return std::all_of(columns_.begin() + first_[table], columns_.begin() + first_[table + 1],
                     [](ColumnPolicy policy) { return policy == ColumnPolicy::Hidden; });
}

}  // namespace pccsql
