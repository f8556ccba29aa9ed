// The command lines of `pccsql eval run` and `pccsql eval sweep retry | policy | lookahead`.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "apps/model_options.h"
#include "syntax/grammar.h"

namespace CLI {
class App;
}

namespace pccsql {

struct Options;

// What every run needs, of `eval run` and of the sweeps.
struct EvalRunOptions : ModelOptions, MethodOptions {
  std::optional<std::string> suite;
  std::optional<std::string> out;
  std::optional<uint64_t> limit;
  std::optional<uint64_t> sample;
  std::optional<uint64_t> per_database;
  std::optional<uint64_t> seed;
  std::optional<std::string> shard;  // "2/8"
  bool with_database = false;
  std::optional<uint64_t> parallel;
  std::optional<std::string> answers;  // who answers, through standard input and output
  bool no_exec = false;
  bool evidence = false;
  std::optional<std::string> data;
  Language language = Language::Full;
  bool no_lookahead = false;
};

enum class SweepFormat { Text, Markdown, Json };

struct EvalSweepOptions {
  EvalRunOptions run;
  std::vector<uint64_t> n{1, 2, 3, 5, 10};
  std::vector<double> p{0, 0.05, 0.1};
  std::vector<double> p_relax{0, 0.2, 0.4};
  std::optional<std::string> spider;
  std::optional<std::string> bird;
  std::vector<std::string> databases;
  std::optional<uint64_t> policy_seed;
  SweepFormat format = SweepFormat::Text;
};

struct EvalRunCommands {
  const CLI::App* run = nullptr;
  const CLI::App* retry = nullptr;
  const CLI::App* policy = nullptr;
  const CLI::App* lookahead = nullptr;
};

// Adds them to the group `eval`. PRE: `options` lives as long as `group` parses.
EvalRunCommands add_eval_run_commands(CLI::App& group, Options& options);

}  // namespace pccsql
