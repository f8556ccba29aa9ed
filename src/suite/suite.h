// Suite: questions with their gold queries, labels and policies, and the schemas they are about: everything that a run
// needs but the databases themselves. As a file it is JSON lines.
//
// The first line names suite, version, profile and settings, and holds the schemas, as tables.json has them, those of PostgreSQL as
// `schemas`, the text that makes each. Then a line
// for each question: `id, db_id, db_path, question, evidence, gold_sql, gold_label, policy`. The policy is a policy file
// as JSON. The same inputs give the same bytes.
#pragma once

#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "policy/policy.h"
#include "schema/catalog.h"
#include "suite/column_policies.h"
#include "suite/statistics.h"

namespace pccsql {

inline constexpr int kSuiteVersion = 1;

struct SuiteQuestion {
  std::string id;  // "spider-dev-17"
  std::string db_id;
  std::string db_path;  // below Suite::data, or absolute, or a server's address; empty: the copy has no such file
  std::string question;
  std::optional<std::string> evidence;
  std::string gold_sql;
  GoldLabel gold_label = GoldLabel::Sql;  // Sql or Refuse
  size_t catalog = 0;                     // index into Suite::catalogs
  size_t policy = 0;                      // index into Suite::policies
};

// A policy that some questions share.
struct SuitePolicy {
  size_t catalog = 0;
  std::string text;  // JSON, as the lines have it
  Policy policy;
};

struct Suite {
  std::string name;  // "spider-cu"
  Profile profile = Profile::Paper;
  std::optional<Disturbance> settings;  // of the suites that are made with them
  bool execution = true;                // false: made to be judged without running anything
  std::string data;                     // the folder that db_path is below of
  std::deque<Catalog> catalogs;         // stay where they are
  std::vector<std::string> schemas;     // of a suite on PostgreSQL: the DDL of each catalogue
  std::deque<SuitePolicy> policies;     // likewise
  std::vector<SuiteQuestion> questions;

  Dialect dialect() const { return schemas.empty() ? Dialect::Sqlite : Dialect::PostgreSql; }
};

// The file, or the server's database, of a question's database, where it has one; `data` in place of the suite's own folder.
std::string database_file(const Suite& suite, const SuiteQuestion& question,
                          const std::optional<std::string>& data = {});

// The compact form of a policy that suites have; reading it as a policy file gives the same policy.
std::string policy_json(const Catalog& catalog, const Policy& policy);

std::string to_text(const Suite& suite);
// A damaged line, another version, a policy that does not fit its schema: an Error with file and line.
Result<Suite> read_suite(const std::string& path);
Result<Suite> parse_suite(std::string_view text, const std::string& path);

// `done` is called with the number of questions counted so far.
SuiteStatistics statistics_of(const Suite& suite, const std::function<void(size_t)>& done = {});

}  // namespace pccsql
