#include "exec/open_runner.h"

#include <utility>

#include "exec/pg_runner.h"
#include "exec/runner.h"
#include "schema/pg_catalog.h"

namespace pccsql {

Result<std::unique_ptr<QueryRunner>> open_runner(const DatabasePlace& place, const Catalog& catalog, const Policy& policy,
                                                 Profile profile, RunLimits limits) {
  if (is_pg_address(place.address)) {
    auto opened = PgRunner::open(place.address, place.schema, catalog, policy, limits);
    if (!opened) return opened.error();
    return std::unique_ptr<QueryRunner>(std::move(*opened));
  }
  auto opened = Runner::open(place.address, catalog, policy, profile, limits);
  if (!opened) return opened.error();
  return std::unique_ptr<QueryRunner>(std::make_unique<Runner>(std::move(*opened)));
}

Result<std::unique_ptr<QueryRunner>> open_unfenced_runner(const DatabasePlace& place, RunLimits limits) {
  if (is_pg_address(place.address)) {
    auto opened = PgRunner::open_unchecked(place.address, place.schema, limits);
    if (!opened) return opened.error();
    return std::unique_ptr<QueryRunner>(std::move(*opened));
  }
  auto opened = Runner::open_unfenced(place.address, limits);
  if (!opened) return opened.error();
  return std::unique_ptr<QueryRunner>(std::make_unique<Runner>(std::move(*opened)));
}

Result<std::unique_ptr<QueryRunner>> open_owners_runner(const DatabasePlace& place, const Catalog& catalog, RunLimits limits) {
  if (is_pg_address(place.address)) return open_unfenced_runner(place, limits);
  return open_runner(place, catalog, Policy(catalog, ColumnPolicy::Public), Profile::Strict, limits);
}

}  // namespace pccsql
