// What the data show of a policy's minimum groups: whom they count, and whom they cannot protect.
#pragma once

#include <vector>

#include "lint/data_look.h"
#include "lint/lint.h"
#include "policy/policy.h"

namespace pccsql {

// In the order of tables and columns. What there was no time for is left out; `data` says whether there was any.
std::vector<Warning> lint_data(const Catalog& catalog, const Policy& policy, DataLook& data);

}  // namespace pccsql
