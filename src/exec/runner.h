// Runner: runs a query and brings its rows, so that nothing is written, nothing runs away, and what the policy hides is
// out of reach even where a judge were wrong.
//
// Queries run in a process of their own (exec/worker.h, exec/session.h), which is kept for the next one and replaced
// where it had to be killed. So a query is over soon after its time, whatever SQLite is busy with. A limit that is passed
// is an Error with the limit's name; the runner stays usable after any error.
#pragma once

#include <atomic>
#include <memory>
#include <string>
#include <string_view>

#include "base/result.h"
#include "exec/query_runner.h"
#include "exec/rows.h"
#include "exec/wire.h"
#include "policy/policy.h"
#include "policy/run_text.h"
#include "schema/catalog.h"

namespace pccsql {

// Not for use by two threads at once; different runners may run at once.
class Runner final : public QueryRunner {
 public:
  // Fenced by the policy. Keeps no reference to `catalog` and `policy`. Queries are run as long as the schema is the one
  // that `catalog` was read from (where it is not that of the file, as long as it is the one found now). Rows that no
  // outermost ORDER BY sorts come sorted by their values (exec/row_order.h), and SQLite makes no indexes of its own.
  static Result<Runner> open(const std::string& path, const Catalog& catalog, const Policy& policy, Profile profile,
                             RunLimits limits = {});
  // Without a fence: for queries that no policy is about, such as a benchmark's own. Rows come as SQLite brings them.
  static Result<Runner> open_unfenced(const std::string& path, RunLimits limits = {});

  Runner(Runner&&) noexcept;
  Runner& operator=(Runner&&) noexcept;
  ~Runner() override;

  // One SELECT. `cancel`, if there is one, stops it soon after it becomes true.
  Result<RowSet> run(std::string_view sql, const std::atomic<bool>* cancel = nullptr) override;
  Result<RowSet> run(std::string_view sql, const RunText& text, const std::atomic<bool>* cancel = nullptr) override;

  const RunLimits& limits() const override { return spec_.limits; }

 private:
  struct Slot;
  struct Slots;
  static Result<Runner> open(SessionSpec spec);
  static Result<SchemaStamp> provide(Slot& slot, const SessionSpec& spec, const std::atomic<bool>* cancel);
  Runner(SessionSpec spec, std::shared_ptr<Slot> slot);
  Result<RowSet> run(const RunRequest& request, const std::atomic<bool>* cancel);

  SessionSpec spec_;
  std::shared_ptr<Slot> slot_;
};

}  // namespace pccsql
