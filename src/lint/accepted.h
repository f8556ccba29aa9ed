// Findings that the policy's owner has accepted, told from those that he has not.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "lint/lint.h"
#include "policy/policy_notes.h"

namespace pccsql {

struct SettledFindings {
  std::vector<Warning> open;
  std::vector<std::pair<Warning, std::string>> accepted;  // with the reason
};

// An acceptance holds for the finding of its name: everywhere, in its table, or where it is about its column alone; a
// finding about several columns is accepted when each of them is. An acceptance of nothing is a finding by itself
// (`unused-acceptance`), but for those of findings that take a look at the data where `data_seen` is false.
SettledFindings settle(const Catalog& catalog, std::vector<Warning> found, const PolicyNotes& notes, bool data_seen);

}  // namespace pccsql
