// Statistics as people and programs read them, with the paper's figure beside ours where it printed one.
#pragma once

#include <string>
#include <vector>

#include "suite/minimum_cost.h"
#include "suite/suite.h"

namespace pccsql {

// One suite as `suite stats` shows it.
struct SuiteReport {
  std::string file;
  std::string name;
  Profile profile = Profile::Paper;
  std::optional<Disturbance> settings;
  size_t databases = 0;
  size_t with_database = 0;  // questions whose database file the copy has
  SuiteStatistics statistics;
  MinimumCost minimum_cost;  // under profile strict
};

SuiteReport report_of(const Suite& suite, const std::string& file, const std::function<void(size_t)>& done = {});

std::string to_text(const SuiteReport& report);
std::string to_markdown(const SuiteReport& report);
// All of them: a list of objects with counts, and under `paper` the figures that the paper has.
std::string to_json(const std::vector<SuiteReport>& reports);

}  // namespace pccsql
