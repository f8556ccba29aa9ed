// A report: several runs over one suite, measured, beside each other and beside the paper. What it holds does not
// depend on how it is shown.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "eval/bootstrap.h"
#include "eval/causes.h"
#include "eval/curve.h"
#include "eval/metrics.h"
#include "eval/record.h"
#include "eval/report_paper.h"

namespace pccsql {

struct ReportRow {
  RunFile run;
  std::string label;  // tells the row from the others: method, and what else differs
  Metrics metrics;
  std::vector<MissedClass> missed;
  RightCurve curve;
  std::vector<uint64_t> mask_ns;         // of every mask of the run
  std::optional<double> recovery_bound;  // the paper's bound B, a share, of the whole suite; see ask_suites
};

// Two runs whose questions were decoded alike, but for how many at once; over the questions that both have.
struct BatchComparison {
  size_t single = 0;   // row of the run with fewer at once
  size_t batched = 0;  // row of the other
  uint64_t compared = 0;
  std::vector<std::string> output_differs;   // ids
  std::vector<std::string> outcome_differs;  // ids
};

struct EvalReport {
  std::vector<ReportRow> rows;        // in the order given
  const PaperSuite* paper = nullptr;  // the suite as the paper has it, where it has it
  std::vector<BatchComparison> batches;
  std::vector<std::string> warnings;
  BootstrapSettings bootstrap;

  const RunHeader& header() const { return rows.front().run.header; }
  std::string suite_title() const;  // "Spider-CU" or the suite's own name
};

// A suite of a version that this program does not know is an Error: labels and ids might mean something else.
std::optional<Error> unknown_suite(const RunFile& run);

// Why the two cannot stand in one table: nothing, or an Error about `b`. Suites that differ in the profile alone can:
// their questions are the same, their gold labels are not.
std::optional<Error> suite_conflict(const RunFile& a, const RunFile& b);

// What is worth knowing before a run's figures are read: it is not finished, its last line is cut off.
std::vector<std::string> run_warnings(const RunFile& run);

// Parts of one run are joined (eval/report_shards.h). An Error for a run without questions, and for runs of different
// suites.
Result<EvalReport> build_report(std::vector<RunFile> runs, const BootstrapSettings& settings = {});

// Fills recovery_bound from the suites' files: it takes the gold queries and their policies, which a run does not hold.
// A suite that is not where it was, or is not what it was, leaves it unknown.
void ask_suites(EvalReport& report);

}  // namespace pccsql
