// Connections: callers at a port, and who reads from them. One thread watches all of them; a connection gets a worker only once a
// whole head of a request has come, so that whoever is idle, or sends a byte now and then, holds up nobody. Where there are too many,
// those that have said nothing for longest make place.
//
// What a request is, is not known here: only that its head ends with an empty line.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"

namespace pccsql {

struct TlsFiles;

struct ConnectionLimits {
  size_t workers = 64;        // requests that are answered at once, those that wait for a place included
  size_t waiting = 1024;      // whole heads that wait for a worker; who comes beyond is told so, and dropped
  size_t connections = 16384;  // idle ones included; never more than the process may have files open
  size_t head = 64 << 10;     // bytes of a head
  std::chrono::milliseconds head_time{10'000};   // from its first byte (of a new connection: from its beginning) to its last
  std::chrono::milliseconds body_time{20'000};   // from the head's last byte to the body's
  std::chrono::milliseconds write_time{10'000};  // for the other side to take some more of an answer
  std::chrono::milliseconds idle_time{60'000};   // between two requests
};

// One caller. Used by one thread at a time, but for gone().
class Connection {
 public:
  using Clock = std::chrono::steady_clock;

  virtual ~Connection() = default;

  // At least one byte; 0: the other side has ended; -1: too late, or broken.
  virtual long read(char* into, size_t most) = 0;
  virtual long write(const char* from, size_t most) = 0;
  // What has come and has not been read.
  virtual std::string_view buffered() const = 0;
  virtual void consume(size_t bytes) = 0;

  // The other side has left, or will send no more. Any thread may ask.
  virtual bool gone() const = 0;
  virtual int descriptor() const = 0;
  virtual std::pair<std::string, int> remote() const = 0;
};

class Connections {
 public:
  // `too_many`: what is written to a caller who cannot even wait.
  static Result<std::unique_ptr<Connections>> open(const std::string& host, uint16_t port, const std::optional<TlsFiles>& tls,
                                                   const ConnectionLimits& limits, std::string too_many);
  virtual ~Connections() = default;

  virtual uint16_t port() const = 0;
  // Until stop(): `handle` reads one request and answers it, on a thread of the workers'; false: the connection ends.
  virtual void serve(const std::function<bool(const std::shared_ptr<Connection>&)>& handle) = 0;
  // Any thread may call it. Requests that are being answered end first.
  virtual void stop() = 0;

  struct Counts {
    size_t open = 0;
    size_t waiting = 0;
    size_t workers = 0;
  };
  virtual Counts counts() const = 0;
};

}  // namespace pccsql
