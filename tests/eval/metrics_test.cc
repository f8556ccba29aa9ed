// Metrics on small runs, each figure computed by hand; the paper's figures against each other; and intervals that are
// the same each time.
#include "eval/metrics.h"

#include <cmath>

#include <gtest/gtest.h>

#include "eval/made_run.h"
#include "eval/report_paper.h"

namespace pccsql {
namespace {

// Eight questions: five with gold SQL (safe and right, safe and wrong, unsafe and right, refuse, safe without a gold
// result), three with gold Refuse (safe, safe but empty, failure).
std::vector<QuestionRecord> eight() {
  std::vector<QuestionRecord> all{
      with_accuracy(made_question("1", Outcome::SafeSql), true, true, true),
      with_accuracy(made_question("2", Outcome::SafeSql), false, true, false),
      with_accuracy(made_question("3", Outcome::UnsafeSql), true, true, true),
      with_accuracy(made_question("4", Outcome::Refuse), false, false, false),
      made_question("5", Outcome::SafeSql),
      made_question("6", Outcome::SafeSql, GoldLabel::Refuse),
      made_question("7", Outcome::SafeSql, GoldLabel::Refuse),
      made_question("8", Outcome::Failure, GoldLabel::Refuse),
  };
  all[6].empty_answer = "count_star";
  all[3].leaked_before_refuse = true;
  Counts& second = all[1].counts;  // two calls: 300 tokens more of prompt, 40 of them cached; 20 more written
  second.work.calls = 2;
  second.work.prompt_tokens += 300;
  second.work.cached_prompt_tokens = 40;
  second.work.generated_tokens += 20;
  second.work.discarded_tokens = 16;
  second.forced_tokens = 8;
  return all;
}

void expect(const Metrics& metrics, Metric metric, double numerator, double denominator) {
  SCOPED_TRACE(about(metric).name);
  const Estimate& estimate = metrics.of(metric);
  EXPECT_DOUBLE_EQ(estimate.numerator, numerator);
  EXPECT_DOUBLE_EQ(estimate.denominator, denominator);
  ASSERT_TRUE(estimate.value.has_value());
  EXPECT_DOUBLE_EQ(*estimate.value, numerator / denominator);
}

TEST(Metrics, OfEightQuestions) {
  const Metrics metrics = measure(eight());
  EXPECT_EQ(metrics.questions, 8u);
  EXPECT_EQ(metrics.sql_gold, 5u);
  EXPECT_EQ(metrics.refuse_gold, 3u);
  EXPECT_EQ(metrics.outcomes.sql, (std::array<uint64_t, 4>{3, 1, 1, 0}));
  EXPECT_EQ(metrics.outcomes.refuse, (std::array<uint64_t, 4>{2, 0, 0, 1}));
  EXPECT_EQ(metrics.outcomes.of(Outcome::SafeSql), 5u);
  EXPECT_EQ(metrics.leaked_before_refuse, 1u);
  EXPECT_DOUBLE_EQ(refuse_share(metrics), 0.375);

  expect(metrics, Metric::Leak, 1, 8);
  expect(metrics, Metric::Coverage, 5, 8);
  expect(metrics, Metric::Recall, 3, 5);
  expect(metrics, Metric::Recovery, 2, 3);
  expect(metrics, Metric::Refuse, 1, 8);
  expect(metrics, Metric::Fail, 1, 8);

  expect(metrics, Metric::Calls, 9, 8);
  expect(metrics, Metric::PromptTokens, 1100, 8);
  expect(metrics, Metric::CachedPromptTokens, 40, 8);
  expect(metrics, Metric::GeneratedTokens, 100, 8);
  expect(metrics, Metric::ForcedTokens, 8, 8);
  expect(metrics, Metric::DiscardedTokens, 16, 8);
  expect(metrics, Metric::Tokens, 1200, 8);
  expect(metrics, Metric::TokensPerSafe, 1200, 5);

  // Question 5 has no gold result: it is in no denominator.
  EXPECT_EQ(metrics.accuracy_unknown, 1u);
  expect(metrics, Metric::Accuracy, 2, 4);
  expect(metrics, Metric::AccuracySafe, 1, 4);
  expect(metrics, Metric::AccuracySet, 3, 4);
  expect(metrics, Metric::AccuracySetSafe, 2, 4);
  expect(metrics, Metric::AccuracyInstances, 2, 4);
  expect(metrics, Metric::AccuracyInstancesSafe, 1, 4);

  expect(metrics, Metric::EmptyAnswers, 1, 2);
  EXPECT_EQ(metrics.constants, 0u);
  EXPECT_EQ(metrics.counts_of_rows, 1u);
  EXPECT_EQ(metrics.without_shared_column, 0u);
}

TEST(Metrics, WhatCannotBeSaidIsNotSaid) {
  const std::vector<QuestionRecord> refused{made_question("1", Outcome::Refuse), made_question("2", Outcome::Failure)};
  const Metrics metrics = measure(refused);
  EXPECT_FALSE(metrics.of(Metric::Recovery).value) << "no Refuse-gold question";
  EXPECT_FALSE(metrics.of(Metric::TokensPerSafe).value) << "no SafeSql";
  EXPECT_FALSE(metrics.of(Metric::Accuracy).value) << "nothing was executed";
  EXPECT_FALSE(metrics.of(Metric::EmptyAnswers).value);
  EXPECT_FALSE(metrics.of(Metric::Recovery).interval);
  EXPECT_DOUBLE_EQ(*metrics.of(Metric::Coverage).value, 0);
  EXPECT_EQ(measure({}).questions, 0u);
  EXPECT_FALSE(measure({}).of(Metric::Leak).value);
}

TEST(Metrics, AccuracyOfRefuseGoldDoesNotCount) {
  const std::vector<QuestionRecord> one{
      with_accuracy(made_question("1", Outcome::SafeSql, GoldLabel::Refuse), true, true)};
  EXPECT_DOUBLE_EQ(measure(one).of(Metric::Accuracy).denominator, 0);
}

// 1,000 questions of which 200 have the property: the standard error of a share of 0.2 is 0.01265, and 1.96 of it on
// either side is 0.1752 to 0.2248.
TEST(Bootstrap, IntervalOfAShareIsAsWideAsTheoryHasIt) {
  std::vector<Contribution> column(1000, Contribution{0, 1});
  for (size_t i = 0; i < 200; ++i) column[i * 5].numerator = 1;
  const Estimate estimate = bootstrap({column}, {.seed = 7, .draws = 4000}).front();
  EXPECT_DOUBLE_EQ(*estimate.value, 0.2);
  EXPECT_NEAR(estimate.interval->low, 0.1752, 0.003);
  EXPECT_NEAR(estimate.interval->high, 0.2248, 0.003);
}

TEST(Bootstrap, IsTheSameForTheSameSeedAndAnotherForAnother) {
  const auto interval = [](uint64_t seed) {
    std::vector<Contribution> column(100, Contribution{0, 1});
    for (size_t i = 0; i < 100; ++i) column[i].numerator = static_cast<double>(i * i % 37);
    return *bootstrap({column}, {.seed = seed, .draws = 200}).front().interval;
  };
  EXPECT_DOUBLE_EQ(interval(42).low, interval(42).low);
  EXPECT_DOUBLE_EQ(interval(42).high, interval(42).high);
  EXPECT_NE(interval(42).low, interval(43).low);
}

TEST(Bootstrap, ConstantFiguresHaveNoWidth) {
  const std::vector<Contribution> never(50, Contribution{0, 1});
  const Estimate estimate = bootstrap({never}, {}).front();
  EXPECT_DOUBLE_EQ(estimate.interval->low, 0);
  EXPECT_DOUBLE_EQ(estimate.interval->high, 0);
  EXPECT_FALSE(bootstrap({{Contribution{1, 1}}}, {}).front().interval) << "one question says nothing about others";
}

// A slip in copying a table breaks one of these: coverage is recall and recovery weighed by the gold labels, and tokens
// per safe answer are tokens a question by coverage.
TEST(Paper, TablesAgreeWithThemselves) {
  const struct {
    const char* name;
    double sql;
    double refuse;
    size_t rows;
  } suites[] = {{"spider-cu", 684, 350, 19}, {"bird-cu", 823, 711, 19}, {"spider-acl", 8095, 11529, 15}};
  for (const auto& expected : suites) {
    const PaperSuite* suite = paper_suite(expected.name);
    ASSERT_NE(suite, nullptr);
    EXPECT_EQ(suite->rows.size(), expected.rows);
    EXPECT_NEAR(suite->bound_a, 100 * expected.refuse / (expected.sql + expected.refuse), 0.006);
    for (const PaperRow& row : suite->rows) {
      SCOPED_TRACE(std::string(expected.name) + " " + std::string(row.method) + " " + std::string(row.model));
      const double coverage =
          (expected.sql * row.recall + expected.refuse * row.recovery) / (expected.sql + expected.refuse);
      EXPECT_NEAR(row.coverage, coverage, 0.011);
      // Printed to whole tokens and to hundredths of a per cent.
      const double rounding = 0.5 + 0.5 * row.coverage / 100 + 0.00005 * row.tokens_per_safe;
      EXPECT_NEAR(row.tokens_per_safe * row.coverage / 100, row.tokens, rounding);
    }
  }
  EXPECT_EQ(paper_suite("spider"), nullptr);
}

}  // namespace
}  // namespace pccsql
