// Roles: walks a bound query with the place it is in and lists which column is used in which role.
#pragma once

#include <vector>

#include "check_pg/ast.h"
#include "policy/judgement.h"

namespace pccsql::check_pg {

void read_roles(const Ast& ast, std::vector<Occurrence>& out, std::vector<Counted>& counted);

}  // namespace pccsql::check_pg
