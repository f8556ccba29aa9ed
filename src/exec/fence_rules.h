// FenceRules: what a policy says to the fence, as plain data that can be sent to another process.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "policy/policy.h"
#include "schema/catalog.h"

namespace pccsql {

struct FenceRules {
  struct Table {
    std::string name;
    bool closed = false;                                 // it may not be named
    bool open_view = false;                              // a view that the policy lets queries name
    std::vector<std::pair<std::string, bool>> may_read;  // by folded name of a column, whether a query may read it
  };
  std::vector<Table> tables;
  std::vector<std::string> functions;  // folded; what a query may call
};

// What a query may read that was made of a judged one, beside what that one may: tables with a column or `rowid` each.
using Admitted = std::vector<std::pair<std::string, std::string>>;

FenceRules fence_rules(const Catalog& catalog, const Policy& policy, Profile profile);

}  // namespace pccsql
