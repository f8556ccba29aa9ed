// What becomes of a question for which the policy blocked a name: both sides of each rule. The scripted models want a
// query that is not permitted, and where the mask says no, another one.
#include <gtest/gtest.h>

#include <algorithm>

#include "decode/draft.h"
#include "decode/instead.h"
#include "decode/settle.h"
#include "decode/hr.h"

namespace pccsql {
namespace {

using Outcome = Answer::Outcome;

constexpr ScriptedOptions kRoomy{.context_size = 8192};

// The longest pieces that a text is cut into, from its beginning.
std::vector<TokenId> cut(const Vocabulary& vocabulary, std::string_view text) {
  std::vector<TokenId> tokens;
  while (!text.empty()) {
    TokenId longest = 0;
    for (TokenId id = 0; id < vocabulary.size(); ++id) {
      const std::string_view bytes = vocabulary.bytes(id);
      const bool longer = tokens.empty() || bytes.size() > vocabulary.bytes(longest).size() ||
                          !text.starts_with(vocabulary.bytes(longest));
      if (vocabulary.is_text(id) && text.starts_with(bytes) && longer) longest = id;
    }
    tokens.push_back(longest);
    text.remove_prefix(vocabulary.bytes(longest).size());
  }
  return tokens;
}

// Goes on with the first text that what is written leads to by whole pieces, and else ends.
Script wants(const Vocabulary& vocabulary, std::vector<std::string> texts) {
  std::vector<std::vector<TokenId>> cuts;
  for (const std::string& text : texts) cuts.push_back(cut(vocabulary, text));
  return [&vocabulary, texts, cuts](const Scene& scene, std::span<float> logits) {
    float wish = 1000;
    for (size_t i = 0; i < texts.size(); ++i) {
      if (!texts[i].starts_with(scene.text)) continue;
      size_t done = 0;
      size_t next = 0;
      while (done < scene.text.size()) done += vocabulary.bytes(cuts[i][next++]).size();
      if (done != scene.text.size()) continue;
      logits[next == cuts[i].size() ? vocabulary.end_of_text()[0] : cuts[i][next]] += wish;
      wish /= 10;
    }
  };
}

Answer ask(const std::string& wanted, const std::string& otherwise, Blocked blocked = Blocked::Part,
           const std::string& counted = "") {
  Hr hr;
  const Vocabulary vocabulary = bytes_and({" salary", " email", " ssn", " birth_date", " employee", " lost", " *", "(id",
                                            "(e.id", "(manager_id", "(salary"});
  ScriptedModel model(vocabulary, wants(vocabulary, {wanted, otherwise, counted}), kRoomy);
  DecodeSettings settings;
  settings.blocked = blocked;
  settings.max_tokens = 4000;  // bytes, mostly
  std::string shown;
  Listener listener;
  listener.on_text = [&](std::string_view piece) { shown += piece; };
  listener.on_discard = [&](size_t bytes) { shown.resize(shown.size() - bytes); };
  Answer answer = make_decoder(Method::Pcc, model, settings)->answer(hr.subject, kQuestion, listener);
  expect_sound(hr, answer);
  EXPECT_EQ(shown, answer.sql.value_or("")) << "whoever watches sees the answer";
  return answer;
}

// The name that was wanted may be all of the beginning of another, which is then written; or come in one token with its dot.
TEST(Draft, WhatWasWantedIsKnownByItsWholeName) {
  const auto catalog = read_ddl_catalog("CREATE TABLE car (model TEXT, modelid INTEGER, maker TEXT)");
  ASSERT_TRUE(catalog);
  Policy policy(*catalog, ColumnPolicy::Public);
  policy.set(*catalog->find_column("car", "model"), ColumnPolicy::Hidden);
  Subject subject(*catalog, policy);
  const Vocabulary vocabulary = bytes_and({"SELECT ", "model", "id", "T1", ".model", ".maker", " FROM", " car", " AS"});
  // No draft that makes sense: there is no such column as `weight`.
  for (const auto& [wanted, otherwise] : std::vector<std::pair<std::string, std::string>>{
           {"SELECT model FROM car WHERE weight = 1", "SELECT modelid FROM car"},
           {"SELECT T1.model FROM car AS T1 WHERE weight = 1", "SELECT T1.maker FROM car AS T1"}}) {
    ScriptedModel model(vocabulary, wants(vocabulary, {wanted, otherwise}), kRoomy);
    DecodeSettings settings;
    settings.max_tokens = 400;
    const Answer answer = make_decoder(Method::Pcc, model, settings)->answer(subject, kQuestion, {});
    EXPECT_EQ(answer.outcome, Answer::Outcome::Refuse) << answer.sql.value_or("");
    EXPECT_EQ(answer.draft, wanted);
  }
}

TEST(Draft, AnOutputIsLeftOut) {
  const Answer answer = ask("SELECT name, salary FROM employee ORDER BY hire_date DESC LIMIT 1",
                            "SELECT name, job_title FROM employee ORDER BY hire_date DESC LIMIT 1");
  EXPECT_EQ(kind_of(answer), AnswerKind::Partial);
  EXPECT_EQ(answer.sql, "SELECT name FROM employee ORDER BY hire_date DESC LIMIT 1");
  ASSERT_EQ(answer.withheld_uses.size(), 1U);
  const WithheldUse& use = answer.withheld_uses[0];
  EXPECT_EQ(use.name, "employee.salary");
  EXPECT_EQ(use.use, "output");
  EXPECT_EQ(use.policy, ColumnPolicy::AggregateOnly);
  EXPECT_TRUE(use.output);
  EXPECT_EQ(answer.draft, "SELECT name, salary FROM employee ORDER BY hire_date DESC LIMIT 1");
  EXPECT_GT(answer.counts.draft_tokens, 0U);
}

// The masked answer keeps all that may be used, and has what may not be shown inside an aggregate.
TEST(Draft, AnAnswerThatAggregatesWhatMayNotBeShownStands) {
  const Answer answer =
      ask("SELECT job_title, salary FROM employee", "SELECT job_title, SUM(salary) FROM employee GROUP BY job_title");
  EXPECT_EQ(kind_of(answer), AnswerKind::Partial);
  EXPECT_EQ(answer.sql, "SELECT job_title, SUM(salary) FROM employee GROUP BY job_title");
}

TEST(Draft, AnOrderAFilterAGroupOrAJoinMayNotBeLeftOut) {
  const std::pair<const char*, const char*> wanted[] = {
      {"SELECT name FROM employee ORDER BY salary DESC LIMIT 1", "ordering"},
      {"SELECT name FROM employee WHERE salary > 90000", "a filter"},
      {"SELECT COUNT(*) FROM employee GROUP BY salary", "grouping"},
      {"SELECT name FROM employee WHERE id IN (SELECT manager_id FROM employee WHERE birth_date = '1970-01-01')",
       "a filter"},
      {"SELECT name, salary FROM employee WHERE ssn = '1'", "output"},
  };
  for (const auto& [sql, use] : wanted) {
    const Answer answer = ask(sql, "SELECT name FROM employee");
    EXPECT_EQ(kind_of(answer), AnswerKind::Refused) << sql;
    EXPECT_EQ(answer.outcome, Outcome::Refuse) << sql;
    EXPECT_EQ(answer.cause, Cause::Withheld) << sql;
    ASSERT_FALSE(answer.withheld_uses.empty()) << sql;
    EXPECT_EQ(answer.withheld_uses[0].use, use) << sql;
    EXPECT_NE(answer.reason.find(answer.withheld_uses[0].name), std::string::npos) << answer.reason;
  }
}

TEST(Draft, WhereNothingIsLeftToShowAValueIsAveragedOrRefused) {
  const Answer averaged = ask("SELECT salary FROM employee WHERE job_title = 'Clerk'", "SELECT name FROM employee");
  EXPECT_EQ(kind_of(averaged), AnswerKind::Partial);
  EXPECT_EQ(averaged.sql, "SELECT AVG(salary) FROM employee WHERE job_title = 'Clerk'");
  // The average of one that is sorted out is another question's; a Hidden column has none; nor has a maximum.
  EXPECT_EQ(kind_of(ask("SELECT salary FROM employee ORDER BY hire_date LIMIT 1", "SELECT name FROM employee")),
            AnswerKind::Refused);
  EXPECT_EQ(kind_of(ask("SELECT ssn FROM employee", "SELECT name FROM employee")), AnswerKind::Refused);
  EXPECT_EQ(kind_of(ask("SELECT MAX(salary) FROM employee", "SELECT name FROM employee")), AnswerKind::Refused);
}

TEST(Draft, AnAnswerToAnotherQuestionDoesNotStand) {
  // Other rows, other conditions, other values.
  for (const char* otherwise : {"SELECT name FROM employee WHERE hire_year = 2001", "SELECT city FROM office"}) {
    const Answer answer = ask("SELECT email FROM employee WHERE hire_year = 2000", otherwise);
    EXPECT_EQ(kind_of(answer), AnswerKind::Refused) << otherwise;
  }
}

// Rows can be counted instead of their key: that is the same number, and nothing is missing.
TEST(Draft, CountsOfAKeyThatMayNotBeCountedCountRows) {
  const Answer answer = ask("SELECT job_title, COUNT(id) FROM employee GROUP BY job_title",
                            "SELECT job_title, COUNT(name) FROM employee GROUP BY job_title", Blocked::Part,
                            "SELECT job_title, COUNT(*) FROM employee GROUP BY job_title");
  EXPECT_EQ(kind_of(answer), AnswerKind::Answered);
  EXPECT_EQ(answer.sql, "SELECT job_title, COUNT(*) FROM employee GROUP BY job_title");
  EXPECT_TRUE(answer.withheld_uses.empty());
  // Not distinct ones, not another column, and not where an outer join brings rows without a key.
  for (const char* other : {"SELECT COUNT(manager_id) FROM employee", "SELECT COUNT(DISTINCT manager_id) FROM employee",
                            "SELECT COUNT(e.id) FROM department AS d LEFT JOIN employee AS e ON e.department_id = d.id"}) {
    EXPECT_EQ(kind_of(ask(other, "SELECT name FROM employee", Blocked::Part,
                          "SELECT COUNT(*) FROM department AS d LEFT JOIN employee AS e ON e.department_id = d.id")),
              AnswerKind::Refused)
        << other;
  }
}

TEST(Draft, AStarIsWhatMayBeShownOfIt) {
  const Answer answer = ask("SELECT * FROM badge WHERE lost = 1", "SELECT issued FROM badge");
  EXPECT_EQ(kind_of(answer), AnswerKind::Partial);
  EXPECT_EQ(answer.sql, "SELECT issued FROM badge WHERE lost = 1");
}

// A column that is named by the wrong table is still meant.
TEST(Draft, AColumnOfTheWrongTableIsFoundInTheRightOne) {
  Hr hr;
  const std::string from = " FROM department AS d JOIN employee AS e ON e.department_id = d.id";
  const DraftReading shown = read_draft(hr.subject, "SELECT d.name, d.salary" + from);
  EXPECT_TRUE(shown.understood);
  EXPECT_TRUE(shown.repaired);
  EXPECT_EQ(shown.sql, "SELECT d.name" + from);
  const DraftReading filtered = read_draft(hr.subject, "SELECT d.name" + from + " WHERE d.salary > 1");
  EXPECT_FALSE(filtered.sql);
  ASSERT_EQ(filtered.withheld.size(), 1U);
  EXPECT_EQ(filtered.withheld[0].name, "employee.salary");
  // Both have a name; neither has a city.
  EXPECT_FALSE(read_draft(hr.subject, "SELECT d.city" + from).understood);
}

// Whether there is such a row may be asked where the row's key may not be shown. (Under strict, lists that are only compared may be.)
TEST(Draft, AKeyThatIsOnlyLookedUpNeedNotBeShown) {
  Hr hr;
  Subject paper(hr.catalog, hr.policy, {Profile::Paper, Language::Full});
  const auto read = [&](const char* draft) { return read_draft(paper, draft); };
  const DraftReading found = read("SELECT COUNT(*) FROM badge WHERE employee_id = (SELECT id FROM employee WHERE name = 'Ada')");
  EXPECT_TRUE(found.complete);
  EXPECT_EQ(found.sql, "SELECT COUNT(*) FROM badge WHERE EXISTS (SELECT 1 FROM employee WHERE employee.id = badge.employee_id AND name = 'Ada')");
  EXPECT_EQ(read("SELECT name FROM employee WHERE hire_year > 2000 AND id IN (SELECT employee_id FROM badge)").sql,
            "SELECT name FROM employee WHERE hire_year > 2000 AND EXISTS (SELECT 1 FROM badge WHERE badge.employee_id = employee.id)");
  // Where b may be NULL, NOT IN asks something else; the first of several is not any; and what is not a key of one table is left alone.
  for (const char* other : {"SELECT name FROM employee WHERE id NOT IN (SELECT employee_id FROM badge)",
                            "SELECT COUNT(*) FROM badge WHERE employee_id = (SELECT id FROM employee ORDER BY hire_date LIMIT 1)",
                            "SELECT name FROM employee WHERE id IN (SELECT employee_id FROM badge GROUP BY employee_id)"}) {
    EXPECT_FALSE(read(other).complete) << other;
  }
}

// Each row of the table stands in FROM once, so different keys are as many as rows.
TEST(Draft, DifferentKeysAreCountedAsRowsWhereNoneIsRepeated) {
  Hr hr;
  const auto sql = [&](const char* draft) { return read_draft(hr.subject, draft).sql.value_or(""); };
  EXPECT_EQ(sql("SELECT COUNT(DISTINCT T1.id) FROM employee AS T1 JOIN department AS T2 ON T1.department_id = T2.id"),
            "SELECT COUNT(*) FROM employee AS T1 JOIN department AS T2 ON T1.department_id = T2.id");
  EXPECT_EQ(sql("SELECT COUNT(DISTINCT T2.id) FROM employee AS T1 JOIN department AS T2 ON T1.department_id = T2.id"), "");
  EXPECT_EQ(sql("SELECT COUNT(department_id) FROM employee"), "SELECT COUNT(*) FROM employee");
  EXPECT_EQ(sql("SELECT COUNT(manager_id) FROM employee"), "") << "some have none";
}

// A reference that may not be shown stands for what it refers to, where that has its name.
TEST(Draft, WhatAReferenceRefersToMayStandForIt) {
  const auto catalog = read_ddl_catalog(
      "CREATE TABLE airline(uid INTEGER PRIMARY KEY, airline TEXT);"
      "CREATE TABLE flight(no INTEGER PRIMARY KEY, airline INTEGER NOT NULL, source TEXT)");
  ASSERT_TRUE(catalog);
  const auto policy = parse_policy_yaml("{version: 1, tables: {airline: {airline: Public, uid: ConditionOnly},"
                                        " flight: {no: Public, airline: ConditionOnly, source: Public}}}", *catalog);
  ASSERT_TRUE(policy);
  Subject subject(*catalog, *policy);
  const DraftReading draft = read_draft(subject, "SELECT airline FROM flight WHERE source = 'AHD'");
  const auto kept = [&](const char* sql) {
    Answer answer;
    subject.judge(sql, answer);
    EXPECT_EQ(answer.outcome, Outcome::SafeSql) << answer.reason;
    return keeps(*catalog, draft, sql, answer.uses);
  };
  EXPECT_EQ(kept("SELECT T2.airline FROM flight AS T1 JOIN airline AS T2 ON T1.airline = T2.uid WHERE T1.source = 'AHD'"), Kept::Whole);
  EXPECT_EQ(kept("SELECT T2.airline FROM flight AS T1 JOIN airline AS T2 ON T1.airline = T2.uid WHERE T1.source = 'APG'"), Kept::No);
  EXPECT_EQ(kept("SELECT no FROM flight WHERE source = 'AHD'"), Kept::No);
  EXPECT_EQ(kept("SELECT T2.airline FROM flight AS T1 JOIN airline AS T2 ON T1.no = T2.uid WHERE T1.source = 'AHD'"), Kept::No) << "joined by another column";
}

// A name is blocked at its first letters; what is written there in the end may be another.
TEST(Draft, ABeginningThatTwoNamesHaveIsNoSignByItself) {
  Hr hr;
  const auto kind = [&](const std::string& draft) {
    Answer answer;
    hr.subject.judge("SELECT name, job_title FROM employee", answer);
    answer.blocked = {{"employee.salary", "Sel", "AggregateOnly: may only be used inside COUNT, SUM, AVG", true}};
    settle(hr.subject, {"Who?", true, {{draft, std::string("SELECT name, ").size()}}, false}, [](std::string_view) { return true; }, answer);
    return kind_of(answer);
  };
  EXPECT_EQ(kind("SELECT name, sal FROM employee"), AnswerKind::Answered) << "there is no sal";
  EXPECT_EQ(kind("SELECT name, salary FROM employes"), AnswerKind::Refused) << "but there is a salary";
}

// Terms that count items, and branches that must be as wide, are left alone.
TEST(Draft, ItemsThatOthersCountAreNotTakenAway) {
  for (const char* sql : {"SELECT salary, name FROM employee ORDER BY 2",
                          "SELECT name, salary FROM employee UNION SELECT name, 1 FROM department"}) {
    EXPECT_EQ(kind_of(ask(sql, "SELECT city FROM office")), AnswerKind::Refused) << sql;
  }
}

TEST(Draft, ADraftThatCannotBeJudgedIsARefusal) {
  const Answer answer = ask("SELECT name, salary FROM employee WHERE no_such_column = 1", "SELECT name FROM employee");
  EXPECT_EQ(kind_of(answer), AnswerKind::Refused);
  ASSERT_FALSE(answer.withheld_uses.empty());
  EXPECT_EQ(answer.withheld_uses[0].name, "employee.salary");
}

TEST(Draft, TheCallerMayWantARefusalOrAnyAnswer) {
  const char* wanted = "SELECT name, salary FROM employee";
  const char* otherwise = "SELECT name, job_title FROM employee";
  const Answer refused = ask(wanted, otherwise, Blocked::Refuse);
  EXPECT_EQ(kind_of(refused), AnswerKind::Refused);
  EXPECT_EQ(refused.counts.draft_tokens, 0U);
  const Answer answered = ask(wanted, otherwise, Blocked::Answer);
  EXPECT_EQ(kind_of(answered), AnswerKind::Answered);
  EXPECT_EQ(answered.sql, otherwise);
  EXPECT_EQ(answered.counts.draft_tokens, 0U);
}

// Near what was asked, and each with a query that is safe.
TEST(Draft, ARefusalSaysWhatMayBeAskedInstead) {
  const Answer answer = ask("SELECT name FROM employee ORDER BY salary DESC LIMIT 1", "SELECT name FROM employee");
  EXPECT_EQ(answer.instead,
            (std::vector<std::string>{"What is the average salary in employee?",
                                      "What are the name, job title and hire date of all employee?",
                                      "How many rows does employee have?"}));
  Hr hr;
  for (const Instead& instead : questions_instead(hr.subject, answer.withheld_uses)) {
    EXPECT_TRUE(is_safe(hr, instead.sql)) << instead.sql;
  }
  // A table of which nothing may be used is not asked about, nor one of which the rows alone may be counted listed.
  Subject closed(hr.catalog, Policy(hr.catalog, ColumnPolicy::Hidden));
  EXPECT_TRUE(questions_instead(closed, answer.withheld_uses).empty());
}

TEST(Draft, NothingBlockedCostsNothing) {
  const Answer answer = ask("SELECT name FROM employee", "SELECT city FROM office");
  EXPECT_EQ(kind_of(answer), AnswerKind::Answered);
  EXPECT_FALSE(answer.draft);
  EXPECT_EQ(answer.counts.work.discarded_tokens, 0U);
}

}  // namespace
}  // namespace pccsql
