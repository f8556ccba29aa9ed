// Peer: one connection, plain or encrypted, of which nobody waits for more than he must. The socket never blocks; whoever wants to wait
// polls, and has until a deadline.
#pragma once

#include <atomic>
#include <memory>
#include <string>

#include "base/result.h"
#include "serve/connections.h"

struct ssl_ctx_st;
struct ssl_st;

namespace pccsql {

struct TlsFiles;

struct FreeContext {
  void operator()(ssl_ctx_st* context) const;
};
struct FreeSession {
  void operator()(ssl_st* session) const;
};
using TlsContext = std::unique_ptr<ssl_ctx_st, FreeContext>;
using TlsSession = std::unique_ptr<ssl_st, FreeSession>;

Result<TlsContext> tls_context(const TlsFiles& files);
// Of a caller who has just come; nullptr: there is no memory for it.
TlsSession tls_session(const TlsContext& context, int socket);
// -1, with errno, where it cannot be listened there.
int listening_socket(const std::string& host, uint16_t port);
uint16_t port_of(int socket);

class Peer final : public Connection {
 public:
  enum class Fill : uint8_t { More, Head, TooLong, End };

  // `stopped`: nothing more is waited for, on a thread of its own, that others have yet to send.
  Peer(int socket, TlsSession session, const ConnectionLimits& limits, const std::atomic<bool>& stopped);
  ~Peer() override;
  Peer(const Peer&) = delete;
  Peer& operator=(const Peer&) = delete;

  // Takes what has come, without waiting.
  Fill fill();
  bool has_head();

  // The head is there: what follows has a time of its own.
  void begin_request() { deadline_ = Clock::now() + limits_.body_time; }
  // The request has been answered.
  void rest();
  // Nothing more is said. What the other side still sends is taken and thrown away for a while: else it would be told of a broken
  // connection before it has read the answer.
  void leave();
  Clock::time_point deadline() const { return deadline_; }
  // It has sent a part of a request.
  bool has_begun() const { return begin_ < buffer_.size(); }
  uint32_t wants() const;  // of epoll: what it waits for

  long read(char* into, size_t most) override;
  long write(const char* from, size_t most) override;
  // Once, without waiting, and then good-bye.
  void say(const std::string& text) { (void)send(text.data(), text.size()); }

  std::string_view buffered() const override { return std::string_view(buffer_).substr(begin_); }
  void consume(size_t bytes) override { begin_ += bytes; }

  bool gone() const override;
  int descriptor() const override { return socket_; }
  std::pair<std::string, int> remote() const override;

 private:
  static constexpr long kLater = -2;

  // False: too late, or stopped.
  bool wait(Clock::time_point deadline, const std::atomic<bool>* stopped = nullptr) const;

  long receive(char* into, size_t most);
  long send(const char* from, size_t most);
  // The handshake is part of the first call.
  template <typename Call>
  long result_of(Call call);

  const int socket_;
  const TlsSession session_;
  const ConnectionLimits& limits_;
  const std::atomic<bool>& stopped_;
  Clock::time_point deadline_;
  std::string buffer_;
  size_t begin_ = 0;     // what stands before has been read
  size_t searched_ = 0;  // up to here there is no end of a head
  bool fresh_ = true;    // nothing has been asked yet
  bool leaving_ = false;
  short wants_;          // of poll: what it waits for
};

}  // namespace pccsql
