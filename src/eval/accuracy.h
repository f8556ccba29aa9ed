// Execution accuracy: whether a query brings the rows that the gold query brings.
//
// Two values are equal as the official evaluators (Python's `==` over what its sqlite3 module brings) have it: NULL
// equals NULL; an integer equals a real of the same value, exactly, without a tolerance; text, blobs and numbers never
// equal each other ('1' is not 1); text is compared byte by byte. Names of columns do not matter, their order does.
//
//   multiset    the same rows, each as often; in the same order where the gold query has an outermost ORDER BY. That
//               order is held to the letter, ties too: as Spider's evaluator does it. The main figure.
//   set         BIRD's: the same rows, however often, in any order.
//   all_instances  multiset holds on each database instance of the schema; unknown where there is only one.
//
// Columns in another order are another answer. BIRD's evaluator has it so, Spider's would look for an order that fits:
// figures made here are never higher than with its rule.
// Two results without rows are equal, whatever their widths: rows are all that is compared.
// A figure is unknown where the gold query itself does not run: then nothing can be said of an answer.
#pragma once

#include <atomic>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "eval/record.h"
#include "exec/query_runner.h"

namespace pccsql {

using Rows = std::vector<std::vector<Value>>;

bool same_multiset(const Rows& gold, const Rows& rows, bool ordered);
bool same_set(const Rows& gold, const Rows& rows);

// All but all_instances.
Accuracy compare_rows(const Rows& gold, const Rows& rows, bool ordered);

// The instances of a database: a server's is alone; else the file itself, then the other `.sqlite` files of its folder by name, which is how the
// distilled test suites of Spider are laid out.
std::vector<std::string> database_instances(const std::string& path);

// Compares queries with gold queries on databases that stay open. Both run read-only and without a policy: whether the
// query is permitted is asked elsewhere. Rows are compared in the order in which SQLite brings them, as the official
// evaluators do; what is shown of an answer is another run's (eval/judge.h). Used by one thread at a time.
class AccuracyJudge {
 public:
  // Room for every gold result of Spider and BIRD; a gold query over a limit is one that does not run.
  static RunLimits generous_limits();

  explicit AccuracyJudge(RunLimits limits = generous_limits()) : limits_(limits) {}

  // `sql`: none, or one that does not run or passes a limit, is wrong wherever gold runs. Once `stop` is true what comes
  // back means nothing.
  Accuracy judge(const std::string& database_path, std::string_view gold_sql, const std::optional<std::string>& sql,
                 const std::atomic<bool>* stop = nullptr);

 private:
  // The gold query that ran last on an instance, because all methods and attempts ask for it again.
  struct Instance {
    std::string path;
    std::unique_ptr<QueryRunner> runner;  // nullptr: the database was not needed yet, or cannot be opened
    std::string gold_sql;
    std::optional<Rows> gold;
  };
  std::vector<Instance>& instances(const std::string& database_path);

  RunLimits limits_;
  std::map<std::string, std::vector<Instance>> groups_;  // by path
};

}  // namespace pccsql
