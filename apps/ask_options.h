// The command lines of `pccsql ask` and `pccsql query`.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "apps/model_options.h"

namespace CLI {
class App;
}

namespace pccsql {

struct Options;

enum class AskFormat { Table, Json, Csv };

struct AskOptions : ModelOptions, MethodOptions {
  std::optional<std::string> question;  // none: an interactive prompt
  std::optional<std::string> evidence;
  AskFormat format = AskFormat::Table;
  bool raw = false;  // values as they are, in csv and json
  bool no_run = false;
  std::optional<std::string> trace;
  std::optional<std::string> audit;
  std::optional<std::string> asker;  // for the audit; none: the login

  std::optional<uint64_t> rows;  // limits of the query
  std::optional<uint64_t> seconds;
  std::optional<uint64_t> megabytes;
};

CLI::App* add_ask_command(CLI::App& app, Options& options);
CLI::App* add_query_command(CLI::App& app, Options& options);

}  // namespace pccsql
