// In place of PostgreSQL's runner and witness where the program is built without libpq.
#include "exec/pg_role.h"
#include "exec/pg_runner.h"
#include "exec/pg_witness.h"
#include "pgtree/pg_tree.h"

namespace pccsql {
namespace {

Error absent() { return {std::string(kNoPostgres), {}, {}}; }

}  // namespace

Result<std::unique_ptr<PgRunner>> PgRunner::open(const std::string&, const std::string&, const Catalog&, const Policy&,
                                                 RunLimits) {
  return absent();
}
Result<std::unique_ptr<PgRunner>> PgRunner::open_unchecked(const std::string&, const std::string&, RunLimits) {
  return absent();
}
Result<RowSet> PgRunner::run(std::string_view, const std::atomic<bool>*) { return absent(); }
Result<RowSet> PgRunner::run(std::string_view, const RunText&, const std::atomic<bool>*) { return absent(); }

Result<PgWitness> PgWitness::open(const std::string&, const std::string&) { return absent(); }
Result<bool> PgWitness::takes(std::string_view) { return absent(); }

Result<Done> check_role(PgConnection&, const std::string&, const Catalog&, const Policy&) { return absent(); }
Result<Policy> policy_of_role(PgConnection&, const std::string&, const Catalog&, const std::string&) {
  return absent();
}

}  // namespace pccsql
