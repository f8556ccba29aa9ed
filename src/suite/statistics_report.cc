#include "suite/statistics_report.h"

#include <algorithm>
#include <cstdio>

#include "base/json.h"
#include "base/text.h"

namespace pccsql {
namespace {

// What the paper prints of its suites; a figure that it does not print is absent. Shares as it prints them.
struct PaperFigures {
  const char* suite;
  std::optional<size_t> questions, databases, sql, refuse;
  std::array<const char*, 4> policies;        // by ColumnPolicy
  std::array<std::optional<size_t>, 4> uses;  // by Role
  std::array<std::optional<size_t>, 4> violations_by_role;
  std::array<std::optional<size_t>, 4> violations_by_policy;
  const char* violating;  // queries with a violating occurrence
  std::optional<size_t> unresolved;
  const char* in_fragment;
  std::array<std::optional<size_t>, 4> constructs;  // set operations, WITH, windows, CASE
  const char *bound_a, *bound_b, *binary_sql, *binary_lost;
};

constexpr std::nullopt_t kNone = std::nullopt;

constexpr PaperFigures kPaper[] = {
    {"spider-cu",
     1034,
     20,
     684,
     350,
     {"65.98 %", "22.99 %", "4.07 %", "6.96 %"},
     {1242, 1086, 1100, 206},
     {322, 12, 49, 68},
     {0, 274, 23, 154},
     "33.6 %",
     42,
     "92.26 %",
     {80, 0, 0, 0},
     "33.85 %",
     "99.4 %",
     "36.8 %",
     "44.4 %"},
    {"bird-cu",
     1534,
     11,
     823,
     711,
     {"79.11 %", "16.50 %", "2.33 %", "2.06 %"},
     {1545, 2986, 2560, 924},
     {458, 16, 134, 417},
     {0, 730, 0, 295},
     "46.3 %",
     0,
     "91.72 %",
     {3, 9, 5, 114},
     "46.35 %",
     "100.0 %",
     "11.9 %",
     "77.9 %"},
    {"spider-acl",
     19624,
     153,
     8095,
     11529,
     {"53.74 %", "", "", "46.26 %"},
     {22976, 15712, 13128, 4276},
     {kNone, kNone, kNone, kNone},
     {kNone, kNone, kNone, kNone},
     "",
     1088,
     "93.01 %",
     {1372, 0, 0, 0},
     "58.75 %",
     "97.1 %",
     "",
     ""},
};

// The paper built its suites undisturbed, under its own profile: beside any other, its figures would say nothing.
const PaperFigures* paper_of(const SuiteReport& report) {
  if (report.profile != Profile::Paper) return nullptr;
  if (report.settings && (report.settings->p != 0 || report.settings->p_relax != 0)) return nullptr;
  for (const PaperFigures& figures : kPaper) {
    if (report.name == figures.suite) return &figures;
  }
  return nullptr;
}

// One figure. Without `here` it is the title of the ones that follow.
struct Row {
  std::string label;
  std::string here;
  std::string paper;
};

std::string percent_text(double percent, int decimals = 2) {
  char buffer[32];
  std::snprintf(buffer, sizeof buffer, "%.*f %%", decimals, percent);
  return buffer;
}

double share(size_t part, size_t whole) {
  return whole == 0 ? 0.0 : 100.0 * static_cast<double>(part) / static_cast<double>(whole);
}

std::string counted(size_t part, size_t whole) {
  return grouped(part) + " (" + percent_text(share(part, whole), 1) + ")";
}

std::string paper_text(const std::optional<size_t>& figure) { return figure ? grouped(*figure) : std::string(); }
std::string paper_text(const char* figure) { return figure; }

std::vector<Row> rows_of(const SuiteReport& report) {
  static constexpr PaperFigures kNothing{"", {}, {}, {}, {}, {"", "", "", ""}, {}, {}, {}, "", {}, "",
                                         {}, "", "", "", ""};
  const PaperFigures* known = paper_of(report);
  const PaperFigures& paper = known != nullptr ? *known : kNothing;
  const SuiteStatistics& stats = report.statistics;
  const size_t all = stats.questions();
  std::vector<Row> rows;
  const auto title = [&rows](const char* text) { rows.push_back({text, "", ""}); };
  const auto add = [&rows](std::string label, std::string here, std::string theirs) {
    rows.push_back({std::move(label), std::move(here), std::move(theirs)});
  };

  title("Questions");
  add("all", grouped(all), paper_text(paper.questions));
  add("databases", grouped(report.databases), paper_text(paper.databases));
  add("with a database file", counted(report.with_database, all), "");
  add("gold label sql", counted(stats.sql, all), paper_text(paper.sql));
  add("gold label refuse", counted(stats.refuse, all), paper_text(paper.refuse));
  if (stats.sql_but_unsafe + stats.refuse_but_safe + stats.refuse_but_unjudged > 0) {
    add("labelled sql, gold is unsafe here", grouped(stats.sql_but_unsafe), "");
    add("labelled refuse, gold is safe here", grouped(stats.refuse_but_safe), "");
    add("labelled refuse, gold not judged", grouped(stats.refuse_but_unjudged), "");
  }

  title("Policies of all columns of each question's database");
  for (size_t i = 0; i < kColumnPolicies.size(); ++i) {
    add(std::string(to_string(kColumnPolicies[i])), percent_text(stats.percent(kColumnPolicies[i])),
        paper_text(paper.policies[i]));
  }

  title("Column references in gold SQL, `*` aside");
  size_t uses = 0;
  for (const size_t count : stats.uses) uses += count;
  size_t paper_uses = 0;
  for (const auto& count : paper.uses) paper_uses += count.value_or(0);
  add("all", grouped(uses), known != nullptr ? grouped(paper_uses) : "");
  for (size_t i = 0; i < kRoles.size(); ++i) {
    add(std::string(to_string(kRoles[i])), counted(stats.uses[i], uses), paper_text(paper.uses[i]));
  }
  add("gold that does not resolve", grouped(stats.unresolved), paper_text(paper.unresolved));

  title("Violating references in gold SQL");
  add("queries with one", counted(stats.refuse_named, all), paper_text(paper.violating));
  for (size_t i = 0; i < kRoles.size(); ++i) {
    add("as " + std::string(to_string(kRoles[i])), grouped(stats.violations_by_role[i]),
        paper_text(paper.violations_by_role[i]));
  }
  for (size_t i = 1; i < kColumnPolicies.size(); ++i) {
    add("of " + std::string(to_string(kColumnPolicies[i])), grouped(stats.violations_by_policy[i]),
        paper_text(paper.violations_by_policy[i]));
  }

  title("Language of gold SQL");
  add("inside the paper's fragment", percent_text(share(stats.in_fragment, all)), paper_text(paper.in_fragment));
  add("with set operations", grouped(stats.set_operations), paper_text(paper.constructs[0]));
  add("with WITH", grouped(stats.ctes), paper_text(paper.constructs[1]));
  add("with windows", grouped(stats.windows), paper_text(paper.constructs[2]));
  add("with CASE", grouped(stats.cases), paper_text(paper.constructs[3]));

  title("Upper bounds on recovery");
  add("(A) refuse, of all", percent_text(share(stats.refuse, all)), paper_text(paper.bound_a));
  add("(B) some reference permitted, of refuse", percent_text(share(stats.refuse_open, stats.refuse), 1),
      paper_text(paper.bound_b));

  title("With a binary policy: all but Public is Hidden");
  add("gold label sql", percent_text(share(stats.binary_sql, all), 1), paper_text(paper.binary_sql));
  add("sql that becomes refuse, of sql", percent_text(share(stats.binary_lost, stats.sql), 1),
      paper_text(paper.binary_lost));
  if (report.profile != Profile::Strict) return rows;

  title("With a minimum group");
  const MinimumCost& cost = report.minimum_cost;
  add("gold sql that counts an AggregateOnly column", counted(cost.counting, all), "");
  add("in a form that is excluded", counted(cost.excluded, cost.counting), "");
  for (size_t i = 0; i < kMinimums.size(); ++i) {
    const std::string minimum = " with k = " + std::to_string(kMinimums[i]);
    add("answers that change" + minimum, counted(cost.changed[i], cost.counting), "");
    add("of which nothing is left" + minimum, counted(cost.emptied[i], cost.counting), "");
  }
  if (cost.not_run > 0) add("not run", counted(cost.not_run, cost.counting), "");
  return rows;
}

std::string heading(const SuiteReport& report) {
  std::string text = report.name + ", profile " + std::string(to_string(report.profile));
  if (report.settings) {
    char buffer[96];
    std::snprintf(buffer, sizeof buffer, ", p %g, p_relax %g, seed %llu", report.settings->p, report.settings->p_relax,
                  static_cast<unsigned long long>(report.settings->seed));
    text += buffer;
  }
  return text;
}

std::string padded_left(const std::string& text, size_t width) {
  return std::string(width - std::min(width, text.size()), ' ') + text;
}

}  // namespace

SuiteReport report_of(const Suite& suite, const std::string& file, const std::function<void(size_t)>& done) {
  SuiteReport report{file, suite.name, suite.profile, suite.settings, suite.catalogs.size(), 0, {}, {}};
  for (const SuiteQuestion& question : suite.questions) report.with_database += !question.db_path.empty();
  report.statistics = statistics_of(suite, done);
  report.minimum_cost = minimum_cost_of(suite);
  return report;
}

std::string to_text(const SuiteReport& report) {
  const std::vector<Row> rows = rows_of(report);
  size_t label = 0;
  size_t here = 4;
  size_t paper = 5;
  for (const Row& row : rows) {
    if (!row.here.empty()) label = std::max(label, row.label.size());
    here = std::max(here, row.here.size());
    paper = std::max(paper, row.paper.size());
  }
  const auto line = [&](const std::string& a, const std::string& b, const std::string& c) {
    std::string text = a + std::string(label + 4 - std::min(label + 4, a.size()), ' ') + padded_left(b, here);
    if (!c.empty()) text += "  " + padded_left(c, paper);
    return text + "\n";
  };
  std::string text = heading(report) + " (" + report.file + ")\n" + line("", "here", "paper");
  for (const Row& row : rows) text += row.here.empty() ? row.label + "\n" : line("  " + row.label, row.here, row.paper);
  return text;
}

std::string to_markdown(const SuiteReport& report) {
  std::string text = "### " + heading(report) + "\n\n| | here | paper |\n|---|---:|---:|\n";
  for (const Row& row : rows_of(report)) {
    text += row.here.empty() ? "| **" + row.label + "** | | |\n"
                             : "| " + row.label + " | " + row.here + " | " + row.paper + " |\n";
  }
  return text;
}

std::string to_json(const std::vector<SuiteReport>& reports) {
  const auto by_role = [](const auto& counts) {
    Json json = Json::object();
    for (size_t i = 0; i < kRoles.size(); ++i) json[std::string(to_string(kRoles[i]))] = counts[i];
    return json;
  };
  const auto by_policy = [](const auto& counts) {
    Json json = Json::object();
    for (size_t i = 0; i < counts.size(); ++i) json[std::string(to_string(kColumnPolicies[i]))] = counts[i];
    return json;
  };
  Json list = Json::array();
  for (const SuiteReport& report : reports) {
    const SuiteStatistics& stats = report.statistics;
    Json json{{"suite", report.name}, {"file", report.file}, {"profile", to_string(report.profile)}};
    if (report.settings) {
      json["settings"] = {
          {"p", report.settings->p}, {"p_relax", report.settings->p_relax}, {"seed", report.settings->seed}};
    }
    json["questions"] = stats.questions();
    json["databases"] = report.databases;
    json["with_database"] = report.with_database;
    json["gold_labels"] = {{"sql", stats.sql}, {"refuse", stats.refuse}};
    json["labels_against_check"] = {{"sql_but_unsafe", stats.sql_but_unsafe},
                                    {"refuse_but_safe", stats.refuse_but_safe},
                                    {"refuse_but_unjudged", stats.refuse_but_unjudged}};
    json["columns"] = by_policy(stats.columns);
    json["references"] = by_role(stats.uses);
    json["unresolved"] = stats.unresolved;
    json["violating_queries"] = stats.refuse_named;
    json["violations_by_role"] = by_role(stats.violations_by_role);
    json["violations_by_policy"] = by_policy(stats.violations_by_policy);
    json["violations_of_min_and_max"] = stats.violations_minmax;
    json["fragment"] = {{"inside", stats.in_fragment},
                        {"set_operations", stats.set_operations},
                        {"ctes", stats.ctes},
                        {"windows", stats.windows},
                        {"cases", stats.cases}};
    json["refuse_with_a_permitted_reference"] = stats.refuse_open;
    json["binary"] = {{"sql", stats.binary_sql}, {"lost", stats.binary_lost}};
    if (report.profile == Profile::Strict) {
      const MinimumCost& cost = report.minimum_cost;
      Json& out = json["minimum_group"] = {{"counting", cost.counting}, {"excluded", cost.excluded}, {"not_run", cost.not_run}};
      for (size_t i = 0; i < kMinimums.size(); ++i) {
        out["by_minimum"].push_back({{"k", kMinimums[i]}, {"changed", cost.changed[i]}, {"nothing_left", cost.emptied[i]}});
      }
    }
    json["rows"] = Json::array();
    for (const Row& row : rows_of(report)) {
      if (row.here.empty()) continue;
      json["rows"].push_back(
          {{"label", row.label}, {"here", row.here}, {"paper", row.paper.empty() ? Json(nullptr) : Json(row.paper)}});
    }
    list.push_back(std::move(json));
  }
  return list.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace pccsql
