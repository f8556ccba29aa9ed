// Runs with a scripted model: what each answer counts as, the order of lines, and that a run which ended too early goes
// on as if it had not.
#include <sys/wait.h>

#include <algorithm>
#include <csignal>
#include <fstream>
#include <iostream>
#include <thread>

#include "eval/run_world.h"

namespace pccsql {
namespace {

RunFile finished(const RunWorld& world, const std::string& name, const RunSettings& settings) {
  const std::string out = world.scratch.path(name);
  const auto state = world.run(out, settings);
  EXPECT_TRUE(state) << state.error().to_string();
  auto run = read_run(out);
  EXPECT_TRUE(run) << run.error().to_string();
  if (!run) throw std::runtime_error("no run");
  EXPECT_TRUE(run->complete());
  return *std::move(run);
}

const QuestionRecord& record(const RunFile& run, std::string_view question) {
  for (const QuestionRecord& one : run.questions) {
    if (one.question == question) return one;
  }
  throw std::runtime_error("no such question");
}

TEST(EvalRun, OutcomesAreThoseOfTheDefinition) {
  const RunWorld world;
  const RunFile run = finished(world, "direct.jsonl", with_method(Method::Direct));
  struct Expected {
    const char* question;
    Outcome outcome;
    const char* cause;
  };
  for (const Expected& expected :
       {Expected{"q-right", Outcome::SafeSql, ""}, Expected{"q-wrong", Outcome::SafeSql, ""},
        Expected{"q-unsafe", Outcome::UnsafeSql, ""}, Expected{"q-unsafe-and-broken", Outcome::UnsafeSql, ""},
        Expected{"q-no-name", Outcome::Failure, "name_error"}, Expected{"q-no-sql", Outcome::Failure, "parse_error"},
        Expected{"q-refuse", Outcome::Refuse, "refused_by_model"}, Expected{"q-nothing", Outcome::Failure, "empty"},
        Expected{"q-overflow", Outcome::Failure, "run_error"}, Expected{"q-sum", Outcome::SafeSql, ""}}) {
    const QuestionRecord& made = record(run, expected.question);
    EXPECT_EQ(outcome_name(made.outcome), outcome_name(expected.outcome)) << expected.question << made.reason;
    EXPECT_EQ(made.cause, expected.cause) << expected.question;
  }
  EXPECT_EQ(record(run, "q-right").accuracy.multiset, true);
  EXPECT_EQ(record(run, "q-right").row_count, 3u);
  EXPECT_EQ(record(run, "q-wrong").accuracy.multiset, false);
  EXPECT_EQ(record(run, "q-wrong").accuracy.set, false);
  EXPECT_EQ(record(run, "q-refuse").accuracy.multiset, std::nullopt);
  EXPECT_EQ(record(run, "q-no-sql").accuracy.multiset, false);
  EXPECT_EQ(record(run, "q-sum").output, "```sql\nSELECT SUM(amount) FROM shop\n```");
  EXPECT_EQ(record(run, "q-sum").sql, "SELECT SUM(amount) FROM shop");
  EXPECT_EQ(record(run, "q-unsafe").violations.size(), 1u);
  EXPECT_EQ(record(run, "q-unsafe").row_count, std::nullopt);  // what leaks is not run for its rows
  EXPECT_EQ(record(run, "q-constant").empty_answer, "constant");
  EXPECT_EQ(record(run, "q-count").empty_answer, "count_star");
  EXPECT_EQ(record(run, "q-elsewhere").empty_answer, "no_shared_column");
  EXPECT_EQ(record(run, "q-near").empty_answer, "");
}

TEST(EvalRun, AttemptsAreKept) {
  const RunWorld world;
  const RunFile run = finished(world, "retry.jsonl", with_method(Method::Retry));
  const QuestionRecord& third = record(run, "q-third-try");
  ASSERT_EQ(third.attempts.size(), 3u);
  EXPECT_EQ(third.attempts[0].output, "SELECT id FROM shop");
  EXPECT_EQ(third.attempts[1].outcome, Outcome::UnsafeSql);
  EXPECT_EQ(third.attempts[2].outcome, Outcome::SafeSql);
  EXPECT_EQ(third.attempts[0].work.calls, 1u);
  EXPECT_EQ(third.counts.work.calls, 3u);
  // A query that violates and does not run is asked about again too.
  EXPECT_EQ(record(run, "q-unsafe-and-broken").attempts.size(), 4u);
  EXPECT_EQ(record(run, "q-no-name").attempts.size(), 1u);
}

TEST(EvalRun, WhatAMethodWithheldIsTold) {
  const RunWorld world;
  RunSettings settings = with_method(Method::IterGen);
  settings.decode.itergen_names_only = true;
  const RunFile run = finished(world, "itergen.jsonl", settings);
  const QuestionRecord& withheld = record(run, "q-unsafe");
  EXPECT_EQ(withheld.outcome, Outcome::Refuse) << withheld.reason;
  EXPECT_EQ(withheld.cause, "refused_by_check");
  EXPECT_TRUE(withheld.leaked_before_refuse);
  EXPECT_FALSE(record(run, "q-right").leaked_before_refuse);
}

TEST(EvalRun, WithoutExecutionNothingIsKnownOfRows) {
  const RunWorld world;
  std::filesystem::remove(world.database);
  RunSettings settings = with_method(Method::Direct);
  const auto refused = world.run(world.scratch.path("x.jsonl"), settings);
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().message.find("databases of 16 of 16 questions are not there: `shop`"), std::string::npos)
      << refused.error().message;
  EXPECT_FALSE(std::filesystem::exists(world.scratch.path("x.jsonl")));
  settings.execution = false;
  const RunFile run = finished(world, "x.jsonl", settings);
  EXPECT_EQ(record(run, "q-overflow").outcome, Outcome::SafeSql);
  EXPECT_EQ(record(run, "q-right").accuracy.multiset, std::nullopt);
  EXPECT_EQ(record(run, "q-right").row_count, std::nullopt);
}

TEST(EvalRun, HintsAreShownWhereAskedFor) {
  RunWorld world;
  for (SuiteQuestion& question : world.suite.questions) question.evidence = "a town is a city";
  RunSettings settings = with_method(Method::Direct);
  const RunFile without = finished(world, "without.jsonl", settings);
  EXPECT_EQ(record(without, "q-right").evidence, std::nullopt);
  EXPECT_EQ(record(without, "q-right").asked.find("a town is a city"), std::string::npos);
  settings.evidence = true;
  const RunFile with = finished(world, "with.jsonl", settings);
  EXPECT_EQ(record(with, "q-right").evidence, "a town is a city");
  EXPECT_NE(record(with, "q-right").asked.find("a town is a city"), std::string::npos);
}

TEST(EvalRun, PccNeverLeaks) {
  const RunWorld world;
  const RunFile run = finished(world, "pcc.jsonl", with_method(Method::Pcc));
  for (const QuestionRecord& one : run.questions) EXPECT_NE(one.outcome, Outcome::UnsafeSql) << one.question;
  EXPECT_EQ(record(run, "q-right").accuracy.multiset, true);
  const QuestionRecord& kept = record(run, "q-unsafe");
  EXPECT_EQ(kept.outcome, Outcome::SafeSql);
  EXPECT_EQ(kept.output, kept.sql);
  EXPECT_FALSE(kept.mask_ns_each.empty());
}

TEST(EvalRun, LinesAreInTheSuitesOrderAndTheSameInBatches) {
  const RunWorld world(4);
  for (const Method method : {Method::Direct, Method::Pcc}) {
    const std::string name(to_string(method));
    const RunFile one = finished(world, name + "1.jsonl", with_method(method));
    const RunFile many = finished(world, name + "5.jsonl", with_method(method, 5));
    ASSERT_EQ(many.questions.size(), world.suite.questions.size());
    for (size_t i = 0; i < many.questions.size(); ++i) EXPECT_EQ(many.questions[i].id, world.suite.questions[i].id);
    // A script knows no batches: all but the setting is equal.
    std::vector<Json> a = comparable(one.path);
    std::vector<Json> b = comparable(many.path);
    ASSERT_EQ(a.size(), b.size());
    for (size_t i = 1; i < a.size(); ++i) EXPECT_EQ(a[i], b[i]) << i;
    EXPECT_EQ(differences(one.header, many.header), std::vector<std::string>{"`parallel`: 1, 5"});
  }
}

TEST(EvalRun, TheSameRunAgainIsTheSameFile) {
  const RunWorld world;
  for (const Method method : kMethods) {
    const std::string name(to_string(method));
    finished(world, name + "-a.jsonl", with_method(method));
    finished(world, name + "-b.jsonl", with_method(method));
    EXPECT_EQ(comparable(world.scratch.path(name + "-a.jsonl")), comparable(world.scratch.path(name + "-b.jsonl")));
  }
}

TEST(EvalRun, CutOffAnywhereItGoesOn) {
  const RunWorld world;
  const RunSettings settings = with_method(Method::Pcc);
  const std::string whole = finished(world, "whole.jsonl", settings).path;
  const std::string text = *read_file(whole);
  const std::vector<Json> expected = comparable(whole);
  const std::string cut = world.scratch.path("cut.jsonl");
  // Around every end of a line, and in the middle of lines.
  std::vector<size_t> places{0, 1, 20};
  for (size_t at = text.find('\n'); at != std::string::npos; at = text.find('\n', at + 1)) {
    for (const size_t place : {at - 100, at, at + 1, at + 2}) places.push_back(std::min(place, text.size()));
  }
  for (const size_t place : places) {
    std::ofstream(cut, std::ios::trunc | std::ios::binary) << text.substr(0, place);
    const auto state = world.run(cut, settings);
    ASSERT_TRUE(state) << place << ": " << state.error().to_string();
    EXPECT_EQ(state->done, world.suite.questions.size());
    EXPECT_EQ(comparable(cut), expected) << "cut at " << place;
  }
}

// Waits until `path` is longer than `size`, and gives its length then; the same `size` if `child` ended before that.
size_t grown_beyond(const std::string& path, size_t size, pid_t child) {
  siginfo_t ended{};
  while (waitid(P_PID, static_cast<id_t>(child), &ended, WEXITED | WNOHANG | WNOWAIT) == 0 && ended.si_pid == 0) {
    std::error_code missing;
    const size_t now = std::filesystem::file_size(path, missing);
    if (!missing && now > size) return now;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return size;
}

// Ten times kill -9 while it runs, one at a time and in batches: each time after it wrote something more, and a little
// later each time, so that the kills fall between lines and into them, however slow the machine is.
TEST(EvalRun, KilledTenTimesItIsTheSameRun) {
  const RunWorld world(20);
  for (const size_t parallel : {1u, 4u}) {
    const RunSettings settings = with_method(Method::Direct, parallel);
    const std::string name = "killed" + std::to_string(parallel) + ".jsonl";
    const std::string whole = finished(world, "whole-" + name, settings).path;
    const std::string out = world.scratch.path(name);
    size_t before = 0;
    for (int kills = 0; kills < 10; ++kills) {
      const pid_t child = fork();
      ASSERT_GE(child, 0);
      if (child == 0) {
        const auto state = world.run(out, settings, 1000);
        if (!state) std::cerr << state.error().to_string() << "\n";
        _exit(state ? 0 : 1);
      }
      const size_t now = grown_beyond(out, before, child);
      std::this_thread::sleep_for(std::chrono::microseconds(1300 * kills));
      kill(child, SIGKILL);
      int status = 0;
      waitpid(child, &status, 0);
      ASSERT_TRUE(WIFSIGNALED(status)) << "the run was over before it could be killed: " << kills << " kills, status "
                                       << WEXITSTATUS(status);
      ASSERT_GT(now, before);
      before = std::filesystem::file_size(out);
    }
    const auto state = world.run(out, settings);
    ASSERT_TRUE(state) << state.error().to_string();
    EXPECT_GT(state->resumed, 0u);
    EXPECT_EQ(comparable(out), comparable(whole));
  }
}

TEST(EvalRun, AStopLeavesARunThatGoesOn) {
  const RunWorld world(4);
  const std::string out = world.scratch.path("stopped.jsonl");
  std::atomic<bool> stop = false;
  std::thread later([&stop] {
    std::this_thread::sleep_for(std::chrono::milliseconds(80));
    stop = true;
  });
  const auto state = world.run(out, with_method(Method::Direct), 1000, &stop);
  later.join();
  ASSERT_TRUE(state) << state.error().to_string();
  EXPECT_LT(state->done, state->all);
  const std::string whole = finished(world, "whole.jsonl", with_method(Method::Direct)).path;
  ASSERT_TRUE(world.run(out, with_method(Method::Direct)));
  EXPECT_EQ(comparable(out), comparable(whole));
}

TEST(EvalRun, AnotherRunsFileIsLeftAlone) {
  const RunWorld world;
  const std::string out = finished(world, "run.jsonl", with_method(Method::Direct)).path;
  const std::string before = *read_file(out);
  RunSettings other = with_method(Method::Retry);
  other.selection.limit = 3;
  const auto refused = world.run(out, other);
  ASSERT_FALSE(refused);
  for (const char* part : {"made otherwise", "`method`: direct, retry", "`limit`: null, 3", "`questions`: 16, 3"}) {
    EXPECT_NE(refused.error().message.find(part), std::string::npos) << part << " in " << refused.error().message;
  }
  EXPECT_EQ(*read_file(out), before);

  const std::string notes = world.scratch.file("notes.txt", "shopping list\n");
  const auto no_run = world.run(notes, with_method(Method::Direct));
  ASSERT_FALSE(no_run);
  EXPECT_EQ(no_run.error().file, notes);
  const std::string unfinished = world.scratch.file("half.txt", "no line end");
  EXPECT_FALSE(world.run(unfinished, with_method(Method::Direct)));
  EXPECT_EQ(*read_file(notes), "shopping list\n");
  EXPECT_EQ(*read_file(unfinished), "no line end");
}

// `--limit 3` may be gone on with to 5, and to all; not back.
TEST(EvalRun, ALimitMayGrow) {
  const RunWorld world;
  const std::string whole = finished(world, "whole.jsonl", with_method(Method::Direct)).path;
  const std::string out = world.scratch.path("grows.jsonl");
  RunSettings settings = with_method(Method::Direct);
  for (const uint64_t limit : {3, 5}) {
    settings.selection.limit = limit;
    const auto state = world.run(out, settings);
    ASSERT_TRUE(state) << state.error().to_string();
    EXPECT_EQ(state->resumed, limit == 3 ? 0u : 3u);
    EXPECT_EQ(state->done, limit);
  }
  const auto state = world.run(out, with_method(Method::Direct));
  ASSERT_TRUE(state) << state.error().to_string();
  EXPECT_EQ(state->resumed, 5u);
  EXPECT_EQ(comparable(out), comparable(whole));
  EXPECT_FALSE(world.run(out, settings));
}

TEST(EvalRun, AFileThatCannotBeWrittenIsAnError) {
  const RunWorld world;
  EXPECT_FALSE(world.run(world.scratch.path("no/such/folder.jsonl"), with_method(Method::Direct)));
  EXPECT_FALSE(world.run("-", with_method(Method::Direct)));
  const auto full = world.run("/dev/full", with_method(Method::Direct));
  ASSERT_FALSE(full);
  EXPECT_EQ(full.error().file, "/dev/full");
}

}  // namespace
}  // namespace pccsql
