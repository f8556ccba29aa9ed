// What an Engine or a Checker is made of, read from where its user said.
#pragma once

#include <pccsql/result.h>
#include <pccsql/sources.h>

#include "policy/policy.h"
#include "schema/catalog.h"

namespace pccsql {

Result<Catalog> read_schema(const SchemaSource& source);
Result<Policy> read_policy(const PolicySource& source, const Catalog& catalog);

}  // namespace pccsql
