// How a comparison of two runs is shown: as tables, as Markdown, as JSON.
#include <algorithm>
#include <cstdio>

#include "base/json.h"
#include "eval/compare.h"
#include "eval/report_format.h"

namespace pccsql {
namespace {

constexpr Outcome kOutcomes[] = {Outcome::SafeSql, Outcome::UnsafeSql, Outcome::Refuse, Outcome::Failure};

std::string probability(double p) {
  char buffer[32];
  std::snprintf(buffer, sizeof buffer, p < 0.0001 ? "%.1e" : "%.4f", p);
  return buffer;
}

std::string tokens(double count) {
  char buffer[32];
  std::snprintf(buffer, sizeof buffer, "%.1f", count);
  return buffer;
}

const char* in_words(const std::optional<bool>& right) { return !right ? "" : *right ? "right" : "wrong"; }

std::string described(Outcome outcome, const std::optional<bool>& right) {
  const std::string rows = in_words(right);
  return std::string(outcome_name(outcome)) + (rows.empty() ? "" : ", " + rows);
}

ReportTable outcomes_table(const Comparison& comparison) {
  ReportTable table;
  table.title = "Outcomes: " + comparison.label_a + " down, " + comparison.label_b + " across";
  table.headings = {""};
  for (const Outcome outcome : kOutcomes) table.headings.emplace_back(outcome_name(outcome));
  for (const Outcome before : kOutcomes) {
    ReportTable::Line line{ReportTable::Kind::Ours, {std::string(outcome_name(before))}};
    for (const Outcome after : kOutcomes) {
      line.cells.push_back(
          std::to_string(comparison.outcomes[static_cast<size_t>(before)][static_cast<size_t>(after)]));
    }
    table.lines.push_back(std::move(line));
  }
  table.notes.push_back(std::to_string(comparison.compared) + " questions compared; " +
                        std::to_string(comparison.same_output) + " outputs are the same; " +
                        std::to_string(comparison.only_a) + " are only in the first run, " +
                        std::to_string(comparison.only_b) + " only in the second.");
  table.notes.push_back("Tokens a question: " + tokens(comparison.tokens_a) + ", then " + tokens(comparison.tokens_b) +
                        ".");
  for (const std::string& one : comparison.differing) table.notes.push_back("The runs differ in " + one + ".");
  return table;
}

ReportTable changes_table(const Comparison& comparison) {
  ReportTable table;
  table.title = "Won and lost by " + comparison.label_b;
  table.headings = {"answers that are", "both", "neither", "won", "lost", "McNemar p"};
  for (const PairedChange& change : comparison.changes) {
    table.lines.push_back(
        {ReportTable::Kind::Ours,
         {change.name, std::to_string(change.both), std::to_string(change.neither), std::to_string(change.won.size()),
          std::to_string(change.lost.size()), probability(change.p())}});
  }
  return table;
}

ReportTable questions_table(const Comparison& comparison, size_t most) {
  ReportTable table;
  table.title = "Changed questions";
  table.headings = {"id", "database", "gold", "before", "after", "SQL before", "SQL after"};
  table.words = table.headings.size();
  const size_t shown = std::min(most, comparison.questions.size());
  for (size_t i = 0; i < shown; ++i) {
    const ChangedQuestion& one = comparison.questions[i];
    table.lines.push_back(
        {ReportTable::Kind::Ours,
         {one.id, one.db_id, std::string(to_string(one.gold_label)), described(one.before, one.right_before),
          described(one.after, one.right_after), one.sql_before, one.sql_after}});
  }
  if (comparison.questions.empty()) table.notes = {"None."};
  if (shown < comparison.questions.size()) {
    table.notes = {std::to_string(comparison.questions.size() - shown) + " more are not shown."};
  }
  return table;
}

}  // namespace

std::vector<ReportTable> comparison_tables(const Comparison& comparison, size_t most_questions) {
  return {outcomes_table(comparison), changes_table(comparison), questions_table(comparison, most_questions)};
}

std::string markdown_comparison(const Comparison& comparison, size_t most_questions) {
  std::string out;
  for (const std::string& warning : comparison.warnings) out += "> **Warning:** " + warning + "\n\n";
  for (const ReportTable& table : comparison_tables(comparison, most_questions)) out += markdown(table);
  return out;
}

std::string json_comparison(const Comparison& comparison) {
  Json json{{"a", comparison.path_a},
            {"b", comparison.path_b},
            {"differing", comparison.differing},
            {"warnings", comparison.warnings},
            {"compared", comparison.compared},
            {"only_a", comparison.only_a},
            {"only_b", comparison.only_b},
            {"same_output", comparison.same_output},
            {"tokens_a", comparison.tokens_a},
            {"tokens_b", comparison.tokens_b}};
  for (const Outcome before : kOutcomes) {
    for (const Outcome after : kOutcomes) {
      json["outcomes"][std::string(outcome_name(before))][std::string(outcome_name(after))] =
          comparison.outcomes[static_cast<size_t>(before)][static_cast<size_t>(after)];
    }
  }
  json["changes"] = Json::array();
  for (const PairedChange& change : comparison.changes) {
    json["changes"].push_back({{"name", change.name},
                               {"both", change.both},
                               {"neither", change.neither},
                               {"won", change.won},
                               {"lost", change.lost},
                               {"mcnemar_p", change.p()}});
  }
  json["questions"] = Json::array();
  const auto truth = [](const std::optional<bool>& value) { return value ? Json(*value) : Json(nullptr); };
  for (const ChangedQuestion& one : comparison.questions) {
    json["questions"].push_back({{"id", one.id},
                                 {"db_id", one.db_id},
                                 {"question", one.question},
                                 {"gold_label", to_string(one.gold_label)},
                                 {"before", outcome_name(one.before)},
                                 {"after", outcome_name(one.after)},
                                 {"right_before", truth(one.right_before)},
                                 {"right_after", truth(one.right_after)},
                                 {"sql_before", one.sql_before},
                                 {"sql_after", one.sql_after}});
  }
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace pccsql
