#include "exec/heap_share.h"

#include <sqlite3.h>

namespace pccsql {
namespace {

constexpr size_t kForConnections = size_t{8} << 20;

struct Ledger {
  std::shared_mutex running;  // shared by queries that run beside each other
  std::mutex mutex;           // of what follows
  size_t queries = 0;
  uint64_t begun = 0;
  size_t shares = 0;
  size_t held_before = 0;
  sqlite3_int64 limit_before = 0;  // the process's own, which comes back when no query runs

  void apply() const {
    const auto limit = static_cast<sqlite3_int64>(held_before + shares + kForConnections);
    const bool tighter_already = limit_before > 0 && limit_before < limit;
    sqlite3_hard_heap_limit64(queries == 0 || tighter_already ? limit_before : limit);
  }
};

Ledger& ledger() {
  static Ledger the_ledger;
  return the_ledger;
}

}  // namespace

HeapShare::HeapShare(size_t bytes, Company company) : bytes_(bytes) {
  Ledger& books = ledger();
  if (company == Company::Alone) {
    alone_ = std::unique_lock(books.running);
  } else {
    beside_ = std::shared_lock(books.running);
  }
  const std::lock_guard lock(books.mutex);
  if (books.queries == 0) {
    books.held_before = static_cast<size_t>(sqlite3_memory_used());
    books.limit_before = sqlite3_hard_heap_limit64(-1);
  }
  others_at_start_ = books.queries > 0;
  books.queries += 1;
  books.shares += bytes_;
  begun_before_ = ++books.begun;
  books.apply();
}

HeapShare::~HeapShare() {
  Ledger& books = ledger();
  const std::lock_guard lock(books.mutex);
  books.queries -= 1;
  books.shares -= bytes_;
  books.apply();
}

bool HeapShare::had_company() const {
  Ledger& books = ledger();
  const std::lock_guard lock(books.mutex);
  return others_at_start_ || books.begun != begun_before_;
}

}  // namespace pccsql
