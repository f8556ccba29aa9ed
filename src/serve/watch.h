// Watch: one thread that sees who has left and whose time is over, while the threads of these answers are busy with a
// model or a query. It sets their flags; they end by themselves.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <functional>
#include <list>
#include <mutex>
#include <thread>

namespace pccsql {

class Watch {
 public:
  using Clock = std::chrono::steady_clock;

  Watch();
  ~Watch();
  Watch(const Watch&) = delete;
  Watch& operator=(const Watch&) = delete;

  // One that is watched as long as this lives.
  class Watched {
   public:
    Watched(Watch& watch, Clock::time_point deadline, std::function<bool()> gone);
    ~Watched();
    Watched(const Watched&) = delete;
    Watched& operator=(const Watched&) = delete;

    const std::atomic<bool>& stop() const { return stop_; }
    bool late() const { return late_; }
    void leave() { stop_ = true; }

   private:
    friend class Watch;
    Watch& watch_;
    const Clock::time_point deadline_;
    const std::function<bool()> gone_;
    std::atomic<bool> stop_ = false;
    std::atomic<bool> late_ = false;
    std::list<Watched*>::iterator place_;
  };

  // From now on nobody's deadline is later than this one.
  void hurry(Clock::time_point deadline);

 private:
  void look();

  std::mutex mutex_;
  std::condition_variable changed_;
  std::list<Watched*> watched_;
  Clock::time_point latest_ = Clock::time_point::max();
  bool ended_ = false;
  std::thread thread_;
};

}  // namespace pccsql
