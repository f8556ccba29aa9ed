// The command line of `pccsql suite build | training | stats`.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "apps/model_options.h"
#include "policy/policy.h"

namespace CLI {
class App;
}

namespace pccsql {

struct Options;

enum class StatsFormat { Text, Markdown, Json };

struct SuiteOptions {
  std::optional<std::string> spider;
  std::optional<std::string> bird;
  std::optional<std::string> acl;
  std::optional<std::string> suite;  // postgresql: what is ported
  std::optional<std::string> port;
  std::optional<std::string> address;
  std::optional<std::string> form;
  std::vector<std::string> databases;
  std::optional<double> p;
  std::optional<double> p_relax;
  std::optional<uint64_t> seed;
  Profile profile = Profile::Paper;
  std::optional<std::string> out;

  ModelOptions model;  // training: whose tokens
  std::optional<uint64_t> rounds;
  bool teach_refusals = false;
  std::optional<uint64_t> group;
  std::optional<uint64_t> aside;
  std::optional<uint64_t> values;
  std::optional<uint64_t> longest_prompt;

  std::vector<std::string> files;  // stats
  StatsFormat format = StatsFormat::Text;
};

struct SuiteCommands {
  const CLI::App* spider_cu = nullptr;
  const CLI::App* bird_cu = nullptr;
  const CLI::App* spider_acl = nullptr;
  const CLI::App* training = nullptr;
  const CLI::App* postgresql = nullptr;
  const CLI::App* stats = nullptr;
};

// PRE: `options` lives as long as `app` parses.
SuiteCommands add_suite_commands(CLI::App& app, Options& options);

}  // namespace pccsql
