#include "serve/gate.h"

#include <algorithm>

namespace pccsql {

Gate::Entry Gate::enter(Clock::time_point deadline, const std::function<bool()>& gone) {
  constexpr std::chrono::milliseconds kGlance{100};
  std::unique_lock lock(mutex_);
  if (closed_) return Entry::Closed;
  if (inside_ < places_ && waiting_.empty()) {
    ++inside_;
    return Entry::In;
  }
  if (waiting_.size() >= queue_) return Entry::Full;
  const int mine = 0;
  const auto place = waiting_.insert(waiting_.end(), &mine);
  Entry result = Entry::In;
  while (inside_ >= places_ || waiting_.front() != &mine) {
    if (closed_) result = Entry::Closed;
    if (Clock::now() >= deadline) result = Entry::Late;
    if (result != Entry::In) break;
    changed_.wait_until(lock, std::min(deadline, Clock::now() + kGlance));
    if (gone) {
      lock.unlock();
      const bool left = gone();
      lock.lock();
      if (left) {
        result = Entry::Gone;
        break;
      }
    }
  }
  waiting_.erase(place);
  if (result == Entry::In) ++inside_;
  changed_.notify_all();
  return result;
}

void Gate::leave() {
  const std::lock_guard lock(mutex_);
  --inside_;
  changed_.notify_all();
}

void Gate::close() {
  const std::lock_guard lock(mutex_);
  closed_ = true;
  changed_.notify_all();
}

Gate::Counts Gate::counts() const {
  const std::lock_guard lock(mutex_);
  return {inside_, waiting_.size()};
}

void Gate::wait_until_empty(Clock::time_point deadline) {
  std::unique_lock lock(mutex_);
  changed_.wait_until(lock, deadline, [this] { return inside_ == 0 && waiting_.empty(); });
}

unsigned MinuteLimit::ask(const std::string& person, size_t most, Gate::Clock::time_point now) {
  constexpr std::chrono::seconds kMinute{60};
  const std::lock_guard lock(mutex_);
  std::deque<Gate::Clock::time_point>& times = asked_[person];
  while (!times.empty() && now - times.front() >= kMinute) times.pop_front();
  if (times.size() < most) {
    times.push_back(now);
    return 0;
  }
  const auto left = kMinute - (now - times.front());
  return static_cast<unsigned>(std::chrono::ceil<std::chrono::seconds>(left).count());
}

}  // namespace pccsql
