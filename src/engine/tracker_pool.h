// TrackerPool: trackers that a generation has left behind, for the next one.
//
// A tracker remembers, beside its prefixes, what it found out about states in general; a generation that gets a used one
// need not find it out again. Idle ones count towards the engine's memory, and have at most a quarter of it.
#pragma once

#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "engine/memory_budget.h"
#include "track/tracker.h"

namespace pccsql {

struct PooledTracker {
  std::unique_ptr<track::Tracker> tracker;
  uint32_t mark = 0;  // where it is as it was made
  size_t bytes() const { return tracker->prefix_bytes() + tracker->kept_bytes(); }
};

class TrackerPool final : public Memory::Budget::Keeper {
 public:
  explicit TrackerPool(std::shared_ptr<Memory::Budget> budget) : budget_(std::move(budget)) { budget_->enlist(*this); }
  ~TrackerPool() override {
    budget_->dismiss(*this);
    give_up(true);
  }
  TrackerPool(const TrackerPool&) = delete;
  TrackerPool& operator=(const TrackerPool&) = delete;

  // Empty: there is none.
  PooledTracker take() {
    const std::lock_guard lock(mutex_);
    if (idle_.empty()) return {};
    PooledTracker last = std::move(idle_.back());
    idle_.pop_back();
    const size_t bytes = last.bytes();
    bytes_ -= bytes;
    budget_->give(bytes);
    return last;
  }
  // PRE: nobody else has it, it never failed, and it was released to its mark.
  void give(PooledTracker used) {
    const size_t bytes = used.bytes();
    const std::lock_guard lock(mutex_);
    if (bytes_ + bytes > budget_->most() / 4 || !budget_->take(bytes)) return;
    idle_.push_back(std::move(used));
    bytes_ += bytes;
  }
  void give_up(bool) override {
    std::vector<PooledTracker> gone;
    const std::lock_guard lock(mutex_);
    gone.swap(idle_);
    budget_->give(bytes_);
    bytes_ = 0;
  }
  size_t bytes() const {
    const std::lock_guard lock(mutex_);
    return bytes_;
  }

 private:
  const std::shared_ptr<Memory::Budget> budget_;
  mutable std::mutex mutex_;
  std::vector<PooledTracker> idle_;
  size_t bytes_ = 0;
};

}  // namespace pccsql
