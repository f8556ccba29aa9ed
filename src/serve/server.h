// Server: the service behind a port. Who calls is found by his key, what he may send is looked at, and the request goes to the
// door that it is for.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "base/result.h"
#include "serve/service.h"

namespace pccsql {

class Server {
 public:
  // PRE: the service outlives it.
  static Result<std::unique_ptr<Server>> open(Service& service);
  ~Server();
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  // `http://127.0.0.1:8080`
  const std::string& address() const;
  // Takes requests until stop(), which any thread may call.
  Result<Done> listen();
  void stop();

 private:
  class Impl;
  explicit Server(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace pccsql
