// The server in a build without cpp-httplib 0.58: says so, and how to get it.
#include "serve/server.h"

namespace pccsql {

class Server::Impl {};

Server::Server(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Server::~Server() = default;

Result<std::unique_ptr<Server>> Server::open(Service&) {
  return Error{"pccsql was built without the HTTP library of its server: run scripts/llama.sh, which fetches it, and have OpenSSL "
               "(on Debian: apt-get install libssl-dev), then build again",
               {},
               {}};
}

const std::string& Server::address() const {
  static const std::string none;
  return none;
}
Result<Done> Server::listen() { return Done{}; }
void Server::stop() {}

}  // namespace pccsql
