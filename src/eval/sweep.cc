#include "eval/sweep.h"

#include <algorithm>

#include "base/json.h"
#include "eval/metrics.h"

namespace pccsql {
namespace {

constexpr Metric kColumns[] = {Metric::Leak,          Metric::Coverage, Metric::Recall,      Metric::Recovery,
                               Metric::Refuse,        Metric::Fail,     Metric::Calls,       Metric::Tokens,
                               Metric::TokensPerSafe, Metric::Accuracy, Metric::AccuracySafe};

BootstrapSettings no_intervals() {
  BootstrapSettings settings;
  settings.draws = 0;
  return settings;
}

}  // namespace

std::vector<QuestionRecord> with_fewer_retries(const std::vector<QuestionRecord>& questions, uint64_t retries) {
  std::vector<QuestionRecord> made = questions;
  for (QuestionRecord& question : made) {
    if (question.attempts.size() <= retries + 1) continue;
    question.attempts.resize(retries + 1);
    question.outcome = Outcome::UnsafeSql;
    question.cause.clear();
    question.reason = "the attempts were used up";
    question.output = question.attempts.back().output;
    question.sql.reset();
    question.withheld.reset();
    question.uses.clear();
    question.violations.clear();
    question.columns.clear();
    question.rows.clear();
    question.row_count.reset();
    question.empty_answer.clear();
    if (question.accuracy.multiset) question.accuracy.multiset = false;
    if (question.accuracy.set) question.accuracy.set = false;
    if (question.accuracy.all_instances) question.accuracy.all_instances = false;
    question.counts.work = {};
    for (const AttemptRecord& attempt : question.attempts) question.counts.work += attempt.work;
    question.counts.iterations = retries;
  }
  return made;
}

ReportTable sweep_table(const std::string& title, const std::string& varied,
                        const std::vector<std::pair<std::string, std::vector<QuestionRecord>>>& runs) {
  ReportTable table;
  table.title = title;
  table.headings.push_back(varied);
  for (const Metric metric : kColumns) table.headings.emplace_back(about(metric).heading);
  for (const auto& [name, questions] : runs) {
    const Metrics metrics = measure(questions, no_intervals());
    ReportTable::Line line;
    line.cells.push_back(name);
    for (const Metric metric : kColumns) line.cells.push_back(shown(metric, metrics.of(metric)));
    table.lines.push_back(std::move(line));
  }
  return table;
}

std::string sweep_json(const std::string& varied,
                       const std::vector<std::pair<std::string, std::vector<QuestionRecord>>>& runs) {
  Json list = Json::array();
  for (const auto& [name, questions] : runs) {
    const Metrics metrics = measure(questions, no_intervals());
    Json values = Json::object();
    for (const Metric metric : kColumns) {
      const auto& value = metrics.of(metric).value;
      values[std::string(about(metric).name)] = value ? Json(*value) : Json(nullptr);
    }
    list.push_back({{varied, name}, {"questions", questions.size()}, {"metrics", std::move(values)}});
  }
  return list.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace pccsql
