// Reworded: a draft in other words that ask the same and use less. What a model writes without a mask often shows or counts a
// column that need not be shown or counted; said otherwise, the policy permits it.
#pragma once

#include <string>
#include <vector>

#include "policy/judgement.h"
#include "schema/catalog.h"
#include "syntax/lexer.h"

namespace pccsql {

// COUNT of a key, which every row has, as COUNT(*); COUNT(DISTINCT key) of a primary key likewise, where FROM repeats no row of
// its table. Not where an outer join brings rows without a key. PRE: `judgement` is about `draft`.
std::string with_counts_of_rows(const Catalog& catalog, const std::string& draft, const Judgement& judgement);

// A piece of a draft, and what it says otherwise.
struct Reworded {
  Span place;
  std::string text;
};

// `a IN (SELECT b FROM t WHERE c)`, and with `=`, as `EXISTS (SELECT 1 FROM t WHERE t.b = a AND c)`, where b may be compared and
// not shown; with `negated` NOT IN likewise, which is another thing where b is NULL. PRE: likewise.
std::vector<Reworded> existence_tests(const Catalog& catalog, const std::string& draft, const Judgement& judgement, bool negated);

// The draft with those that mean the same: without NOT IN.
std::string with_existence(const Catalog& catalog, const std::string& draft, const Judgement& judgement);

// A model that nobody holds to a schema names a column by the wrong table. Where just one table of the draft has it, that one was
// meant.
std::string with_owners(const Catalog& catalog, const std::string& draft);

}  // namespace pccsql
