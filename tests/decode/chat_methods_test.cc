// direct, retry and verify, on what a model may say.
#include <gtest/gtest.h>

#include "decode/hr.h"

namespace pccsql {
namespace {

using Outcome = Answer::Outcome;

constexpr const char* kSafe = "SELECT name FROM employee";
constexpr const char* kUnsafe = "SELECT name, salary FROM employee WHERE ssn = '1'";

Answer ask(Hr& hr, Method method, ScriptedChat& chat, const DecodeSettings& settings = {},
           const Listener& listener = {}) {
  auto decoder = make_decoder(method, chat, settings);
  if (!decoder) throw std::runtime_error(decoder.error().to_string());
  Answer answer = (*decoder)->answer(hr.subject, kQuestion, listener);
  expect_sound(hr, answer);
  EXPECT_EQ(answer.method, method);
  EXPECT_GT(answer.counts.total_ns, 0U);
  return answer;
}

bool holds(std::string_view text, std::string_view part) { return text.find(part) != std::string_view::npos; }

TEST(Direct, TheVerdictIsTheCheckers) {
  Hr hr;
  const auto outcome = [&](const char* output) {
    ScriptedChat chat({output});
    return ask(hr, Method::Direct, chat);
  };
  const Answer safe = outcome("```sql\nSELECT name, AVG(salary) FROM employee GROUP BY name;\n```");
  EXPECT_EQ(safe.outcome, Outcome::SafeSql);
  EXPECT_EQ(safe.sql, "SELECT name, AVG(salary) FROM employee GROUP BY name;");
  ASSERT_EQ(safe.uses.size(), 2U);
  EXPECT_EQ(safe.uses[0].role, Role::Sel);
  EXPECT_EQ(safe.uses[1].policy, ColumnPolicy::AggregateOnly);
  EXPECT_EQ(safe.counts.work.calls, 1U);

  const Answer unsafe = outcome(kUnsafe);
  EXPECT_EQ(unsafe.outcome, Outcome::UnsafeSql);
  EXPECT_EQ(unsafe.sql, kUnsafe);
  EXPECT_EQ(unsafe.violations, (std::vector<Violation>{{"employee.salary", ColumnPolicy::AggregateOnly, Role::Sel},
                                                       {"employee.ssn", ColumnPolicy::Hidden, Role::Where}}));

  const Answer closed = outcome("SELECT COUNT(*) FROM sick_note");
  EXPECT_EQ(closed.outcome, Outcome::UnsafeSql);
  EXPECT_EQ(closed.violations, (std::vector<Violation>{{"sick_note", ColumnPolicy::Hidden, std::nullopt}}));

  EXPECT_EQ(outcome(" REFUSE\n").outcome, Outcome::Refuse);
  for (const char* wrong : {"", "I cannot.", "SELECT wage FROM employee", "SELECT 1; SELECT 2", "DELETE FROM employee",
                            "SELECT ssn FROM nowhere"}) {
    EXPECT_EQ(outcome(wrong).outcome, Outcome::Failure) << wrong;
  }
}

TEST(Direct, ThePromptIsTheQuestions) {
  Hr hr;
  ScriptedChat chat({kSafe});
  auto decoder = make_decoder(Method::Direct, chat);
  (*decoder)->answer(hr.subject, {"How many?", "many means all"});
  ASSERT_EQ(chat.asked().size(), 1U);
  const std::vector<Message>& messages = chat.asked()[0];
  ASSERT_EQ(messages.size(), 2U);
  EXPECT_EQ(messages[0].speaker, Speaker::System);
  EXPECT_EQ(messages[1].speaker, Speaker::User);
  EXPECT_TRUE(holds(messages[1].text, "salary INTEGER, -- AggregateOnly\n"));
  EXPECT_TRUE(messages[1].text.ends_with("Hint: many means all\nQuestion: How many?"));
}

TEST(Retry, AsksAgainWithWhatWasWrong) {
  Hr hr;
  ScriptedChat chat({kUnsafe, "SELECT phone FROM employee", kSafe});
  const Answer answer = ask(hr, Method::Retry, chat);
  EXPECT_EQ(answer.outcome, Outcome::SafeSql);
  EXPECT_EQ(answer.sql, kSafe);
  EXPECT_EQ(answer.counts.iterations, 2U);
  EXPECT_EQ(answer.counts.work.calls, 3U);
  ASSERT_EQ(chat.asked().size(), 3U);
  const std::string& first = chat.asked()[0][1].text;
  const std::string& second = chat.asked()[1][1].text;
  const std::string& third = chat.asked()[2][1].text;
  EXPECT_TRUE(second.starts_with(first) && third.starts_with(first));
  EXPECT_TRUE(holds(second, kUnsafe));
  EXPECT_TRUE(holds(second, "`employee.salary` (policy: AggregateOnly) was used as output"));
  EXPECT_TRUE(holds(second, "`employee.ssn` (policy: Hidden) was used as a filter"));
  EXPECT_TRUE(holds(third, "SELECT phone FROM employee")) << third;
  EXPECT_FALSE(holds(third, kUnsafe)) << "earlier feedback is replaced";
}

TEST(Retry, AfterTheLastAttemptTheLastOutputStands) {
  Hr hr;
  for (const size_t retries : {0U, 1U, 3U}) {
    ScriptedChat chat({kUnsafe});
    DecodeSettings settings;
    settings.retries = retries;
    const Answer answer = ask(hr, Method::Retry, chat, settings);
    EXPECT_EQ(answer.outcome, Outcome::UnsafeSql);
    EXPECT_EQ(answer.sql, kUnsafe);
    EXPECT_EQ(chat.asked().size(), retries + 1);
  }
}

TEST(Retry, WhatIsNoViolationIsNotAskedAgain) {
  Hr hr;
  for (const char* output :
       {kSafe, "REFUSE", "nonsense", "SELECT ssn FROM nowhere", "SELECT ssn FROM employee; SELECT 1"}) {
    ScriptedChat chat({output, kSafe});
    ask(hr, Method::Retry, chat);
    EXPECT_EQ(chat.asked().size(), 1U) << output;
  }
  ScriptedChat gives_up({kUnsafe, "REFUSE"});
  const Answer answer = ask(hr, Method::Retry, gives_up);
  EXPECT_EQ(answer.outcome, Outcome::Refuse);
  EXPECT_EQ(gives_up.asked().size(), 2U);
  EXPECT_TRUE(answer.violations.empty());
}

TEST(Retry, DiscardedTextIsTold) {
  Hr hr;
  ScriptedChat chat({kUnsafe, kSafe});
  std::string shown;
  Listener listener;
  listener.on_text = [&](std::string_view piece) { shown += piece; };
  listener.on_discard = [&](size_t bytes) { shown.resize(shown.size() - bytes); };
  ask(hr, Method::Retry, chat, {}, listener);
  EXPECT_EQ(shown, kSafe);
}

TEST(Verify, AnythingButAPermitIsARefusal) {
  Hr hr;
  struct Case {
    const char* sql;
    const char* decision;
    Outcome outcome;
  };
  for (const Case& c : std::vector<Case>{{kSafe, "fine\nDECISION: PERMIT", Outcome::SafeSql},
                                         {kUnsafe, "DECISION: PERMIT", Outcome::UnsafeSql},
                                         {kSafe, "DECISION: DENY", Outcome::Refuse},
                                         {kSafe, "DECISION: PERMIT\nDECISION: DENY", Outcome::Refuse},
                                         {kSafe, "I think so.", Outcome::Refuse},
                                         {kSafe, "", Outcome::Refuse}}) {
    ScriptedChat chat({c.sql, c.decision});
    std::string shown;
    Listener listener;
    listener.on_text = [&](std::string_view piece) { shown += piece; };
    const Answer answer = ask(hr, Method::Verify, chat, {}, listener);
    EXPECT_EQ(answer.outcome, c.outcome) << c.decision;
    EXPECT_EQ(answer.counts.work.calls, 2U);
    EXPECT_EQ(shown, c.sql);
    EXPECT_EQ(answer.withheld.has_value(), c.outcome == Outcome::Refuse);
    ASSERT_EQ(chat.asked().size(), 2U);
    EXPECT_TRUE(holds(chat.asked()[1][1].text, "- employee.ssn: Hidden\n"));
    EXPECT_TRUE(holds(chat.asked()[1][1].text, c.sql));
  }
}

TEST(Verify, ARefusalIsNotVerified) {
  Hr hr;
  ScriptedChat chat({"REFUSE", "DECISION: PERMIT"});
  EXPECT_EQ(ask(hr, Method::Verify, chat).outcome, Outcome::Refuse);
  EXPECT_EQ(chat.asked().size(), 1U);
}

TEST(ChatMethods, AModelThatFailsLeavesNoQuery) {
  Hr hr;
  for (const Method method : {Method::Direct, Method::Retry, Method::Verify}) {
    for (const size_t call : {1U, 2U, 3U}) {
      ScriptedChat chat({kUnsafe});
      chat.fail_from_call(call);
      const Answer answer = ask(hr, method, chat);
      const bool reached =
          call == 1 || (call == 2 && method != Method::Direct) || (call == 3 && method == Method::Retry);
      if (!reached) continue;
      EXPECT_EQ(answer.outcome, Outcome::Failure) << to_string(method) << call;
      EXPECT_TRUE(holds(answer.reason, "the model failed")) << answer.reason;
      EXPECT_FALSE(answer.sql);
      EXPECT_TRUE(answer.violations.empty());
    }
  }
}

TEST(ChatMethods, AStopIsNoAnswer) {
  Hr hr;
  std::atomic<bool> stop = false;
  ScriptedChat chat({kUnsafe});
  Listener listener;
  listener.stop = &stop;
  listener.on_text = [&](std::string_view) { stop = true; };
  const Answer answer = ask(hr, Method::Retry, chat, {}, listener);
  EXPECT_EQ(answer.outcome, Outcome::Failure);
  EXPECT_TRUE(answer.stopped);
  EXPECT_FALSE(answer.sql);
  EXPECT_EQ(chat.asked().size(), 1U);
}

TEST(ChatMethods, LogitsAreNotToBeHadFromAChat) {
  ScriptedChat chat({kSafe});
  for (const Method method : {Method::IterGen, Method::Pcc, Method::PccPaper}) {
    const auto decoder = make_decoder(method, chat);
    ASSERT_FALSE(decoder);
    EXPECT_TRUE(holds(decoder.error().message, to_string(method))) << decoder.error().message;
  }
}

TEST(ChatMethods, WorkWithLogitsTooAndTraceWhatWasWritten) {
  Hr hr;
  ScriptedModel model(builtin_vocabulary(), {kUnsafe, kSafe}, {.context_size = 8192});
  DecodeSettings settings;
  settings.trace = true;
  auto decoder = make_decoder(Method::Retry, model, settings);
  const Answer answer = decoder->answer(hr.subject, kQuestion);
  EXPECT_EQ(answer.sql, kSafe);
  EXPECT_EQ(answer.counts.work.calls, 2U);
  EXPECT_GT(answer.counts.work.generated_tokens, 10U);
  ASSERT_EQ(answer.trace.size(), 2U);
  EXPECT_EQ(answer.trace[0].kind, TraceStep::Kind::Output);
  EXPECT_EQ(answer.trace[0].token, kUnsafe);
}

}  // namespace
}  // namespace pccsql
