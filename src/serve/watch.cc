#include "serve/watch.h"

#include <algorithm>
#include <utility>

namespace pccsql {

Watch::Watch() : thread_([this] { look(); }) {}

Watch::~Watch() {
  {
    const std::lock_guard lock(mutex_);
    ended_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

void Watch::hurry(Clock::time_point deadline) {
  const std::lock_guard lock(mutex_);
  latest_ = std::min(latest_, deadline);
}

void Watch::look() {
  constexpr std::chrono::milliseconds kGlance{50};
  std::unique_lock lock(mutex_);
  while (!ended_) {
    if (watched_.empty()) {
      changed_.wait(lock);
      continue;
    }
    const auto now = Clock::now();
    for (Watched* one : watched_) {
      if (one->stop_) continue;
      if (now >= std::min(one->deadline_, latest_)) {
        one->late_ = true;
        one->stop_ = true;
      } else if (one->gone_ && one->gone_()) {
        one->stop_ = true;
      }
    }
    changed_.wait_for(lock, kGlance, [this] { return ended_; });
  }
}

Watch::Watched::Watched(Watch& watch, Clock::time_point deadline, std::function<bool()> gone)
    : watch_(watch), deadline_(deadline), gone_(std::move(gone)) {
  const std::lock_guard lock(watch_.mutex_);
  place_ = watch_.watched_.insert(watch_.watched_.end(), this);
  watch_.changed_.notify_all();
}

Watch::Watched::~Watched() {
  const std::lock_guard lock(watch_.mutex_);
  watch_.watched_.erase(place_);
}

}  // namespace pccsql
