// Better choices among those that the mask admits: no loops, rows counted where keys may not be, joins on keys.
#include <gtest/gtest.h>

#include "decode/hr.h"
#include "decode/lost_way.h"

namespace pccsql {
namespace {

// Goes on with the first of these texts that what is written begins; where it is whole, ends.
Script first_that_goes_on(const Vocabulary& vocabulary, std::vector<std::string> texts) {
  return [&vocabulary, texts](const Scene& scene, std::span<float> logits) {
    float wish = 1000;
    for (const std::string& text : texts) {
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

Answer ask(std::vector<std::string> texts, const Listener& listener = {}, bool mask_alone = false) {
  Hr hr;
  const Vocabulary vocabulary = builtin_vocabulary();
  ScriptedModel model(vocabulary, first_that_goes_on(vocabulary, std::move(texts)), kRoomy);
  DecodeSettings settings;
  settings.blocked = Blocked::Answer;
  settings.mask_alone = mask_alone;
  Answer answer = make_decoder(Method::Pcc, model, settings)->answer(hr.subject, kQuestion, listener);
  expect_sound(hr, answer);
  return answer;
}

TEST(MaskedRun, AConditionIsNotWrittenTwice) {
  std::string shown;
  Listener listener;
  listener.on_text = [&](std::string_view piece) { shown += piece; };
  listener.on_discard = [&](size_t bytes) { shown.resize(shown.size() - bytes); };
  const std::string once = "SELECT name FROM employee WHERE job_title = 'Clerk' AND hire_year = 2001";
  const Answer answer = ask({once + " AND job_title = 'Clerk' AND hire_year = 2001", once}, listener);
  EXPECT_EQ(answer.sql, once);
  EXPECT_EQ(shown, once);
  EXPECT_GT(answer.counts.work.discarded_tokens, 0U);
}

// With the mask alone each of the model's wishes that is safe is written, good or bad.
TEST(MaskedRun, TheMaskAloneTakesNothingBack) {
  const std::string twice = "SELECT name FROM employee WHERE job_title = 'Clerk' AND hire_year = 2001 AND job_title = 'Clerk'";
  const Answer answer = ask({twice}, {}, true);
  EXPECT_EQ(answer.sql, twice);
  EXPECT_EQ(answer.counts.work.discarded_tokens, 0U);
  EXPECT_NE(ask({twice}).sql, twice);
}

// A model that knows nothing else goes round for ever, and still something is written, which repeats nothing.
TEST(MaskedRun, NoLoopIsLeft) {
  Hr hr;
  const Vocabulary vocabulary = builtin_vocabulary();
  const std::vector<std::string> rounds{" AND job_title = 'Clerk'", " OR name = 'x'", " AND hire_year IN (1, 1", ", 1",
                                        " + salary - salary"};
  const Script loop = [&](const Scene& scene, std::span<float> logits) {
    const std::string begin = "SELECT name FROM employee WHERE job_title = 'Clerk'";
    float wish = 1000;
    const auto want = [&](std::string_view rest) {
      for (TokenId id = 0; id < vocabulary.size(); ++id) {
        if (vocabulary.is_text(id) && rest.starts_with(vocabulary.bytes(id))) logits[id] += wish + static_cast<float>(vocabulary.bytes(id).size());
      }
      wish /= 2;
    };
    if (begin.starts_with(scene.text)) return want(std::string_view(begin).substr(scene.text.size()));
    for (const std::string& round : rounds) {
      for (size_t written = round.size(); written-- > 0;) {
        if (scene.text.ends_with(std::string_view(round).substr(0, written))) {
          want(std::string_view(round).substr(written));
          break;
        }
      }
    }
  };
  ScriptedModel model(vocabulary, loop, kRoomy);
  DecodeSettings settings;
  settings.max_tokens = 200;
  settings.blocked = Blocked::Answer;
  const Answer answer = make_decoder(Method::Pcc, model, settings)->answer(hr.subject, kQuestion);
  expect_sound(hr, answer);
  ASSERT_TRUE(answer.sql) << answer.reason;
  std::vector<Lexeme> lexemes;
  lex(*answer.sql, lexemes);
  for (size_t count = 1; count <= lexemes.size(); ++count) {
    EXPECT_TRUE(lost_way(*answer.sql, std::span(lexemes).first(count)).places.empty()) << *answer.sql << " " << count;
  }
}

// Neither project.id nor department.id may be counted, and no other table's id stands in for them.
TEST(MaskedRun, RowsAreCountedWhereAKeyMayNotBe) {
  const std::string wanted[] = {
      "SELECT COUNT(id) FROM project",
      "SELECT COUNT(T1.id) FROM department AS T1 JOIN office AS T2 ON T1.office_id = T2.id WHERE T2.city = 'Rome'",
      "SELECT T2.city, COUNT(T1.id) FROM department AS T1 JOIN office AS T2 ON T1.office_id = T2.id GROUP BY T2.city",
  };
  const std::string counted[] = {
      "SELECT COUNT(*) FROM project",
      "SELECT COUNT(*) FROM department AS T1 JOIN office AS T2 ON T1.office_id = T2.id WHERE T2.city = 'Rome'",
      "SELECT T2.city, COUNT(*) FROM department AS T1 JOIN office AS T2 ON T1.office_id = T2.id GROUP BY T2.city",
  };
  for (size_t i = 0; i < std::size(wanted); ++i) {
    const Answer answer = ask({wanted[i], counted[i]});
    EXPECT_EQ(answer.sql, counted[i]);
    EXPECT_TRUE(answer.blocked.empty());
  }
}

// What is not there in every row is not rows: manager_id may be NULL; nor are different values.
TEST(MaskedRun, RowsAreNotCountedForAnythingElse) {
  for (const char* wanted : {"SELECT COUNT(manager_id) FROM employee", "SELECT COUNT(DISTINCT department_id) FROM employee",
                             "SELECT COUNT(phone) FROM employee"}) {
    EXPECT_EQ(ask({wanted}).sql.value_or("").find("COUNT(*)"), std::string::npos) << wanted;
  }
}

// By the paper's profile what a nested query is compared by is shown. Where the model looks up a key so, EXISTS asks for the same, and
// generation goes on behind it; only under --blocked answer, where nothing is said of what was blocked.
TEST(MaskedRun, AKeyIsLookedUpByExists) {
  Hr hr;
  Subject paper(hr.catalog, hr.policy, {.profile = Profile::Paper});
  const Vocabulary vocabulary = builtin_vocabulary();
  const auto ask_paper = [&](std::vector<std::string> texts, Blocked blocked) {
    ScriptedModel model(vocabulary, first_that_goes_on(vocabulary, std::move(texts)), kRoomy);
    DecodeSettings settings;
    settings.blocked = blocked;
    return make_decoder(Method::Pcc, model, settings)->answer(paper, kQuestion, {});
  };
  const std::string none = "SELECT name FROM department WHERE id NOT IN (SELECT department_id FROM employee)";
  const std::string exists = "SELECT name FROM department WHERE NOT EXISTS (SELECT 1 FROM employee WHERE employee.department_id = department.id)";
  EXPECT_EQ(ask_paper({none, exists}, Blocked::Answer).sql, exists);
  EXPECT_NE(ask_paper({none, exists}, Blocked::Part).sql, exists);
  const std::string one = "SELECT COUNT(*) FROM badge WHERE employee_id = (SELECT id FROM employee WHERE name = 'Ada')";
  const std::string of_one =
      "SELECT COUNT(*) FROM badge WHERE EXISTS (SELECT 1 FROM employee WHERE employee.id = badge.employee_id AND name = 'Ada')";
  EXPECT_EQ(ask_paper({one + " AND access_level = 4", of_one + " AND access_level = 4"}, Blocked::Answer).sql, of_one + " AND access_level = 4");
  // Which one of several is compared is not known by EXISTS.
  const std::string last = "SELECT name FROM employee WHERE id = (SELECT employee_id FROM badge ORDER BY issued DESC LIMIT 1)";
  EXPECT_EQ(ask_paper({last}, Blocked::Answer).sql.value_or("").find("EXISTS"), std::string::npos);
}

TEST(MaskedRun, TheOnlyTableIsCalledWhatItsColumnsAre) {
  const Answer answer = ask({"SELECT T2.name FROM employee AS T1 WHERE T1.hire_year = 2001",
                             "SELECT T2.name FROM employee AS T2 WHERE T2.hire_year = 2001"});
  EXPECT_EQ(answer.sql, "SELECT T2.name FROM employee AS T2 WHERE T2.hire_year = 2001");
  const std::string joined = "SELECT T2.name FROM employee AS T1 JOIN department AS T2 ON T1.department_id = T2.id";
  EXPECT_EQ(ask({joined}).sql, joined);
  // department has no job_title, so it is not T2.
  const Answer swapped = ask({"SELECT T2.job_title FROM employee AS T1 JOIN department AS T2 ON T1.department_id = T2.id",
                              "SELECT T2.job_title FROM employee AS T2 JOIN department AS T1 ON T2.department_id = T1.id"});
  EXPECT_EQ(swapped.sql, "SELECT T2.job_title FROM employee AS T2 JOIN department AS T1 ON T2.department_id = T1.id");
}

TEST(MaskedRun, AJoinIsOnKeysOfEachOther) {
  const Answer answer = ask({"SELECT T2.name FROM employee AS T1 JOIN department AS T2 ON T1.id = T2.id WHERE T1.hire_year = 2001",
                             "SELECT T2.name FROM employee AS T1 JOIN department AS T2 ON T1.department_id = T2.id WHERE T1.hire_year = 2001"});
  EXPECT_EQ(answer.sql,
            "SELECT T2.name FROM employee AS T1 JOIN department AS T2 ON T1.department_id = T2.id WHERE T1.hire_year = 2001");
  EXPECT_EQ(answer.counts.work.discarded_tokens, 0U);
}

// What a model writes at length after the policy took away what it wanted is about nothing; what was not taken away may be long.
TEST(MaskedRun, AfterThePolicyTookSomethingAwayTheEndIsNear) {
  Hr hr;
  std::vector<std::string> words{"SELECT ", "name", "salary", " FROM", " WHERE", " job_title", " = 'Clerk'", " OR", " hire_year", " =", " 19"};
  for (const Table& table : hr.catalog.tables()) {
    words.push_back(" " + table.name);
    for (const Column& column : table.columns) words.push_back(column.name);
  }
  const Vocabulary vocabulary = bytes_and(words);
  std::string on = " FROM employee WHERE job_title = 'Clerk'";
  for (int i = 0; i < 60; ++i) on += " OR hire_year = " + std::to_string(1900 + i);
  const auto tokens = [&](const std::string& first) {
    ScriptedModel model(vocabulary, first_that_goes_on(vocabulary, {"SELECT " + first + on, "SELECT name" + on}), kRoomy);
    DecodeSettings settings;
    settings.max_tokens = 512;
    settings.blocked = Blocked::Answer;
    const Answer answer = make_decoder(Method::Pcc, model, settings)->answer(hr.subject, kQuestion, {});
    expect_sound(hr, answer);
    return answer.counts.work.generated_tokens - answer.counts.work.discarded_tokens;
  };
  EXPECT_GT(tokens("name"), 200U);
  EXPECT_LE(tokens("salary"), 128U);
}

// Where one goes on as it should, nothing is taken back, and nothing is paid for.
TEST(MaskedRun, WhatIsWellIsLeftAlone) {
  const std::string sql =
      "SELECT T1.name, COUNT(*) FROM department AS T1 JOIN employee AS T2 ON T2.department_id = T1.id "
      "WHERE T2.hire_year = 2001 OR T2.hire_year = 2002 GROUP BY T1.name HAVING COUNT(*) > 2 ORDER BY COUNT(*) DESC LIMIT 1";
  const Answer answer = ask({sql});
  EXPECT_EQ(answer.sql, sql);
  EXPECT_EQ(answer.counts.work.discarded_tokens, 0U);
}

}  // namespace
}  // namespace pccsql
