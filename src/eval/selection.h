// Selection: which questions of a suite a run asks. The same selection of the same suite is the same questions, always
// in the suite's order.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "base/result.h"
#include "suite/suite.h"

namespace pccsql {

struct Selection {
  std::optional<uint64_t> limit = {};         // the first so many
  std::optional<uint64_t> sample = {};        // so many, drawn with `seed`
  std::optional<uint64_t> per_database = {};  // so many of each database, likewise
  uint64_t seed = 42;
  struct Shard {
    uint64_t part = 1;  // from 1 to `of`
    uint64_t of = 1;
  };
  std::optional<Shard> shard = {};  // one of several parts, each without gaps
  bool with_database = false;       // only those whose database file the suite names; asked before all else
};

// Indices into `suite.questions`, ascending. An Error where nothing is left, or several of limit, sample, per_database and
// shard are given.
Result<std::vector<size_t>> selected(const Suite& suite, const Selection& selection);

}  // namespace pccsql
