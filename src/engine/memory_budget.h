// The bytes that caches may hold together. When they are spent, whoever keeps something is asked to give it up.
//
// As in RE2's DFA, what is kept is never needed: a cache that is thrown away is filled again. First goes what was not
// asked for since the last time, and the trackers' own memory; if that is not enough, everything.
#pragma once

#include <atomic>
#include <cstddef>
#include <mutex>
#include <vector>

#include <pccsql/memory.h>

namespace pccsql {

class Memory::Budget {
 public:
  explicit Budget(size_t most) : most_(most) {}

  size_t most() const { return most_; }
  size_t used() const { return used_.load(std::memory_order_relaxed); }
  // Takes `bytes` if there are so many; otherwise it is spent.
  bool take(size_t bytes) {
    if (used_.fetch_add(bytes, std::memory_order_relaxed) + bytes <= most_) return true;
    give(bytes);
    wanted_.store(true, std::memory_order_relaxed);
    return false;
  }
  void give(size_t bytes) { used_.fetch_sub(bytes, std::memory_order_relaxed); }
  // What is there already, though it be too much.
  void change(size_t before, size_t after) { used_.fetch_add(after - before, std::memory_order_relaxed); }
  bool is_spent() const { return wanted_.load(std::memory_order_relaxed) || used() > most_; }

  class Keeper {
   public:
    virtual ~Keeper() = default;
    // Called by any thread, and must not wait for one that could wait for the budget.
    virtual void give_up(bool everything) = 0;
  };
  void enlist(Keeper& keeper);
  void dismiss(Keeper& keeper);
  // PRE: the caller holds nothing that a keeper waits for.
  void make_room();

 private:
  const size_t most_;
  std::atomic<size_t> used_ = 0;
  std::atomic<bool> wanted_ = false;  // something could not be taken
  std::mutex mutex_;
  std::vector<Keeper*> keepers_;
};

}  // namespace pccsql
