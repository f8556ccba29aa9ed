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

struct PortOptions {
  std::string suite;    // one of SQLite files, whose questions and policies are taken
  std::string folder;   // the port of its gold queries: gold.jsonl, and FORM/DATABASE.sql for each schema
  std::string form;     // which of the port's forms
  std::string address;  // of the databases, `{db}` standing for the name that the port gives to each
  size_t left_out = 0;  // out: questions whose gold query was not ported, or is none of the language
};

// The same questions on a PostgreSQL server, under the same policies, columns being told by their names. Labels are the
// PostgreSQL judge's, under profile strict. Nothing is asked of the server.
Result<Suite> build_on_postgres(PortOptions& options);

}  // namespace pccsql
