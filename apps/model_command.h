// The command line of `pccsql model list | pull | path | verify`.
#pragma once

namespace CLI {
class App;
}

namespace pccsql {

struct Options;

struct ModelCommands {
  const CLI::App* list = nullptr;
  const CLI::App* pull = nullptr;
  const CLI::App* path = nullptr;
  const CLI::App* verify = nullptr;
};

// PRE: `options` lives as long as `app` parses.
ModelCommands add_model_commands(CLI::App& app, Options& options);

}  // namespace pccsql
