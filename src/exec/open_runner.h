// The runner that goes with a database: a SQLite file, or a schema on a PostgreSQL server.
#pragma once

#include <memory>
#include <string>

#include "exec/query_runner.h"
#include "policy/policy.h"
#include "schema/catalog.h"

namespace pccsql {

struct DatabasePlace {
  std::string address;  // a file, or what is_pg_address() knows as a server's
  std::string schema = "public";  // on a server
};

// Fenced by the policy. Keeps no reference to `catalog` and `policy`.
Result<std::unique_ptr<QueryRunner>> open_runner(const DatabasePlace& place, const Catalog& catalog, const Policy& policy,
                                                 Profile profile, RunLimits limits = {});

// Without a policy, for a benchmark's own queries: read-only and within limits. On a server whoever connects may have any rights.
Result<std::unique_ptr<QueryRunner>> open_unfenced_runner(const DatabasePlace& place, RunLimits limits = {});

// For whoever writes the policy, to look at the data: read-only and within limits, and with nothing hidden. On a server that is
// the owner, or another who has more rights than questions need.
Result<std::unique_ptr<QueryRunner>> open_owners_runner(const DatabasePlace& place, const Catalog& catalog, RunLimits limits = {});

}  // namespace pccsql
