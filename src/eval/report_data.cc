#include "eval/report_data.h"

#include <algorithm>
#include <cstdlib>
#include <functional>
#include <iterator>
#include <map>
#include <set>
#include <utility>

#include "base/file.h"
#include "eval/report_shards.h"
#include "model/sha256.h"
#include "suite/suite.h"

namespace pccsql {
namespace {

// A setting's JSON text as a person would say it: a text without its quotes.
std::string plain(const std::string& json) {
  if (json.size() >= 2 && json.front() == '"') return json.substr(1, json.size() - 2);
  return json;
}

// Adds to the labels what `of` says, if it does not say the same of all that have one label.
void distinguish(std::vector<ReportRow>& rows, const std::string& before,
                 const std::function<std::string(const ReportRow&)>& of) {
  std::map<std::string, std::set<std::string>> said;
  for (const ReportRow& row : rows) said[row.label].insert(of(row));
  for (ReportRow& row : rows) {
    if (said[row.label].size() > 1) row.label += ", " + before + of(row);
  }
}

void name_rows(std::vector<ReportRow>& rows) {
  std::set<std::string> settings;
  for (ReportRow& row : rows) {
    row.label = row.run.header.method;
    for (const RunSetting& setting : row.run.header.settings) settings.insert(setting.name);
  }
  const auto profile = [](const ReportRow& row) { return row.run.header.suite.profile; };
  const bool one_profile =
      std::ranges::all_of(rows, [&](const ReportRow& row) { return profile(row) == profile(rows[0]); });
  if (!one_profile) {
    for (ReportRow& row : rows) row.label += ", " + profile(row);
  }
  distinguish(rows, "", [](const ReportRow& row) { return row.run.header.model.name; });
  distinguish(rows, "adapter ", [](const ReportRow& row) { return row.run.header.model.adapter.substr(0, 8); });
  for (const std::string& name : settings) {
    if (name == "profile") continue;
    distinguish(rows, name + " ",
                [&](const ReportRow& row) { return plain(row.run.header.setting(name).value_or("none")); });
  }
  distinguish(rows, "", [](const ReportRow& row) { return row.run.path; });
}

void compare_questions(const std::vector<ReportRow>& rows, std::vector<std::string>& warnings) {
  const auto ids = [](const ReportRow& row) {
    std::set<std::string> all;
    for (const QuestionRecord& question : row.run.questions) all.insert(question.id);
    return all;
  };
  const std::set<std::string> first = ids(rows.front());
  for (size_t i = 1; i < rows.size(); ++i) {
    const std::set<std::string> other = ids(rows[i]);
    if (other == first) continue;
    std::vector<std::string> common;
    std::ranges::set_intersection(first, other, std::back_inserter(common));
    warnings.push_back("`" + rows.front().label + "` answers " + std::to_string(first.size()) + " questions, `" +
                       rows[i].label + "` " + std::to_string(other.size()) + ", of which " +
                       std::to_string(common.size()) + " are the same: their figures are of different questions");
  }
}

BatchComparison compare_outputs(const std::vector<ReportRow>& rows, size_t single, size_t batched) {
  BatchComparison comparison{single, batched, 0, {}, {}};
  std::map<std::string, const QuestionRecord*> by_id;
  for (const QuestionRecord& question : rows[single].run.questions) by_id[question.id] = &question;
  for (const QuestionRecord& question : rows[batched].run.questions) {
    const auto other = by_id.find(question.id);
    if (other == by_id.end()) continue;
    ++comparison.compared;
    if (other->second->output != question.output) comparison.output_differs.push_back(question.id);
    if (other->second->outcome != question.outcome) comparison.outcome_differs.push_back(question.id);
  }
  return comparison;
}

uint64_t at_once(const ReportRow& row) {
  return std::strtoull(row.run.header.setting("parallel").value_or("1").c_str(), nullptr, 10);
}

// How many are decoded at once, what that takes, and which questions are asked.
bool changes_no_output(const std::string& name) {
  static const std::set<std::string> kNames{"parallel", "context", "questions", "limit",
                                            "sample",   "seed",    "shard",     "with_database"};
  return kNames.contains(name);
}

std::vector<BatchComparison> find_batches(const std::vector<ReportRow>& rows) {
  std::vector<BatchComparison> found;
  for (size_t i = 0; i < rows.size(); ++i) {
    for (size_t j = i + 1; j < rows.size(); ++j) {
      if (at_once(rows[i]) == at_once(rows[j])) continue;
      const auto names = differing_names(rows[i].run.header, rows[j].run.header);
      if (!std::ranges::all_of(names, changes_no_output)) continue;
      const bool i_first = at_once(rows[i]) < at_once(rows[j]);
      found.push_back(compare_outputs(rows, i_first ? i : j, i_first ? j : i));
    }
  }
  return found;
}

// The paper's suites are undisturbed and under its own profile: beside any other its figures would say nothing.
const PaperSuite* comparable_paper(const std::vector<ReportRow>& rows) {
  const RunHeader::SuiteId& suite = rows.front().run.header.suite;
  const auto disturbed = [](const RunSetting& setting) {
    return (setting.name == "p" || setting.name == "p_relax") && std::strtod(setting.value.c_str(), nullptr) != 0;
  };
  const auto by_paper = [](const ReportRow& row) { return row.run.header.suite.profile == "paper"; };
  if (std::ranges::any_of(suite.settings, disturbed) || std::ranges::none_of(rows, by_paper)) return nullptr;
  return paper_suite(suite.name);
}

}  // namespace

std::string EvalReport::suite_title() const {
  return paper != nullptr ? std::string(paper->title) : header().suite.name;
}

std::optional<Error> unknown_suite(const RunFile& run) {
  if (run.header.suite.version == kSuiteVersion) return std::nullopt;
  return Error{"is a run over a suite of version " + std::to_string(run.header.suite.version) +
                   "; this program knows version " + std::to_string(kSuiteVersion),
               run.path,
               {}};
}

std::optional<Error> suite_conflict(const RunFile& a, const RunFile& b) {
  const RunHeader::SuiteId& x = a.header.suite;
  const RunHeader::SuiteId& y = b.header.suite;
  const auto conflict = [&](const std::string& its, const std::string& other) {
    return Error{"is a run over " + its + ", and `" + a.path + "` is one over " + other +
                     "; runs that stand together must be over one suite",
                 b.path,
                 {}};
  };
  if (x.name != y.name) return conflict("suite `" + y.name + "`", "`" + x.name + "`");
  if (x.sha256 == y.sha256) return std::nullopt;
  for (const RunSetting& setting : y.settings) {
    for (const RunSetting& other : x.settings) {
      if (setting.name == other.name && setting.value != other.value) {
        return conflict("suite `" + y.name + "` with " + setting.name + " " + setting.value, "one with " + other.value);
      }
    }
  }
  if (x.profile == y.profile) {
    return conflict("another file of suite `" + y.name + "` (SHA-256 " + y.sha256.substr(0, 12) + "…)",
                    "one with SHA-256 " + x.sha256.substr(0, 12) + "…");
  }
  return std::nullopt;
}

std::vector<std::string> run_warnings(const RunFile& run) {
  std::vector<std::string> warnings;
  if (!run.complete()) {
    const uint64_t missing = run.header.questions - run.questions.size();
    warnings.push_back("`" + run.path + "` is not finished: " + std::to_string(missing) + " of " +
                       std::to_string(run.header.questions) + " questions are missing");
  }
  if (run.torn) warnings.push_back("`" + run.path + "` ends in the middle of a line, which is left out");
  return warnings;
}

Result<EvalReport> build_report(std::vector<RunFile> runs, const BootstrapSettings& settings) {
  if (runs.empty()) return Error{"there are no runs to report on", {}, {}};
  EvalReport report;
  report.bootstrap = settings;
  for (const RunFile& run : runs) {
    if (const auto unknown = unknown_suite(run)) return *unknown;
    if (run.questions.empty()) return Error{"has no questions yet: there is nothing to report", run.path, {}};
    if (const auto conflict = suite_conflict(runs.front(), run)) return *conflict;
  }
  auto whole_runs = join_shards(std::move(runs), report.warnings);
  if (!whole_runs) return whole_runs.error();
  for (RunFile& run : *whole_runs) {
    for (std::string& warning : run_warnings(run)) report.warnings.push_back(std::move(warning));
    ReportRow row;
    row.run = std::move(run);
    row.metrics = measure(row.run.questions, settings);
    row.missed = missed_classes(row.run.questions);
    row.curve = right_curve(row.run.questions);
    for (const QuestionRecord& question : row.run.questions) {
      row.mask_ns.insert(row.mask_ns.end(), question.mask_ns_each.begin(), question.mask_ns_each.end());
    }
    report.rows.push_back(std::move(row));
  }
  name_rows(report.rows);
  compare_questions(report.rows, report.warnings);
  report.paper = comparable_paper(report.rows);
  report.batches = find_batches(report.rows);
  return report;
}

void ask_suites(EvalReport& report) {
  std::map<std::string, std::optional<double>> known;  // by SHA-256
  for (ReportRow& row : report.rows) {
    const RunHeader::SuiteId& id = row.run.header.suite;
    const auto [at, fresh] = known.try_emplace(id.sha256);
    if (fresh) {
      const auto text = read_file(id.path);
      if (!text || sha256_hex(*text) != id.sha256) continue;
      const auto suite = parse_suite(*text, id.path);
      if (!suite) continue;
      const SuiteStatistics statistics = statistics_of(*suite);
      if (statistics.refuse > 0) {
        at->second = static_cast<double>(statistics.refuse_open) / static_cast<double>(statistics.refuse);
      }
    }
    row.recovery_bound = at->second;
  }
}

}  // namespace pccsql
