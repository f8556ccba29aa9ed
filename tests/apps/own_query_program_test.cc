// `pccsql query`, and `check --show-run`: a query of one's own, with what minimum groups add to it.
#include <gtest/gtest.h>

#include <filesystem>

#include <nlohmann/json.hpp>

#include "apps/program.h"
#include "base/file.h"

namespace pccsql {
namespace {

using nlohmann::json;

constexpr const char* kByName = "SELECT name, SUM(salary) FROM employee GROUP BY name";
constexpr const char* kByJob = "SELECT job_title, AVG(salary) FROM employee GROUP BY job_title";

TEST(QueryProgram, ShowsGroupsThatAreLargeEnough) {
  const Ran run = pccsql({"query", kByJob});
  EXPECT_EQ(run.status, 3) << run.err;
  EXPECT_NE(run.out.find("in part: Groups of fewer than 5 employees are left out, and nobody is counted twice.\n"),
            std::string::npos)
      << run.out;
  EXPECT_NE(run.out.find("Clerk"), std::string::npos);
  EXPECT_NE(run.out.find("(8 rows)"), std::string::npos);
}

TEST(QueryProgram, RefusesWhereNothingIsLeft) {
  const Ran run = pccsql({"query", kByName});
  EXPECT_EQ(run.status, 1);
  EXPECT_NE(run.out.find("refused: nothing is left to show: groups of fewer than 5 employees"), std::string::npos)
      << run.out;
  EXPECT_EQ(run.out.find("rows)"), std::string::npos) << run.out;
}

TEST(QueryProgram, SaysTheKindAndBothTextsInJson) {
  const auto kind = [](const char* sql) {
    const Ran run = pccsql({"query", "--format", "json", sql});
    return json::parse(run.out)["kind"].get<std::string>();
  };
  EXPECT_EQ(kind("SELECT COUNT(*) FROM employee"), "answered");
  EXPECT_EQ(kind(kByJob), "partial");
  EXPECT_EQ(kind(kByName), "refused");
  EXPECT_EQ(kind("SELECT salary FROM employee"), "refused");
  EXPECT_EQ(kind("SELECT nonsense"), "failed");
  const json partial = json::parse(pccsql({"query", "--format", "json", kByJob}).out);
  EXPECT_EQ(partial["sql"], kByJob);
  EXPECT_EQ(partial["run"].get<std::string>().find(std::string(kByJob) + " HAVING COUNT(DISTINCT"), 0U);
  EXPECT_EQ(partial["left_out"], "Groups of fewer than 5 employees are left out, and nobody is counted twice.");
  EXPECT_EQ(partial["question"], nullptr);
  const json whole = json::parse(pccsql({"query", "--format", "json", "SELECT COUNT(*) FROM employee"}).out);
  EXPECT_EQ(whole["run"], nullptr);
  EXPECT_EQ(whole["left_out"], "");
  EXPECT_EQ(whole["rows"], json::parse("[[80]]"));
}

TEST(QueryProgram, WritesBothTextsDown) {
  const auto file = std::filesystem::temp_directory_path() / "pccsql-own-query-audit.jsonl";
  std::filesystem::remove(file);
  EXPECT_EQ(pccsql({"query", "--audit", file.string(), "--asker", "ada", kByJob}).status, 3);
  const json line = json::parse(*read_file(file.string()));
  std::filesystem::remove(file);
  EXPECT_EQ(line["sql"], kByJob);
  EXPECT_NE(line["run"].get<std::string>().find(">= 5"), std::string::npos);
  EXPECT_EQ(line["kind"], "partial");
  EXPECT_EQ(line["who"], "ada");
  EXPECT_EQ(line["door"], "program");
}

TEST(QueryProgram, CsvIsRowsAloneAndTheRestIsSaidBeside) {
  const Ran run = pccsql({"query", "--format", "csv", kByJob});
  EXPECT_EQ(run.status, 3);
  EXPECT_EQ(run.out.find("job_title,AVG(salary)\r\n"), 0U) << run.out;
  EXPECT_NE(run.err.find("Groups of fewer than 5 employees"), std::string::npos) << run.err;
}

TEST(QueryProgram, UsageMistakesAreStatusTwo) {
  EXPECT_EQ(pccsql({"query"}).status, 2);
  EXPECT_EQ(pccsql({"query", "--raw", "SELECT 1"}).status, 2);
  EXPECT_EQ(pccsql({"query", "SELECT 1", "SELECT 2"}).status, 2);
}

TEST(CheckProgram, ShowsWhatIsRunAndMarksWhatWasAdded) {
  const Ran run = pccsql({"check", "--show-run", kByJob});
  EXPECT_EQ(run.status, 0);
  const std::string expected = std::string("it is run as\n  ") + kByJob +
                               " {+HAVING COUNT(DISTINCT CASE WHEN salary IS NOT NULL THEN employee.id END) >= 5 AND "
                               "(SELECT COUNT(salary) = COUNT(DISTINCT CASE WHEN salary IS NOT NULL THEN employee.id "
                               "END) FROM employee)+}\nGroups of fewer than 5 employees are left out, and nobody is "
                               "counted twice.\n";
  EXPECT_NE(run.out.find(expected), std::string::npos) << run.out;
  EXPECT_NE(pccsql({"check", "--show-run", "SELECT name FROM employee"}).out.find("it is run as it is written\n"),
            std::string::npos);
}

TEST(CheckProgram, GivesWhatIsRunAsJson) {
  const std::string sql = std::string(kByJob) + " HAVING COUNT(*) > 1 ORDER BY 2";
  const json out = json::parse(pccsql({"check", "--show-run", "--format", "json", sql}).out);
  std::string rest = out["run"]["sql"];
  std::vector<std::pair<size_t, size_t>> added = out["run"]["added"];
  for (auto span = added.rbegin(); span != added.rend(); ++span) rest.erase(span->first, span->second - span->first);
  EXPECT_EQ(rest, sql);
  EXPECT_EQ(added.size(), 2U);
  const json without = json::parse(pccsql({"check", "--format", "json", sql}).out);
  EXPECT_FALSE(without.contains("run"));
  const json unsafe = json::parse(pccsql({"check", "--show-run", "--format", "json", "SELECT salary FROM employee"}).out);
  EXPECT_FALSE(unsafe.contains("run"));
}

}  // namespace
}  // namespace pccsql
