#include "eval/curve.h"

#include <algorithm>
#include <tuple>

namespace pccsql {

RightCurve right_curve(std::span<const QuestionRecord> questions) {
  RightCurve curve;
  std::vector<CurvePoint> answers;
  for (const QuestionRecord& question : questions) {
    const bool refuse_gold = question.gold_label == GoldLabel::Refuse;
    if (!refuse_gold && !question.accuracy.multiset) continue;
    ++curve.questions;
    if (question.outcome != Outcome::SafeSql) continue;
    CurvePoint answer;
    for (const BlockedName& name : question.blocked) ++(name.by_policy ? answer.by_policy : answer.unfit);
    answer.right = !refuse_gold && *question.accuracy.multiset ? 1 : 0;
    answers.push_back(answer);
  }
  const auto doubt = [](const CurvePoint& answer) { return std::tie(answer.by_policy, answer.unfit); };
  std::ranges::sort(answers, {}, doubt);
  CurvePoint sum;
  for (size_t i = 0; i < answers.size(); ++i) {
    ++sum.answered;
    sum.right += answers[i].right;
    if (i + 1 < answers.size() && doubt(answers[i]) == doubt(answers[i + 1])) continue;
    sum.by_policy = answers[i].by_policy;
    sum.unfit = answers[i].unfit;
    curve.points.push_back(sum);
  }
  return curve;
}

}  // namespace pccsql
