// The command line of `pccsql ask`.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "decode/answer.h"

namespace CLI {
class App;
}

namespace pccsql {

struct Options;

enum class AskFormat { Table, Json, Csv };

struct AskOptions {
  std::optional<std::string> question;  // none: an interactive prompt
  std::optional<std::string> evidence;
  std::optional<std::string> model;       // a known name, a GGUF file, or an address of a chat endpoint
  std::optional<std::string> model_name;  // at the endpoint
  Method method = Method::Pcc;
  AskFormat format = AskFormat::Table;
  bool allow_refuse = false;
  bool no_run = false;
  std::optional<std::string> trace;
  std::optional<std::string> audit;
  std::optional<std::string> prompts;

  std::optional<uint64_t> max_tokens;
  std::optional<uint64_t> retries;
  std::optional<uint64_t> iterations;
  std::optional<double> penalty;
  bool names_only = false;

  std::optional<uint64_t> threads;
  std::optional<uint64_t> context;
  std::optional<uint64_t> gpu_layers;

  std::optional<uint64_t> rows;  // limits of the query
  std::optional<uint64_t> seconds;
  std::optional<uint64_t> megabytes;
};

CLI::App* add_ask_command(CLI::App& app, Options& options);

}  // namespace pccsql
