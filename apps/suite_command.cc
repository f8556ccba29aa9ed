#include "apps/suite_command.h"

#include <cstdio>

#include "apps/option_kinds.h"
#include "apps/options.h"
#include "apps/output.h"
#include "apps/terminal.h"
#include "base/file.h"
#include "eval/training.h"
#include "schema/pg_connection.h"
#include "suite/build.h"
#include "suite/gold.h"
#include "suite/statistics_report.h"

namespace pccsql {
namespace {

constexpr const char* kSuiteFooter =
    "A suite is one file of JSON lines: questions, gold queries, labels, policies and schemas. It is made from your "
    "own\n"
    "copy of Spider or BIRD; nothing of them comes with pccsql.\n"
    "Examples:\n"
    "  pccsql suite build spider-cu --spider DIR --out spider-cu.jsonl\n"
    "  pccsql suite stats spider-cu.jsonl";

constexpr const char* kBuildFooter =
    "Examples:\n"
    "  pccsql suite build spider-cu --spider DIR --out spider-cu.jsonl\n"
    "  pccsql suite build bird-cu --bird DIR --profile strict --out bird-cu.jsonl\n"
    "  pccsql suite build spider-acl --acl FILE.jsonl --spider DIR --out spider-acl.jsonl\n"
    "The same inputs give the same bytes.\n"
    "Exit status: 0 written, 2 a usage or file error.";

constexpr const char* kTrainingFooter =
    "Writes the training questions with the prompts that `ask` and `eval` send, as a model's tokens, and gold in canonical\n"
    "style: what scripts/train makes an adapter of. Nothing of the dev parts is in it. A line of JSON is a group of\n"
    "questions that share a prompt; `aside` marks databases that are kept to choose by.\n"
    "Example:\n"
    "  pccsql suite training --spider DIR --bird DIR --out training.jsonl\n"
    "The same inputs give the same bytes.\n"
    "Exit status: 0 written, 2 a usage or file error.";

constexpr const char* kPostgresFooter =
    "The questions of a suite on a PostgreSQL server: its gold queries as somebody has ported them (lines of gold.jsonl:\n"
    "form, split, index, db, sql; and FORM/DB.sql, the DDL of each database), its policies by the columns' names, its\n"
    "labels judged anew under profile strict. Questions whose query was not ported or is not in the language are left out.\n"
    "Example:\n"
    "  pccsql suite build postgresql --suite spider-cu.jsonl --port DIR --db 'postgresql://me@host/{db}' --out spider-pg.jsonl\n"
    "Exit status: 0 written, 2 a usage or file error.";

constexpr const char* kStatsFooter =
    "Examples:\n"
    "  pccsql suite stats spider-cu.jsonl bird-cu.jsonl\n"
    "  pccsql suite stats --format markdown spider-cu.jsonl\n"
    "The paper's figures stand beside ours where it printed them, for suites built as the paper built them.\n"
    "Exit status: 0, or 2 a usage or file error.";

constexpr const char* kSpiderFolder = "Spider: dev.json, train_spider.json, train_others.json, tables.json, database/";
constexpr const char* kBirdFolder =
    "BIRD: dev/dev.json, dev/dev_tables.json, dev/dev_databases/, and the same of train/";

void add_column_use_options(CLI::App& command, SuiteOptions& suite) {
  add_share(command, "--p", suite.p, Share::From0, "share of columns made Hidden at random (default: 0)");
  add_share(command, "--p-relax", suite.p_relax, Share::From0, "share of restricted columns made Public (default: 0)");
  add_number(command, "--seed", suite.seed, 0, "of these (default: 42)");
  command.add_option("--databases", suite.databases, "a folder in which to look for database files as well")
      ->type_name("DIR");
}

void add_common_options(CLI::App& command, SuiteOptions& suite) {
  add_choice<Profile>(command, "--profile", suite.profile, {{"paper", Profile::Paper}, {"strict", Profile::Strict}},
                      "how uses are counted, for labels and runs (default: paper)");
  add_text(command, "--out", suite.out, "FILE", "the suite's file");
}

CLI::App* add_training_command(CLI::App& group, SuiteOptions& suite) {
  CLI::App* training = add_command(group, "training", "the training questions as an adapter is trained on them", kTrainingFooter);
  add_text(*training, "--spider", suite.spider, "DIR", kSpiderFolder);
  add_text(*training, "--bird", suite.bird, "DIR", kBirdFolder);
  training->add_option("--databases", suite.databases, "a folder in which to look for database files as well")
      ->type_name("DIR");
  add_text(*training, "--model", suite.model.model, "NAME|FILE", "whose tokens (default: qwen2.5-coder-1.5b)");
  add_number(*training, "--rounds", suite.rounds, 1, "how often each question is seen (default: 2)");
  add_number(*training, "--group", suite.group, 1, "questions that share a prompt, at most (default: 16)");
  add_number(*training, "--aside", suite.aside, 0, "databases of each benchmark to choose by (default: 10)");
  add_number(*training, "--values", suite.values, 0, "example values beside a column, in half of the groups (default: 3)");
  training->add_flag("--refuse", suite.teach_refusals, "half of the policies stay as they are, and what they forbid is answered by REFUSE");
  add_number(*training, "--longest-prompt", suite.longest_prompt, 1, "tokens that a prompt may have (default: 2600)");
  add_number(*training, "--seed", suite.seed, 0, "of what is drawn (default: 42)");
  add_text(*training, "--out", suite.out, "FILE", "the data's file");
  return training;
}

int write_suite(const Result<Suite>& suite, const SuiteOptions& options, const std::string& more = {}) {
  if (!suite) return fail(suite.error());
  if (const auto written = write_file(*options.out, to_text(*suite)); !written) return fail(written.error());
  size_t refuse = 0;
  size_t missing = 0;
  for (const SuiteQuestion& question : suite->questions) {
    refuse += question.gold_label == GoldLabel::Refuse;
    missing += question.db_path.empty();
  }
  Output output;
  output.write(*options.out + ": " + std::to_string(suite->questions.size()) + " questions, " +
               std::to_string(suite->questions.size() - refuse) + " sql, " + std::to_string(refuse) + " refuse, " +
               std::to_string(suite->catalogs.size()) + " databases" +
               (suite->execution && missing > 0 ? ", " + std::to_string(missing) + " questions without a database file"
                                                : std::string()) +
               more + "\n");
  return output.finish(kExitFine);
}

}  // namespace

SuiteCommands add_suite_commands(CLI::App& app, Options& options) {
  SuiteOptions& suite = options.suite;
  CLI::App* group = add_command(app, "suite", "build the benchmarks, and count what is in them", kSuiteFooter);
  CLI::App* build = add_command(*group, "build", "make a suite from a copy of Spider or BIRD", kBuildFooter);
  CLI::App* spider = add_command(*build, "spider-cu", "Spider's dev questions under column-use policies", kBuildFooter);
  add_text(*spider, "--spider", suite.spider, "DIR", kSpiderFolder);
  add_column_use_options(*spider, suite);
  add_common_options(*spider, suite);
  CLI::App* bird = add_command(*build, "bird-cu", "BIRD's dev questions under column-use policies", kBuildFooter);
  add_text(*bird, "--bird", suite.bird, "DIR", kBirdFolder);
  add_column_use_options(*bird, suite);
  add_common_options(*bird, suite);
  CLI::App* acl = add_command(*build, "spider-acl", "Spider-ACL's questions under its users' grants", kBuildFooter);
  add_text(*acl, "--acl", suite.acl, "FILE", "the data as released, JSON lines");
  add_text(*acl, "--spider", suite.spider, "DIR", "Spider: tables.json");
  add_common_options(*acl, suite);
  CLI::App* postgresql = add_command(*build, "postgresql", "a suite's questions on a PostgreSQL server", kPostgresFooter);
  add_text(*postgresql, "--suite", suite.suite, "FILE", "of SQLite files, as `suite build` wrote it");
  add_text(*postgresql, "--port", suite.port, "DIR", "its gold queries and schemas for PostgreSQL");
  add_text(*postgresql, "--db", suite.address, "ADDRESS", "of the databases; `{db}` stands for each one's name in the port");
  add_text(*postgresql, "--form", suite.form, "NAME", "which form of the port's (default: cleaned)");
  add_text(*postgresql, "--out", suite.out, "FILE", "the suite's file");
  CLI::App* stats =
      add_command(*group, "stats", "policies, labels, roles, violations, language of suites", kStatsFooter);
  stats->add_option("FILE", suite.files, "suites");
  add_choice<StatsFormat>(
      *stats, "--format", suite.format,
      {{"text", StatsFormat::Text}, {"markdown", StatsFormat::Markdown}, {"json", StatsFormat::Json}},
      "(default: text)");
  return {spider, bird, acl, add_training_command(*group, suite), postgresql, stats};
}

int run_suite_training(const Options& options) {
  const SuiteOptions& suite = options.suite;
  const char* hint = "try `pccsql suite training --help`";
  if (!suite.spider && !suite.bird) return fail("no data given; add `--spider DIR`, `--bird DIR`, or both", hint);
  if (!suite.out) return fail("where to? Add `--out FILE`", hint);
  ModelOptions tokens = suite.model;
  tokens.no_adapter = true;  // only its tokenizer is wanted
  const auto opened = open_model(tokens, {.sequences = 1, .keep_prefixes = false});
  if (!opened) return fail(opened.error());
  if (!opened->model) return fail("a model with a tokenizer is needed, not an endpoint", hint);

  TrainingOptions training;
  training.rounds = suite.rounds.value_or(training.rounds);
  training.group = suite.group.value_or(training.group);
  training.aside = suite.aside.value_or(training.aside);
  training.values = suite.values.value_or(training.values);
  training.longest_prompt = suite.longest_prompt.value_or(training.longest_prompt);
  training.refuse = suite.teach_refusals;
  training.seed = suite.seed.value_or(training.seed);
  Progress progress("groups");
  training.done = [&progress](size_t count) { progress.done(count); };
  std::string text;
  std::string report;
  for (const bool bird : {false, true}) {
    const auto& folder = bird ? suite.bird : suite.spider;
    if (!folder) continue;
    auto data = bird ? read_bird(*folder) : read_spider(*folder);
    if (!data) return fail(data.error());
    data->database_folders.insert(data->database_folders.end(), suite.databases.begin(), suite.databases.end());
    const auto made = training_data(*data, *opened->model, training);
    if (!made) return fail(made.error());
    text += to_text(*made);
    report += data->name + ": " + std::to_string(made->questions) + " of " + std::to_string(data->train.size()) +
              " questions in " + std::to_string(made->groups.size()) + " groups\n";
    for (const auto& [reason, count] : made->left_out) report += "  left out: " + std::to_string(count) + ", " + reason + "\n";
  }
  if (const auto written = write_file(*suite.out, text); !written) return fail(written.error());
  Output output;
  output.write(report);
  return output.finish(kExitFine);
}

int run_suite_build(const Options& options) {
  const SuiteOptions& suite = options.suite;
  const char* hint = "try `pccsql suite build --help`";
  const bool bird = options.command == Command::SuiteBirdCu;
  const bool acl = options.command == Command::SuiteSpiderAcl;
  if (acl && !suite.acl) return fail("no data given; add `--acl FILE.jsonl`", hint);
  if (bird && !suite.bird) return fail("no copy of BIRD given; add `--bird DIR`", hint);
  if (!bird && !suite.spider) return fail("no copy of Spider given; add `--spider DIR`", hint);
  if (!suite.out) return fail("where to? Add `--out FILE`", hint);

  BuildOptions build;
  build.folder = bird ? *suite.bird : *suite.spider;
  build.acl = suite.acl.value_or("");
  build.databases = suite.databases;
  build.disturbance = {suite.p.value_or(0), suite.p_relax.value_or(0), suite.seed.value_or(42)};
  build.profile = suite.profile;
  Progress progress("questions");
  build.done = [&progress](size_t count) { progress.done(count); };
  if (acl) return write_suite(build_spider_acl(build), suite);
  return write_suite(bird ? build_bird_cu(build) : build_spider_cu(build), suite);
}

int run_suite_postgresql(const Options& options) {
  const SuiteOptions& suite = options.suite;
  const char* hint = "try `pccsql suite build postgresql --help`";
  if (!suite.suite) return fail("which suite? Add `--suite FILE`", hint);
  if (!suite.port) return fail("no port of its gold queries given; add `--port DIR`", hint);
  if (!suite.address || !is_pg_address(*suite.address)) {
    return fail("where are the databases? Add `--db 'postgresql://user@host/{db}'`", hint);
  }
  if (!suite.out) return fail("where to? Add `--out FILE`", hint);
  PortOptions port{*suite.suite, *suite.port, suite.form.value_or("cleaned"), *suite.address, 0};
  const auto made = build_on_postgres(port);
  return write_suite(made, suite, port.left_out == 0 ? std::string() : ", " + std::to_string(port.left_out) + " left out");
}

int run_suite_stats(const Options& options) {
  const SuiteOptions& suite = options.suite;
  if (suite.files.empty()) return fail("which suites? Name their files", "try `pccsql suite stats --help`");
  std::vector<SuiteReport> reports;
  for (const std::string& file : suite.files) {
    const auto read = read_suite(file);
    if (!read) return fail(read.error());
    Progress progress("questions");
    reports.push_back(report_of(*read, file, [&progress](size_t count) { progress.done(count); }));
  }
  Output output;
  if (suite.format == StatsFormat::Json) output.write(to_json(reports));
  for (size_t i = 0; i < reports.size(); ++i) {
    if (suite.format == StatsFormat::Json) break;
    if (i > 0) output.write("\n");
    output.write(suite.format == StatsFormat::Text ? to_text(reports[i]) : to_markdown(reports[i]));
  }
  return output.finish(kExitFine);
}

}  // namespace pccsql
