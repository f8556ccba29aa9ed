// The commands `policy init` and `policy lint`.

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "apps/options.h"
#include "apps/output.h"
#include "apps/render.h"
#include "apps/source.h"
#include "base/file.h"
#include "lint/data_look.h"
#include "lint/first_policy.h"
#include "lint/lint.h"

namespace pccsql {
namespace {

// The SQLite file, where the inputs are one.
std::optional<std::string> database_path(const Inputs& inputs) {
  if (inputs.schema || inputs.tables) return std::nullopt;
  return inputs.db.value_or(demo_database_path());
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
  if (const auto path = database_path(options.inputs); path && !options.policy.no_data) {
    auto data = DataLook::open(*path, **catalog);
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

int run_policy_lint(const Options& options) {
  auto source = Source::load(options.inputs, true);
  if (!source) return fail(source.error());
  auto catalog = source->catalog();
  if (!catalog) return fail(catalog.error());
  auto policy = source->policy(**catalog);
  if (!policy) return fail(policy.error());
  const std::vector<Warning> warnings = lint(**catalog, *policy);

  Output output;
  if (options.format == Format::Json) {
    auto list = nlohmann::ordered_json::array();
    for (const Warning& warning : warnings) {
      list.push_back({{"kind", to_string(warning.kind)},
                      {"table", warning.table},
                      {"column", warning.column},
                      {"message", warning.message}});
    }
    output.write(list.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n");
  } else {
    for (const Warning& warning : warnings) {
      output.write(printable("warning: " + warning.message + " [" + std::string(to_string(warning.kind)) + "]") + "\n");
    }
    if (warnings.empty()) output.write("no warnings\n");
  }
  return output.finish(warnings.empty() ? kExitFine : kExitNotFine);
}

}  // namespace pccsql
