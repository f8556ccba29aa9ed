// A query written once more in canonical style (docs/decoder.md): what people wrote as they liked becomes the one form that
// the decoder writes, with the same meaning.
//
// It goes by lexemes and by what the checker says of their names, and knows no tree: the caller asks the tracker whether
// the text is one that the style admits, and leaves out what is not.
#pragma once

#include <string>
#include <string_view>

#include "policy/judgement.h"
#include "schema/catalog.h"

namespace pccsql {

// `analysis`: of this text, by the checker over the same catalogue. A query that it calls an error comes back as it is.
std::string canonical_sql(std::string_view sql, const Catalog& catalog, const Analysis& analysis);

}  // namespace pccsql
