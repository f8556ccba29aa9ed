// A chat endpoint that writes the same query whatever it is asked, and keeps what it was asked last.
#pragma once

#include <atomic>
#include <memory>
#include <string>
#include <vector>

namespace pccsql {

class Endpoint {
 public:
  explicit Endpoint(const std::string& sql);
  ~Endpoint();
  Endpoint(const Endpoint&) = delete;
  Endpoint& operator=(const Endpoint&) = delete;

  // Options of the program that take it for its model.
  std::vector<std::string> model(const std::string& method = "direct") const;
  std::string last_request() const;  // its body

  std::atomic<int> asked = 0;

 private:
  struct Server;
  std::unique_ptr<Server> server_;
};

std::vector<std::string> joined(std::vector<std::string> a, const std::vector<std::string>& b);

}  // namespace pccsql
