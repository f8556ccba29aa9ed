// Roles: a resolved query -> its (column, role) occurrences, construct by construct as docs/policy.md lists them.
#pragma once

#include <vector>

#include "check/ast.h"
#include "check/check.h"

namespace pccsql::check {

// Appends the occurrences of every query in `ast`, in no particular order, with repetitions. False if there are too many
// to list (an alias repeated very often over a very long expression).
bool read_roles(const Catalog& catalog, const Ast& ast, Profile profile, std::vector<Occurrence>& out);

}  // namespace pccsql::check
