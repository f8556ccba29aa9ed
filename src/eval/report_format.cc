#include "eval/report_format.h"

#include <algorithm>

#include "base/json.h"
#include "base/times.h"

namespace pccsql {
namespace {

// A cell must stay one cell, and its text must not become markup.
std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '\n' || c == '\r' || c == '\t') {
      out += ' ';
    } else if (c == '<') {
      out += "&lt;";
    } else if (c == '>') {
      out += "&gt;";
    } else if (c == '&') {
      out += "&amp;";
    } else {
      if (std::string_view("\\|*_`[]!").find(c) != std::string_view::npos) out += '\\';
      out += c;
    }
  }
  return out;
}

std::string markdown_line(const std::vector<std::string>& cells) {
  std::string line = "|";
  for (const std::string& cell : cells) line += " " + cell + " |";
  return line + "\n";
}

Json json_of(const Estimate& estimate) {
  Json json{{"value", estimate.value ? Json(*estimate.value) : Json(nullptr)},
            {"numerator", estimate.numerator},
            {"denominator", estimate.denominator}};
  json["interval"] = estimate.interval ? Json{estimate.interval->low, estimate.interval->high} : Json(nullptr);
  return json;
}

Json json_of(const std::array<uint64_t, 4>& outcomes) {
  Json json = Json::object();
  for (const Outcome outcome : {Outcome::SafeSql, Outcome::UnsafeSql, Outcome::Refuse, Outcome::Failure}) {
    json[std::string(outcome_name(outcome))] = outcomes[static_cast<size_t>(outcome)];
  }
  return json;
}

Json kinds_json(const std::array<uint64_t, 4>& kinds) {
  Json json = Json::object();
  for (const AnswerKind kind : {AnswerKind::Answered, AnswerKind::Partial, AnswerKind::Refused, AnswerKind::Failed}) {
    json[std::string(to_string(kind))] = kinds[static_cast<size_t>(kind)];
  }
  return json;
}

Json curve_json(const RightCurve& curve) {
  Json points = Json::array();
  for (const CurvePoint& point : curve.points) {
    points.push_back({{"by_policy", point.by_policy}, {"unfit", point.unfit}, {"answered", point.answered}, {"right", point.right}});
  }
  return {{"questions", curve.questions}, {"points", std::move(points)}};
}

Json missed_json(const ReportRow& row) {
  Json all = Json::array();
  for (const MissedClass& missed : row.missed) {
    Json ids = Json::array();
    for (const size_t index : missed.questions) ids.push_back(row.run.questions[index].id);
    all.push_back({{"gold_label", to_string(missed.gold_label)},
                   {"class", missed.name},
                   {"count", missed.questions.size()},
                   {"ids", std::move(ids)}});
  }
  return all;
}

Json row_json(const ReportRow& row) {
  const RunHeader& header = row.run.header;
  const Metrics& metrics = row.metrics;
  Json settings = Json::object();
  for (const RunSetting& setting : header.settings) {
    settings[setting.name] = parsed_json(setting.value).value_or(Json(nullptr));
  }
  Json json{
      {"label", row.label},
      {"method", header.method},
      {"model", {{"name", header.model.name}, {"sha256", header.model.sha256}, {"adapter", header.model.adapter}}},
      {"profile", header.suite.profile},
      {"suite_sha256", header.suite.sha256},
      {"settings", std::move(settings)},
      {"version", header.version},
      {"run", row.run.path},
      {"complete", row.run.complete()},
      {"questions", metrics.questions},
      {"questions_missing", header.questions - metrics.questions},
      {"sql_gold", metrics.sql_gold},
      {"refuse_gold", metrics.refuse_gold},
      {"recovery_bound_a", refuse_share(metrics)},
      {"recovery_bound_b", row.recovery_bound ? Json(*row.recovery_bound) : Json(nullptr)}};
  json["outcomes"] = {{"sql_gold", json_of(metrics.outcomes.sql)}, {"refuse_gold", json_of(metrics.outcomes.refuse)}};
  json["kinds"] = {{"sql_gold", kinds_json(metrics.kinds.sql)}, {"refuse_gold", kinds_json(metrics.kinds.refuse)}};
  json["curve"] = curve_json(row.curve);
  for (size_t i = 0; i < kMetrics; ++i) {
    const auto metric = static_cast<Metric>(i);
    json["metrics"][std::string(about(metric).name)] = json_of(metrics.of(metric));
  }
  json["accuracy_unknown"] = metrics.accuracy_unknown;
  json["empty_answers"] = {{"constant", metrics.constants},
                           {"count_star", metrics.counts_of_rows},
                           {"no_shared_column", metrics.without_shared_column}};
  json["leaked_before_refuse"] = metrics.leaked_before_refuse;
  const TimeSummary times = summarise(row.mask_ns);
  json["mask_us"] =
      times.count == 0 ? Json(nullptr) : Json{{"count", times.count}, {"mean", times.mean}, {"p50", times.p50},
                                              {"p90", times.p90},     {"p99", times.p99},   {"max", times.max}};
  json["missed"] = missed_json(row);
  return json;
}

Json paper_json(const PaperSuite& paper) {
  Json rows = Json::array();
  for (const PaperRow& row : paper.rows) {
    Json json{{"method", row.method}, {"model", row.model}};
    for (size_t i = 0; i < kMetrics; ++i) {
      const auto metric = static_cast<Metric>(i);
      if (const auto value = row.of(metric)) json[std::string(about(metric).name)] = *value;
    }
    rows.push_back(std::move(json));
  }
  return {{"table", paper.table},
          {"recovery_bound_a", paper.bound_a},
          {"recovery_bound_b", paper.bound_b},
          {"rows", std::move(rows)}};
}

}  // namespace

std::string markdown(const ReportTable& table) {
  std::string out = "### " + escaped(table.title) + "\n\n";
  if (!table.lines.empty()) {
    std::vector<std::string> cells;
    for (const std::string& heading : table.headings) cells.push_back(escaped(heading));
    out += markdown_line(cells);
    for (size_t i = 0; i < cells.size(); ++i) cells[i] = i < table.words ? "---" : "---:";
    if (!table.headings.empty() && table.headings.back() == "which") cells.back() = "---";
    out += markdown_line(cells);
    for (const ReportTable::Line& line : table.lines) {
      for (size_t i = 0; i < cells.size(); ++i) {
        cells[i] = escaped(line.cells[i]);
        if (line.kind == ReportTable::Kind::Interval && !cells[i].empty()) cells[i] = "<sub>" + cells[i] + "</sub>";
        if (line.kind == ReportTable::Kind::Paper && !cells[i].empty()) cells[i] = "*" + cells[i] + "*";
      }
      out += markdown_line(cells);
    }
    out += "\n";
  }
  for (const std::string& note : table.notes) out += "- " + escaped(note) + "\n";
  return table.notes.empty() ? out : out + "\n";
}

std::string markdown_report(const EvalReport& report, size_t most_ids) {
  std::string out = "## " + escaped(report.suite_title()) + "\n\n";
  for (const std::string& warning : report.warnings) out += "> **Warning:** " + escaped(warning) + "\n\n";
  for (const ReportTable& table : report_tables(report)) out += markdown(table);
  for (const ReportTable& table : missed_tables(report, most_ids)) out += markdown(table);
  return out;
}

std::string json_report(const EvalReport& report) {
  const RunHeader::SuiteId& suite = report.header().suite;
  Json json{{"suite", {{"name", suite.name}, {"version", suite.version}, {"sha256", suite.sha256}}},
            {"bootstrap", {{"seed", report.bootstrap.seed}, {"draws", report.bootstrap.draws}}},
            {"warnings", report.warnings}};
  for (size_t i = 0; i < kMetrics; ++i) {
    const MetricInfo& info = about(static_cast<Metric>(i));
    json["definitions"][std::string(info.name)] = info.about;
  }
  json["rows"] = Json::array();
  for (const ReportRow& row : report.rows) json["rows"].push_back(row_json(row));
  json["batches"] = Json::array();
  for (const BatchComparison& batch : report.batches) {
    json["batches"].push_back({{"single", report.rows[batch.single].label},
                               {"batched", report.rows[batch.batched].label},
                               {"compared", batch.compared},
                               {"output_differs", batch.output_differs},
                               {"outcome_differs", batch.outcome_differs}});
  }
  json["paper"] = report.paper != nullptr ? paper_json(*report.paper) : Json(nullptr);
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace pccsql
