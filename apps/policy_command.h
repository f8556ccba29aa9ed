// The options of the commands under `policy`.
#pragma once

#include <optional>
#include <string>

#include "lint/first_policy.h"

namespace CLI {
class App;
}

namespace pccsql {

struct Options;

struct PolicyOptions {
  PeopleNames people = PeopleNames::Hidden;
  bool no_data = false;
  bool strict = false;    // lint: what `*` opens without a record counts too
  bool accepted = false;  // lint: list what the policy accepts
  bool accept = false;    // diff: record what is open
  std::optional<std::string> role;  // grants, import, lint
};

struct PolicyCommands {
  CLI::App* init = nullptr;
  CLI::App* lint = nullptr;
  CLI::App* diff = nullptr;
  CLI::App* grants = nullptr;
  CLI::App* import = nullptr;
};

PolicyCommands add_policy_commands(CLI::App& app, Options& options);

}  // namespace pccsql
