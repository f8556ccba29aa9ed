// The curve of right against answered: what becomes of a run if whoever asks is told less and less.
//
// Each answer has a doubt: how many names the policy took away from the model while it wrote, and then how many merely did not fit.
// Answers with the largest doubt are given up first. An answer is right if its rows are gold's; one to a question that the
// policy does not permit is not.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "eval/record.h"

namespace pccsql {

struct CurvePoint {
  uint64_t by_policy = 0;  // answers with at most so many names that the policy took away,
  uint64_t unfit = 0;      // and with just as many at most so many that did not fit
  uint64_t answered = 0;
  uint64_t right = 0;
};

// From the strictest to all answers; each point answers more than the one before. Questions without a gold result are left out;
// `questions` in all.
struct RightCurve {
  uint64_t questions = 0;
  std::vector<CurvePoint> points;
};
RightCurve right_curve(std::span<const QuestionRecord> questions);

}  // namespace pccsql
