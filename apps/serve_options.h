// The command lines of `pccsql serve`, `pccsql serve key` and `pccsql mcp`.
#pragma once

#include <optional>
#include <string>

#include "apps/model_options.h"
#include "base/result.h"
#include "serve/config.h"

namespace CLI {
class App;
}

namespace pccsql {

struct Options;

struct ServeOptions : ModelOptions {
  std::optional<std::string> config;
  std::optional<std::string> listen;
  std::optional<std::string> audit;
  std::optional<std::string> person;  // serve key
  bool check = false;
  bool insecure = false;
};

struct ServeCommands {
  CLI::App* serve = nullptr;
  CLI::App* key = nullptr;
  CLI::App* mcp = nullptr;
};

ServeCommands add_serve_commands(CLI::App& app, Options& options);

// The file's, or one made of `--db` and `--policy`, or the demo's; what the command line says besides it holds.
Result<ServeConfig> serve_config(const Options& options);
// What the configuration names; nothing where it is `none`. Room for as many generations as it lets be made at once.
Result<OpenedModel> open_served_model(const Options& options, const ServeConfig& config);

}  // namespace pccsql
