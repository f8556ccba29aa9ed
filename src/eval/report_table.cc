#include "eval/report_table.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <set>

#include "base/text.h"
#include "base/times.h"

namespace pccsql {
namespace {

using LineKind = ReportTable::Kind;

constexpr const char* kDash = "–";

std::string fixed(double value, int decimals) {
  char buffer[64];
  std::snprintf(buffer, sizeof buffer, "%.*f", decimals, value);
  return buffer;
}

bool of_tokens(Metric metric) { return metric >= Metric::Tokens && metric <= Metric::TokensPerSafe; }

const char* arrow(Metric metric) {
  switch (about(metric).better) {
    case Better::Less:
      return "↓";
    case Better::More:
      return "↑";
    case Better::Neither:
      break;
  }
  return "";
}

std::string heading(Metric metric) {
  return std::string(about(metric).heading) + (about(metric).percent ? " %" : "") + arrow(metric);
}

// Rows of metrics: ours with intervals under them, then the paper's for the methods that ours have.
ReportTable metric_table(const EvalReport& report, const std::vector<Metric>& metrics, bool with_paper) {
  ReportTable table;
  table.words = 2;
  table.headings = {"method", "model"};
  for (const Metric metric : metrics) table.headings.push_back(heading(metric));
  std::set<std::string, std::less<>> methods;
  for (const ReportRow& row : report.rows) {
    methods.insert(row.run.header.method == "pcc-paper" ? "pcc" : row.run.header.method);
    ReportTable::Line line{LineKind::Ours, {row.label, row.run.header.model.name}};
    ReportTable::Line interval{LineKind::Interval, {"", ""}};
    for (const Metric metric : metrics) {
      const Estimate& estimate = row.metrics.of(metric);
      line.cells.push_back(shown(metric, estimate));
      interval.cells.push_back(estimate.interval ? shown(metric, estimate.interval->low) + "–" +
                                                       shown(metric, estimate.interval->high)
                                                 : "");
    }
    table.lines.push_back(std::move(line));
    table.lines.push_back(std::move(interval));
  }
  if (!with_paper || report.paper == nullptr) return table;
  for (const PaperRow& paper : report.paper->rows) {
    if (!methods.contains(paper.method)) continue;
    ReportTable::Line line{LineKind::Paper,
                           {"paper: " + std::string(paper_method_name(paper.method)), std::string(paper.model)}};
    bool any = false;
    for (const Metric metric : metrics) {
      const auto value = paper.of(metric);
      any |= value.has_value();
      const double scale = about(metric).percent ? 0.01 : 1.0;
      line.cells.push_back(value ? shown(metric, *value * scale) : kDash);
    }
    if (any) table.lines.push_back(std::move(line));
  }
  return table;
}

// Questions, gold labels and bounds on recovery: once for all rows of which the same is to be said.
void add_bounds(const EvalReport& report, std::vector<std::string>& notes) {
  std::vector<std::pair<std::string, std::string>> said;  // what, of which rows
  for (const ReportRow& row : report.rows) {
    const Metrics& metrics = row.metrics;
    std::string text = grouped(metrics.questions) + " questions, gold SQL " + grouped(metrics.sql_gold) +
                       ", gold Refuse " + grouped(metrics.refuse_gold) + "; upper bounds on recovery: A " +
                       fixed(100 * refuse_share(metrics), 2) + " % of all questions";
    if (row.recovery_bound) text += ", B " + fixed(100 * *row.recovery_bound, 1) + " % of gold Refuse";
    const auto same = std::ranges::find(said, text, &std::pair<std::string, std::string>::first);
    if (same == said.end()) {
      said.emplace_back(std::move(text), row.label);
    } else {
      same->second += "; " + row.label;
    }
  }
  for (const auto& [text, rows] : said) notes.push_back((said.size() == 1 ? "All rows" : rows) + ": " + text + ".");
}

ReportTable methods_table(const EvalReport& report) {
  ReportTable table = metric_table(report,
                                   {Metric::Leak, Metric::Coverage, Metric::Recall, Metric::Recovery, Metric::Fail,
                                    Metric::Calls, Metric::Tokens, Metric::TokensPerSafe},
                                   true);
  table.title = "Methods on " + report.suite_title();
  if (report.paper != nullptr) table.title += " (the paper's table " + std::to_string(report.paper->table) + ")";
  table.notes.push_back("Under each row: 95 % bootstrap intervals over questions (" +
                        std::to_string(report.bootstrap.draws) + " draws, seed " +
                        std::to_string(report.bootstrap.seed) + ").");
  add_bounds(report, table.notes);
  if (report.paper != nullptr) {
    table.notes.push_back("The paper's upper bounds: A " + fixed(report.paper->bound_a, 2) + " %, B " +
                          fixed(report.paper->bound_b, 1) +
                          " % (Refuse-gold questions whose gold query has a permitted column reference).");
  }
  return table;
}

ReportTable accuracy_table(const EvalReport& report) {
  const bool instances = std::ranges::any_of(
      report.rows, [](const ReportRow& row) { return row.metrics.of(Metric::AccuracyInstances).value.has_value(); });
  std::vector<Metric> metrics{Metric::Accuracy, Metric::AccuracySafe, Metric::AccuracySet, Metric::AccuracySetSafe};
  if (instances) {
    metrics.push_back(Metric::AccuracyInstances);
    metrics.push_back(Metric::AccuracyInstancesSafe);
  }
  ReportTable table = metric_table(report, metrics, true);
  table.title = "Execution accuracy on SQL-gold questions (the paper's table 11)";
  for (const ReportRow& row : report.rows) {
    const Estimate& all = row.metrics.of(Metric::Accuracy);
    const Estimate& safe = row.metrics.of(Metric::AccuracySafe);
    std::string note = row.label + ": " + fixed(all.numerator, 0) + " of " + fixed(all.denominator, 0) + " right, " +
                       fixed(safe.numerator, 0) + " of them SafeSql";
    if (row.metrics.accuracy_unknown > 0) {
      note += "; " + grouped(row.metrics.accuracy_unknown) + " more have no gold result here and are left out";
    }
    table.notes.push_back(note + ".");
  }
  return table;
}

ReportTable outcomes_table(const EvalReport& report) {
  ReportTable table;
  table.title = "Outcomes by gold label";
  table.headings = {"method", "gold", "questions", "SafeSql", "UnsafeSql", "Refuse", "Failure", "right"};
  table.words = 2;
  for (const ReportRow& row : report.rows) {
    const auto line = [&](const std::string& gold, uint64_t questions, const std::array<uint64_t, 4>& outcomes,
                          const std::string& right) {
      std::vector<std::string> cells{row.label, gold, grouped(questions)};
      for (const uint64_t count : outcomes) cells.push_back(grouped(count));
      cells.push_back(right);
      table.lines.push_back({LineKind::Ours, std::move(cells)});
    };
    const Estimate& accuracy = row.metrics.of(Metric::Accuracy);
    line("SQL", row.metrics.sql_gold, row.metrics.outcomes.sql, accuracy.value ? fixed(accuracy.numerator, 0) : kDash);
    line("Refuse", row.metrics.refuse_gold, row.metrics.outcomes.refuse, kDash);
    if (row.metrics.leaked_before_refuse > 0) {
      table.notes.push_back(row.label + ": " + grouped(row.metrics.leaked_before_refuse) +
                            " answers were written in full and not permitted before they were withheld.");
    }
  }
  return table;
}

const ReportRow* direct_row(const EvalReport& report, const ReportRow& row) {
  for (const ReportRow& other : report.rows) {
    const RunHeader& header = other.run.header;
    if (header.method == "direct" && header.model.name == row.run.header.model.name &&
        other.metrics.questions == row.metrics.questions) {
      return &other;
    }
  }
  return nullptr;
}

ReportTable tokens_table(const EvalReport& report) {
  const Metric metrics[] = {Metric::Tokens,          Metric::PromptTokens, Metric::CachedPromptTokens,
                            Metric::GeneratedTokens, Metric::ForcedTokens, Metric::DiscardedTokens,
                            Metric::TokensPerSafe};
  ReportTable table;
  table.title = "Tokens a question, all calls together";
  table.headings = {"method"};
  for (const Metric metric : metrics) table.headings.push_back(heading(metric));
  table.headings.push_back("of direct's");
  for (const ReportRow& row : report.rows) {
    ReportTable::Line line{LineKind::Ours, {row.label}};
    for (const Metric metric : metrics) line.cells.push_back(shown(metric, row.metrics.of(metric)));
    const ReportRow* direct = direct_row(report, row);
    const auto base = direct != nullptr ? direct->metrics.of(Metric::Tokens).value : std::nullopt;
    const auto own = row.metrics.of(Metric::Tokens).value;
    line.cells.push_back(base && own && *base > 0 ? fixed(*own / *base, 3) : kDash);
    table.lines.push_back(std::move(line));
  }
  table.notes = {
      "tok/q is prompt and generated together; cached ones are among the prompt's, forced and discarded "
      "ones among the generated."};
  return table;
}

ReportTable empty_answers_table(const EvalReport& report) {
  ReportTable table;
  table.title = "SafeSql answers to Refuse-gold questions";
  table.headings = {"method", "answers", "constants", "COUNT(*) alone", "no column of gold's", "empty %↓", "others"};
  for (const ReportRow& row : report.rows) {
    const Metrics& metrics = row.metrics;
    const Estimate& empty = metrics.of(Metric::EmptyAnswers);
    table.lines.push_back({LineKind::Ours,
                           {row.label, fixed(empty.denominator, 0), grouped(metrics.constants),
                            grouped(metrics.counts_of_rows), grouped(metrics.without_shared_column),
                            shown(Metric::EmptyAnswers, empty), fixed(empty.denominator - empty.numerator, 0)}});
  }
  return table;
}

ReportTable honesty_table(const EvalReport& report) {
  ReportTable table = metric_table(report,
                                   {Metric::RefusalPrecision, Metric::RefusalRecall, Metric::RefusalF1,
                                    Metric::RefusedPrecision, Metric::RefusedRecall, Metric::RefusedF1, Metric::Misleading,
                                    Metric::MisleadingRows, Metric::Faithfulness, Metric::FaithfulInPart, Metric::Repetition,
                                    Metric::AccuracyAnswered, Metric::AccuracySafe},
                                   false);
  table.title = "Right and honest";
  table.notes = {"ref. counts refusals and answers in part, refused only refusals; both as signs that gold is Refuse."};
  return table;
}

ReportTable kinds_table(const EvalReport& report) {
  ReportTable table;
  table.title = "What became of the questions, by gold label";
  table.headings = {"method", "gold", "questions", "answered", "in part", "refused", "failed", "right"};
  table.words = 2;
  for (const ReportRow& row : report.rows) {
    const auto line = [&](const std::string& gold, uint64_t questions, const std::array<uint64_t, 4>& kinds,
                          const std::string& right) {
      std::vector<std::string> cells{row.label, gold, grouped(questions)};
      for (const uint64_t count : kinds) cells.push_back(grouped(count));
      cells.push_back(right);
      table.lines.push_back({LineKind::Ours, std::move(cells)});
    };
    const Estimate& right = row.metrics.of(Metric::AccuracySafe);
    line("SQL", row.metrics.sql_gold, row.metrics.kinds.sql, right.value ? fixed(right.numerator, 0) : kDash);
    line("Refuse", row.metrics.refuse_gold, row.metrics.kinds.refuse, kDash);
  }
  return table;
}

// A few points of each curve: where the policy took nothing away, where at most so many names, and all answers.
ReportTable curve_table(const EvalReport& report) {
  constexpr uint64_t kMostNames = 2;
  ReportTable table;
  table.title = "Right against answered";
  table.headings = {"method", "answered where", "answered", "answered %", "right %"};
  table.words = 2;
  for (const ReportRow& row : report.rows) {
    const std::vector<CurvePoint>& points = row.curve.points;
    for (size_t i = 0; i < points.size(); ++i) {
      const bool last_of_its_kind = i + 1 == points.size() || points[i + 1].by_policy != points[i].by_policy;
      const bool strictest = i == 0 && !last_of_its_kind;
      if (!strictest && (!last_of_its_kind || (points[i].by_policy > kMostNames && i + 1 < points.size()))) continue;
      const CurvePoint& point = points[i];
      std::string where = "the policy took at most " + std::to_string(point.by_policy) + " names away";
      if (point.by_policy == 0) where = "the policy took nothing away";
      if (strictest) where = "nothing was taken away";
      if (i + 1 == points.size()) where = "all that is answered";
      const auto share = [](uint64_t part, uint64_t of) {
        return of == 0 ? std::string(kDash) : fixed(100.0 * static_cast<double>(part) / static_cast<double>(of), 2);
      };
      table.lines.push_back({LineKind::Ours,
                             {row.label, where, grouped(point.answered), share(point.answered, row.curve.questions),
                              share(point.right, point.answered)}});
    }
  }
  table.notes = {"An answer to a question whose gold label is Refuse is not right. Questions without a gold result are left out."};
  return table;
}

ReportTable mask_table(const EvalReport& report) {
  ReportTable table;
  table.title = "Time to make a mask, microseconds";
  table.headings = {"method", "masks", "mean", "p50", "p90", "p99", "longest"};
  for (const ReportRow& row : report.rows) {
    if (row.mask_ns.empty()) continue;
    const TimeSummary times = summarise(row.mask_ns);
    table.lines.push_back({LineKind::Ours,
                           {row.label, grouped(times.count), fixed(times.mean, 1), fixed(times.p50, 1),
                            fixed(times.p90, 1), fixed(times.p99, 1), fixed(times.max, 1)}});
  }
  return table;
}

ReportTable batches_table(const EvalReport& report) {
  ReportTable table;
  table.title = "One at a time against batches";
  table.headings = {"run", "in batches", "compared", "outputs differ", "outcomes differ"};
  table.words = 2;
  for (const BatchComparison& batch : report.batches) {
    table.lines.push_back({LineKind::Ours,
                           {report.rows[batch.single].label, report.rows[batch.batched].label, grouped(batch.compared),
                            grouped(batch.output_differs.size()), grouped(batch.outcome_differs.size())}});
  }
  return table;
}

}  // namespace

std::string shown(Metric metric, double value) {
  if (about(metric).percent) return fixed(100 * value, 2);
  if (of_tokens(metric))
    return std::abs(value) < 99.95 ? fixed(value, 1) : grouped(static_cast<uint64_t>(std::llround(value)));
  return fixed(value, 2);
}

std::string shown(Metric metric, const Estimate& estimate) {
  return estimate.value ? shown(metric, *estimate.value) : kDash;
}

std::vector<ReportTable> report_tables(const EvalReport& report) {
  std::vector<ReportTable> tables{honesty_table(report), kinds_table(report)};
  const bool executed = std::ranges::any_of(
      report.rows, [](const ReportRow& row) { return row.metrics.of(Metric::Accuracy).value.has_value(); });
  if (executed) tables.push_back(curve_table(report));
  tables.push_back(methods_table(report));
  if (executed) tables.push_back(accuracy_table(report));
  tables.push_back(outcomes_table(report));
  tables.push_back(tokens_table(report));
  for (ReportTable table : {empty_answers_table(report), mask_table(report), batches_table(report)}) {
    if (!table.lines.empty()) tables.push_back(std::move(table));
  }
  return tables;
}

std::string id_list(const std::vector<std::string>& ids, size_t most) {
  std::string text;
  for (size_t i = 0; i < std::min(ids.size(), most); ++i) text += (i == 0 ? "" : ", ") + ids[i];
  if (ids.size() > most) {
    text += (most == 0 ? "" : " and ") + grouped(ids.size() - most) + (most == 0 ? "" : " more");
  }
  return text;
}

std::vector<ReportTable> missed_tables(const EvalReport& report, size_t most) {
  std::vector<ReportTable> tables;
  for (const ReportRow& row : report.rows) {
    ReportTable table;
    table.title = "Missed by " + row.label;
    table.headings = {"gold", "cause", "questions", "which"};
    table.words = 2;
    for (const MissedClass& missed : row.missed) {
      std::vector<std::string> ids;
      for (const size_t index : missed.questions) ids.push_back(row.run.questions[index].id);
      table.lines.push_back({LineKind::Ours,
                             {missed.gold_label == GoldLabel::Sql ? "SQL" : "Refuse", missed.name,
                              grouped(missed.questions.size()), id_list(ids, most)}});
    }
    if (table.lines.empty()) table.notes = {"Nothing."};
    tables.push_back(std::move(table));
  }
  return tables;
}

}  // namespace pccsql
