// TrackerPool: trackers that a generation has left behind, for the next one.
//
// A tracker remembers, beside its prefixes, what it found out about states in general; a generation that gets a used one
// need not find it out again. What it remembers only grows, so each is given up after a while.
#pragma once

#include <memory>
#include <mutex>
#include <vector>

#include "track/tracker.h"

namespace pccsql {

struct PooledTracker {
  std::unique_ptr<track::Tracker> tracker;
  uint32_t mark = 0;  // where it is as it was made
  uint32_t generations = 0;
};

class TrackerPool {
 public:
  // Empty: there is none.
  PooledTracker take() {
    const std::lock_guard lock(mutex_);
    if (idle_.empty()) return {};
    PooledTracker last = std::move(idle_.back());
    idle_.pop_back();
    return last;
  }
  // PRE: nobody else has it, it never failed, and it was released to its mark.
  void give(PooledTracker used) {
    if (++used.generations >= kMostGenerations) return;
    const std::lock_guard lock(mutex_);
    if (idle_.size() < kMostIdle) idle_.push_back(std::move(used));
  }

 private:
  static constexpr size_t kMostIdle = 16;
  static constexpr uint32_t kMostGenerations = 1000;

  std::mutex mutex_;
  std::vector<PooledTracker> idle_;
};

}  // namespace pccsql
