// Why questions were missed: the class of each kind of miss, and the order the classes come in.
#include <gtest/gtest.h>

#include "eval/causes.h"
#include "eval/made_run.h"

namespace pccsql {
namespace {

QuestionRecord wrong(const std::string& gold, const std::string& sql) {
  QuestionRecord question = with_accuracy(made_question("1", Outcome::SafeSql), false, false);
  question.gold_sql = gold;
  question.sql = sql;
  return question;
}

TEST(Causes, OutcomesThatAreNotSafeSql) {
  QuestionRecord question = made_question("1", Outcome::Failure);
  question.cause = "name_error";
  EXPECT_EQ(miss_class(question), "failure: name_error");
  question.outcome = Outcome::Refuse;
  question.cause = "budget";
  EXPECT_EQ(miss_class(question), "refuse: budget");
  question.outcome = Outcome::UnsafeSql;
  question.violations = {{"item.cost", ColumnPolicy::AggregateOnly, Role::Where}, {"item.id", {}, Role::Sel}};
  EXPECT_EQ(miss_class(question), "unsafe: AggregateOnly as Where");
  question.violations = {{"secret", ColumnPolicy::Hidden, std::nullopt}};
  EXPECT_EQ(miss_class(question), "unsafe: Hidden table named");
}

TEST(Causes, SafeAnswersAreMissedOnlyWithWrongRows) {
  EXPECT_EQ(miss_class(made_question("1", Outcome::SafeSql)), std::nullopt) << "accuracy is not known";
  EXPECT_EQ(miss_class(with_accuracy(made_question("1", Outcome::SafeSql), true, true)), std::nullopt);
  EXPECT_EQ(miss_class(with_accuracy(made_question("1", Outcome::SafeSql, GoldLabel::Refuse), false, false)),
            std::nullopt)
      << "a safe alternative need not have gold's rows";
  EXPECT_EQ(miss_class(with_accuracy(made_question("1", Outcome::SafeSql), false, true)), "wrong: order or repetition");
}

TEST(Causes, DivertedByThePolicyAlone) {
  QuestionRecord question = wrong("SELECT a FROM t", "SELECT b FROM t");
  question.blocked = {{"t.c", "Sel", "not in scope", false}};
  EXPECT_EQ(miss_class(question), "wrong: columns");
  question.blocked.push_back({"t.a", "Sel", "Hidden", true});
  EXPECT_EQ(miss_class(question), "wrong: diverted by the policy");
}

TEST(Causes, WhatDiffersFromGold) {
  const char* const gold = "SELECT T1.name FROM item AS T1 JOIN sale AS T2 ON T1.id = T2.item_id WHERE T2.n > 3";
  const auto differs = [&](const char* sql) { return difference_class(gold, sql); };
  EXPECT_EQ(differs("SELECT name FROM item WHERE n > 3"), "tables");
  EXPECT_EQ(differs("SELECT a.name, a.id FROM sale AS b JOIN item AS a ON a.id = b.item_id WHERE b.n > 3"), "width");
  EXPECT_EQ(differs("SELECT DISTINCT a.name FROM item a JOIN sale b ON a.id = b.item_id WHERE b.n > 3"), "clauses");
  EXPECT_EQ(differs("SELECT a.name FROM item a JOIN sale b ON a.id = b.item_id AND b.n > 3"), "clauses");
  EXPECT_EQ(differs("SELECT a.title FROM item a JOIN sale b ON a.id = b.item_id WHERE b.n > 3"), "columns");
  EXPECT_EQ(differs("SELECT a.name FROM item a JOIN sale b ON a.id = b.item_id WHERE b.n > 4"), "values");
  EXPECT_EQ(differs("SELECT a.name FROM item a JOIN sale b ON a.id = b.item_id WHERE b.n < 3"), "arrangement");
  EXPECT_EQ(difference_class("SELECT MAX(a), MIN(a, b) FROM t", "SELECT MAX(a) FROM t"), "width");
}

TEST(Causes, LargestClassFirstAndSqlGoldBeforeRefuseGold) {
  std::vector<QuestionRecord> questions;
  for (const char* id : {"1", "2", "3"}) questions.push_back(made_question(id, Outcome::Failure, GoldLabel::Refuse));
  questions.push_back(made_question("4", Outcome::Refuse));
  questions.push_back(made_question("5", Outcome::SafeSql));
  questions.push_back(made_question("6", Outcome::Failure));
  questions.push_back(made_question("7", Outcome::Failure));
  const auto classes = missed_classes(questions);
  ASSERT_EQ(classes.size(), 3u);
  EXPECT_EQ(classes[0].name, "failure");
  EXPECT_EQ(classes[0].gold_label, GoldLabel::Sql);
  EXPECT_EQ(classes[0].questions, (std::vector<size_t>{5, 6}));
  EXPECT_EQ(classes[1].name, "refuse");
  EXPECT_EQ(classes[2].gold_label, GoldLabel::Refuse);
  EXPECT_EQ(classes[2].questions.size(), 3u);
}

}  // namespace
}  // namespace pccsql
