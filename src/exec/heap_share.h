// HeapShare: a query's share of SQLite's memory.
//
// SQLite can refuse memory only for the whole process (sqlite3_hard_heap_limit64), not for one connection. So running
// queries add up: the limit is what SQLite held before the first of them began, plus the share of each that runs now,
// plus a little for connections that are opened meanwhile. A query that runs alone is held to its share exactly. One
// that fails while others run beside it may have been robbed by them; it should try again with `alone`, which waits for
// the others to end and lets none begin. Who fails alone has used too much itself.
#pragma once

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <shared_mutex>

namespace pccsql {

class HeapShare {
 public:
  enum class Company : uint8_t { Others, Alone };

  HeapShare(size_t bytes, Company company);
  ~HeapShare();
  HeapShare(const HeapShare&) = delete;
  HeapShare& operator=(const HeapShare&) = delete;

  // Whether another query ran at some time of this one.
  bool had_company() const;

 private:
  size_t bytes_;
  uint64_t begun_before_ = 0;  // queries that had begun when this one had
  bool others_at_start_ = false;
  std::shared_lock<std::shared_mutex> beside_;
  std::unique_lock<std::shared_mutex> alone_;
};

}  // namespace pccsql
