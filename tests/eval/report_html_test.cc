// The page of a report: that nothing a run brings becomes markup or script, that it asks the network for nothing, and
// that it holds what the drill-down is to show.
#include <algorithm>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "eval/html_assets.h"
#include "eval/html_page.h"
#include "eval/html_plots.h"
#include "eval/made_run.h"
#include "model/sha256.h"

namespace pccsql {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kHostile = "</script><script>alert(1)</script><img src=x onerror=alert(2)> \"'&\xE2\x80\xA8";

size_t count(const std::string& text, const std::string& part) {
  size_t found = 0;
  for (size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++found;
  return found;
}

// Everything that a run can bring is hostile.
RunFile hostile_run() {
  QuestionRecord question = made_question(kHostile, Outcome::UnsafeSql);
  question.db_id = kHostile;
  question.question = kHostile;
  question.evidence = kHostile;
  question.gold_sql = kHostile;
  question.prompt = kHostile;
  question.asked = kHostile;
  question.cause = kHostile;
  question.reason = kHostile;
  question.sql = kHostile;
  question.output = std::string("x") + kHostile;
  question.withheld = kHostile;
  question.attempts = {{kHostile, Outcome::UnsafeSql, {}}, {kHostile, Outcome::Failure, {}}};
  question.uses = {{kHostile, kHostile, Role::Sel, ColumnPolicy::Hidden, false}};
  question.violations = {{kHostile, ColumnPolicy::Hidden, Role::Sel}};
  question.blocked = {{kHostile, kHostile, kHostile, true}};
  question.columns = {kHostile};
  question.rows = {{Value(std::string(kHostile))}, {Value(Blob{kHostile})}, {Value(Null{})}};
  question.row_count = 3;
  question.empty_answer = kHostile;
  question.mask_ns_each = {1000};
  QuestionRecord failed = made_question("2", Outcome::Failure);
  failed.cause = kHostile;
  failed.prompt = kHostile;
  RunFile run = made_run(kHostile, {question, failed});
  run.header.suite.name = kHostile;
  run.header.model.name = kHostile;
  run.header.settings = {{kHostile, "1"}};
  run.header.machine.cpu = kHostile;
  run.header.started = kHostile;
  run.prompts.clear();
  run.prompts[kHostile] = {kHostile, {{Speaker::System, kHostile}}};
  run.torn = true;  // a warning with the path in it
  return run;
}

EvalReport report_of(std::vector<RunFile> runs) {
  auto report = build_report(std::move(runs));
  EXPECT_TRUE(report) << report.error().to_string();
  return *std::move(report);
}

std::string data_of(const std::string& page) {
  const std::string before = "<script type=\"application/json\" id=\"data\">";
  const size_t begin = page.find(before) + before.size();
  return page.substr(begin, page.find("</script>", begin) - begin);
}

TEST(ReportPage, TurnsNothingOfARunIntoMarkup) {
  RunFile other = hostile_run();
  other.path = std::string("other") + kHostile;
  other.header.settings[0].value = "2";
  const std::string page = html_page(report_of({hostile_run(), other}));
  EXPECT_EQ(count(page, "<script"), 2u) << "the data and the script";
  EXPECT_EQ(count(page, "</script"), 2u);
  EXPECT_EQ(count(page, "<img"), 0u);
  EXPECT_EQ(count(page, "<script>alert"), 0u);
  const std::string cause =
      "data-cause=\"failure: &lt;/script&gt;&lt;script&gt;alert(1)&lt;/script&gt;&lt;img src=x "
      "onerror=alert(2)&gt; &quot;&#39;&amp;\xE2\x80\xA8\"";
  EXPECT_EQ(count(page, cause), 2u) << "quotes do not end an attribute";
}

TEST(ReportPage, KeepsEveryTextWhole) {
  const Json data = Json::parse(data_of(html_page(report_of({hostile_run()}))));
  const Json& question = data.at("questions")[0];
  for (const char* field : {"id", "db_id", "question", "evidence", "gold_sql"}) EXPECT_EQ(question.at(field), kHostile);
  const Json& answer = data.at("rows")[0].at("answers")[0];
  for (const char* field : {"sql", "reason", "withheld", "asked", "prompt"}) EXPECT_EQ(answer.at(field), kHostile);
  EXPECT_EQ(answer.at("output"), std::string("x") + kHostile);
  EXPECT_EQ(answer.at("rows")[0][0], kHostile);
  EXPECT_EQ(answer.at("rows")[2][0], nullptr);
  EXPECT_EQ(answer.at("uses")[0].at("permitted"), false);
  EXPECT_EQ(answer.at("uses")[0].at("role"), "Sel");
  EXPECT_EQ(answer.at("blocked")[0][2], kHostile);
  EXPECT_EQ(answer.at("outcome"), "unsafe_sql");
  EXPECT_EQ(answer.at("missed"), "unsafe: Hidden as Sel");
  EXPECT_EQ(data.at("prompts").at(kHostile)[0][1], kHostile);
}

TEST(ReportPage, DataHasNoSignThatScriptsOrMarkupKnow) {
  const std::string data = data_of(html_page(report_of({hostile_run()})));
  EXPECT_EQ(data.find_first_of("<>&"), std::string::npos);
  EXPECT_EQ(data.find("\xE2\x80\xA8"), std::string::npos);
}

// Undoes base64, so that the page's own hash is checked by other means than those that made it.
std::string hex_of_base64(const std::string& text) {
  const std::string letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string bits;
  for (const char c : text) {
    if (c == '=') continue;
    for (int bit = 5; bit >= 0; --bit) bits += (letters.find(c) >> bit & 1) != 0 ? '1' : '0';
  }
  std::string hex;
  for (size_t at = 0; at + 8 <= bits.size(); at += 8) {
    for (const size_t half : {at, at + 4}) hex += "0123456789abcdef"[std::stoi(bits.substr(half, 4), nullptr, 2)];
  }
  return hex;
}

TEST(ReportPage, AllowsItsOwnScriptAlone) {
  const std::string page = html_page(report_of({made_run("pcc", {made_question("1", Outcome::SafeSql)})}));
  const size_t policy = page.find("script-src 'sha256-") + 19;
  const size_t script = page.rfind("<script>") + 8;
  const std::string text = page.substr(script, page.rfind("</script>") - script);
  EXPECT_EQ(text, page_script());
  EXPECT_EQ(hex_of_base64(page.substr(policy, page.find('\'', policy) - policy)), sha256_hex(text));
  EXPECT_NE(page.find("default-src 'none'"), std::string::npos);
}

TEST(ReportPage, AsksTheNetworkForNothing) {
  const std::string page = html_page(report_of({made_run("pcc", {made_question("1", Outcome::SafeSql)})}));
  for (const char* part : {"http://", "https://", " src=", " href=", "@import", "url(", "fetch(", "innerHTML"}) {
    EXPECT_EQ(count(page, part), 0u) << part;
  }
}

TEST(ReportPlots, AreThereForWhatWasMeasured) {
  QuestionRecord masked = made_question("1", Outcome::SafeSql);
  masked.mask_ns_each = {800, 1200, 50000};
  const EvalReport with = report_of({made_run("pcc", {masked, made_question("2", Outcome::Refuse)})});
  EXPECT_EQ(count(html_page(with), "<svg"), 4u);
  EXPECT_NE(mask_time_plot(with).find("<polygon"), std::string::npos);
  const EvalReport without = report_of({made_run("direct", {made_question("1", Outcome::Failure)})});
  EXPECT_EQ(mask_time_plot(without), "");
  EXPECT_EQ(tokens_per_safe_plot(without), "") << "no safe answer";
  EXPECT_EQ(count(html_page(without), "<svg"), 2u);
}

// Half of the answers are safe: the safe part of the bar is half of its 440 units, and the mark stands half-way up.
TEST(ReportPlots, DrawFiguresWhereTheyBelong) {
  const EvalReport report =
      report_of({made_run("direct", {made_question("1", Outcome::SafeSql), made_question("2", Outcome::UnsafeSql)})});
  EXPECT_NE(outcomes_plot(report).find("width=\"220.0\" height=\"18.0\" class=\"outcome-safe_sql\""),
            std::string::npos);
  EXPECT_NE(outcomes_plot(report).find("x=\"220.0\" y=\"39.0\" width=\"220.0\""), std::string::npos);
  const std::string scatter = leak_coverage_plot(report);
  EXPECT_NE(scatter.find("cy=\"135.0\" r=\"5.5\" class=\"mark row0\"><title>direct: leak 50.0 %, coverage 50.0 %"),
            std::string::npos)
      << scatter;
  EXPECT_EQ(count(scatter, "paper-mark"), 5u) << "direct prompting with five models";
}

}  // namespace
}  // namespace pccsql
