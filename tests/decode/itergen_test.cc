// itergen: names that it stops at, rollbacks, penalties, and what is left when the iterations are used up.
#include <gtest/gtest.h>

#include <algorithm>

#include "benchmark_data.h"
#include "decode/hr.h"
#include "decode/syntax_follower.h"

namespace pccsql {
namespace {

using Outcome = Answer::Outcome;

Answer ask_itergen(Hr& hr, Model& model, const DecodeSettings& settings = {}, const Listener& listener = {}) {
  Answer answer = make_decoder(Method::IterGen, model, settings)->answer(hr.subject, kQuestion, listener);
  expect_sound(hr, answer);
  return answer;
}

// Bytes as tokens. Wants one of the texts that the text so far begins: the first with the highest logit.
Script preferring(std::vector<std::pair<std::string, float>> texts) {
  return [texts = std::move(texts)](const Scene& scene, std::span<float> logits) {
    std::ranges::fill(logits, 0.01F);
    for (const auto& [text, logit] : texts) {
      if (!text.starts_with(scene.text)) continue;
      const size_t next =
          scene.text.size() == text.size() ? logits.size() - 1 : static_cast<uint8_t>(text[scene.text.size()]);
      logits[next] = std::max(logits[next], logit);
    }
  };
}

TEST(IterGen, WhatPassesIsLeftAlone) {
  Hr hr;
  const std::string sql = "SELECT e.name, AVG(salary) FROM employee AS e WHERE e.job_title = 'x' GROUP BY e.name";
  ScriptedModel model(bytes_and({}), {sql}, kRoomy);
  const Answer answer = ask_itergen(hr, model);
  EXPECT_EQ(answer.outcome, Outcome::SafeSql) << answer.reason;
  EXPECT_EQ(answer.sql, sql);
  EXPECT_EQ(answer.counts.iterations, 5U) << "e.name, salary, employee, e.job_title, e.name";
  EXPECT_EQ(answer.counts.work.discarded_tokens, 0U);
}

TEST(IterGen, RollsBackToTheNamesFirstTokenAndPenalises) {
  Hr hr;
  // 10 * 0.7 < 8: the second time it is the other name.
  const Script script = preferring({{"SELECT phone FROM employee", 10}, {"SELECT name FROM employee", 8}});
  ScriptedModel model(bytes_and({}), script, kRoomy);
  DecodeSettings settings;
  settings.trace = true;
  std::string shown;
  Listener listener;
  listener.on_text = [&](std::string_view piece) { shown += piece; };
  listener.on_discard = [&](size_t bytes) { shown.resize(shown.size() - bytes); };
  const Answer answer = ask_itergen(hr, model, settings, listener);
  EXPECT_EQ(answer.outcome, Outcome::SafeSql) << answer.reason;
  EXPECT_EQ(answer.sql, "SELECT name FROM employee");
  EXPECT_EQ(shown, *answer.sql);
  EXPECT_EQ(answer.counts.iterations, 3U) << "phone, name, employee";
  EXPECT_EQ(answer.counts.work.discarded_tokens, std::string("phone F").size());
  const auto rollback = std::ranges::find(answer.trace, TraceStep::Kind::Rollback, &TraceStep::kind);
  ASSERT_NE(rollback, answer.trace.end());
  EXPECT_EQ(rollback->text, "SELECT ");
}

TEST(IterGen, APenaltyTooWeakUsesUpTheIterations) {
  Hr hr;
  const Script script = preferring({{"SELECT phone FROM employee", 10}, {"SELECT name FROM employee", 1}});
  ScriptedModel model(bytes_and({}), script, kRoomy);
  DecodeSettings settings;
  settings.recurrence_penalty = 1.0F;
  const Answer answer = ask_itergen(hr, model, settings);
  EXPECT_EQ(answer.outcome, Outcome::Failure);
  EXPECT_EQ(answer.sql, "SELECT ");
  EXPECT_EQ(answer.counts.iterations, 20U);
  EXPECT_GE(answer.counts.work.discarded_tokens, 20U * 6);
}

TEST(IterGen, AfterTheLastIterationTheTextSoFarIsTheOutput) {
  Hr hr;
  ScriptedModel model(bytes_and({}), {"SELECT name, job_title, hire_date FROM employee"}, kRoomy);
  DecodeSettings settings;
  settings.itergen_iterations = 2;
  const Answer answer = ask_itergen(hr, model, settings);
  EXPECT_EQ(answer.sql, "SELECT name, job_title,");
  EXPECT_EQ(answer.outcome, Outcome::Failure);
}

TEST(IterGen, ByNamesOnlyAViolationIsRefusedAtTheEnd) {
  Hr hr;
  const std::string sql = "SELECT phone FROM employee";
  DecodeSettings settings;
  settings.itergen_names_only = true;
  ScriptedModel model(bytes_and({}), {sql}, kRoomy);
  const Answer answer = ask_itergen(hr, model, settings);
  EXPECT_EQ(answer.outcome, Outcome::Refuse);
  EXPECT_EQ(answer.withheld, sql);
  EXPECT_EQ(answer.violations, (std::vector<Violation>{{"employee.phone", ColumnPolicy::Hidden, Role::Sel}}));

  const Script script = preferring({{"SELECT wage FROM employee", 10}, {"SELECT name FROM employee", 8}});
  ScriptedModel invents(bytes_and({}), script, kRoomy);
  EXPECT_EQ(ask_itergen(hr, invents, settings).sql, "SELECT name FROM employee");
}

TEST(IterGen, WhatCannotBeCheckedAtANameIsRefusedAtTheEnd) {
  Hr hr;
  ScriptedModel model(bytes_and({}), {"SELECT * FROM employee"}, kRoomy);
  DecodeSettings settings;
  settings.itergen_names_only = true;
  const Answer answer = ask_itergen(hr, model, settings);
  EXPECT_EQ(answer.outcome, Outcome::Refuse);
  EXPECT_EQ(answer.withheld, "SELECT * FROM employee");
}

TEST(IterGen, TokensThatDoNotParseAreNotTaken) {
  Hr hr;
  const Script script = preferring({{"```sql", 10}, {"SELECT name FROM employee", 8}});
  ScriptedModel model(bytes_and({}), script, kRoomy);
  EXPECT_EQ(ask_itergen(hr, model).sql, "SELECT name FROM employee");
}

TEST(IterGen, CanBeStopped) {
  Hr hr;
  ScriptedModel model(bytes_and({}), {"SELECT name FROM employee"}, kRoomy);
  std::atomic<bool> stop = false;
  Listener listener;
  listener.stop = &stop;
  listener.on_text = [&](std::string_view) { stop = true; };
  const Answer answer = ask_itergen(hr, model, {}, listener);
  EXPECT_TRUE(answer.stopped);
  EXPECT_FALSE(answer.sql);
}

std::vector<std::string> names_in(std::string_view sql, bool& whole) {
  SyntaxFollower follower(Language::Full);
  std::vector<NameEnd> names;
  auto state = follower.follow(follower.start(), sql, names);
  whole = state && follower.may_end(*state, names);
  std::vector<std::string> texts;
  for (const NameEnd& name : names) texts.push_back((name.table ? "#" : "") + std::string(name.span.of(sql)));
  return texts;
}

TEST(SyntaxFollower, FindsColumnsAndTables) {
  using Names = std::vector<std::string>;
  bool whole = false;
  EXPECT_EQ(names_in("SELECT a, T1.b ,COUNT (c), t . d, \"e f\", [g], t.*, * FROM x AS T1 JOIN y ON T1.k=y.k", whole),
            (Names{"a", "T1.b", "c", "t . d", "\"e f\"", "[g]", "#x", "#y", "T1.k", "y.k"}));
  EXPECT_TRUE(whole);
  EXPECT_EQ(names_in("SELECT a FROM x WHERE b IN (SELECT c FROM y) ORDER BY d", whole),
            (Names{"a", "#x", "b", "c", "#y", "d"}));
  EXPECT_TRUE(whole);
  EXPECT_EQ(names_in("SELECT a FROM", whole), Names{"a"});
  EXPECT_FALSE(whole);
  for (const char* wrong : {"SELECT FROM", "SELECT a a a", "SELECT a FROM x WHERE )", "DELETE", "SELECT 1 !a"}) {
    names_in(wrong, whole);
    EXPECT_FALSE(whole) << wrong;
  }
}

TEST(SyntaxFollower, FollowsTheBenchmarksQueries) {
  const auto data = data_folder();
  if (!data) GTEST_SKIP() << kNoData;
  const auto gold = read_file(*data + "/spider/dev_gold.sql");
  ASSERT_TRUE(gold);
  size_t count = 0;
  std::string_view rest = *gold;
  while (!rest.empty()) {
    const std::string_view line = rest.substr(0, rest.find('\n'));
    rest.remove_prefix(std::min(rest.size(), line.size() + 1));
    const std::string_view sql = line.substr(0, line.find('\t'));
    if (sql.empty()) continue;
    bool whole = false;
    const auto names = names_in(sql, whole);
    EXPECT_TRUE(whole) << sql;
    EXPECT_FALSE(names.empty()) << sql;
    ++count;
  }
  EXPECT_EQ(count, 1034U);
}

}  // namespace
}  // namespace pccsql
