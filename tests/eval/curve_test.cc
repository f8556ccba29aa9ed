// Right against answered: which answers are given up first, and what counts as right.
#include "eval/curve.h"

#include <gtest/gtest.h>

namespace pccsql {
namespace {

QuestionRecord question(GoldLabel gold, Outcome outcome, std::optional<bool> right, int by_policy = 0, int unfit = 0) {
  QuestionRecord made;
  made.gold_label = gold;
  made.outcome = outcome;
  made.accuracy.multiset = right;
  for (int i = 0; i < by_policy; ++i) made.blocked.push_back({"a.b", "Sel", "Hidden", true});
  for (int i = 0; i < unfit; ++i) made.blocked.push_back({"a.b", "Sel", "not in scope", false});
  return made;
}

TEST(RightCurve, GivesUpTheMostDoubtfulAnswersFirst) {
  const std::vector<QuestionRecord> questions{
      question(GoldLabel::Sql, Outcome::SafeSql, true),
      question(GoldLabel::Sql, Outcome::SafeSql, false),
      question(GoldLabel::Sql, Outcome::SafeSql, true, 0, 2),
      question(GoldLabel::Refuse, Outcome::SafeSql, std::nullopt, 1),
      question(GoldLabel::Sql, Outcome::SafeSql, true, 1),
      question(GoldLabel::Refuse, Outcome::Refuse, std::nullopt, 3),
      question(GoldLabel::Sql, Outcome::Failure, false),
      question(GoldLabel::Sql, Outcome::SafeSql, std::nullopt),  // no gold result here
  };
  const RightCurve curve = right_curve(questions);
  EXPECT_EQ(curve.questions, 7U);
  ASSERT_EQ(curve.points.size(), 3U);
  const auto is = [&](size_t i, uint64_t by_policy, uint64_t unfit, uint64_t answered, uint64_t right) {
    const CurvePoint& point = curve.points[i];
    EXPECT_EQ(point.by_policy, by_policy) << i;
    EXPECT_EQ(point.unfit, unfit) << i;
    EXPECT_EQ(point.answered, answered) << i;
    EXPECT_EQ(point.right, right) << i;
  };
  is(0, 0, 0, 2, 1);
  is(1, 0, 2, 3, 2);
  is(2, 1, 0, 5, 3);
}

TEST(RightCurve, OfNoAnswersHasNoPoints) {
  EXPECT_TRUE(right_curve({}).points.empty());
  const std::vector<QuestionRecord> refused{question(GoldLabel::Refuse, Outcome::Refuse, std::nullopt)};
  EXPECT_TRUE(right_curve(refused).points.empty());
  EXPECT_EQ(right_curve(refused).questions, 1U);
}

}  // namespace
}  // namespace pccsql
