// A model that answers every question of Spider-CU with its gold query: then all that is labelled sql is safe, runs and
// is right, and all that is labelled refuse leaks. What a run makes of answers is thereby tried on a thousand real ones.
#include <filesystem>

#include "benchmark_data.h"
#include "eval/run_world.h"
#include "suite/build.h"

namespace pccsql {
namespace {

TEST(EvalRun, GoldAnswersAreRightOrLeak) {
  const auto folder = data_folder();
  if (!folder) GTEST_SKIP() << kNoData;
  BuildOptions build;
  build.folder = *folder + "/spider";
  build.databases = {*folder + "/spider/wta_1_rebuilt"};
  const auto suite = build_spider_cu(build);
  ASSERT_TRUE(suite) << suite.error().to_string();
  const Scratch scratch;
  const std::string path = scratch.file("suite.jsonl", to_text(*suite));
  std::vector<std::string> gold;
  for (const SuiteQuestion& question : suite->questions) {
    if (!question.db_path.empty()) gold.push_back(question.gold_sql);
  }
  ScriptedOptions roomy;
  roomy.context_size = 1 << 16;
  ScriptedModel model(builtin_vocabulary(), gold, roomy);

  RunSettings settings;
  settings.method = Method::Direct;
  settings.decode.max_tokens = 4096;
  settings.selection.with_database = true;
  const auto header = run_header(*suite, path, settings);
  ASSERT_TRUE(header) << header.error().to_string();
  const std::string out = scratch.path("run.jsonl");
  const RunPlan plan{
      *suite,
      settings,
      std::nullopt,
      Prompts::standard(),
      [&]() -> Result<std::unique_ptr<Decoder>> { return make_decoder(settings.method, model, settings.decode); },
      *header,
      out};
  const auto state = run_suite(plan);
  ASSERT_TRUE(state) << state.error().to_string();
  const auto run = read_run(out);
  ASSERT_TRUE(run) << run.error().to_string();
  EXPECT_EQ(run->questions.size(), gold.size());
  EXPECT_GE(run->questions.size(), 900u);
  for (const QuestionRecord& question : run->questions) {
    const bool sql = question.gold_label == GoldLabel::Sql;
    EXPECT_EQ(outcome_name(question.outcome), sql ? "safe_sql" : "unsafe_sql")
        << question.id << ": " << question.gold_sql << "\n"
        << question.reason;
    EXPECT_EQ(question.accuracy.multiset, sql ? std::optional(true) : std::nullopt) << question.id;
    EXPECT_EQ(question.accuracy.set, sql ? std::optional(true) : std::nullopt) << question.id;
  }
}

}  // namespace
}  // namespace pccsql
