// The command line of `pccsql mask explain | replay | walk`.
#pragma once

namespace CLI {
class App;
}

namespace pccsql {

struct Options;

struct MaskCommands {
  const CLI::App* explain = nullptr;
  const CLI::App* replay = nullptr;
  const CLI::App* walk = nullptr;
};

// PRE: `options` lives as long as `app` parses.
MaskCommands add_mask_commands(CLI::App& app, Options& options);

}  // namespace pccsql
