#include "apps/eval_command.h"

#include "apps/option_kinds.h"
#include "apps/options.h"

namespace pccsql {
namespace {

constexpr const char* kEvalFooter =
    "Examples:\n"
    "  pccsql eval run --suite spider-cu.jsonl --method direct --out direct.jsonl\n"
    "  pccsql eval run --suite spider-cu.jsonl --method pcc --out pcc.jsonl\n"
    "  pccsql eval report direct.jsonl pcc.jsonl\n"
    "  pccsql eval report --format html --out report.html direct.jsonl pcc.jsonl\n"
    "  pccsql eval compare direct.jsonl pcc.jsonl";

constexpr const char* kReportFooter =
    "Measures runs over one suite: leak, coverage, recall, recovery, fail, calls, tokens, execution accuracy, with 95 "
    "%\n"
    "bootstrap intervals and the paper's figures beside them; then what was missed, by class of cause. The page of\n"
    "--format html is one file that needs no network: plots, and every question with its prompt, output, uses and "
    "rows.\n"
    "Examples:\n"
    "  pccsql eval report direct.jsonl pcc.jsonl\n"
    "  pccsql eval report --format markdown --list 1000 *.jsonl > results.md\n"
    "  pccsql eval report --format html --out report.html *.jsonl\n"
    "Exit status: 0, or 2 a usage or file error. A run that is not finished is reported as far as it goes, with a "
    "warning.";

constexpr const char* kCompareFooter =
    "What the second run does otherwise than the first, question by question: outcomes, answers won and lost, tokens,\n"
    "and for each count the probability of such a difference by chance (McNemar's exact test).\n"
    "Examples:\n"
    "  pccsql eval compare direct.jsonl pcc.jsonl\n"
    "  pccsql eval compare --format json --out changes.json direct.jsonl pcc.jsonl\n"
    "Exit status: 0, or 2 a usage or file error.";

}  // namespace

EvalCommands add_eval_commands(CLI::App& app, Options& options) {
  EvalReadOptions& read = options.eval_read;
  CLI::App* group = add_command(app, "eval", "run methods over a suite, and see what came out", kEvalFooter);

  CLI::App* report = add_command(*group, "report", "measure runs and set them beside the paper", kReportFooter);
  report->add_option("RUN", read.runs, "files that `pccsql eval run` wrote");
  add_choice<EvalFormat>(*report, "--format", read.format,
                         {{"text", EvalFormat::Text},
                          {"markdown", EvalFormat::Markdown},
                          {"json", EvalFormat::Json},
                          {"html", EvalFormat::Html}},
                         "(default: text)");
  add_text(*report, "--out", read.out, "FILE", "write to this file instead of standard output");
  add_number(*report, "--list", read.list, 0, "ids listed of each class of missed questions (default: 10)");
  add_number(*report, "--draws", read.draws, 0, "of the bootstrap; 0: no intervals (default: 1000)");
  add_number(*report, "--seed", read.seed, 0, "of the bootstrap (default: 42)");
  add_color(*report, options);

  CLI::App* compare = add_command(*group, "compare", "tell what one run does otherwise than another", kCompareFooter);
  compare->add_option("RUN", read.runs, "two files that `pccsql eval run` wrote");
  add_choice<EvalFormat>(*compare, "--format", read.format,
                         {{"text", EvalFormat::Text}, {"markdown", EvalFormat::Markdown}, {"json", EvalFormat::Json}},
                         "(default: text)");
  add_text(*compare, "--out", read.out, "FILE", "write to this file instead of standard output");
  add_number(*compare, "--list", read.list, 0, "changed questions listed (default: 20)");
  add_color(*compare, options);
  return {report, compare};
}

}  // namespace pccsql
