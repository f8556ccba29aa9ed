// The query that is run for one that was judged: its text, with the conditions of minimum groups inserted at spans that
// the checker knows. docs/policy.md says what they are, and why.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "check/ast.h"
#include "policy/judgement.h"
#include "policy/run_text.h"
#include "syntax/parser.h"

namespace pccsql::check {

// What the Error of a query says that cannot be written so.
Error run_text_fault(const std::string& what);

// PRE: `ast`, resolved, and `nodes` are of a query that is safe under `policy`; `counted` is of its analysis.
Result<RunText> write_run_text(const Catalog& catalog, const Policy& policy, const Ast& ast,
                               const std::vector<Node>& nodes, const std::vector<Counted>& counted);

// Whether the tree of the text to run is that of the query as written, and the conditions.
bool has_same_tree(const Ast& ast, const std::vector<Node>& nodes, const RunText& run);

}  // namespace pccsql::check
