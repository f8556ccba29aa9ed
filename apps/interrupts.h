// Ctrl-C as a flag, for work that can end in good order.
#pragma once

#include <atomic>
#include <csignal>

namespace pccsql {

inline constexpr int kExitInterrupted = 128 + SIGINT;

// As long as this lives, Ctrl-C sets the flag; a second one while the first is not heard ends the program as usual. One
// at a time.
class CatchInterrupts {
 public:
  CatchInterrupts();
  ~CatchInterrupts();
  CatchInterrupts(const CatchInterrupts&) = delete;
  CatchInterrupts& operator=(const CatchInterrupts&) = delete;

  const std::atomic<bool>& flag() const;

 private:
  struct sigaction before_ {};
};

}  // namespace pccsql
