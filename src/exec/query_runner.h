// QueryRunner: what runs a query and brings its rows, whatever the database. Runner is SQLite's, PgRunner PostgreSQL's.
#pragma once

#include <atomic>
#include <string_view>

#include "base/result.h"
#include "exec/rows.h"
#include "policy/run_text.h"

namespace pccsql {

class QueryRunner {
 public:
  virtual ~QueryRunner() = default;

  // One SELECT. `cancel`, if there is one, stops it soon after it becomes true. A limit that is passed is an Error with the
  // limit's name; the runner stays usable after any error.
  virtual Result<RowSet> run(std::string_view sql, const std::atomic<bool>* cancel = nullptr) = 0;
  // The query with the conditions of its minimum groups (QueryChecker::run_text). `sql` is the one that was judged: the
  // fence must let that one through by itself.
  virtual Result<RowSet> run(std::string_view sql, const RunText& text, const std::atomic<bool>* cancel = nullptr) = 0;
  virtual const RunLimits& limits() const = 0;

 protected:
  QueryRunner() = default;
  QueryRunner(QueryRunner&&) = default;
  QueryRunner& operator=(QueryRunner&&) = default;
};

// The Error of a fenced query where the schema is no longer the one that it was judged by. Whoever gets it must read the
// catalogue again, judge again, and open another runner.
inline constexpr std::string_view kSchemaChanged =
    "the database's schema has changed since the query was judged; it was not run";

}  // namespace pccsql
