// The query that is run on PostgreSQL for one that was judged: its text, with the conditions of minimum groups inserted.
// docs/policy.md says what they are, and why.
#pragma once

#include <string_view>
#include <vector>

#include "base/result.h"
#include "check_pg/ast.h"
#include "pgtree/pg_tree.h"
#include "policy/judgement.h"
#include "policy/run_text.h"

namespace pccsql::check_pg {

// PRE: `ast`, resolved, is of a query that is safe under `policy`, and `counted` is of its analysis.
Result<RunText> write_run_text(const Catalog& catalog, const Policy& policy, const Ast& ast,
                               const std::vector<Counted>& counted);

// Whether PostgreSQL's parser reads `with` as `written` with conditions in the HAVING of the SELECTs whose FROM names a
// table at one of `places`, and in nothing else. Each of these SELECTs has conditions that begin with those of the groups and
// end with a SELECT over the same FROM and WHERE.
bool has_same_tree(PgNode written, PgNode with, const std::vector<uint32_t>& places);

}  // namespace pccsql::check_pg
