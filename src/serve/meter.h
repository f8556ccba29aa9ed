// Meter: what the server has done, as counts and seconds for whoever watches it (Prometheus' text format).
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <string_view>

#include "serve/ask_report.h"

namespace pccsql {

class Meter {
 public:
  void count_answer(const Asked& asked, std::string_view door);
  void count_verdict(std::string_view verdict);
  void count_refused(int status);
  void count_late();

  // `# HELP`, `# TYPE` and samples; each name begins with `pccsql_`.
  std::string text() const;

 private:
  mutable std::mutex mutex_;
  std::map<std::string, uint64_t> answers_;   // by labels: kind, door
  std::map<std::string, uint64_t> verdicts_;  // of checks
  std::map<int, uint64_t> refused_;
  uint64_t late_ = 0;
  uint64_t prompt_tokens_ = 0, cached_tokens_ = 0, generated_tokens_ = 0;
  uint64_t masks_ = 0;
  double model_seconds_ = 0, mask_seconds_ = 0, choice_seconds_ = 0, total_seconds_ = 0, run_seconds_ = 0;
};

// One metric without labels, or with them (`{kind="answered"}`).
std::string metric_heading(std::string_view name, std::string_view type, std::string_view help);
std::string metric_sample(std::string_view name, std::string_view labels, double value);

}  // namespace pccsql
