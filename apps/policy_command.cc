// The commands `policy init` and `policy lint`.
#include <algorithm>
#include <filesystem>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "apps/options.h"
#include "apps/output.h"
#include "base/render.h"
#include "apps/source.h"
#include "base/file.h"
#include "lint/accepted.h"
#include "lint/data_lint.h"
#include "lint/data_look.h"
#include "lint/first_policy.h"
#include "lint/lint.h"
#include "lint/lint_pg.h"
#include "lint/opened.h"
#include "schema/pg_connection.h"
#include "schema/rules.h"

namespace pccsql {

using nlohmann::ordered_json;

namespace {

// The database, where the inputs are one with data.
std::optional<DatabasePlace> database_place(const Inputs& inputs) {
  if (inputs.schema || inputs.tables) return std::nullopt;
  return DatabasePlace{inputs.db.value_or(demo_database_path()), inputs.schema_name.value_or("public")};
}

}  // namespace

int run_policy_init(const Options& options) {
  namespace fs = std::filesystem;
  const bool to_file = options.out && *options.out != "-";
  if (to_file) {
    if (options.out->empty()) return fail("`--out` was given an empty text");
    std::error_code ignored;
    const bool there = fs::exists(fs::symlink_status(*options.out, ignored));
    if (there && !fs::is_regular_file(*options.out, ignored)) {
      return fail(Error{"is no regular file; nothing was written", *options.out, {0, 0}});
    }
    if (there && !options.force) {
      return fail(Error{"exists already; nothing was written. `--force` replaces it", *options.out, {0, 0}});
    }
  }
  auto source = Source::load(options.inputs, false);
  if (!source) return fail(source.error());
  auto catalog = source->catalog();
  if (!catalog) return fail(catalog.error());
  std::vector<TableLook> looks;
  if (const auto place = database_place(options.inputs); place && !options.policy.no_data) {
    auto data = DataLook::open(*place, **catalog);
    if (!data) return fail(data.error());
    for (TableId table = 0; table < (*catalog)->tables().size(); ++table) looks.push_back(data->sample(table));
  }
  const FirstPolicySettings settings{options.policy.people, FirstPolicySettings{}.min_group};
  const std::string yaml = to_yaml(**catalog, first_policy(**catalog, looks, settings), settings, looks);
  if (!to_file) {
    Output output;
    output.write(yaml);
    return output.finish(kExitFine);
  }
  if (auto done = write_file(*options.out, yaml); !done) return fail(done.error());
  return kExitFine;
}

namespace {

ordered_json to_json(const Warning& warning) {
  return {{"kind", to_string(warning.kind)},
          {"table", warning.table},
          {"column", warning.column},
          {"message", warning.message}};
}

std::string to_text(std::string_view before, const Warning& warning, std::string_view after = {}) {
  return printable(std::string(before) + ": " + warning.message + " [" + std::string(to_string(warning.kind)) + "]" +
                   std::string(after)) +
         "\n";
}

}  // namespace

int run_policy_lint(const Options& options) {
  auto source = Source::load(options.inputs, true);
  if (!source) return fail(source.error());
  auto catalog = source->catalog();
  if (!catalog) return fail(catalog.error());
  auto policy = source->policy(**catalog);
  if (!policy) return fail(policy.error());
  std::vector<Warning> found = lint(**catalog, *policy);
  if (options.policy.role && !rules_of(**catalog).server) {
    return fail("`--role` is for a PostgreSQL server: give `--db postgresql://…`");
  }
  if (rules_of(**catalog).server) {
    if (options.inputs.schema) {
      return fail("what is wrong with a policy on PostgreSQL is asked of the server: give `--db postgresql://…`");
    }
    auto connection = PgConnection::open(*options.inputs.db);
    if (!connection) return fail(connection.error());
    auto of_server =
        lint_pg(*connection, options.inputs.schema_name.value_or("public"), **catalog, *policy, options.policy.role);
    if (!of_server) return fail(of_server.error());
    std::ranges::move(*of_server, std::back_inserter(found));
  }
  bool data_seen = false;
  if (const auto place = database_place(options.inputs); place && !options.policy.no_data) {
    auto data = DataLook::open(*place, **catalog);
    if (!data) return fail(data.error());
    std::ranges::move(lint_data(**catalog, *policy, *data), std::back_inserter(found));
    data_seen = !data->is_incomplete();
    if (!data_seen) fail("not all of the data could be looked at in the time that there is for it; `--no-data` leaves them out");
  }
  std::ranges::stable_sort(found, {}, &Warning::table_id);
  SettledFindings settled{std::move(found), {}};
  std::vector<Warning> opened;
  if (const auto notes = source->notes(**catalog)) {
    settled = settle(**catalog, std::move(settled.open), *notes, data_seen);
    opened = lint_opened(**catalog, *policy, *notes);
  }
  if (options.policy.strict) std::ranges::move(std::exchange(opened, {}), std::back_inserter(settled.open));

  Output output;
  const int status = settled.open.empty() ? kExitFine : kExitNotFine;
  if (options.format == Format::Json) {
    auto list = ordered_json::array();
    for (const Warning& warning : settled.open) list.push_back(to_json(warning));
    for (const auto& [warning, reason] : settled.accepted) {
      if (!options.policy.accepted) break;
      list.push_back(to_json(warning));
      list.back()["accepted"] = reason;
    }
    output.write(list.dump(2, ' ', false, ordered_json::error_handler_t::replace) + "\n");
    return output.finish(status);
  }
  for (const Warning& warning : settled.open) output.write(to_text("warning", warning));
  for (const Warning& warning : opened) {
    if (warning.kind == Finding::NewColumn) output.write(to_text("note", warning));
  }
  if (options.policy.accepted) {
    for (const auto& [warning, reason] : settled.accepted) output.write(to_text("accepted", warning, ": " + reason));
  }
  if (settled.open.empty()) {
    const size_t count = settled.accepted.size();
    output.write("no warnings" + (count == 0 ? std::string() : "; " + std::to_string(count) + " accepted by the policy") + "\n");
  }
  return output.finish(status);
}

}  // namespace pccsql
