// MinimumCost: what minimum groups would cost a suite, so that an owner of data can see it before setting one: gold queries
// whose form they exclude, and gold answers that they change.
#pragma once

#include <array>
#include <cstddef>

namespace pccsql {

struct Suite;

inline constexpr std::array<unsigned, 3> kMinimums{2, 5, 10};

struct MinimumCost {
  size_t counting = 0;  // gold queries that are safe and count an AggregateOnly column
  size_t excluded = 0;  // of them, those in another form than a minimum group takes
  // Of the others, by minimum: those whose answer is another, and those of which nothing is left.
  std::array<size_t, kMinimums.size()> changed{};
  std::array<size_t, kMinimums.size()> emptied{};
  size_t not_run = 0;  // of the others, those without a database, or that did not run
};

// With every table of a question's database held to a minimum, and entities told apart by its primary key or rowid. Of
// suites of SQLite files under profile strict; nothing of others.
MinimumCost minimum_cost_of(const Suite& suite);

}  // namespace pccsql
