// Channel: whole messages over a socket, with an end to waiting.
#pragma once

#include <atomic>
#include <chrono>
#include <optional>
#include <string>
#include <string_view>

namespace pccsql {

// When to stop waiting for the other side.
struct Patience {
  std::chrono::steady_clock::time_point until = std::chrono::steady_clock::time_point::max();
  const std::atomic<bool>* cancel = nullptr;
};

enum class Heard { All, Closed, Late, Cancelled };

class Channel {
 public:
  Channel() = default;
  explicit Channel(int socket) : socket_(socket) {}
  Channel(Channel&& other) noexcept;
  Channel& operator=(Channel&& other) noexcept;
  ~Channel();

  // Closed when the other side is gone.
  Heard send(std::string_view message, const Patience& patience = {}) const;
  Heard receive(std::string& message, const Patience& patience = {}) const;

  // Whether the other side is gone, as far as can be told without waiting.
  bool closed() const;
  // Waits until it is.
  void wait_until_closed() const;

 private:
  Heard wait(short events, const Patience& patience) const;
  Heard read(char* to, size_t size, const Patience& patience) const;
  int socket_ = -1;
};

}  // namespace pccsql
