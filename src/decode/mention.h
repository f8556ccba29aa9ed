// Mention: a column that the question names, that the policy closes, and that the answer has nothing to do with.
//
// A model that has read the policy may step aside by itself: asked for pets over a weight it takes their age, and nothing was ever
// blocked. The question's own words tell.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "decode/answer.h"
#include "policy/policy.h"
#include "schema/catalog.h"

namespace pccsql {

// The first such column, in the schema's order: of a table that the query names, with a name whose words stand in the
// question near each other; Hidden, or not Public and of two words at least. Nothing where the query names a column of these words, or some
// Public column has the same.
std::optional<WithheldUse> mentioned_and_closed(const Catalog& catalog, const Policy& policy, std::string_view question,
                                                std::string_view sql);

}  // namespace pccsql
