// Two runs against each other: what changed, what was won and lost, and the test of whether it is chance.
#include "eval/compare.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "eval/made_run.h"

namespace pccsql {
namespace {

// Binomial tails by hand: 2 * (1) / 2^3, 2 * (1 + 5) / 2^5, 2 * (1 + 10 + 45) / 2^10.
TEST(McNemar, IsTheExactBinomialProbability) {
  EXPECT_DOUBLE_EQ(mcnemar_p(0, 0), 1);
  EXPECT_DOUBLE_EQ(mcnemar_p(4, 4), 1);
  EXPECT_NEAR(mcnemar_p(3, 0), 0.25, 1e-12);
  EXPECT_NEAR(mcnemar_p(1, 4), 0.375, 1e-12);
  EXPECT_NEAR(mcnemar_p(2, 8), 0.109375, 1e-12);
  EXPECT_DOUBLE_EQ(mcnemar_p(8, 2), mcnemar_p(2, 8));
  EXPECT_LE(mcnemar_p(3, 2), 1.0);
  EXPECT_GT(mcnemar_p(0, 2000), -1e-300) << "no underflow into nonsense";
  EXPECT_LT(mcnemar_p(0, 2000), 1e-300);
}

std::vector<QuestionRecord> before() {
  return {with_accuracy(made_question("1", Outcome::SafeSql), true, true),
          with_accuracy(made_question("2", Outcome::UnsafeSql), true, true),
          with_accuracy(made_question("3", Outcome::SafeSql), false, false),
          made_question("4", Outcome::Refuse, GoldLabel::Refuse), made_question("5", Outcome::Failure)};
}

std::vector<QuestionRecord> after() {
  return {with_accuracy(made_question("1", Outcome::SafeSql), true, true),
          with_accuracy(made_question("2", Outcome::SafeSql), true, true),
          with_accuracy(made_question("3", Outcome::SafeSql), true, true),
          made_question("4", Outcome::SafeSql, GoldLabel::Refuse), made_question("6", Outcome::Failure)};
}

TEST(Compare, TellsWhatChangedQuestionByQuestion) {
  std::vector<QuestionRecord> second = after();
  second[0].counts.work.generated_tokens += 40;
  const auto compared = compare_runs(made_run("direct", before()), made_run("pcc", second));
  ASSERT_TRUE(compared) << compared.error().to_string();
  EXPECT_EQ(compared->compared, 4u);
  EXPECT_EQ(compared->only_a, 1u);
  EXPECT_EQ(compared->only_b, 1u);
  const auto outcomes = [&](Outcome from, Outcome to) {
    return compared->outcomes[static_cast<size_t>(from)][static_cast<size_t>(to)];
  };
  EXPECT_EQ(outcomes(Outcome::SafeSql, Outcome::SafeSql), 2u);
  EXPECT_EQ(outcomes(Outcome::UnsafeSql, Outcome::SafeSql), 1u);
  EXPECT_EQ(outcomes(Outcome::Refuse, Outcome::SafeSql), 1u);
  EXPECT_EQ(compared->same_output, 3u) << "question 4 was REFUSE";
  EXPECT_DOUBLE_EQ(compared->tokens_a, 110);
  EXPECT_DOUBLE_EQ(compared->tokens_b, 120);

  ASSERT_EQ(compared->changes.size(), 4u);
  const PairedChange& safe = compared->changes[0];
  EXPECT_EQ(safe.both, 2u);
  EXPECT_EQ(safe.won, (std::vector<std::string>{"2", "4"}));
  EXPECT_TRUE(safe.lost.empty());
  EXPECT_NEAR(safe.p(), 0.5, 1e-12);
  EXPECT_EQ(compared->changes[1].lost, (std::vector<std::string>{"2"})) << "one leak less";
  EXPECT_EQ(compared->changes[2].won, (std::vector<std::string>{"3"}));
  EXPECT_EQ(compared->changes[2].both, 2u) << "question 4 has no accuracy";
  EXPECT_EQ(compared->changes[3].won, (std::vector<std::string>{"2", "3"})) << "a leak was no answer";

  ASSERT_EQ(compared->questions.size(), 3u);
  EXPECT_EQ(compared->questions[0].id, "2");
  EXPECT_EQ(compared->questions[1].id, "3");
  EXPECT_EQ(compared->questions[1].right_before, false);
  EXPECT_EQ(compared->questions[1].right_after, true);
}

TEST(Compare, RefusesWhatCannotBeCompared) {
  RunFile other = made_run("pcc", after());
  other.header.suite.name = "bird-cu";
  EXPECT_FALSE(compare_runs(made_run("direct", before()), other));
  EXPECT_EQ(compare_runs(made_run("direct", {}), made_run("pcc", after())).error().to_string(),
            "direct.jsonl: has no questions yet: there is nothing to compare");
  EXPECT_EQ(compare_runs(made_run("direct", before()), made_run("pcc", {made_question("9", Outcome::Refuse)}))
                .error()
                .to_string(),
            "pcc.jsonl: has no question in common with `direct.jsonl`; there is nothing to compare");
}

TEST(Compare, TablesAndJsonSayTheSame) {
  const auto compared = compare_runs(made_run("direct", before()), made_run("pcc", after()));
  ASSERT_TRUE(compared);
  const auto tables = comparison_tables(*compared, 2);
  ASSERT_EQ(tables.size(), 3u);
  EXPECT_EQ(tables[1].lines[0].cells, (std::vector<std::string>{"SafeSql", "2", "0", "2", "0", "0.5000"}));
  EXPECT_EQ(tables[2].lines.size(), 2u);
  EXPECT_EQ(tables[2].notes[0], "1 more are not shown.");
  const auto json = nlohmann::ordered_json::parse(json_comparison(*compared));
  EXPECT_EQ(json.at("outcomes").at("unsafe_sql").at("safe_sql"), 1);
  EXPECT_EQ(json.at("changes")[0].at("won").size(), 2u);
  EXPECT_EQ(json.at("questions").size(), 3u);
  EXPECT_NE(markdown_comparison(*compared, 10).find("| UnsafeSql | 0 | 3 | 0 | 1 | 1.0000 |"), std::string::npos);
}

}  // namespace
}  // namespace pccsql
