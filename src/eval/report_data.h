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
#include "eval/metrics.h"
#include "eval/record.h"
#include "eval/report_paper.h"

namespace pccsql {

// How long masks took, over all masks of a run.
struct MaskTimes {
  std::vector<uint64_t> sorted_ns;

  bool empty() const { return sorted_ns.empty(); }
  double mean_ns() const;
  uint64_t percentile_ns(double share) const;  // the smallest that `share` of the masks do not exceed
};

struct ReportRow {
  RunFile run;
  std::string label;  // tells the row from the others: method, and what else differs
  Metrics metrics;
  std::vector<MissedClass> missed;
  MaskTimes mask_times;
};

// Two runs that differ in nothing but how many questions were decoded at once.
struct BatchComparison {
  size_t single = 0;   // row of the run with fewer at once
  size_t batched = 0;  // row of the other
  uint64_t compared = 0;
  std::vector<std::string> output_differs;   // ids
  std::vector<std::string> outcome_differs;  // ids
};

struct Report {
  std::vector<ReportRow> rows;           // in the order given
  const PaperSuite* paper = nullptr;     // the suite as the paper has it, where it has it
  std::optional<double> recovery_bound;  // the paper's bound B, a share, if the suite's file is there to be asked
  std::vector<BatchComparison> batches;
  std::vector<std::string> warnings;
  BootstrapSettings bootstrap;

  const RunHeader& header() const { return rows.front().run.header; }
  std::string suite_title() const;  // "Spider-CU" or the suite's own name
};

// Why the two cannot stand in one table: nothing, or an Error about `b`. Suites that differ in the profile alone can:
// their questions are the same, their gold labels are not.
std::optional<Error> suite_conflict(const RunFile& a, const RunFile& b);

// What is worth knowing before a run's figures are read: it is not finished, its last line is cut off.
std::vector<std::string> run_warnings(const RunFile& run);

// An Error for a run without questions, and for runs of different suites.
Result<Report> build_report(std::vector<RunFile> runs, const BootstrapSettings& settings = {});

}  // namespace pccsql
