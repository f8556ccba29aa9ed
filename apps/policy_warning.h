// The one thing about its policy that a user of `ask` must hear of: columns that came later and are open.
#pragma once

#include <string>

#include "apps/source.h"

namespace pccsql {

// A line for standard error; empty where there is nothing to say.
std::string warning_of_new_columns(const Source& source, const Catalog& catalog, const Policy& policy);

}  // namespace pccsql
