// What a run would have been with another setting, where one run holds the answer; and the tables of sweeps.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "eval/record.h"
#include "eval/report_table.h"

namespace pccsql {

// A run of `retry` with at most `retries` attempts after the first, read off one that allowed more: a question that
// went on then is UnsafeSql after that many, and cost what its attempts so far did. Nothing else of such a question is
// known then: SQL, rows and accuracy are those of nobody, so that it counts as wrong.
// PRE: `questions` are of a run of retry that allowed at least as many.
std::vector<QuestionRecord> with_fewer_retries(const std::vector<QuestionRecord>& questions, uint64_t retries);

// One line for each run, named: the paper's figures of answers, cost and, where it was measured, accuracy. Beside them
// what the paper has for Qwen 2.5 Coder 7B, by the name of the line: retry on `suite` by N (its table 4), pcc on BIRD-CU
// by variant (its table 5).
ReportTable sweep_table(const std::string& title, const std::string& varied, const std::string& suite,
                        const std::vector<std::pair<std::string, std::vector<QuestionRecord>>>& runs);

// The same as JSON: a list of {varied, questions, metrics}; shares are between 0 and 1.
std::string sweep_json(const std::string& varied,
                       const std::vector<std::pair<std::string, std::vector<QuestionRecord>>>& runs);

}  // namespace pccsql
