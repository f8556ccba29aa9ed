// The command line of `pccsql eval`.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace pccsql {

struct Options;

enum class EvalFormat { Text, Markdown, Json, Html };

// report and compare
struct EvalReadOptions {
  std::vector<std::string> runs;
  EvalFormat format = EvalFormat::Text;
  std::optional<std::string> out;
  std::optional<uint64_t> list;   // ids of a class, questions of a comparison
  std::optional<uint64_t> draws;  // of the bootstrap
  std::optional<uint64_t> seed;
};

struct EvalCommands {
  const CLI::App* report = nullptr;
  const CLI::App* compare = nullptr;
};

// PRE: `options` lives as long as `app` parses.
EvalCommands add_eval_commands(CLI::App& app, Options& options);

}  // namespace pccsql
