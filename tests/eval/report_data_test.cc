// Reports from runs: which runs may stand together, how rows are told apart, what is warned of, what the tables say,
// and that nothing a run brings turns into markup.
#include "eval/report_data.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "eval/made_run.h"
#include "eval/report_format.h"
#include "eval/report_table.h"

namespace pccsql {
namespace {

using Json = nlohmann::ordered_json;

std::vector<QuestionRecord> four() {
  return {with_accuracy(made_question("q1", Outcome::SafeSql), true, true),
          with_accuracy(made_question("q2", Outcome::UnsafeSql), true, true),
          made_question("q3", Outcome::SafeSql, GoldLabel::Refuse), made_question("q4", Outcome::Refuse)};
}

std::vector<RunFile> runs(RunFile a, RunFile b) {
  std::vector<RunFile> both;
  both.push_back(std::move(a));
  both.push_back(std::move(b));
  return both;
}

EvalReport built(std::vector<RunFile> all) {
  auto report = build_report(std::move(all));
  EXPECT_TRUE(report) << report.error().to_string();
  return *std::move(report);
}

std::string refused(std::vector<RunFile> all) {
  const auto report = build_report(std::move(all));
  return report ? "" : report.error().to_string();
}

TEST(ReportRuns, OfDifferentSuitesAreRefused) {
  RunFile other = made_run("pcc", four());
  other.header.suite.name = "bird-cu";
  EXPECT_EQ(refused(runs(made_run("direct", four()), other)),
            "pcc.jsonl: is a run over suite `bird-cu`, and `direct.jsonl` is one over `spider-cu`; runs that stand "
            "together must be over one suite");
  other = made_run("pcc", four());
  other.header.suite.version = 2;
  EXPECT_NE(refused(runs(made_run("direct", four()), other))
                .find("pcc.jsonl: is a run over a suite of version 2; this program knows version 1"),
            std::string::npos);
  other = made_run("pcc", four());
  other.header.suite.sha256 = "feed";
  EXPECT_NE(refused(runs(made_run("direct", four()), other)).find("another file of suite"), std::string::npos);
  other.header.suite.settings = {{"p", "0.1"}};
  EXPECT_NE(refused(runs(made_run("direct", four()), other)).find("with p 0.1"), std::string::npos);
}

TEST(ReportRuns, OfAnotherProfileAreOneMoreRow) {
  RunFile strict = made_run("pcc", four());
  strict.header.suite.profile = "strict";
  strict.header.suite.sha256 = "feed";
  const EvalReport report = built(runs(made_run("pcc", four()), strict));
  EXPECT_EQ(report.rows[0].label, "pcc, paper");
  EXPECT_EQ(report.rows[1].label, "pcc, strict");
  strict.header.suite.settings = {{"p", "0.1"}};
  EXPECT_NE(refused(runs(made_run("pcc", four()), strict)).find("with p 0.1"), std::string::npos);
}

TEST(ReportRuns, WithoutQuestionsAreRefused) {
  EXPECT_EQ(refused(runs(made_run("direct", four()), made_run("pcc", {}))),
            "pcc.jsonl: has no questions yet: there is nothing to report");
  EXPECT_NE(refused({}), "");
}

TEST(ReportRuns, UnfinishedOnesAreReportedWithAWarning) {
  RunFile run = made_run("pcc", four());
  run.header.questions = 10;
  run.torn = true;
  const EvalReport report = built(runs(made_run("direct", four()), run));
  EXPECT_EQ(report.warnings, (std::vector<std::string>{"`pcc.jsonl` is not finished: 6 of 10 questions are missing",
                                                       "`pcc.jsonl` ends in the middle of a line, which is left out"}));
  EXPECT_EQ(report.rows[1].metrics.questions, 4u);
}

TEST(ReportRuns, OverDifferentQuestionsAreReportedWithAWarning) {
  std::vector<QuestionRecord> three = four();
  three.erase(three.begin());
  const EvalReport report = built(runs(made_run("direct", four()), made_run("pcc", three)));
  ASSERT_EQ(report.warnings.size(), 1u);
  EXPECT_EQ(report.warnings[0],
            "`direct` answers 4 questions, `pcc` 3, of which 3 are the same: their figures are of different questions");
}

TEST(ReportRows, AreNamedByWhatDiffers) {
  RunFile more = made_run("retry", four());
  more.header.settings = {{"max_tokens", "512"}, {"parallel", "1"}, {"retries", "10"}};
  RunFile less = more;
  less.header.settings.back().value = "3";
  std::vector<RunFile> all = runs(more, less);
  all.push_back(made_run("direct", four()));
  const EvalReport report = built(all);
  EXPECT_EQ(report.rows[0].label, "retry, retries 10");
  EXPECT_EQ(report.rows[1].label, "retry, retries 3");
  EXPECT_EQ(report.rows[2].label, "direct");
  RunFile big = made_run("direct", four());
  big.header.model.name = "big";
  EXPECT_EQ(built(runs(made_run("direct", four()), big)).rows[1].label, "direct, big");
  RunFile again = made_run("direct", four());
  again.path = "again.jsonl";
  EXPECT_EQ(built(runs(made_run("direct", four()), again)).rows[1].label, "direct, again.jsonl");
}

TEST(ReportBatches, CountOutputsThatDiffer) {
  std::vector<QuestionRecord> other = four();
  other[0].output = "SELECT 1";
  other[3].output = "SELECT 2";
  other[3].outcome = Outcome::SafeSql;
  RunFile batched = made_run("pcc", other);
  batched.header.settings[1].value = "8";
  const EvalReport report = built(runs(batched, made_run("pcc", four())));
  ASSERT_EQ(report.batches.size(), 1u);
  EXPECT_EQ(report.batches[0].single, 1u);
  EXPECT_EQ(report.batches[0].batched, 0u);
  EXPECT_EQ(report.batches[0].compared, 4u);
  EXPECT_EQ(report.batches[0].output_differs, (std::vector<std::string>{"q1", "q4"}));
  EXPECT_EQ(report.batches[0].outcome_differs, (std::vector<std::string>{"q4"}));
  // Fewer questions are no obstacle: those that both have are compared.
  RunFile shorter = made_run("pcc", {four()[0]});
  shorter.header.settings.push_back({"limit", "1"});
  EXPECT_EQ(built(runs(batched, shorter)).batches.at(0).compared, 1u);
  // Runs that differ in more than that are not held against each other.
  batched.header.model.sha256 = "def";
  EXPECT_TRUE(built(runs(batched, made_run("pcc", four()))).batches.empty());
}

TEST(ReportMaskTimes, AreThoseOfAllMasks) {
  std::vector<QuestionRecord> questions = four();
  questions[0].mask_ns_each = {4000, 1000};
  questions[2].mask_ns_each = {2000, 3000, 90000};
  const EvalReport report = built(runs(made_run("pcc", questions), made_run("direct", four())));
  EXPECT_EQ(report.rows[0].mask_ns, (std::vector<uint64_t>{4000, 1000, 2000, 3000, 90000}));
  EXPECT_TRUE(report.rows[1].mask_ns.empty());
  for (const ReportTable& table : report_tables(report)) {
    if (!table.title.starts_with("Time to make a mask")) continue;
    ASSERT_EQ(table.lines.size(), 1u);
    EXPECT_EQ(table.lines[0].cells, (std::vector<std::string>{"pcc", "5", "20.0", "3.0", "90.0", "90.0", "90.0"}));
    return;
  }
  FAIL() << "there is no table of mask times";
}

const ReportTable* find_table(const std::vector<ReportTable>& tables, const std::string& title) {
  for (const ReportTable& table : tables) {
    if (table.title.starts_with(title)) return &table;
  }
  return nullptr;
}

TEST(ReportTables, HaveThePapersFiguresForTheMethodsThatWereRun) {
  const auto tables = report_tables(built(runs(made_run("direct", four()), made_run("pcc-paper", four()))));
  const ReportTable* methods = find_table(tables, "Methods on Spider-CU (the paper's table 2)");
  ASSERT_NE(methods, nullptr);
  ASSERT_EQ(methods->lines.size(), 2u + 2u + 5u + 3u) << "ours with intervals, 5 of direct prompting, 3 of PCC-SQL";
  EXPECT_EQ(methods->lines[0].cells, (std::vector<std::string>{"direct", "tiny", "25.00", "50.00", "33.33", "100.00",
                                                               "0.00", "1.00", "110", "220"}));
  EXPECT_EQ(methods->lines[1].kind, ReportTable::Kind::Interval);
  EXPECT_EQ(methods->lines[4].cells, (std::vector<std::string>{"paper: direct prompting", "qwen7b", "30.66", "50.10",
                                                               "74.27", "2.86", "1.26", "1.00", "525", "1,048"}));
  const ReportTable* accuracy = find_table(tables, "Execution accuracy");
  ASSERT_NE(accuracy, nullptr);
  EXPECT_EQ(accuracy->lines[0].cells,
            (std::vector<std::string>{"direct", "tiny", "100.00", "50.00", "100.00", "50.00"}));
  EXPECT_EQ(accuracy->notes[0],
            "direct: 2 of 2 right, 1 of them SafeSql; 1 more have no gold result here and are left out.");
  EXPECT_EQ(accuracy->lines[4].cells[2], "58.80");
  const ReportTable* tokens = find_table(tables, "Tokens");
  ASSERT_NE(tokens, nullptr);
  EXPECT_EQ(tokens->lines[1].cells.back(), "1.000");
}

TEST(ReportTables, HaveThePaperOnlyBesideItsOwnSuites) {
  RunFile disturbed = made_run("direct", four());
  disturbed.header.suite.settings = {{"p", "0.05"}, {"p_relax", "0"}};
  EXPECT_EQ(built({disturbed}).paper, nullptr);
  RunFile strict = made_run("direct", four());
  strict.header.suite.profile = "strict";
  EXPECT_EQ(built({strict}).paper, nullptr);
  EXPECT_NE(built({made_run("direct", four())}).paper, nullptr);
}

TEST(ReportTables, LeaveOutWhatWasNotMeasured) {
  RunFile run = made_run("direct", {made_question("q1", Outcome::SafeSql)});
  run.header.suite.name = "mine";
  std::vector<RunFile> all;
  all.push_back(run);
  const auto tables = report_tables(built(all));
  EXPECT_EQ(find_table(tables, "Execution accuracy"), nullptr);
  EXPECT_EQ(find_table(tables, "Time to make a mask"), nullptr);
  EXPECT_EQ(find_table(tables, "One at a time"), nullptr);
  const ReportTable* methods = find_table(tables, "Methods on mine");
  ASSERT_NE(methods, nullptr);
  EXPECT_EQ(methods->lines.size(), 2u) << "the paper has no such suite";
  EXPECT_EQ(methods->lines[0].cells[5], "–") << "no Refuse-gold question";
}

TEST(ReportMissed, ListsIdsByClass) {
  const EvalReport report = built(runs(made_run("direct", four()), made_run("pcc", four())));
  const auto tables = missed_tables(report, 10);
  ASSERT_EQ(tables.size(), 2u);
  ASSERT_EQ(tables[0].lines.size(), 2u);
  EXPECT_EQ(tables[0].lines[0].cells, (std::vector<std::string>{"SQL", "refuse", "1", "q4"}));
  EXPECT_EQ(tables[0].lines[1].cells, (std::vector<std::string>{"SQL", "unsafe", "1", "q2"}));
  EXPECT_EQ(id_list({"a", "b", "c"}, 2), "a, b and 1 more");
  EXPECT_EQ(id_list({"a", "b"}, 2), "a, b");
  EXPECT_EQ(id_list({"a", "b"}, 0), "2");
}

TEST(ReportMarkdown, EscapesWhatRunsBring) {
  RunFile run = made_run("direct", {made_question("a|b\n<img src=x onerror=alert(1)> `*x*`", Outcome::Failure)});
  run.header.model.name = "m|<b>";
  std::vector<RunFile> all;
  all.push_back(run);
  const std::string text = markdown_report(built(all), 10);
  EXPECT_EQ(text.find("<img"), std::string::npos);
  EXPECT_EQ(text.find("<b>"), std::string::npos);
  EXPECT_NE(text.find("a\\|b &lt;img src=x onerror=alert(1)&gt; \\`\\*x\\*\\`"), std::string::npos) << text;
  EXPECT_NE(text.find("m\\|&lt;b&gt;"), std::string::npos);
}

TEST(ReportJson, HasEveryMetricWithItsSums) {
  const Json json = Json::parse(json_report(built(runs(made_run("direct", four()), made_run("pcc", four())))));
  EXPECT_EQ(json.at("suite").at("name"), "spider-cu");
  ASSERT_EQ(json.at("rows").size(), 2u);
  const Json& row = json.at("rows")[0];
  EXPECT_EQ(row.at("metrics").size(), kMetrics);
  EXPECT_EQ(json.at("definitions").at("leak"), "share of UnsafeSql among all questions");
  EXPECT_EQ(row.at("metrics").at("leak").at("numerator"), 1.0);
  EXPECT_EQ(row.at("metrics").at("leak").at("denominator"), 4.0);
  EXPECT_EQ(row.at("metrics").at("leak").at("interval").size(), 2u);
  EXPECT_EQ(row.at("outcomes").at("refuse_gold").at("safe_sql"), 1);
  EXPECT_EQ(row.at("missed")[0].at("ids"), Json::array({"q4"}));
  EXPECT_EQ(json.at("paper").at("rows").size(), 19u);
}

}  // namespace
}  // namespace pccsql
