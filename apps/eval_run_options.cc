// The options of runs and sweeps: see apps/eval_run.h.
#include "apps/eval_run.h"
#include "apps/option_kinds.h"
#include "apps/options.h"

namespace pccsql {
namespace {

constexpr const char* kRunFooter =
    "Asks every question of the suite, judges each answer with the checker, runs it, compares its rows with gold's, "
    "and\n"
    "writes one line of JSON a question. A run that was interrupted or killed goes on when the same command is given\n"
    "again. One question at a time gives the same file each time, times aside; several at once (--parallel) are "
    "decoded\n"
    "in common batches, which is much faster on a GPU and may change a few outputs.\n"
    "Examples:\n"
    "  pccsql eval run --suite spider-cu.jsonl --method pcc --out pcc.jsonl\n"
    "  pccsql eval run --suite spider-cu.jsonl --method direct --model my.gguf --parallel 16 --out direct.jsonl\n"
    "  pccsql eval run --suite bird-cu.jsonl --with-database --out bird-432.jsonl\n"
    "  pccsql eval run --suite spider-acl.jsonl --sample 1000 --seed 42 --out acl.jsonl\n"
    "Exit status: 0 the run is whole, 1 an answer held an internal error, 2 a usage or file error, 130 interrupted.";

constexpr const char* kSweepFooter =
    "Examples:\n"
    "  pccsql eval sweep retry --n 1,2,3,5,10 --suite spider-cu.jsonl --out sweep/\n"
    "  pccsql eval sweep policy --p 0,0.05,0.1 --p-relax 0,0.2,0.4 --bird DIR --no-exec --out sweep/\n"
    "  pccsql eval sweep lookahead --suite spider-cu.jsonl --out sweep/";

constexpr const char* kRetryFooter =
    "One run with the largest N; what smaller ones would have given is read off its attempts (the paper's table 4).\n"
    "Example:\n"
    "  pccsql eval sweep retry --n 1,2,3,5,10 --suite spider-cu.jsonl --out sweep/";

constexpr const char* kPolicySweepFooter =
    "Builds a suite for each value, one parameter at a time, and runs the method on each (the paper's table 5).\n"
    "Example:\n"
    "  pccsql eval sweep policy --p 0,0.05,0.1 --p-relax 0,0.2,0.4 --bird DIR --no-exec --out sweep/";

constexpr const char* kLookaheadFooter =
    "pcc with and without its look-ahead, and the paper's own mask: what it adds that no text ends in a dead end.\n"
    "Example:\n"
    "  pccsql eval sweep lookahead --suite spider-cu.jsonl --out sweep/";

void add_questions(CLI::App& command, EvalRunOptions& run, bool with_suite) {
  if (with_suite)
    add_text(command, "--suite", run.suite, "FILE", "what `pccsql suite build` wrote")->group("Questions");
  add_number(command, "--limit", run.limit, 1, "the first N questions alone")->group("Questions");
  add_number(command, "--sample", run.sample, 1, "N questions, drawn at random")->group("Questions");
  add_number(command, "--per-database", run.per_database, 1, "N questions of each database, drawn at random")
      ->group("Questions");
  add_number(command, "--seed", run.seed, 0, "of what is drawn (default: 42)")->group("Questions");
  add_text(command, "--shard", run.shard, "I/N", "part I of N")->group("Questions");
  command.add_flag("--with-database", run.with_database, "only questions whose database file is there")
      ->group("Questions");
  command.add_flag("--no-exec", run.no_exec, "run no query: outcomes by the checker alone, no accuracy")
      ->group("Questions");
  add_text(command, "--data", run.data, "DIR", "where the databases are, if not where the suite was built")
      ->group("Questions");
  command.add_flag("--evidence", run.evidence, "give the model the hints that BIRD has beside its questions")
      ->group("Questions");
  add_number(command, "--parallel", run.parallel, 1, "questions at once (default: 1)")->group("Model");
  add_model_options(command, run);
}

void add_language(CLI::App& command, EvalRunOptions& run) {
  add_choice<Language>(command, "--language", run.language,
                       {{"full", Language::Full}, {"fragment", Language::Fragment}},
                       "fragment: without set operations, WITH, windows and CASE (default: full)")
      ->group("Method");
}

CLI::App* add_sweep(CLI::App& group, const char* name, const char* about, const char* footer, EvalSweepOptions& sweep,
                    bool with_suite) {
  CLI::App* command = add_command(group, name, about, footer);
  add_questions(*command, sweep.run, with_suite);
  add_number(*command, "--max-tokens", sweep.run.max_tokens, 1, "tokens of one generation (default: 512)")
      ->group("Method");
  add_memory(*command, sweep.run.memory_mb)->group("Method");
  add_text(*command, "--prompts", sweep.run.prompts, "DIR", "templates to use instead of the program's own")
      ->group("Method");
  add_text(*command, "--out", sweep.run.out, "DIR", "a folder for the runs; made if it is not there");
  add_choice<SweepFormat>(
      *command, "--format", sweep.format,
      {{"text", SweepFormat::Text}, {"markdown", SweepFormat::Markdown}, {"json", SweepFormat::Json}},
      "of the table (default: text)");
  return command;
}

}  // namespace

EvalRunCommands add_eval_run_commands(CLI::App& group, Options& options) {
  EvalRunOptions& run = options.eval_run;
  CLI::App* command = add_command(group, "run", "ask a suite's questions with a method and a model", kRunFooter);
  add_questions(*command, run, true);
  add_method_options(*command, run);
  add_language(*command, run);
  command->add_flag("--no-lookahead", run.no_lookahead, "pcc: without looking ahead to FROM, to compare")
      ->group("Method");
  add_text(*command, "--answers", run.answers, "NAME",
           "NAME answers, not a model: questions go to standard output, answers come from standard input, as JSON lines")
      ->group("Model");
  add_text(*command, "--out", run.out, "FILE", "the run's file; a run that it holds is gone on with");

  EvalSweepOptions& sweep = options.eval_sweep;
  CLI::App* sweeps = add_command(group, "sweep", "the same with one setting varied", kSweepFooter);
  CLI::App* retry =
      add_sweep(*sweeps, "retry", "how often a violation is asked about again", kRetryFooter, sweep, true);
  retry->add_option("--n", sweep.n, "attempts after the first (default: 1,2,3,5,10)")->delimiter(',')->type_name("N,…");
  CLI::App* policy = add_sweep(*sweeps, "policy", "policies disturbed at random", kPolicySweepFooter, sweep, false);
  policy->add_option("--p", sweep.p, "shares made Hidden (default: 0,0.05,0.1)")
      ->delimiter(',')
      ->type_name("X,…")
      ->check(CLI::Range(0.0, 1.0));
  policy->add_option("--p-relax", sweep.p_relax, "shares made Public (default: 0,0.2,0.4)")
      ->delimiter(',')
      ->type_name("X,…")
      ->check(CLI::Range(0.0, 1.0));
  add_number(*policy, "--policy-seed", sweep.policy_seed, 0, "of the policies (default: 42)");
  add_text(*policy, "--spider", sweep.spider, "DIR", "a copy of Spider, or");
  add_text(*policy, "--bird", sweep.bird, "DIR", "a copy of BIRD");
  policy->add_option("--databases", sweep.databases, "a folder in which to look for database files as well")
      ->type_name("DIR");
  add_choice<Method>(*policy, "--method", sweep.run.method,
                     {{"direct", Method::Direct},
                      {"retry", Method::Retry},
                      {"verify", Method::Verify},
                      {"itergen", Method::IterGen},
                      {"pcc", Method::Pcc},
                      {"pcc-paper", Method::PccPaper}},
                     "(default: pcc)")
      ->group("Method");
  CLI::App* lookahead = add_sweep(*sweeps, "lookahead", "what looking ahead adds", kLookaheadFooter, sweep, true);
  return {command, retry, policy, lookahead};
}

}  // namespace pccsql
