// A message is its length, as eight bytes, and then itself. The socket does not block: every wait is a poll(), so that
// clocks and flags are looked at meanwhile.
#include "exec/channel.h"

#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <utility>

namespace pccsql {
namespace {

#ifdef MSG_NOSIGNAL
constexpr int kSendFlags = MSG_NOSIGNAL | MSG_DONTWAIT;
#else
constexpr int kSendFlags = MSG_DONTWAIT;
#endif

bool may_try_again() { return errno == EINTR || errno == EAGAIN || errno == EWOULDBLOCK; }

}  // namespace

Channel::Channel(Channel&& other) noexcept : socket_(std::exchange(other.socket_, -1)) {}
Channel& Channel::operator=(Channel&& other) noexcept {
  std::swap(socket_, other.socket_);
  return *this;
}
Channel::~Channel() {
  if (socket_ >= 0) ::close(socket_);
}

Heard Channel::wait(short events, const Patience& patience) const {
  using namespace std::chrono;
  constexpr milliseconds kBetweenLooks(20);
  while (true) {
    if (patience.cancel != nullptr && patience.cancel->load(std::memory_order_relaxed)) return Heard::Cancelled;
    int timeout = -1;
    if (patience.cancel != nullptr) timeout = static_cast<int>(kBetweenLooks.count());
    if (patience.until != steady_clock::time_point::max()) {
      const auto left = ceil<milliseconds>(patience.until - steady_clock::now());
      if (left.count() <= 0) return Heard::Late;
      timeout = static_cast<int>(
          std::min<int64_t>(left.count(), patience.cancel != nullptr ? kBetweenLooks.count() : 60'000));
    }
    pollfd waited{socket_, events, 0};
    const int ready = ::poll(&waited, 1, timeout);
    if (ready > 0) return Heard::All;  // or closed, which the next read or write finds out
    if (ready < 0 && !may_try_again()) return Heard::Closed;
  }
}

Heard Channel::send(std::string_view message, const Patience& patience) const {
  const uint64_t size = message.size();
  char head[sizeof size];
  std::memcpy(head, &size, sizeof size);
  // Small messages go in one piece.
  std::string whole(head, sizeof head);
  whole += message;
  std::string_view rest = whole;
  while (!rest.empty()) {
    const ssize_t sent = ::send(socket_, rest.data(), rest.size(), kSendFlags);
    if (sent >= 0) {
      rest.remove_prefix(static_cast<size_t>(sent));
      continue;
    }
    if (!may_try_again()) return Heard::Closed;
    if (const Heard heard = wait(POLLOUT, patience); heard != Heard::All) return heard;
  }
  return Heard::All;
}

Heard Channel::read(char* to, size_t size, const Patience& patience) const {
  while (size > 0) {
    const ssize_t got = ::recv(socket_, to, size, MSG_DONTWAIT);
    if (got == 0 || (got < 0 && !may_try_again())) return Heard::Closed;
    if (got > 0) {
      to += got;
      size -= static_cast<size_t>(got);
      continue;
    }
    if (const Heard heard = wait(POLLIN, patience); heard != Heard::All) return heard;
  }
  return Heard::All;
}

Heard Channel::receive(std::string& message, const Patience& patience) const {
  uint64_t size = 0;
  char head[sizeof size];
  if (const Heard heard = read(head, sizeof head, patience); heard != Heard::All) return heard;
  std::memcpy(&size, head, sizeof size);
  message.resize(size);
  return read(message.data(), size, patience);
}

bool Channel::closed() const {
  char byte = 0;
  const ssize_t got = ::recv(socket_, &byte, 1, MSG_PEEK | MSG_DONTWAIT);
  return got == 0 || (got < 0 && !may_try_again());
}

void Channel::wait_until_closed() const {
  pollfd waited{socket_, 0, 0};
  while (true) {
    const int ready = ::poll(&waited, 1, -1);
    if (ready > 0 || (ready < 0 && !may_try_again())) return;
  }
}

}  // namespace pccsql
