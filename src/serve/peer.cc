#include "serve/peer.h"

#include <netdb.h>
#include <netinet/in.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <poll.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "serve/config.h"

namespace pccsql {
namespace {

using Clock = Connection::Clock;
using std::chrono::milliseconds;

int milliseconds_until(Clock::time_point deadline) {
  const auto left = std::chrono::ceil<milliseconds>(deadline - Clock::now()).count();
  return static_cast<int>(std::clamp<long>(left, 0, 60'000));
}

}  // namespace

void FreeContext::operator()(SSL_CTX* context) const { SSL_CTX_free(context); }
void FreeSession::operator()(SSL* session) const { SSL_free(session); }

Peer::Peer(int socket, TlsSession session, const ConnectionLimits& limits, const std::atomic<bool>& stopped)
    : socket_(socket), session_(std::move(session)), limits_(limits), stopped_(stopped), deadline_(Clock::now() + limits.head_time), wants_(POLLIN) {}

Peer::~Peer() { ::close(socket_); }

uint32_t Peer::wants() const { return wants_ == POLLOUT ? EPOLLOUT : EPOLLIN; }

template <typename Call>
long Peer::result_of(Call call) {
  size_t done = 0;
  ERR_clear_error();
  const int fine = call(done);
  if (fine == 1) return static_cast<long>(done);
  switch (SSL_get_error(session_.get(), fine)) {
    case SSL_ERROR_WANT_READ:
      wants_ = POLLIN;
      return kLater;
    case SSL_ERROR_WANT_WRITE:
      wants_ = POLLOUT;
      return kLater;
    case SSL_ERROR_ZERO_RETURN:
      return 0;
    default:
      return -1;
  }
}

Peer::Fill Peer::fill() {
  constexpr int kBlocks = 16;  // whoever sends without end must not keep the others waiting
  std::array<char, 16384> block;
  for (int blocks = 0; leaving_ || !has_head(); ++blocks) {
    if (blocks == kBlocks) return Fill::More;
    if (buffer_.size() - begin_ >= limits_.head) return Fill::TooLong;
    wants_ = POLLIN;
    const long got = receive(block.data(), block.size());
    if (got == kLater) return Fill::More;
    if (got <= 0) return Fill::End;
    if (leaving_) continue;
    if (buffer_.size() == begin_ && !fresh_) deadline_ = Clock::now() + limits_.head_time;
    buffer_.append(block.data(), static_cast<size_t>(got));
  }
  return Fill::Head;
}

bool Peer::has_head() {
  const size_t from = std::max(begin_, searched_);
  if (buffer_.find("\r\n\r\n", from) != std::string::npos) return true;
  searched_ = buffer_.size() < 3 ? 0 : buffer_.size() - 3;
  return false;
}

void Peer::rest() {
  buffer_.erase(0, begin_);
  begin_ = searched_ = 0;
  fresh_ = false;
  deadline_ = Clock::now() + (buffer_.empty() ? limits_.idle_time : limits_.head_time);
}

void Peer::leave() {
  constexpr std::chrono::seconds kPatience{2};
  if (session_ && SSL_is_init_finished(session_.get()) == 1) {
    ERR_clear_error();
    (void)SSL_shutdown(session_.get());
  }
  ::shutdown(socket_, SHUT_WR);
  leaving_ = true;
  buffer_.clear();
  begin_ = searched_ = 0;
  deadline_ = Clock::now() + kPatience;
}

long Peer::read(char* into, size_t most) {
  if (begin_ == buffer_.size()) {
    std::array<char, 16384> block;
    buffer_.clear();
    begin_ = searched_ = 0;
    for (;;) {
      wants_ = POLLIN;
      const long got = receive(block.data(), block.size());
      if (got == kLater && wait(deadline_, &stopped_)) continue;
      if (got <= 0) return got == 0 ? 0 : -1;
      buffer_.assign(block.data(), static_cast<size_t>(got));
      break;
    }
  }
  const size_t some = std::min(most, buffer_.size() - begin_);
  std::memcpy(into, buffer_.data() + begin_, some);
  consume(some);
  return static_cast<long>(some);
}

long Peer::write(const char* from, size_t most) {
  const auto deadline = Clock::now() + limits_.write_time;
  for (;;) {
    wants_ = POLLOUT;
    const long put = send(from, most);
    if (put != kLater) return put;
    if (!wait(deadline)) return -1;
  }
}

bool Peer::gone() const {
  pollfd one{socket_, POLLRDHUP, 0};
  return ::poll(&one, 1, 0) > 0;  // it is never asked for anything else
}

std::pair<std::string, int> Peer::remote() const {
  sockaddr_storage address{};
  socklen_t size = sizeof address;
  std::array<char, NI_MAXHOST> host{};
  std::array<char, NI_MAXSERV> port{};
  if (getpeername(socket_, reinterpret_cast<sockaddr*>(&address), &size) != 0 ||
      getnameinfo(reinterpret_cast<sockaddr*>(&address), size, host.data(), host.size(), port.data(), port.size(),
                  NI_NUMERICHOST | NI_NUMERICSERV) != 0) {
    return {"", 0};
  }
  return {host.data(), std::atoi(port.data())};
}

bool Peer::wait(Clock::time_point deadline, const std::atomic<bool>* stopped) const {
  constexpr int kGlance = 500;  // milliseconds
  while (Clock::now() < deadline && !(stopped != nullptr && *stopped)) {
    pollfd one{socket_, wants_, 0};
    const int ready = ::poll(&one, 1, std::min(kGlance, milliseconds_until(deadline)));
    if (ready > 0) return true;
    if (ready < 0 && errno != EINTR) return false;
  }
  return false;
}

long Peer::receive(char* into, size_t most) {
  if (session_) {
    return result_of([&](size_t& done) { return SSL_read_ex(session_.get(), into, most, &done); });
  }
  const ssize_t got = ::recv(socket_, into, most, MSG_DONTWAIT);
  return got >= 0 ? got : (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR) ? kLater : -1;
}

long Peer::send(const char* from, size_t most) {
  if (session_) {
    return result_of([&](size_t& done) { return SSL_write_ex(session_.get(), from, most, &done); });
  }
  const ssize_t put = ::send(socket_, from, most, MSG_DONTWAIT | MSG_NOSIGNAL);
  return put >= 0 ? put : (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR) ? kLater : -1;
}

TlsSession tls_session(const TlsContext& context, int socket) {
  TlsSession session(SSL_new(context.get()));
  if (!session || SSL_set_fd(session.get(), socket) != 1) return nullptr;
  SSL_set_accept_state(session.get());
  SSL_set_mode(session.get(), SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
  return session;
}

Result<TlsContext> tls_context(const TlsFiles& files) {
  TlsContext context(SSL_CTX_new(TLS_server_method()));
  const bool fine = context && SSL_CTX_set_min_proto_version(context.get(), TLS1_2_VERSION) == 1 &&
                    SSL_CTX_use_certificate_chain_file(context.get(), files.certificate.c_str()) == 1 &&
                    SSL_CTX_use_PrivateKey_file(context.get(), files.key.c_str(), SSL_FILETYPE_PEM) == 1 &&
                    SSL_CTX_check_private_key(context.get()) == 1;
  ERR_clear_error();
  if (!fine) return Error{"`" + files.certificate + "` and `" + files.key + "` are no certificate and its key, in PEM", {}, {}};
  SSL_CTX_set_options(context.get(), SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION);
  return context;
}

int listening_socket(const std::string& host, uint16_t port) {
  addrinfo wanted{};
  wanted.ai_socktype = SOCK_STREAM;
  wanted.ai_flags = AI_PASSIVE | AI_NUMERICSERV;
  addrinfo* found = nullptr;
  if (getaddrinfo(host.c_str(), std::to_string(port).c_str(), &wanted, &found) != 0) return -1;
  int socket = -1;
  for (const addrinfo* one = found; one != nullptr && socket < 0; one = one->ai_next) {
    socket = ::socket(one->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (socket < 0) continue;
    // Not SO_REUSEPORT: two servers on one port would take each other's callers.
    const int on = 1;
    (void)::setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    if (::bind(socket, one->ai_addr, one->ai_addrlen) != 0 || ::listen(socket, 4096) != 0) {
      ::close(socket);
      socket = -1;
    }
  }
  freeaddrinfo(found);
  return socket;
}

uint16_t port_of(int socket) {
  sockaddr_storage address{};
  socklen_t size = sizeof address;
  if (getsockname(socket, reinterpret_cast<sockaddr*>(&address), &size) != 0) return 0;
  const bool six = address.ss_family == AF_INET6;
  return ntohs(six ? reinterpret_cast<sockaddr_in6*>(&address)->sin6_port : reinterpret_cast<sockaddr_in*>(&address)->sin_port);
}

}  // namespace pccsql
