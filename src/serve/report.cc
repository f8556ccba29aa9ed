#include "serve/report.h"

#include <algorithm>
#include <utility>

#include <nlohmann/json.hpp>

namespace pccsql {
namespace {

std::string full_name(const UseReport& use) { return std::string(use.table) + "." + std::string(use.column); }

std::string span_text(const Span& span) {
  std::string text = "[";
  text += std::to_string(span.begin) + "," + std::to_string(span.end) + ")";
  return text;
}

// Aligned lines: column, role, then the policy, or the place where there is none.
std::string table_of_uses(const Report& report, std::string_view indent) {
  size_t widest = 0;
  size_t widest_role = 0;
  for (const UseReport& use : report.uses) {
    widest = std::max(widest, display_width(full_name(use)));
    widest_role = std::max(widest_role, to_string(use.role).size());
  }
  std::string out;
  for (const UseReport& use : report.uses) {
    out +=
        std::string(indent) + padded(full_name(use), widest) + "  " + padded(to_string(use.role), widest_role) + "  ";
    out += (report.with_policy ? std::string(to_string(use.policy)) : span_text(use.span)) + "\n";
  }
  return out;
}

// A place with all that is wrong there, each said once.
void add_note(std::vector<Mark>& marks, const Span& span, std::string note) {
  auto mark = std::find_if(marks.begin(), marks.end(), [&](const Mark& m) { return m.span == span; });
  if (mark == marks.end()) mark = marks.insert(marks.end(), Mark{span, {}});
  if (std::find(mark->notes.begin(), mark->notes.end(), note) == mark->notes.end()) {
    mark->notes.push_back(std::move(note));
  }
}

std::string query_with_marks(const Report& report, const Style& style) {
  std::vector<Mark> marks;
  std::string rest;  // what has no place to stand under
  const auto add_line = [&rest](const std::string& line) { rest += "  " + printable(line) + "\n"; };
  if (report.verdict == Verdict::Unsafe) {
    for (const Complaint& complaint : report.complaints) add_note(marks, complaint.span, complaint.text);
  } else if (report.where && !report.sql.empty()) {
    add_note(marks, *report.where, report.reason);
  } else {
    add_line(report.reason);
  }
  return (report.sql.empty() ? "" : underlined(report.sql, marks, style)) + rest;
}

std::string colored_verdict(Verdict verdict, const Style& style) {
  const std::string_view name = to_string(verdict);
  if (verdict == Verdict::Safe) return style.green(name);
  return verdict == Verdict::Unsafe ? style.red(name) : style.yellow(name);
}

// What is run for the query.
std::string run_text(const Report& report, const Style& style) {
  if (!report.run_problem.empty()) return style.red("not run:") + " " + printable(report.run_problem) + "\n";
  if (!report.run) return "";
  if (!report.run->changed()) return "it is run as it is written\n";
  RunText shown = *report.run;
  return "it is run as\n  " + printable_lines(marked(shown, "{+", "+}")) + "\n" + report.said + "\n";
}

}  // namespace

Report report_on(std::string_view sql, const Catalog& catalog, QueryChecker& checker, const Policy* policy, bool with_run) {
  Report report;
  report.sql = sql;
  report.with_policy = policy != nullptr;
  const auto describe = [&](const Occurrence& use) {
    const Table& table = catalog.table(use.column.table);
    return UseReport{table.name, table.columns[use.column.column].name, use.role, use.span};
  };
  const Analysis& analysis = checker.analyze(sql);
  if (policy == nullptr) {
    report.verdict = analysis.verdict;
    report.reason = analysis.reason;
    report.where = analysis.where;
    for (const Occurrence& use : analysis.uses) report.uses.push_back(describe(use));
    return report;
  }
  Judgement judgement = checker.judge(analysis, *policy);
  report.verdict = judgement.verdict;
  report.reason = std::move(judgement.reason);
  report.where = judgement.where;
  for (size_t i = 0; i < judgement.uses.size(); ++i) {
    const Occurrence& use = judgement.uses[i];
    report.uses.push_back(describe(use));
    report.uses.back().policy = judgement.policies[i];
    report.uses.back().permitted = judgement.permitted[i];
    if (judgement.permitted[i]) continue;
    report.complaints.push_back({use.span, complaint(catalog, use, judgement.policies[i])});
  }
  for (const NamedTable& mention : judgement.closed_tables) {
    report.complaints.push_back({mention.span, complaint(catalog, mention)});
  }
  if (!with_run || report.verdict != Verdict::Safe) return report;
  if (auto run = checker.run_text(sql, *policy); run) {
    report.said = said(catalog, *policy, *run);
    report.run = std::move(*run);
  } else {
    report.run_problem = run.error().message;
  }
  return report;
}

std::string to_json(const Report& report) {
  using nlohmann::ordered_json;
  ordered_json rest;
  rest["verdict"] = to_string(report.verdict);
  ordered_json& uses = rest["uses"] = ordered_json::array();
  for (const UseReport& use : report.uses) {
    ordered_json& out = uses.emplace_back();
    out["table"] = use.table;
    out["column"] = use.column;
    out["role"] = to_string(use.role);
    if (report.with_policy) {
      out["policy"] = to_string(use.policy);
      out["permitted"] = use.permitted;
    }
    out["span"] = {use.span.begin, use.span.end};
  }
  rest["reason"] = report.reason;
  if (report.run) {
    ordered_json& run = rest["run"];
    run["sql"] = report.run->sql;
    run["added"] = ordered_json::array();
    for (const Span& span : report.run->added) run["added"].push_back({span.begin, span.end});
    run["said"] = report.said;
  } else if (!report.run_problem.empty()) {
    rest["run"] = nullptr;
    rest["reason"] = report.run_problem;
  }
  // The id goes out as it came in, which a parsed number or string would not.
  return "{\"id\":" + report.id + "," + rest.dump(-1, ' ', false, ordered_json::error_handler_t::replace).substr(1);
}

std::string to_text(const Report& report, const Style& style) {
  const bool fine = report.verdict == Verdict::Safe;
  std::string out;
  if (report.with_policy || !fine) out += colored_verdict(report.verdict, style) + "\n";
  if (!fine) out += query_with_marks(report, style);
  if (report.with_policy && !fine) return out;
  const std::string_view indent = report.with_policy ? "  " : "";
  out += report.uses.empty() && fine ? std::string(indent) + "no column is used\n" : table_of_uses(report, indent);
  return out + run_text(report, style);
}

}  // namespace pccsql
