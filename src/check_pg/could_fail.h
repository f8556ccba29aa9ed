// What of a query could fail on a row.
//
// The server computes the conditions of a query and those of a view in any order, so that a condition may be computed for a
// row that the view leaves out. If it fails there, the error tells of that row.
#pragma once

#include <optional>

#include "check_pg/ast.h"

namespace pccsql::check_pg {

// The place of something that could fail on a row of FROM that the query's conditions leave out; nothing: there is none.
std::optional<Span> could_fail(const Ast& ast);

}  // namespace pccsql::check_pg
