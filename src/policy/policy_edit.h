// One label of a policy file changed in its text, everything else as somebody wrote it: comments, order, notes.
#pragma once

#include <string>

#include "base/result.h"
#include "policy/policy.h"
#include "schema/catalog.h"

namespace pccsql {

// The text with this label for this column. It has been read back: all other labels and rules are what they were. An Error where
// the text is no policy, where the new one would be none, or where it is written so that one label cannot be put into it.
Result<std::string> with_label(const std::string& yaml, const Catalog& catalog, ColumnRef column, ColumnPolicy label,
                               const std::string& file = {});

}  // namespace pccsql
