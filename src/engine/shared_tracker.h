// SharedTracker: the tracker of a generation and its forks, and the memory that it holds.
//
// A tracker is not for several threads: forks share one, and take turns. It is a stack, and what one Matcher takes back is
// freed only down to what the others hold; a Matcher that finds much lying there which nobody holds moves out.
#pragma once

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <vector>

#include "engine/engine_impl.h"

namespace pccsql {

class SharedTracker final : public Memory::Budget::Keeper {
 public:
  explicit SharedTracker(Engine::Impl& engine);
  ~SharedTracker() override;  // gives the tracker back
  SharedTracker(const SharedTracker&) = delete;
  SharedTracker& operator=(const SharedTracker&) = delete;

  std::mutex mutex;
  bool broken = false;  // it failed once: nothing it says is trusted

  // All of these under the mutex.
  void open();  // takes a tracker from the pool, or makes one
  bool is_open() const { return pooled_.tracker != nullptr; }
  track::Tracker& tracker() { return *pooled_.tracker; }

  // A Matcher has prefixes here: the first one, or those of another.
  void join(const void* matcher);
  void join_as(const void* matcher, const void* other);
  void make_room_to_join() { holders_.reserve(holders_.size() + 1); }  // then join_as cannot fail
  void leave(const void* matcher);
  // Its text has `length` bytes now: it has made a prefix, or has none any more that was made after `mark`.
  void extend(const void* matcher, size_t length);
  void cut(const void* matcher, uint32_t mark, size_t length);
  // Looks what there is, and forgets if that is too much.
  void settle();
  // There are other holders, and far more prefixes than all of them need.
  bool is_littered() const;

  void give_up(bool everything) override;

 private:
  // So much may be remembered by each running generation whatever the budget.
  static constexpr size_t kLeastKept = 256 << 10;

  struct Holder {
    const void* matcher;
    uint32_t mark;  // no prefix of it was made later
    size_t length;
  };
  Holder& holder(const void* matcher);
  void find_top();
  void release_unheld();
  void forget_if_over(size_t most);
  void count();

  Engine::Impl& engine_;
  PooledTracker pooled_;
  std::vector<Holder> holders_;
  uint32_t top_ = 0;  // what a mark would be now
  size_t remembered_ = 0, prefixes_ = 0;  // as counted
  size_t least_ = 0;                      // remembered after it has forgotten what it could
};

}  // namespace pccsql
