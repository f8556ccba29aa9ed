// Runner: runs a query and brings its rows, so that nothing is written, nothing runs away, and what the policy hides is
// out of reach even where a judge were wrong.
//
// The database is opened read-only, with query_only on, the schema not trusted, no extensions, nothing attached, and no
// temporary files. A limit that is passed is an Error with the limit's name; the runner stays usable after any error.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/result.h"
#include "exec/fence.h"
#include "policy/policy.h"
#include "schema/catalog.h"
#include "schema/connection.h"

namespace pccsql {

struct Null {
  friend bool operator==(const Null&, const Null&) = default;
};
struct Blob {
  std::string bytes;
  friend bool operator==(const Blob&, const Blob&) = default;
};
// Text is what the database holds, which need not be UTF-8.
using Value = std::variant<Null, int64_t, double, std::string, Blob>;

struct RowSet {
  std::vector<std::string> columns;  // as SQLite names them
  std::vector<std::vector<Value>> rows;
  std::chrono::nanoseconds took{0};
};

struct RunLimits {
  size_t rows = 10'000;
  size_t statement = size_t{64} << 10;  // bytes of the query's text
  std::chrono::milliseconds time{10'000};
  // Bytes, of what SQLite needs for the query and of the rows; each is held to it. exec/heap_share.h says how it holds
  // for several runners at once.
  size_t memory = size_t{256} << 20;
};

// Not for use by two threads at once; different runners may run at once.
class Runner {
 public:
  // Fenced by the policy. Keeps no reference to `catalog` and `policy`.
  static Result<Runner> open(const std::string& path, const Catalog& catalog, const Policy& policy, Profile profile,
                             RunLimits limits = {});
  // Without a fence: for queries that no policy is about, such as a benchmark's own.
  static Result<Runner> open_unfenced(const std::string& path, RunLimits limits = {});

  // One SELECT. `cancel`, if there is one, stops it soon after it becomes true.
  Result<RowSet> run(std::string_view sql, const std::atomic<bool>* cancel = nullptr);

  const RunLimits& limits() const { return limits_; }

 private:
  Runner(Connection db, std::unique_ptr<Fence> fence, RunLimits limits)
      : fence_(std::move(fence)), db_(std::move(db)), limits_(limits) {}

  struct Watch;
  struct Attempt;
  Attempt attempt(std::string_view sql, Watch& watch);
  Error failure(int code, const std::string& message, const Watch& watch);

  std::unique_ptr<Fence> fence_;  // outlives the connection that asks it
  Connection db_;
  RunLimits limits_;
};

}  // namespace pccsql
