// Builds the suites of the paper from a user's own copies: Spider-CU, BIRD-CU, Spider-ACL.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "suite/suite.h"

namespace pccsql {

struct BuildOptions {
  std::string folder;                  // of Spider or BIRD
  std::string acl;                     // Spider-ACL's JSONL
  std::vector<std::string> databases;  // folders in which to look for database files as well
  Disturbance disturbance;
  Profile profile = Profile::Paper;
  std::function<void(size_t)> done;  // called with the number of questions so far
};

// The dev split under the column policies that the gold queries of train and dev give.
Result<Suite> build_spider_cu(const BuildOptions& options);
Result<Suite> build_bird_cu(const BuildOptions& options);

// Every record with the grants of its user: what is granted is Public, all else Hidden. Labels are the data's own: an
// ERROR is refuse. The questions of one user of one database stand together, because they share a prompt. Nothing of it
// is run.
Result<Suite> build_spider_acl(const BuildOptions& options);

}  // namespace pccsql
