#include "apps/endpoint.h"

#include <chrono>
#include <mutex>
#include <thread>

#include <httplib.h>
#include <nlohmann/json.hpp>

namespace pccsql {

struct Endpoint::Server {
  httplib::Server http;
  int port = 0;
  std::thread thread;
  mutable std::mutex mutex;
  std::string last;
};

Endpoint::Endpoint(const std::string& sql) : server_(std::make_unique<Server>()) {
  const nlohmann::json answer{
      {"choices", {{{"message", {{"role", "assistant"}, {"content", sql}}}, {"finish_reason", "stop"}}}}};
  server_->http.Post(".*", [this, text = answer.dump()](const httplib::Request& request, httplib::Response& response) {
    ++asked;
    {
      const std::lock_guard lock(server_->mutex);
      server_->last = request.body;
    }
    response.set_content(text, "application/json");
  });
  server_->port = server_->http.bind_to_any_port("127.0.0.1");
  server_->thread = std::thread([this] { server_->http.listen_after_bind(); });
  while (!server_->http.is_running()) std::this_thread::sleep_for(std::chrono::milliseconds(1));
}

Endpoint::~Endpoint() {
  server_->http.stop();
  server_->thread.join();
}

std::vector<std::string> Endpoint::model(const std::string& method) const {
  return {"--model", "http://127.0.0.1:" + std::to_string(server_->port) + "/v1", "--model-name", "fake", "--method", method};
}

std::string Endpoint::last_request() const {
  const std::lock_guard lock(server_->mutex);
  return server_->last;
}

std::vector<std::string> joined(std::vector<std::string> a, const std::vector<std::string>& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

}  // namespace pccsql
