// Two runs over one suite, question by question: whose outcome changed, which answers were won and lost, and whether the
// difference is more than chance would bring.
//
// The test is McNemar's, exact: of the questions on which the two disagree, each side winning is as likely as the other
// if there is no difference; `p` is the probability of a split at least as uneven. It is for pairs, so only questions
// that both runs have are looked at.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "eval/record.h"
#include "eval/report_table.h"

namespace pccsql {

// The exact two-sided binomial probability of `won` against `lost` at even odds; 1 where they never disagree.
double mcnemar_p(uint64_t won, uint64_t lost);

// A property that an answer has or has not. Won: only the second run has it.
struct PairedChange {
  std::string name;  // "SafeSql"
  uint64_t both = 0;
  uint64_t neither = 0;
  std::vector<std::string> won;   // ids
  std::vector<std::string> lost;  // ids
  double p() const { return mcnemar_p(won.size(), lost.size()); }
};

struct ChangedQuestion {
  std::string id;
  std::string db_id;
  std::string question;
  GoldLabel gold_label = GoldLabel::Sql;
  Outcome before = Outcome::Failure;
  Outcome after = Outcome::Failure;
  std::optional<bool> right_before;
  std::optional<bool> right_after;
  std::string sql_before;  // or what else came out
  std::string sql_after;
};

struct Comparison {
  std::string path_a;
  std::string path_b;
  std::string label_a;
  std::string label_b;
  std::vector<std::string> differing;  // of the headers, in words
  std::vector<std::string> warnings;
  uint64_t compared = 0;
  uint64_t only_a = 0;  // questions that the other run does not have
  uint64_t only_b = 0;
  std::array<std::array<uint64_t, 4>, 4> outcomes{};  // [before][after], indexed by Outcome
  uint64_t same_output = 0;
  std::vector<PairedChange> changes;       // SafeSql, UnsafeSql, right rows, right and safe
  std::vector<ChangedQuestion> questions;  // whose outcome or accuracy changed, in the order of the first run
  double tokens_a = 0;                     // a question, over those compared
  double tokens_b = 0;
};

// An Error for a run without questions, runs of different suites, and runs without a common question.
Result<Comparison> compare_runs(const RunFile& a, const RunFile& b);

// What is to be shown as tables: outcomes before and after, what was won and lost, changed questions.
std::vector<ReportTable> comparison_tables(const Comparison& comparison, size_t most_questions);
std::string markdown_comparison(const Comparison& comparison, size_t most_questions);
std::string json_comparison(const Comparison& comparison);

}  // namespace pccsql
