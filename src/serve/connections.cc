#include "serve/connections.h"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <condition_variable>
#include <cstring>
#include <deque>
#include <list>
#include <mutex>
#include <system_error>
#include <thread>
#include <unordered_map>
#include <utility>

#include "serve/config.h"
#include "serve/peer.h"

namespace pccsql {
namespace {

using Clock = Connection::Clock;
using std::chrono::milliseconds;

std::string empty_reply(std::string_view status) {
  return "HTTP/1.1 " + std::string(status) + "\r\nConnection: close\r\nContent-Length: 0\r\n\r\n";
}

class Port final : public Connections {
 public:
  Port(int socket, uint16_t port, TlsContext tls, ConnectionLimits limits, std::string too_many)
      : socket_(socket), port_(port), tls_(std::move(tls)), limits_(limits), too_many_(std::move(too_many)),
        poll_(::epoll_create1(EPOLL_CLOEXEC)), wake_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
    watch(socket_, EPOLLIN, EPOLL_CTL_ADD);
    watch(wake_, EPOLLIN, EPOLL_CTL_ADD);
  }
  ~Port() override {
    for (const int descriptor : {socket_, poll_, wake_}) {
      if (descriptor >= 0) ::close(descriptor);
    }
  }
  Port(const Port&) = delete;
  Port& operator=(const Port&) = delete;

  uint16_t port() const override { return port_; }

  Counts counts() const override {
    const std::lock_guard lock(mutex_);
    return {parked_.size() + ready_.size() + busy_, ready_.size(), workers_};
  }

  void stop() override {
    stopped_ = true;
    wake();
  }

  void serve(const std::function<bool(const std::shared_ptr<Connection>&)>& handle) override {
    handle_ = handle;
    while (!stopped_) {
      std::array<epoll_event, 256> events;
      const int count = ::epoll_wait(poll_, events.data(), events.size(), 200);
      for (int i = 0; i < count; ++i) {
        const int descriptor = events[static_cast<size_t>(i)].data.fd;
        if (descriptor == socket_) {
          take_callers();
        } else if (descriptor == wake_) {
          uint64_t times = 0;
          (void)!::read(wake_, &times, sizeof times);
        } else {
          look(descriptor);
        }
      }
      take_back();
      drop_late();
    }
    ::shutdown(socket_, SHUT_RDWR);
    order_.clear();
    std::unique_lock lock(mutex_);
    parked_.clear();
    over_ = true;
    come_.notify_all();
    left_.wait(lock, [this] { return workers_ == 0; });
    ready_.clear();
    returned_.clear();
  }

 private:
  struct Parked {
    std::shared_ptr<Peer> caller;
    std::list<int>::iterator place;  // in the order of coming here
  };

  void watch(int descriptor, uint32_t events, int how) const {
    epoll_event event{};
    event.events = events;
    event.data.fd = descriptor;
    (void)::epoll_ctl(poll_, how, descriptor, &event);
  }
  void wake() const {
    const uint64_t once = 1;
    (void)!::write(wake_, &once, sizeof once);
  }

  void take_callers() {
    for (int taken = 0; taken < 256; ++taken) {
      const int socket = ::accept4(socket_, nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK);
      if (socket < 0) {
        // No descriptor left: somebody idle gives his.
        const bool full = errno == EMFILE || errno == ENFILE || errno == ENOMEM;
        if (full && drop_oldest()) continue;
        if (full) std::this_thread::sleep_for(milliseconds(20));  // nobody has one to give: not round and round for it
        return;
      }
      const int on = 1;
      (void)::setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
      TlsSession session;
      if (tls_) {
        session = tls_session(tls_, socket);
        if (!session) {
          ::close(socket);
          continue;
        }
      }
      auto caller = std::make_shared<Peer>(socket, std::move(session), limits_, stopped_);
      if (counts().open >= limits_.connections && !drop_oldest()) {
        caller->say(too_many_);
        continue;
      }
      park(std::move(caller), EPOLL_CTL_ADD);
    }
  }

  void park(std::shared_ptr<Peer> caller, int how) {
    const int descriptor = caller->descriptor();
    const uint32_t wanted = caller->wants();
    const auto place = order_.insert(order_.end(), descriptor);
    {
      const std::lock_guard lock(mutex_);
      parked_[descriptor] = {std::move(caller), place};
    }
    watch(descriptor, wanted | EPOLLRDHUP | EPOLLONESHOT, how);
  }

  // No longer watched for; what is left is the pointer.
  std::shared_ptr<Peer> unpark(int descriptor) {
    const std::lock_guard lock(mutex_);
    const auto found = parked_.find(descriptor);
    if (found == parked_.end()) return nullptr;
    std::shared_ptr<Peer> caller = std::move(found->second.caller);
    order_.erase(found->second.place);
    parked_.erase(found);
    return caller;
  }

  void look(int descriptor) {
    Peer* caller = nullptr;
    {
      const std::lock_guard lock(mutex_);
      const auto found = parked_.find(descriptor);
      if (found == parked_.end()) return;
      caller = found->second.caller.get();
    }
    switch (caller->fill()) {
      case Peer::Fill::More:
        return watch(descriptor, caller->wants() | EPOLLRDHUP | EPOLLONESHOT, EPOLL_CTL_MOD);
      case Peer::Fill::End:
        (void)unpark(descriptor);
        return;
      case Peer::Fill::TooLong:
        caller->say(empty_reply("431 Request Header Fields Too Large"));
        caller->leave();
        return watch(descriptor, EPOLLIN | EPOLLRDHUP | EPOLLONESHOT, EPOLL_CTL_MOD);
      case Peer::Fill::Head:
        return hand_over(unpark(descriptor));
    }
  }

  void hand_over(std::shared_ptr<Peer> caller) {
    {
      const std::lock_guard lock(mutex_);
      if (ready_.size() < limits_.waiting) {
        ready_.push_back(std::move(caller));
        if (idle_ < ready_.size() && workers_ < limits_.workers) add_worker();
        come_.notify_one();
        return;
      }
    }
    caller->say(too_many_);
    caller->leave();
    park(std::move(caller), EPOLL_CTL_MOD);
  }

  // PRE: mutex_ is held.
  void add_worker() {
    try {
      std::thread([this] { work(); }).detach();  // serve() waits for it
      ++workers_;
    } catch (const std::system_error&) {
      // The machine has no thread left: those that there are go on.
    }
  }

  // Those that were answered.
  void take_back() {
    std::vector<std::shared_ptr<Peer>> back;
    {
      const std::lock_guard lock(mutex_);
      back = std::exchange(returned_, {});
    }
    for (std::shared_ptr<Peer>& caller : back) {
      const int descriptor = caller->descriptor();
      park(std::move(caller), EPOLL_CTL_MOD);
      look(descriptor);  // something may lie there already
    }
  }

  void drop_late() {
    const auto now = Clock::now();
    if (now < next_look_) return;
    next_look_ = now + milliseconds(250);
    std::vector<std::shared_ptr<Peer>> late;  // closed outside the lock
    const std::lock_guard lock(mutex_);
    for (auto one = parked_.begin(); one != parked_.end();) {
      if (now < one->second.caller->deadline()) {
        ++one;
        continue;
      }
      if (one->second.caller->has_begun()) one->second.caller->say(empty_reply("408 Request Timeout"));
      late.push_back(std::move(one->second.caller));
      order_.erase(one->second.place);
      one = parked_.erase(one);
    }
  }

  // Whoever has been parked for longest makes place.
  bool drop_oldest() {
    if (order_.empty()) return false;
    (void)unpark(order_.front());
    return true;
  }

  void work() {
    constexpr std::chrono::seconds kPatience{10};
    std::unique_lock lock(mutex_);
    for (;;) {
      ++idle_;
      const bool come = come_.wait_for(lock, kPatience, [this] { return over_ || !ready_.empty(); });
      --idle_;
      if (over_ || (!come && ready_.empty())) break;
      std::shared_ptr<Peer> caller = std::move(ready_.front());
      ready_.pop_front();
      ++busy_;
      lock.unlock();
      bool goes_on = true;
      do {
        caller->begin_request();
        goes_on = handle_(caller) && !stopped_;
        caller->rest();
      } while (goes_on && caller->has_head());  // who sends the next one at once need not be parked for it
      if (!goes_on) caller->leave();
      lock.lock();
      --busy_;
      if (!over_) {
        returned_.push_back(std::move(caller));
        wake();
      } else {
        lock.unlock();
        caller.reset();
        lock.lock();
      }
    }
    --workers_;
    left_.notify_all();
  }

  const int socket_;
  const uint16_t port_;
  const TlsContext tls_;
  const ConnectionLimits limits_;
  const std::string too_many_;
  const int poll_, wake_;
  std::function<bool(const std::shared_ptr<Connection>&)> handle_;
  std::atomic<bool> stopped_ = false;

  std::list<int> order_;  // of the parked ones; of the watching thread alone, as is the next
  Clock::time_point next_look_;

  mutable std::mutex mutex_;  // around all that follows
  std::condition_variable come_, left_;
  std::unordered_map<int, Parked> parked_;
  std::deque<std::shared_ptr<Peer>> ready_;
  std::vector<std::shared_ptr<Peer>> returned_;
  size_t idle_ = 0, workers_ = 0, busy_ = 0;
  bool over_ = false;
};

// As many open files as may be had; and how many connections that leaves room for.
size_t most_connections(size_t wanted) {
  constexpr size_t kOthers = 256;  // databases, processes of queries, the audit
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return std::min<size_t>(wanted, 512);
  limit.rlim_cur = std::min<rlim_t>(limit.rlim_max, std::max<rlim_t>(limit.rlim_cur, wanted + kOthers));
  (void)setrlimit(RLIMIT_NOFILE, &limit);
  (void)getrlimit(RLIMIT_NOFILE, &limit);
  return limit.rlim_cur > 2 * kOthers ? std::min<size_t>(wanted, limit.rlim_cur - kOthers) : limit.rlim_cur / 2;
}

}  // namespace

Result<std::unique_ptr<Connections>> Connections::open(const std::string& host, uint16_t port, const std::optional<TlsFiles>& tls,
                                                       const ConnectionLimits& limits, std::string too_many) {
  TlsContext context;
  if (tls) {
    auto made = tls_context(*tls);
    if (!made) return made.error();
    context = *std::move(made);
  }
  const int socket = listening_socket(host, port);
  if (socket < 0) return Error{"cannot be listened on; is it this machine's address, and the port free?", {}, {}};
  ConnectionLimits held = limits;
  held.connections = most_connections(limits.connections);
  return std::unique_ptr<Connections>(std::make_unique<Port>(socket, port_of(socket), std::move(context), held, std::move(too_many)));
}

}  // namespace pccsql
