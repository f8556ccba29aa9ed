// Parts of a run become one row; parts that are missing, unfinished or double are said.
#include "eval/report_shards.h"

#include <gtest/gtest.h>

#include "eval/made_run.h"
#include "eval/report_data.h"

namespace pccsql {
namespace {

RunFile part(const std::string& shard, std::vector<std::string> ids) {
  std::vector<QuestionRecord> questions;
  for (const std::string& id : ids) questions.push_back(made_question(id, Outcome::SafeSql));
  RunFile run = made_run("pcc", std::move(questions));
  run.path = "part-" + shard.substr(0, 1) + ".jsonl";
  run.header.settings.push_back({"shard", "\"" + shard + "\""});
  return run;
}

std::vector<std::string> ids_of(const RunFile& run) {
  std::vector<std::string> ids;
  for (const QuestionRecord& question : run.questions) ids.push_back(question.id);
  return ids;
}

TEST(ReportShards, AreJoinedInTheirOrder) {
  RunFile whole = made_run("direct", {made_question("a", Outcome::Refuse)});
  std::vector<std::string> warnings;
  const auto runs = join_shards({part("2/2", {"c"}), whole, part("1/2", {"a", "b"})}, warnings);
  ASSERT_TRUE(runs) << runs.error().to_string();
  ASSERT_EQ(runs->size(), 2u);
  EXPECT_EQ(ids_of((*runs)[0]), (std::vector<std::string>{"a", "b", "c"}));
  EXPECT_EQ((*runs)[0].header.questions, 3u);
  EXPECT_EQ((*runs)[0].path, "part-1.jsonl + part-2.jsonl");
  EXPECT_EQ((*runs)[0].prompts.size(), 1u);
  EXPECT_EQ((*runs)[1].header.method, "direct");
  EXPECT_TRUE(warnings.empty());
}

TEST(ReportShards, ThatAreMissingOrUnfinishedAreWarnedOf) {
  RunFile unfinished = part("3/3", {"c"});
  unfinished.header.questions = 5;
  const auto report = build_report({part("1/3", {"a"}), unfinished});
  ASSERT_TRUE(report) << report.error().to_string();
  ASSERT_EQ(report->rows.size(), 1u);
  EXPECT_EQ(report->warnings,
            (std::vector<std::string>{"`part-1.jsonl + part-3.jsonl`: 1 of 3 parts of the run are not given",
                                      "`part-1.jsonl + part-3.jsonl` is not finished: 4 of 6 questions are missing"}));
}

TEST(ReportShards, ThatComeTwiceAreRefused) {
  std::vector<std::string> warnings;
  const auto runs = join_shards({part("1/2", {"a"}), part("1/2", {"a"})}, warnings);
  ASSERT_FALSE(runs);
  EXPECT_EQ(runs.error().to_string(), "part-1.jsonl: is part 1 of 2 of a run, which is there twice");
}

TEST(ReportShards, OfOtherRunsStayApart) {
  RunFile other = part("2/2", {"b"});
  other.header.model.sha256 = "def";
  std::vector<std::string> warnings;
  EXPECT_EQ(join_shards({part("1/2", {"a"}), other}, warnings)->size(), 2u);
  EXPECT_EQ(join_shards({part("1/2", {"a"}), part("2/3", {"b"})}, warnings)->size(), 2u);
}

}  // namespace
}  // namespace pccsql
