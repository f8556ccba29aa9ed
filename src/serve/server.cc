#include "serve/server.h"

#include <algorithm>
#include <memory>
#include <utility>

#include <httplib.h>

#include "base/text.h"
#include "serve/routes.h"

namespace pccsql {
namespace {

constexpr size_t kLongestBody = size_t{1} << 20;
constexpr size_t kIdleConnections = 512;  // beyond those that are answered or wait for a place
constexpr size_t kWaitingConnections = 4096;
constexpr std::string_view kSecurityHeaders[][2] = {
    {"X-Content-Type-Options", "nosniff"}, {"Referrer-Policy", "no-referrer"}, {"Cache-Control", "no-store"}};

// `[::1]:8080` -> `::1`
std::string host_of(std::string_view authority) {
  if (authority.starts_with('[')) return std::string(authority.substr(1, authority.find(']') - 1));
  return std::string(authority.substr(0, authority.find(':')));
}

void set_reply(httplib::Response& response, const DoorReply& reply) {
  response.status = reply.status;
  for (const auto& [name, value] : reply.headers) response.set_header(name, value);
  if (!reply.body.empty()) response.set_content(reply.body, reply.type);
}

// Of a request that came to no route, or that was none.
Reply without_route(int status) {
  switch (status) {
    case 404:
      return refusal(404, "no_such_path", "there is nothing here; /openapi.json lists what there is");
    case 413:
      return refusal(413, "body_too_long", "a body has at most 1 MB");
    case 414:
      return refusal(414, "address_too_long", "the address is too long");
    case 416:
      return refusal(416, "range", "parts of answers are not sent");
    default:
      break;
  }
  if (status >= 500) return refusal(status, "failed", "something went wrong here; the request may be tried again");
  return refusal(status, "bad_request", "this is no request that the server understands");
}

}  // namespace

class Server::Impl {
 public:
  explicit Impl(Service& service) : service_(service), config_(service.config()) {}

  Result<Done> open() {
    if (config_.tls) {
      http_ = std::make_unique<httplib::SSLServer>(config_.tls->certificate.c_str(), config_.tls->key.c_str());
      if (!http_->is_valid()) {
        return Error{"`" + config_.tls->certificate + "` and `" + config_.tls->key + "` are no certificate and its key, in PEM", config_.file, {}};
      }
    } else {
      http_ = std::make_unique<httplib::Server>();
    }
    const size_t busy = 2 * (size_t{config_.limits.at_once} + config_.limits.queue);
    http_->new_task_queue = [busy] { return new httplib::ThreadPool(8, busy + kIdleConnections, kWaitingConnections, 10); };
    http_->set_keep_alive_timeout(3);
    http_->set_keep_alive_max_count(1000);
    http_->set_read_timeout(5);
    http_->set_write_timeout(10);
    http_->set_payload_max_length(kLongestBody);
    http_->set_tcp_nodelay(true);
    // Two servers on one port would take each other's callers.
    http_->set_socket_options([](socket_t socket) { httplib::set_socket_opt(socket, SOL_SOCKET, SO_REUSEADDR, 1); });
    httplib::Headers headers;
    for (const auto& [name, value] : kSecurityHeaders) headers.emplace(name, value);
    http_->set_default_headers(headers);
    http_->set_error_handler([](const httplib::Request& request, httplib::Response& response) {
      if (!response.body.empty()) return;
      const auto known = std::ranges::find(routes(), std::string_view(request.path), &Route::path);
      if (response.status == 404 && known != routes().end()) {
        response.set_header("Allow", std::string(known->method));
        return set_reply(response, as_door_reply(refusal(405, "method", "this is for " + std::string(known->method))));
      }
      set_reply(response, as_door_reply(without_route(response.status)));
    });
    http_->set_exception_handler([](const httplib::Request&, httplib::Response& response, const std::exception_ptr&) {
      set_reply(response, as_door_reply(without_route(500)));
    });
    for (const Route& route : routes()) {
      const auto handler = [this, &route](const httplib::Request& request, httplib::Response& response) { serve(route, request, response); };
      if (route.method == "GET") http_->Get(std::string(route.path), handler);
      if (route.method == "POST") http_->Post(std::string(route.path), handler);
    }
    return bind();
  }

  const std::string& address() const { return address_; }

  Result<Done> listen() {
    if (!http_->listen_after_bind()) return Error{"`" + address_ + "` could not be listened on any longer", {}, {}};
    return Done{};
  }

  void stop() { http_->stop(); }

 private:
  Result<Done> bind() {
    int port = config_.port;
    if (port == 0) {
      port = http_->bind_to_any_port(config_.host);
    } else if (!http_->bind_to_port(config_.host, port)) {
      port = -1;
    }
    const bool six = config_.host.find(':') != std::string::npos;
    const std::string host = six ? "[" + config_.host + "]" : config_.host;
    if (port <= 0) {
      return Error{"`" + host + ":" + std::to_string(config_.port) + "` cannot be listened on; is it this machine's address, and the port free?",
                   config_.file, config_.listen_at};
    }
    address_ = (config_.tls ? "https://" : "http://") + host + ":" + std::to_string(port);
    return Done{};
  }

  // A page of somebody else's must not ask in the name of whoever looks at it.
  std::optional<Reply> from_elsewhere(const httplib::Request& request) const {
    const std::string host = request.get_header_value("Host");
    // Whoever is let in without a key must really have meant this machine: a name that has been made to point here is none.
    if (service_.config().people.empty() && is_loopback(config_.host) && !is_loopback(host_of(host))) {
      return refusal(403, "host", "this server is for callers of this machine, by its address");
    }
    if (!request.has_header("Origin")) return std::nullopt;
    const std::string origin = request.get_header_value("Origin");
    const size_t begin = origin.find("://");
    if (begin != std::string::npos && equal_folded(std::string_view(origin).substr(begin + 3), host)) return std::nullopt;
    return refusal(403, "origin", "pages of another origin may not ask here");
  }

  static std::string key_of(const httplib::Request& request) {
    const std::string header = request.get_header_value("Authorization");
    constexpr std::string_view kScheme = "bearer ";
    const bool bearer = header.size() > kScheme.size() && equal_folded(std::string_view(header).substr(0, kScheme.size()), kScheme);
    return bearer ? trimmed(std::string_view(header).substr(kScheme.size())) : "";
  }

  void serve(const Route& route, const httplib::Request& request, httplib::Response& response) {
    DoorRequest made;
    made.visit.door = route.path == "/mcp" ? "mcp" : route.path == "/v1/chat/completions" ? "openai" : "http";
    // The state of an encrypted connection may not be looked at by another thread; there the next write tells.
    if (!config_.tls) made.visit.gone = request.is_connection_closed;
    if (const auto elsewhere = from_elsewhere(request)) return set_reply(response, as_door_reply(*elsewhere));
    const auto caller = service_.caller_of(key_of(request));
    if (caller) {
      made.visit.caller = *caller;
    } else if (!route.open) {
      const Reply reply = refusal(401, "key", "a key is needed: `Authorization: Bearer …`");
      service_.note_refused(made.visit, reply, std::string(route.path));
      response.set_header("WWW-Authenticate", "Bearer");
      return set_reply(response, as_door_reply(reply));
    }
    made.path = request.path;
    made.body = request.body;
    made.accept = request.get_header_value("Accept");
    for (const auto& [name, value] : request.params) made.query.emplace_back(name, value);
    for (const auto& [name, value] : request.headers) made.headers.emplace_back(folded(name), value);
    const DoorReply reply = route.answer(service_, made);
    if (!reply.stream) return set_reply(response, reply);
    response.status = reply.status;
    response.set_header("X-Accel-Buffering", "no");
    response.set_chunked_content_provider(reply.type, [stream = reply.stream, visit = made.visit](size_t, httplib::DataSink& sink) {
      stream(visit, [&sink](std::string_view piece) { return sink.is_writable() && sink.write(piece.data(), piece.size()); });
      sink.done();
      return true;
    });
  }

  Service& service_;
  const ServeConfig config_;
  std::unique_ptr<httplib::Server> http_;
  std::string address_;
};

Server::Server(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Server::~Server() = default;

Result<std::unique_ptr<Server>> Server::open(Service& service) {
  auto impl = std::make_unique<Impl>(service);
  if (const auto opened = impl->open(); !opened) return opened.error();
  return std::unique_ptr<Server>(new Server(std::move(impl)));
}

const std::string& Server::address() const { return impl_->address(); }
Result<Done> Server::listen() { return impl_->listen(); }
void Server::stop() { impl_->stop(); }

}  // namespace pccsql
