// Gate: so many at once, so many that wait, and nobody beyond; and how many questions a person may ask in a minute.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <list>
#include <map>
#include <mutex>
#include <string>

namespace pccsql {

class Gate {
 public:
  using Clock = std::chrono::steady_clock;
  enum class Entry : uint8_t { In, Full, Late, Gone, Closed };

  Gate(size_t places, size_t queue) : places_(places), queue_(queue) {}

  // In the order of coming. `gone`, asked every now and then while waiting: the caller has left.
  Entry enter(Clock::time_point deadline, const std::function<bool()>& gone);
  void leave();
  // Nobody comes in any more; those who wait are told so.
  void close();

  struct Counts {
    size_t inside = 0;
    size_t waiting = 0;
  };
  Counts counts() const;
  // Once nobody is inside, or at the deadline.
  void wait_until_empty(Clock::time_point deadline);

 private:
  const size_t places_;
  const size_t queue_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  size_t inside_ = 0;
  std::list<const int*> waiting_;
  bool closed_ = false;
};

// Leaves the gate when it goes.
class GatePlace {
 public:
  explicit GatePlace(Gate& gate) : gate_(&gate) {}
  ~GatePlace() { gate_->leave(); }
  GatePlace(const GatePlace&) = delete;
  GatePlace& operator=(const GatePlace&) = delete;

 private:
  Gate* gate_;
};

class MinuteLimit {
 public:
  // 0: he may ask, and this counts; else seconds until he may.
  unsigned ask(const std::string& person, size_t most, Gate::Clock::time_point now = Gate::Clock::now());

 private:
  std::mutex mutex_;
  std::map<std::string, std::deque<Gate::Clock::time_point>> asked_;
};

}  // namespace pccsql
