// Options: the command line, told apart into commands and what each of them needs. Help, version and mistakes are dealt
// with here.
#pragma once

#include <optional>
#include <string>

#include "apps/ask_options.h"
#include "apps/eval_command.h"
#include "apps/eval_run.h"
#include "apps/policy_command.h"
#include "apps/serve_options.h"
#include "apps/source.h"
#include "apps/suite_command.h"
#include "check/check.h"
#include "track/tracker.h"
#include "verify/chooser.h"

namespace pccsql {

enum class Command {
  None,  // all is said already
  Check,
  Roles,
  PolicyInit,
  PolicyLint,
  PolicyDiff,
  PolicyGrants,
  PolicyImport,
  MaskExplain,
  MaskReplay,
  MaskWalk,
  ModelList,
  ModelPull,
  ModelPath,
  ModelVerify,
  Ask,
  Query,
  Serve,
  ServeKey,
  Mcp,
  SuiteSpiderCu,
  SuiteBirdCu,
  SuiteSpiderAcl,
  SuiteTraining,
  SuitePostgreSql,
  SuiteStats,
  EvalRun,
  EvalSweepRetry,
  EvalSweepPolicy,
  EvalSweepLookahead,
  EvalReport,
  EvalCompare
};
enum class Format { Default, Text, Json };
enum class Color { Auto, Always, Never };

enum class MaskAlgorithm { Pcc, Paper };

struct MaskOptions {
  std::optional<std::string> vocab;
  std::optional<uint64_t> logits_width;
  std::optional<uint64_t> budget;
  std::optional<uint64_t> memory_mb;
  MaskAlgorithm algorithm = MaskAlgorithm::Pcc;
  bool no_lookahead = false;
  bool derived_names = false;
  track::Aliases aliases = track::Aliases::Short;
  track::Style style = track::Style::Any;

  std::optional<uint64_t> seed;
  std::optional<uint64_t> random_tokenisations;  // replay
  bool times = false;
  std::optional<uint64_t> walks;  // walk
  WalkLogits logits = WalkLogits::Uniform;
};

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
  bool show_run = false;  // check

  // policy init
  std::optional<std::string> out;
  bool force = false;

  PolicyOptions policy;

  MaskOptions mask;

  std::optional<std::string> model_name;  // model pull, path, verify

  AskOptions ask;

  ServeOptions serve;

  SuiteOptions suite;

  EvalRunOptions eval_run;
  EvalSweepOptions eval_sweep;
  EvalReadOptions eval_read;
};

Options parse_command_line(int argc, const char* const* argv);

// What the commands do; each gives the exit status.
int run_queries(const Options& options);  // check and roles
int run_policy_init(const Options& options);
int run_policy_lint(const Options& options);
int run_policy_diff(const Options& options);
int run_policy_grants(const Options& options);
int run_policy_import(const Options& options);
int run_mask_explain(const Options& options);
int run_mask_replay(const Options& options);
int run_mask_walk(const Options& options);
int run_model_list(const Options& options);
int run_model_pull(const Options& options);
int run_model_path(const Options& options);
int run_model_verify(const Options& options);
int run_ask(const Options& options);
int run_query(const Options& options);
int run_serve(const Options& options);
int run_serve_key(const Options& options);
int run_mcp(const Options& options);
int run_suite_build(const Options& options);
int run_suite_training(const Options& options);
int run_suite_postgresql(const Options& options);
int run_suite_stats(const Options& options);
int run_eval_run(const Options& options);
int run_eval_sweep(const Options& options);
int run_eval_report(const Options& options);
int run_eval_compare(const Options& options);

}  // namespace pccsql
