// The options of the commands `policy init` and `policy lint`.
#pragma once

#include <CLI/CLI.hpp>

#include "lint/first_policy.h"

namespace pccsql {

struct Options;

struct PolicyOptions {
  PeopleNames people = PeopleNames::Hidden;
  bool no_data = false;
};

struct PolicyCommands {
  CLI::App* init = nullptr;
  CLI::App* lint = nullptr;
};

PolicyCommands add_policy_commands(CLI::App& app, Options& options);

}  // namespace pccsql
