// The command `policy diff`: what the schema has that the policy file does not name, and what is open all the same.
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "apps/options.h"
#include "apps/output.h"
#include "base/render.h"
#include "apps/source.h"
#include "base/file.h"
#include "lint/opened.h"

namespace pccsql {
namespace {

using nlohmann::ordered_json;

bool is_open(const Unnamed& unnamed) { return unnamed.label != ColumnPolicy::Hidden; }
bool is_new(const Unnamed& unnamed) { return is_open(unnamed) && !unnamed.recorded; }
const char* by(const Unnamed& unnamed) { return unnamed.source == LabelSource::Star ? "*" : "default"; }

std::string to_text(const Catalog& catalog, const std::vector<Unnamed>& columns, bool recorded) {
  std::string text;
  for (const bool open : {true, false}) {
    for (const Unnamed& unnamed : columns) {
      if (is_open(unnamed) != open) continue;
      const Table& table = catalog.table(unnamed.column.table);
      text += table.name + "." + table.columns[unnamed.column.column].name + ": " + std::string(to_string(unnamed.label)) +
              " by `" + by(unnamed) + "`";
      if (open) text += unnamed.recorded ? ", as recorded" : recorded ? ", added since the record" : ", not recorded";
      text += "\n";
    }
  }
  return text;
}

std::string to_json(const Catalog& catalog, const std::vector<Unnamed>& columns) {
  auto list = ordered_json::array();
  for (const Unnamed& unnamed : columns) {
    const Table& table = catalog.table(unnamed.column.table);
    list.push_back({{"table", table.name},
                    {"column", table.columns[unnamed.column.column].name},
                    {"policy", to_string(unnamed.label)},
                    {"by", by(unnamed)},
                    {"recorded", unnamed.recorded}});
  }
  return list.dump(2, ' ', false, ordered_json::error_handler_t::replace) + "\n";
}

int accept(const Options& options, const Source& source, const Catalog& catalog) {
  const std::string file = options.inputs.policy.value_or(demo_policy_path());
  if (file == "-") return fail("`--accept` changes the policy file, and standard input is none");
  const auto text = with_record(std::string(source.yaml()), catalog, file);
  if (!text) return fail(text.error());
  if (auto done = write_file(file, *text); !done) return fail(done.error());
  return kExitFine;
}

}  // namespace

int run_policy_diff(const Options& options) {
  auto source = Source::load(options.inputs, true);
  if (!source) return fail(source.error());
  auto catalog = source->catalog();
  if (!catalog) return fail(catalog.error());
  auto policy = source->policy(**catalog);
  if (!policy) return fail(policy.error());
  const auto notes = source->notes(**catalog);
  if (!notes) return fail("`policy diff` is for policy files in YAML; in comments and grants what is not named is Hidden");
  if (options.policy.accept) return accept(options, *source, **catalog);

  const std::vector<Unnamed> columns = unnamed_columns(**catalog, *policy, *notes);
  Output output;
  if (options.format == Format::Json) {
    output.write(to_json(**catalog, columns));
  } else {
    output.write(columns.empty() ? "the policy names every column\n"
                                 : printable_lines(to_text(**catalog, columns, notes->opened.has_value())));
  }
  for (const Unnamed& unnamed : columns) {
    if (is_new(unnamed)) return output.finish(kExitNotFine);
  }
  return output.finish(kExitFine);
}

}  // namespace pccsql
