// Labels in the database itself: `COMMENT ON COLUMN t.c IS '… pccsql: AggregateOnly'`.
#pragma once

#include <optional>

#include "base/result.h"
#include "policy/policy.h"

namespace pccsql {

// Columns whose comment has no label get `otherwise`. Nothing, where no column has one.
Result<std::optional<Policy>> policy_of_comments(const Catalog& catalog, ColumnPolicy otherwise);

}  // namespace pccsql
