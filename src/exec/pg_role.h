// What the role that queries run under may do, and whether that is little enough.
#pragma once

#include <string>

#include "base/result.h"
#include "policy/policy.h"
#include "schema/pg_connection.h"

namespace pccsql {

// An Error names each right that is too much and says how to be rid of it.
Result<Done> check_role(PgConnection& connection, const std::string& schema, const Catalog& catalog,
                        const Policy& policy);

// The SQL that makes a role with just the rights that the policy leaves: to be read, and run by the owner.
std::string grants_for(const std::string& role, const std::string& database, const std::string& schema,
                       const Catalog& catalog, const Policy& policy);

// What the role may read: Public where it may, Hidden where it may not. For `policy import`.
Result<Policy> policy_of_role(PgConnection& connection, const std::string& schema, const Catalog& catalog,
                              const std::string& role);

}  // namespace pccsql
