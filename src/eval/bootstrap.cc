#include "eval/bootstrap.h"

#include <algorithm>
#include <cmath>
#include <random>

namespace pccsql {
namespace {

// The value below which `share` of the sorted values lie, between two of them where it falls between.
double quantile(const std::vector<double>& sorted, double share) {
  const double place = share * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<size_t>(std::floor(place));
  const size_t above = std::min(below + 1, sorted.size() - 1);
  const double part = place - static_cast<double>(below);
  return sorted[below] + part * (sorted[above] - sorted[below]);
}

}  // namespace

std::vector<Estimate> bootstrap(const std::vector<std::vector<Contribution>>& columns,
                                const BootstrapSettings& settings) {
  std::vector<Estimate> estimates(columns.size());
  for (size_t i = 0; i < columns.size(); ++i) {
    for (const Contribution& one : columns[i]) {
      estimates[i].numerator += one.numerator;
      estimates[i].denominator += one.denominator;
    }
    if (estimates[i].denominator > 0) estimates[i].value = estimates[i].numerator / estimates[i].denominator;
  }
  const size_t questions = columns.empty() ? 0 : columns.front().size();
  if (questions < 2 || settings.draws == 0) return estimates;

  std::mt19937_64 random(settings.seed);
  std::vector<size_t> drawn(questions);
  std::vector<std::vector<double>> figures(columns.size());
  for (size_t draw = 0; draw < settings.draws; ++draw) {
    // The remainder favours low indices by less than one part in 10^15: std::uniform_int_distribution would differ from
    // library to library.
    for (size_t& index : drawn) index = static_cast<size_t>(random() % questions);
    for (size_t i = 0; i < columns.size(); ++i) {
      if (!estimates[i].value) continue;
      Contribution sum;
      for (const size_t index : drawn) {
        sum.numerator += columns[i][index].numerator;
        sum.denominator += columns[i][index].denominator;
      }
      if (sum.denominator > 0) figures[i].push_back(sum.numerator / sum.denominator);
    }
  }
  for (size_t i = 0; i < columns.size(); ++i) {
    if (figures[i].empty()) continue;
    std::ranges::sort(figures[i]);
    estimates[i].interval = Interval{quantile(figures[i], 0.025), quantile(figures[i], 0.975)};
  }
  return estimates;
}

}  // namespace pccsql
