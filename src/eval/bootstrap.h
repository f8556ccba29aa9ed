// Bootstrap: how far a figure would move with other questions of the same kind. Questions are drawn anew, as many as
// there are, with replacement; the interval holds the middle 95 % of the figures of many such draws.
//
// The draws come from a generator that is the same on every machine, so the same run gives the same interval.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace pccsql {

struct BootstrapSettings {
  uint64_t seed = 42;
  size_t draws = 1000;
};

// What one question adds to a quotient of sums.
struct Contribution {
  double numerator = 0;
  double denominator = 0;
};

struct Interval {
  double low = 0;
  double high = 0;
};

struct Estimate {
  double numerator = 0;  // the sums over all questions
  double denominator = 0;
  std::optional<double> value;       // their quotient; nothing if the denominator is 0
  std::optional<Interval> interval;  // nothing where the value is not there, or there are fewer than two questions
};

// `columns`: for each figure the contributions of all questions, in one order. All figures see the same draws. A draw
// in which a figure has no denominator is left out for that figure.
std::vector<Estimate> bootstrap(const std::vector<std::vector<Contribution>>& columns,
                                const BootstrapSettings& settings);

}  // namespace pccsql
