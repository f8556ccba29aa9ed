// pcc and pcc-paper: on models that want what they may not have, and on everything that can go wrong.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "decode/hr.h"

namespace pccsql {
namespace {

using Outcome = Answer::Outcome;

Answer ask(Hr& hr, Model& model, const DecodeSettings& settings = {}, Method method = Method::Pcc,
           const Listener& listener = {}) {
  Answer answer = make_decoder(method, model, settings)->answer(hr.subject, kQuestion, listener);
  expect_sound(hr, answer);
  return answer;
}

// Wants the longest piece with which `first` goes on; after that, the longest with which `second` does.
Script with_fallback(const Vocabulary& vocabulary, std::string first, std::string second) {
  return [&vocabulary, first, second](const Scene& scene, std::span<float> logits) {
    float wish = 100;
    for (const std::string& text : {first, second}) {
      if (!text.starts_with(scene.text)) continue;
      const std::string_view rest = std::string_view(text).substr(scene.text.size());
      TokenId longest = vocabulary.end_of_text()[0];
      size_t length = 0;
      for (TokenId id = 0; id < vocabulary.size(); ++id) {
        const std::string_view bytes = vocabulary.bytes(id);
        if (!vocabulary.is_text(id) || !rest.starts_with(bytes) || bytes.size() <= length) continue;
        longest = id;
        length = bytes.size();
      }
      logits[longest] += wish;
      wish /= 10;
    }
  };
}

TEST(Pcc, WritesWhatTheModelWantsWhereThatIsPermitted) {
  Hr hr;
  const std::string sql =
      "SELECT d.name, AVG(e.salary) FROM employee AS e JOIN department AS d ON e.department_id = d.id "
      "GROUP BY d.name ORDER BY AVG(e.salary) DESC LIMIT 3";
  ScriptedModel model(builtin_vocabulary(), {sql}, kRoomy);
  std::string shown;
  Listener listener;
  listener.on_text = [&](std::string_view piece) { shown += piece; };
  const Answer answer = ask(hr, model, {}, Method::Pcc, listener);
  EXPECT_EQ(answer.outcome, Outcome::SafeSql) << answer.reason;
  EXPECT_EQ(answer.sql, sql);
  EXPECT_EQ(shown, sql);
  EXPECT_TRUE(answer.blocked.empty());
  EXPECT_TRUE(answer.errors.empty());
  EXPECT_EQ(answer.uses.size(), 4U);
  EXPECT_EQ(answer.counts.work.calls, 1U);
  EXPECT_EQ(answer.counts.work.discarded_tokens, 0U);
  EXPECT_GT(answer.counts.mask_ns, 0U);
}

TEST(Pcc, SaysWhatTheModelWantedAndMayNotHave) {
  Hr hr;
  const Vocabulary vocabulary = bytes_and({" salary", " job_title"});
  ScriptedModel model(
      vocabulary,
      with_fallback(vocabulary, "SELECT name, salary FROM employee", "SELECT name, job_title FROM employee"), kRoomy);
  DecodeSettings settings;
  settings.blocked = Blocked::Answer;
  const Answer answer = ask(hr, model, settings);
  EXPECT_EQ(answer.sql, "SELECT name, job_title FROM employee");
  ASSERT_EQ(answer.blocked.size(), 1U);
  EXPECT_EQ(answer.blocked[0],
            (BlockedName{"employee.salary", "Sel", "AggregateOnly: may only be used inside COUNT, SUM, AVG", true}));
}

// Random logits, and above them the wish for names that are closed.
TEST(Pcc, HoweverHostileTheModelTheQueryIsSafe) {
  Hr hr;
  const Vocabulary vocabulary = builtin_vocabulary();
  size_t finished = 0;
  for (uint64_t seed = 0; seed < 40; ++seed) {
    const Script hostile = [&vocabulary, seed](const Scene& scene, std::span<float> logits) {
      std::mt19937_64 random(seed * 1000003 + std::hash<std::string_view>()(scene.text));
      for (float& logit : logits) logit = static_cast<float>(random() % 1000) / 100.0F;
      for (const std::string_view wish : {" salary", " ssn", " birth_date", "*", " sick_note", " email", " budget"}) {
        for (TokenId id = 0; id < vocabulary.size(); ++id) {
          if (vocabulary.is_text(id) && wish.find(vocabulary.bytes(id)) != std::string_view::npos) logits[id] += 8;
        }
      }
    };
    ScriptedModel model(vocabulary, hostile, {.context_size = 8192, .padding = 77});
    DecodeSettings settings;
    settings.max_tokens = 60;
    settings.blocked = Blocked::Answer;
    const Answer answer = ask(hr, model, settings);
    EXPECT_EQ(answer.outcome, Outcome::SafeSql) << answer.reason;
    EXPECT_TRUE(answer.errors.empty());
    EXPECT_LT(answer.counts.work.generated_tokens, 60U);
    finished += answer.outcome == Outcome::SafeSql ? 1U : 0U;
  }
  EXPECT_EQ(finished, 40U);
}

TEST(Pcc, RefusesOnlyWhereItMay) {
  Hr hr;
  ScriptedModel model(bytes_and({"REF", "USE"}), {"REFUSE"}, kRoomy);
  DecodeSettings settings;
  settings.max_tokens = 400;  // bytes: with few left, only one way to finish is open, and nobody asks the model
  const Answer forced = ask(hr, model, settings);
  EXPECT_EQ(forced.outcome, Outcome::SafeSql);
  EXPECT_TRUE(forced.wanted_to_refuse);
  settings.allow_refuse = true;
  const Answer chosen = ask(hr, model, settings);
  EXPECT_EQ(chosen.outcome, Outcome::Refuse);
  EXPECT_EQ(chosen.reason, "the model chose to refuse");
  EXPECT_FALSE(chosen.wanted_to_refuse);
  EXPECT_TRUE(chosen.errors.empty());
}

TEST(Pcc, APolicyOrABudgetThatLeavesNothingIsARefusal) {
  Hr hr;
  ScriptedModel model(builtin_vocabulary(), {"SELECT 1"}, kRoomy);
  DecodeSettings settings;
  settings.max_tokens = 1;
  const Answer budget = ask(hr, model, settings);
  EXPECT_EQ(budget.outcome, Outcome::Refuse);
  EXPECT_NE(budget.reason.find("budget of 1 tokens"), std::string::npos) << budget.reason;

  Subject closed(hr.catalog, Policy(hr.catalog, ColumnPolicy::Hidden));
  ScriptedModel wants(builtin_vocabulary(), {"SELECT name FROM employee"}, kRoomy);
  const Answer answer = make_decoder(Method::Pcc, wants, {.max_tokens = 40, .memory = {}})->answer(closed, kQuestion);
  EXPECT_NE(answer.outcome, Outcome::UnsafeSql);
  EXPECT_EQ(answer.sql.value_or("").find("name"), std::string::npos) << *answer.sql;
}

TEST(Pcc, TokensWithoutAlternativeCostNoModelStep) {
  Hr hr;
  const std::string sql = "SELECT name FROM employee WHERE hire_year != 2000";
  ScriptedModel model(bytes_and({}), {sql}, kRoomy);
  DecodeSettings settings;
  settings.trace = true;
  const Answer answer = ask(hr, model, settings);
  EXPECT_EQ(answer.sql, sql);
  EXPECT_EQ(answer.counts.work.generated_tokens, sql.size());
  EXPECT_GE(answer.counts.forced_tokens, 1U) << "after `!` only `=` can come";
  EXPECT_EQ(answer.counts.work.forward_passes, sql.size() - answer.counts.forced_tokens + 1);
  const auto forced = std::ranges::count(answer.trace, TraceStep::Kind::Forced, &TraceStep::kind);
  EXPECT_EQ(static_cast<uint64_t>(forced), answer.counts.forced_tokens);
}

TEST(Pcc, DisagreeingJudgesAreARefusalAndAnErrorInTheLog) {
  Hr hr;
  Subject wrong(hr.catalog, hr.policy, {}, Prompts::standard(), Policy(hr.catalog, ColumnPolicy::Public));
  const std::string sql = "SELECT ssn FROM employee";
  ScriptedModel model(builtin_vocabulary(), {sql}, kRoomy);
  const Answer answer = make_decoder(Method::Pcc, model)->answer(wrong, kQuestion);
  EXPECT_EQ(answer.outcome, Outcome::Refuse);
  EXPECT_FALSE(answer.sql);
  EXPECT_EQ(answer.withheld, sql);
  ASSERT_EQ(answer.errors.size(), 1U);
  EXPECT_NE(answer.errors[0].find(sql), std::string::npos);
  EXPECT_NE(answer.reason.find("judges disagree"), std::string::npos) << answer.reason;
  EXPECT_EQ(answer.violations.size(), 1U);
}

TEST(Pcc, AFaultOfTheModelAtAnyCallLeavesNoQuery) {
  Hr hr;
  for (const Method method : {Method::Pcc, Method::PccPaper, Method::IterGen}) {
    const std::string sql = "SELECT name FROM employee";
    ScriptedModel sound(builtin_vocabulary(), {sql}, kRoomy);
    EXPECT_EQ(ask(hr, sound, {}, method).sql, sql);
    const size_t calls = sound.fallible_calls();
    ASSERT_GT(calls, 10U);
    for (size_t call = 1; call <= calls; ++call) {
      ScriptedModel model(builtin_vocabulary(), {sql}, kRoomy);
      model.fail_from_call(call);
      const Answer answer = ask(hr, model, {}, method);
      EXPECT_EQ(answer.outcome, Outcome::Failure) << to_string(method) << " call " << call;
      EXPECT_FALSE(answer.sql);
      EXPECT_NE(answer.reason.find("the model failed"), std::string::npos) << answer.reason;
    }
  }
}

TEST(Pcc, TheContextBoundsTheBudgetAndATooLongPromptIsSaidToBe) {
  Hr hr;
  const std::string sql = "SELECT name FROM employee ORDER BY name, job_title, hire_date, hire_year";
  ScriptedModel roomy(builtin_vocabulary(), {sql}, kRoomy);
  const Answer whole = ask(hr, roomy);
  EXPECT_EQ(whole.sql, sql);
  const size_t prompt = whole.counts.work.prompt_tokens;
  for (size_t room = 1; room < whole.counts.work.generated_tokens + 2; ++room) {
    ScriptedModel model(builtin_vocabulary(), {sql}, {.context_size = prompt + room});
    const Answer answer = ask(hr, model);
    EXPECT_NE(answer.outcome, Outcome::Failure) << room << ": " << answer.reason;
    EXPECT_LE(answer.counts.work.generated_tokens, room);
  }
  ScriptedModel narrow(builtin_vocabulary(), {sql}, {.context_size = 100});
  const Answer answer = ask(hr, narrow);
  EXPECT_EQ(answer.outcome, Outcome::Failure);
  EXPECT_NE(answer.reason.find(std::to_string(prompt)), std::string::npos) << answer.reason;
}

TEST(Pcc, CanBeStopped) {
  Hr hr;
  ScriptedModel model(builtin_vocabulary(), {"SELECT name, job_title FROM employee"}, kRoomy);
  std::atomic<bool> stop = false;
  size_t pieces = 0;
  Listener listener;
  listener.stop = &stop;
  listener.on_text = [&](std::string_view) { stop = ++pieces == 3; };
  const Answer answer = ask(hr, model, {}, Method::Pcc, listener);
  EXPECT_EQ(answer.outcome, Outcome::Failure);
  EXPECT_TRUE(answer.stopped);
  EXPECT_EQ(pieces, 3U);
  EXPECT_FALSE(answer.sql);
}

TEST(Pcc, TracesEachStep) {
  Hr hr;
  const Vocabulary vocabulary = bytes_and({" ssn", " name", "SELECT", " FROM"});
  ScriptedModel model(vocabulary, with_fallback(vocabulary, "SELECT ssn FROM employee", "SELECT name FROM employee"),
                      kRoomy);
  DecodeSettings settings;
  settings.trace = true;
  settings.blocked = Blocked::Answer;
  const Answer answer = ask(hr, model, settings);
  EXPECT_EQ(answer.sql, "SELECT name FROM employee");
  ASSERT_EQ(answer.trace.size(), answer.counts.work.generated_tokens + 1);
  std::string text;
  bool removed = false;
  for (const TraceStep& step : answer.trace) {
    EXPECT_EQ(step.text, text);
    text += step.token;
    removed |= step.removed > 0.9 && step.wanted != step.token && step.role == "Sel" && !step.blocked.empty();
  }
  EXPECT_EQ(text, *answer.sql);
  EXPECT_TRUE(removed);
}

TEST(Pcc, ASecondQuestionFindsThePromptEvaluated) {
  Hr hr;
  ScriptedModel model(builtin_vocabulary(), {"SELECT name FROM employee"}, kRoomy);
  auto decoder = make_decoder(Method::Pcc, model);
  const Answer first = decoder->answer(hr.subject, {"One?", {}});
  const Answer second = decoder->answer(hr.subject, {"Two?", {}});
  EXPECT_EQ(second.counts.work.calls, 1U);
  EXPECT_EQ(first.counts.work.cached_prompt_tokens, 0U);
  EXPECT_GT(second.counts.work.cached_prompt_tokens, second.counts.work.prompt_tokens * 9 / 10);
}

TEST(PccPaper, RefusesWhatItsAlgorithmRefuses) {
  Hr hr;
  const auto outcome = [&](const char* text) {
    ScriptedModel model(builtin_vocabulary(), {text}, kRoomy);
    DecodeSettings settings;
    settings.max_tokens = 60;
    settings.blocked = Blocked::Answer;
    return ask(hr, model, settings, Method::PccPaper);
  };
  EXPECT_EQ(outcome("SELECT name FROM employee").outcome, Outcome::SafeSql);
  const Answer beyond = outcome("SELECT name FROM employee UNION SELECT name FROM department");
  EXPECT_EQ(beyond.outcome, Outcome::Refuse);
  EXPECT_NE(beyond.reason, "");
  EXPECT_TRUE(beyond.errors.empty());
  // An ambiguous name: the database would refuse it, and the paper's mask does not look.
  const Answer ambiguous =
      outcome("SELECT name FROM employee JOIN department ON employee.department_id = department.id");
  EXPECT_EQ(ambiguous.outcome, Outcome::Failure);
  EXPECT_TRUE(ambiguous.errors.empty());
}

}  // namespace
}  // namespace pccsql
