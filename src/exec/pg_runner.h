// PgRunner: runs queries on a PostgreSQL server, as a role that could do no harm even where a judge were wrong.
//
// Opening looks at the role first: one that may write, read files, pass row-level security by, or read what the policy hides is
// an Error that says what to do, before any question is asked. Each query runs in a transaction of its own (pg_session.h):
// it is made sure that the schema is the one that it was judged by, the query is prepared and planned, and its rows are read
// through a cursor, up to the limits.
#pragma once

#include <memory>
#include <string>

#include "exec/pg_session.h"
#include "exec/query_runner.h"
#include "policy/policy.h"

namespace pccsql {

class PgRunner final : public QueryRunner {
 public:
  // Keeps no reference to `catalog` and `policy`.
  static Result<std::unique_ptr<PgRunner>> open(const std::string& address, const std::string& schema,
                                                const Catalog& catalog, const Policy& policy, RunLimits limits = {});
  // Runs what it is given, without looking at the role or the schema: for tests of the server's own fence.
  static Result<std::unique_ptr<PgRunner>> open_unchecked(const std::string& address, const std::string& schema,
                                                          RunLimits limits = {});

  Result<RowSet> run(std::string_view sql, const std::atomic<bool>* cancel = nullptr) override;
  Result<RowSet> run(std::string_view sql, const RunText& text, const std::atomic<bool>* cancel = nullptr) override;
  const RunLimits& limits() const override { return limits_; }

 private:
  PgRunner(PgSession session, RunLimits limits) : session_(std::move(session)), limits_(limits) {}
  Result<RowSet> run_both(const std::string* judged, const std::string& sql, const std::atomic<bool>* cancel);
  Result<RowSet> attempt(const std::string* judged, const std::string& sql);

  PgSession session_;
  RunLimits limits_;
  std::optional<SchemaStamp> stamp_;
};

}  // namespace pccsql
