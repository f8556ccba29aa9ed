// The parts of runs: which questions are chosen, what a file that was tampered with is told, fewer retries read off a
// run with more.
#include <algorithm>
#include <set>

#include "eval/report_format.h"
#include "eval/run_world.h"
#include "eval/sweep.h"

namespace pccsql {
namespace {

std::vector<size_t> chosen(const Suite& suite, const Selection& selection) {
  const auto made = selected(suite, selection);
  EXPECT_TRUE(made) << made.error().to_string();
  return made ? *made : std::vector<size_t>();
}

TEST(Selection, FirstSampledAndShards) {
  const RunWorld world(3);
  const Suite& suite = world.suite;
  const size_t all = suite.questions.size();
  EXPECT_EQ(chosen(suite, {}).size(), all);
  EXPECT_EQ(chosen(suite, {.limit = 2}), (std::vector<size_t>{0, 1}));
  EXPECT_EQ(chosen(suite, {.limit = 1000}).size(), all);

  const std::vector<size_t> sample = chosen(suite, {.sample = 10, .seed = 7});
  EXPECT_EQ(sample.size(), 10u);
  EXPECT_TRUE(std::ranges::is_sorted(sample));
  EXPECT_EQ(std::set<size_t>(sample.begin(), sample.end()).size(), 10u);
  EXPECT_EQ(sample, chosen(suite, {.sample = 10, .seed = 7}));
  EXPECT_NE(sample, chosen(suite, {.sample = 10, .seed = 8}));

  std::vector<size_t> joined;
  for (uint64_t part = 1; part <= 7; ++part) {
    for (const size_t index : chosen(suite, {.shard = Selection::Shard{part, 7}})) joined.push_back(index);
  }
  EXPECT_EQ(joined, chosen(suite, {}));
}

TEST(Selection, SoManyOfEachDatabase) {
  RunWorld world(3);
  for (size_t i = 0; i < world.suite.questions.size(); ++i) world.suite.questions[i].db_id = i < 3 ? "small" : "large";
  const std::vector<size_t> some = chosen(world.suite, {.per_database = 5, .seed = 7});
  ASSERT_EQ(some.size(), 8u);
  EXPECT_TRUE(std::ranges::is_sorted(some));
  EXPECT_EQ(std::vector<size_t>(some.begin(), some.begin() + 3), (std::vector<size_t>{0, 1, 2}));
  EXPECT_GT(some[3], 2u);
  EXPECT_EQ(some, chosen(world.suite, {.per_database = 5, .seed = 7}));
  EXPECT_NE(some, chosen(world.suite, {.per_database = 5, .seed = 8}));
}

TEST(Selection, OnlyThoseWithADatabase) {
  RunWorld world;
  world.suite.questions[0].db_path.clear();
  world.suite.questions[3].db_path.clear();
  const std::vector<size_t> left = chosen(world.suite, {.limit = 3, .with_database = true});
  EXPECT_EQ(left, (std::vector<size_t>{1, 2, 4}));
}

TEST(Selection, ContradictionsAreErrors) {
  const RunWorld world;
  EXPECT_FALSE(selected(world.suite, {.limit = 1, .sample = 1}));
  EXPECT_FALSE(selected(world.suite, {.sample = 1, .per_database = 1}));
  EXPECT_FALSE(selected(world.suite, {.shard = Selection::Shard{3, 2}}));
  EXPECT_FALSE(selected(world.suite, {.shard = Selection::Shard{0, 2}}));
}

TEST(RunRecord, ReadsBackWhatWasWritten) {
  const RunWorld world;
  const std::string out = world.scratch.path("run.jsonl");
  ASSERT_TRUE(world.run(out, with_method(Method::Retry)));
  const std::string text = *read_file(out);
  const auto run = parse_run(text, out);
  ASSERT_TRUE(run) << run.error().to_string();
  std::string again = to_line(run->header);
  std::set<std::string> prompts;
  for (const QuestionRecord& question : run->questions) {
    if (prompts.insert(question.prompt).second) again += to_line(run->prompts.at(question.prompt));
    again += to_line(question);
  }
  EXPECT_EQ(again, text);
  EXPECT_FALSE(run->torn);
  // The prompt as it was asked can be put together again.
  const PromptRecord& prompt = run->prompts.begin()->second;
  EXPECT_NE(prompt.messages.at(1).text.find("CREATE TABLE shop"), std::string::npos);
  EXPECT_EQ(prompt.messages.at(1).text.find("q-right"), std::string::npos);
  EXPECT_NE(run->questions.at(0).asked.find("Question: q-right"), std::string::npos);
}

TEST(RunRecord, DamageIsToldByItsPlace) {
  const RunWorld world;
  const std::string out = world.scratch.path("run.jsonl");
  ASSERT_TRUE(world.run(out, with_method(Method::Direct)));
  const std::string text = *read_file(out);
  const auto with = [&text](std::string_view from, std::string_view to) {
    std::string changed = text;
    const size_t at = changed.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    return at == std::string::npos ? changed : changed.replace(at, from.size(), to);
  };
  struct Damage {
    std::string text;
    uint32_t line;
    const char* message;
  };
  const size_t second_question = text.find("{\"id\":\"made-1\"");
  for (const Damage& damage :
       {Damage{"", 0, "is empty"}, Damage{"{\"a\":1}\n", 1, "no `pccsql_run`"},
        Damage{"hello\n", 1, "not a line of a run"},
        Damage{with("\"pccsql_run\":1", "\"pccsql_run\":9"), 1, "version 9"},
        Damage{with("\"outcome\":\"safe_sql\"", "\"outcome\":\"fine\""), 3,
               "`outcome` is missing or is not one that is known"},
        Damage{with("\"calls\":1", "\"calls\":\"one\""), 3, "`calls` is missing or is not a whole number"},
        Damage{with("\"db_id\":\"shop\",\"db_path\"", "\"db_path\""), 3, "`db_id` is missing"},
        Damage{with("\"id\":\"made-1\"", "\"id\":\"made-0\""), 4, "question `made-0` comes twice"},
        Damage{text.substr(0, second_question + 40) + "\n" + text.substr(second_question), 4, "not a line of a run"},
        Damage{with("\"messages\":", "\"letters\":"), 2, "`id` is missing"}}) {
    const auto run = parse_run(damage.text, "run.jsonl");
    ASSERT_FALSE(run) << damage.message;
    EXPECT_NE(run.error().message.find(damage.message), std::string::npos) << run.error().to_string();
    EXPECT_EQ(run.error().at.line, damage.line) << run.error().to_string();
  }
  const auto torn = parse_run(text.substr(0, text.size() - 1), "run.jsonl");
  ASSERT_TRUE(torn);
  EXPECT_TRUE(torn->torn);
  EXPECT_FALSE(torn->complete());
}

TEST(Sweep, FewerRetriesAreReadOffOneRun) {
  const RunWorld world;
  const auto run = [&world](uint64_t retries) {
    RunSettings settings = with_method(Method::Retry);
    settings.decode.retries = retries;
    const std::string out = world.scratch.path("retry" + std::to_string(retries) + ".jsonl");
    const auto state = world.run(out, settings);
    EXPECT_TRUE(state) << state.error().to_string();
    return *read_run(out);
  };
  const RunFile most = run(5);
  for (const uint64_t retries : {0u, 1u, 2u, 3u, 5u}) {
    const RunFile real = run(retries);
    const std::vector<QuestionRecord> read = with_fewer_retries(most.questions, retries);
    ASSERT_EQ(read.size(), real.questions.size());
    for (size_t i = 0; i < read.size(); ++i) {
      const Work& a = read[i].counts.work;
      const Work& b = real.questions[i].counts.work;
      EXPECT_EQ(outcome_name(read[i].outcome), outcome_name(real.questions[i].outcome)) << read[i].question << retries;
      EXPECT_EQ(a.calls, b.calls) << read[i].question << retries;
      EXPECT_EQ(a.prompt_tokens, b.prompt_tokens) << read[i].question << retries;
      EXPECT_EQ(a.generated_tokens, b.generated_tokens) << read[i].question << retries;
    }
  }
  const ReportTable table = sweep_table("t", "N", "spider-cu", {{"1", most.questions}, {"4", most.questions}});
  ASSERT_EQ(table.lines.size(), 3u);  // the paper has N = 1, not 4
  EXPECT_EQ(table.lines[1].kind, ReportTable::Kind::Paper);
  EXPECT_EQ(table.lines[1].cells[1], "0.68");
  EXPECT_NE(markdown(table).find("| *0.68* |  |"), std::string::npos);  // where the paper has nothing, there is nothing
  for (const ReportTable::Line& line : table.lines) EXPECT_EQ(line.cells.size(), table.headings.size());
  EXPECT_EQ(with_fewer_retries(most.questions, 1)[14].outcome, Outcome::UnsafeSql);  // q-third-try
  EXPECT_EQ(with_fewer_retries(most.questions, 2)[14].outcome, Outcome::SafeSql);
}

}  // namespace
}  // namespace pccsql
