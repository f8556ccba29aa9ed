// Builder: the parse tree of a query -> the checker's Ast, with SQLite's operator precedence.
#pragma once

#include "check/ast.h"
#include "check/issues.h"
#include "syntax/parser.h"

namespace pccsql::check {

// Fills `ast` (whose sql and lexemes are set) from the tree; new names (aliases, CTEs, windows) are interned in `names`.
// The statement's query is ast.queries[1]. False if an expression is too tall for anything to descend into.
bool build(const Grammar& grammar, const std::vector<Node>& nodes, Ast& ast, Names& names, Issues& issues);

}  // namespace pccsql::check
