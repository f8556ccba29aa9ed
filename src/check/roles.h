// Roles: a resolved query -> its (column, role) occurrences, construct by construct as docs/policy.md lists them.
#pragma once

#include <span>
#include <vector>

#include "check/ast.h"
#include "check/check.h"
#include "check/work.h"

namespace pccsql::check {

// Appends the occurrences of every query in `ast`, and under profile strict what is counted, in no particular order, with
// repetitions; not all of them once the budget is spent. What stands inside of `added`, pieces of the text by place, has its own
// place also where an alias or ordinal stands for the whole.
void read_roles(const Catalog& catalog, const Ast& ast, Profile profile, std::span<const Span> added,
                std::vector<Occurrence>& out, std::vector<Counted>& counted, Work& work);

}  // namespace pccsql::check
