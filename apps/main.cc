// The program `pccsql`: one command, one answer, one exit status.
#include "apps/options.h"

int main(int argc, char** argv) {
  const pccsql::Options options = pccsql::parse_command_line(argc, argv);
  switch (options.command) {
    case pccsql::Command::Check:
    case pccsql::Command::Roles:
      return pccsql::run_queries(options);
    case pccsql::Command::PolicyInit:
      return pccsql::run_policy_init(options);
    case pccsql::Command::PolicyLint:
      return pccsql::run_policy_lint(options);
    case pccsql::Command::PolicyDiff:
      return pccsql::run_policy_diff(options);
    case pccsql::Command::PolicyGrants:
      return pccsql::run_policy_grants(options);
    case pccsql::Command::PolicyImport:
      return pccsql::run_policy_import(options);
    case pccsql::Command::MaskExplain:
      return pccsql::run_mask_explain(options);
    case pccsql::Command::MaskReplay:
      return pccsql::run_mask_replay(options);
    case pccsql::Command::MaskWalk:
      return pccsql::run_mask_walk(options);
    case pccsql::Command::ModelList:
      return pccsql::run_model_list(options);
    case pccsql::Command::ModelPull:
      return pccsql::run_model_pull(options);
    case pccsql::Command::ModelPath:
      return pccsql::run_model_path(options);
    case pccsql::Command::ModelVerify:
      return pccsql::run_model_verify(options);
    case pccsql::Command::Query:
      return pccsql::run_query(options);
    case pccsql::Command::Serve:
      return pccsql::run_serve(options);
    case pccsql::Command::ServeKey:
      return pccsql::run_serve_key(options);
    case pccsql::Command::Mcp:
      return pccsql::run_mcp(options);
    case pccsql::Command::Ask:
      return pccsql::run_ask(options);
    case pccsql::Command::SuiteSpiderCu:
    case pccsql::Command::SuiteBirdCu:
    case pccsql::Command::SuiteSpiderAcl:
      return pccsql::run_suite_build(options);
    case pccsql::Command::SuiteTraining:
      return pccsql::run_suite_training(options);
    case pccsql::Command::SuitePostgreSql:
      return pccsql::run_suite_postgresql(options);
    case pccsql::Command::SuiteStats:
      return pccsql::run_suite_stats(options);
    case pccsql::Command::EvalRun:
      return pccsql::run_eval_run(options);
    case pccsql::Command::EvalSweepRetry:
    case pccsql::Command::EvalSweepPolicy:
    case pccsql::Command::EvalSweepLookahead:
      return pccsql::run_eval_sweep(options);
    case pccsql::Command::EvalReport:
      return pccsql::run_eval_report(options);
    case pccsql::Command::EvalCompare:
      return pccsql::run_eval_compare(options);
    case pccsql::Command::None:
      break;
  }
  return options.status;
}
