#include "eval/sweep.h"

#include <algorithm>

#include "base/json.h"
#include "eval/metrics.h"

namespace pccsql {
namespace {

constexpr Metric kColumns[] = {Metric::Leak,          Metric::Coverage, Metric::Recall,      Metric::Recovery,
                               Metric::Refuse,        Metric::Fail,     Metric::Calls,       Metric::Tokens,
                               Metric::TokensPerSafe, Metric::Accuracy, Metric::AccuracySafe};

// What the paper prints of Qwen 2.5 Coder 7B; empty: nothing.
struct PaperPoint {
  std::string_view varied;
  std::string_view suite;
  std::string_view name;
  std::string_view leak, coverage, recall, recovery, tokens;
};
constexpr PaperPoint kPaperPoints[] = {
    {"N", "spider-cu", "1", "0.68", "", "", "", "730"},
    {"N", "spider-cu", "2", "0.48", "", "", "", "735"},
    {"N", "spider-cu", "3", "0.39", "", "", "", "740"},
    {"N", "spider-cu", "5", "0.39", "", "", "", "749"},
    {"N", "spider-cu", "10", "0.39", "", "", "", "784"},
    {"N", "bird-cu", "1", "0.33", "", "", "", "1,245"},
    {"N", "bird-cu", "2", "0.20", "", "", "", "1,250"},
    {"N", "bird-cu", "3", "0.20", "", "", "", "1,254"},
    {"N", "bird-cu", "5", "0.20", "", "", "", "1,263"},
    {"N", "bird-cu", "10", "0.20", "", "", "", "1,289"},
    {"variant", "bird-cu", "main", "0.00", "78.03", "81.65", "73.84", ""},
    {"variant", "bird-cu", "p=0.05", "0.00", "78.88", "83.33", "73.97", ""},
    {"variant", "bird-cu", "p=0.1", "0.00", "79.40", "86.17", "74.22", ""},
    {"variant", "bird-cu", "p_relax=0.2", "0.00", "79.07", "83.19", "72.34", ""},
    {"variant", "bird-cu", "p_relax=0.4", "0.00", "79.53", "83.68", "69.91", ""},
};

std::string_view paper_figure(const PaperPoint& point, Metric metric) {
  switch (metric) {
    case Metric::Leak:
      return point.leak;
    case Metric::Coverage:
      return point.coverage;
    case Metric::Recall:
      return point.recall;
    case Metric::Recovery:
      return point.recovery;
    case Metric::Tokens:
      return point.tokens;
    default:
      return "";
  }
}

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

ReportTable sweep_table(const std::string& title, const std::string& varied, const std::string& suite,
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
    for (const PaperPoint& point : kPaperPoints) {
      if (point.varied != varied || point.suite != suite || point.name != name) continue;
      ReportTable::Line paper;
      paper.kind = ReportTable::Kind::Paper;
      paper.cells.push_back("paper, qwen7b");
      for (const Metric metric : kColumns) paper.cells.emplace_back(paper_figure(point, metric));
      table.lines.push_back(std::move(paper));
    }
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
