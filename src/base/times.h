// Times of many short steps, and what is said of them: mean, median, tail.
#pragma once

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <vector>

namespace pccsql {

struct TimeSummary {
  size_t count = 0;
  double mean = 0;  // microseconds, as all below
  double p50 = 0;
  double p90 = 0;
  double p99 = 0;
  double max = 0;
};

// `nanoseconds` of each step. A percentile is the smallest time that at least so many of a hundred do not exceed.
inline TimeSummary summarise(std::vector<uint64_t> nanoseconds) {
  TimeSummary summary;
  summary.count = nanoseconds.size();
  if (nanoseconds.empty()) return summary;
  std::ranges::sort(nanoseconds);
  const auto micro = [](uint64_t ns) { return static_cast<double>(ns) / 1000; };
  const auto percentile = [&](size_t percent) {
    return micro(nanoseconds[(nanoseconds.size() * percent + 99) / 100 - 1]);
  };
  const auto total = std::accumulate(nanoseconds.begin(), nanoseconds.end(), uint64_t{0});
  summary.mean = micro(total) / static_cast<double>(nanoseconds.size());
  summary.p50 = percentile(50);
  summary.p90 = percentile(90);
  summary.p99 = percentile(99);
  summary.max = micro(nanoseconds.back());
  return summary;
}

}  // namespace pccsql
