// The commands `policy grants` and `policy import`: a policy as the rights of a PostgreSQL role, and the other way round.
#include <optional>
#include <string>

#include "apps/options.h"
#include "apps/output.h"
#include "apps/source.h"
#include "base/file.h"
#include "exec/pg_role.h"
#include "policy/column_comments.h"
#include "policy/policy_file.h"
#include "schema/pg_connection.h"
#include "schema/rules.h"

namespace pccsql {

int run_policy_grants(const Options& options) {
  if (!options.policy.role || options.policy.role->empty()) {
    return fail("no role named; add `--role NAME`, the role that questions shall run under");
  }
  auto source = Source::load(options.inputs, true);
  if (!source) return fail(source.error());
  auto catalog = source->catalog();
  if (!catalog) return fail(catalog.error());
  if (!rules_of(**catalog).server) {
    return fail("grants are for PostgreSQL: give `--db postgresql://…`, or `--schema FILE --dialect postgresql`");
  }
  auto policy = source->policy(**catalog);
  if (!policy) return fail(policy.error());
  Output output;
  output.write(grants_for(*options.policy.role, (*catalog)->name(), options.inputs.schema_name.value_or("public"),
                          **catalog, *policy));
  return output.finish(kExitFine);
}

int run_policy_import(const Options& options) {
  const Inputs& inputs = options.inputs;
  if (!inputs.db || !is_pg_address(*inputs.db))
    return fail("rights are read from a server: give `--db postgresql://…`");
  Inputs without_policy = inputs;
  without_policy.policy.reset();
  auto source = Source::load(without_policy, false);
  if (!source) return fail(source.error());
  auto found = source->catalog();
  if (!found) return fail(found.error());
  const Catalog& catalog = **found;
  std::optional<Policy> policy;
  const auto add = [&](Policy more) -> std::optional<Error> {
    if (!policy) {
      policy = std::move(more);
      return std::nullopt;
    }
    auto both = intersection(catalog, *policy, more);
    if (!both) return both.error();
    policy = std::move(*both);
    return std::nullopt;
  };
  if (inputs.policy) {
    auto text = read_file(*inputs.policy);
    if (!text) return fail(text.error());
    auto read = parse_policy_yaml(*text, catalog, *inputs.policy);
    if (!read) return fail(read.error());
    if (auto wrong = add(std::move(*read))) return fail(*wrong);
  }
  if (options.policy.role) {
    auto connection = PgConnection::open(*inputs.db);
    if (!connection) return fail(connection.error());
    auto granted = policy_of_role(*connection, inputs.schema_name.value_or("public"), catalog, *options.policy.role);
    if (!granted) return fail(granted.error());
    if (auto wrong = add(std::move(*granted))) return fail(*wrong);
  }
  auto comments = policy_of_comments(catalog, policy ? ColumnPolicy::Public : ColumnPolicy::Hidden);
  if (!comments) return fail(comments.error());
  if (*comments) {
    if (auto wrong = add(std::move(**comments))) return fail(*wrong);
  }
  if (!policy) {
    return fail(
        "nothing to import: no column has a comment with a label (COMMENT ON COLUMN … IS 'pccsql: Public'); "
        "`--role NAME` reads what a role may see");
  }
  Output output;
  output.write(to_yaml(catalog, *policy));
  return output.finish(kExitFine);
}

}  // namespace pccsql
