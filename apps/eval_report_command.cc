// `pccsql eval report` and `pccsql eval compare`: runs in, a report out, on standard output or into a file.
#include <cstdio>

#include "apps/eval_report_text.h"
#include "apps/options.h"
#include "apps/output.h"
#include "apps/terminal.h"
#include "base/file.h"
#include "eval/compare.h"
#include "eval/html_page.h"
#include "eval/report_data.h"
#include "eval/report_format.h"

namespace pccsql {
namespace {

// Into the file, with the warnings said aloud since nobody sees them there; or on standard output.
int deliver(const std::string& text, const std::vector<std::string>& warnings, const EvalReadOptions& read) {
  if (!read.out) {
    Output output;
    output.write(text);
    return output.finish(kExitFine);
  }
  if (const auto written = write_file(*read.out, text); !written) return fail(written.error());
  for (const std::string& warning : warnings)
    std::fputs(("pccsql: warning: " + printable(warning) + "\n").c_str(), stderr);
  return kExitFine;
}

// Colours are for a terminal, never for a file.
Style style_of(const Options& options) { return options.eval_read.out ? Style{} : style_for(options.color); }

}  // namespace

int run_eval_report(const Options& options) {
  const EvalReadOptions& read = options.eval_read;
  if (read.runs.empty()) return fail("which runs? Name their files", "try `pccsql eval report --help`");
  std::vector<RunFile> runs;
  for (const std::string& path : read.runs) {
    auto run = read_run(path);
    if (!run) return fail(run.error());
    runs.push_back(*std::move(run));
  }
  BootstrapSettings settings;
  settings.draws = read.draws.value_or(settings.draws);
  settings.seed = read.seed.value_or(settings.seed);
  auto report = build_report(std::move(runs), settings);
  if (!report) return fail(report.error());
  ask_suites(*report);

  const size_t list = read.list.value_or(10);
  switch (read.format) {
    case EvalFormat::Markdown:
      return deliver(markdown_report(*report, list), report->warnings, read);
    case EvalFormat::Json:
      return deliver(json_report(*report), report->warnings, read);
    case EvalFormat::Html:
      return deliver(html_page(*report), report->warnings, read);
    case EvalFormat::Text:
      break;
  }
  std::vector<ReportTable> tables = report_tables(*report);
  for (ReportTable& table : missed_tables(*report, list)) tables.push_back(std::move(table));
  return deliver(tables_text(report->warnings, tables, style_of(options)), report->warnings, read);
}

int run_eval_compare(const Options& options) {
  const EvalReadOptions& read = options.eval_read;
  if (read.runs.size() != 2) {
    return fail("two runs are compared, not " + std::to_string(read.runs.size()), "try `pccsql eval compare --help`");
  }
  auto a = read_run(read.runs[0]);
  if (!a) return fail(a.error());
  auto b = read_run(read.runs[1]);
  if (!b) return fail(b.error());
  const auto comparison = compare_runs(*a, *b);
  if (!comparison) return fail(comparison.error());

  const size_t list = read.list.value_or(20);
  const std::string text =
      read.format == EvalFormat::Json ? json_comparison(*comparison)
      : read.format == EvalFormat::Markdown
          ? markdown_comparison(*comparison, list)
          : tables_text(comparison->warnings, comparison_tables(*comparison, list), style_of(options));
  return deliver(text, comparison->warnings, read);
}

}  // namespace pccsql
