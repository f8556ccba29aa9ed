// A look at the data: how the values of each column look, from a sample of its rows, and what whole tables tell about
// keys.
//
// The database is opened as for a query that a policy with nothing hidden permits: read-only, in a process of its own,
// with limits. A look ends when its time is over, and says what it has not seen. No value leaves this file; what comes out
// are counts.
#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "exec/open_runner.h"
#include "lint/value_kind.h"
#include "schema/catalog.h"
#include "schema/rules.h"

namespace pccsql {

// Of one column's sampled values. NULLs and empty texts are not among them.
struct ColumnLook {
  size_t values = 0;
  size_t distinct = 0;
  size_t numbers = 0;  // numbers, or texts that are one
  size_t dates = 0;
  size_t long_texts = 0;                          // of eight words or more, and sixty bytes
  std::array<size_t, kValueKinds> of_kind{};      // by ValueKind, texts and whole numbers
  int first_year = 0, last_year = 0;              // of the dates

  size_t of(ValueKind kind) const { return of_kind[static_cast<size_t>(kind)]; }
};

struct TableLook {
  bool looked = false;  // false: there was no time, or the table cannot be read
  size_t rows = 0;      // of the sample
  std::vector<ColumnLook> columns;
};

class DataLook {
 public:
  static constexpr std::chrono::milliseconds kUsualTime{8'000};

  // Opens the database; nothing is read yet.
  static Result<DataLook> open(const DatabasePlace& place, const Catalog& catalog,
                               std::chrono::milliseconds time = kUsualTime);
  DataLook(DataLook&&) noexcept;
  ~DataLook();

  TableLook sample(TableId table);

  // The one number that the query brings; none where the time is over or the query fails.
  std::optional<int64_t> number(const std::string& sql);

  const Rules& rules() const { return *rules_; }

  // Whether something was left out for want of time.
  bool is_incomplete() const { return incomplete_; }

 private:
  DataLook(const Catalog& catalog, std::string schema, std::unique_ptr<QueryRunner> runner, std::chrono::steady_clock::time_point end);
  bool has_time();
  std::string places_by_key(const Table& table);
  std::string part_of(const Table& table);

  const Catalog* catalog_;
  const Rules* rules_;
  std::string schema_;
  std::unique_ptr<QueryRunner> runner_;
  std::chrono::steady_clock::time_point end_;
  bool incomplete_ = false;
};

}  // namespace pccsql
