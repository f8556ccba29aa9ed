// Options: the command line, told apart into commands and what each of them needs. Help, version and mistakes are dealt
// with here.
#pragma once

#include <optional>
#include <string>

#include "apps/source.h"
#include "check/check.h"

namespace pccsql {

enum class Command { None, Check, Roles, PolicyInit, PolicyLint };  // None: all is said already
enum class Format { Default, Text, Json };
enum class Color { Auto, Always, Never };

struct Options {
  Command command = Command::None;
  int status = 0;  // the exit status, for Command::None
  Inputs inputs;
  Format format = Format::Default;
  Color color = Color::Auto;

  // check, roles
  CheckSettings settings;
  std::optional<std::string> sql;
  std::optional<std::string> jsonl;

  // policy init
  std::optional<std::string> out;
  bool force = false;
};

Options parse_command_line(int argc, const char* const* argv);

// What the commands do; each gives the exit status.
int run_queries(const Options& options);  // check and roles
int run_policy_init(const Options& options);
int run_policy_lint(const Options& options);

}  // namespace pccsql
