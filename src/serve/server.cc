#include "serve/server.h"

#include <algorithm>
#include <memory>
#include <tuple>
#include <utility>

#include <httplib.h>

#include "base/text.h"
#include "serve/connections.h"
#include "serve/routes.h"

namespace pccsql {
namespace {

constexpr size_t kLongestBody = size_t{1} << 20;
constexpr std::string_view kSecurityHeaders[][2] = {
    {"X-Content-Type-Options", "nosniff"}, {"Referrer-Policy", "no-referrer"}, {"Cache-Control", "no-store"}};

// `[::1]:8080` -> `::1`; empty where it is no host with a port.
std::string host_of(std::string_view authority) {
  const bool six = authority.starts_with('[');
  const size_t end = std::min(six ? authority.find(']') : authority.find(':'), authority.size());
  std::string_view port = authority.substr(std::min(end + (six ? 1 : 0), authority.size()));
  if (port.starts_with(':')) port.remove_prefix(1);
  if (port.find_first_not_of("0123456789") != std::string_view::npos) return "";
  return std::string(six ? authority.substr(1, end - 1) : authority.substr(0, end));
}

void set_reply(httplib::Response& response, const DoorReply& reply) {
  response.status = reply.status;
  for (const auto& [name, value] : reply.headers) response.set_header(name, value);
  if (!reply.body.empty()) response.set_content(reply.body, reply.type);
}

// What cpp-httplib reads a request from and writes the answer to.
class RequestStream final : public httplib::Stream {
 public:
  explicit RequestStream(Connection& connection) : connection_(connection) {}

  bool is_readable() const override { return !connection_.buffered().empty(); }
  bool wait_readable() const override { return true; }  // reading waits
  bool wait_writable() const override { return true; }  // and so does writing
  bool is_peer_alive() const override { return !connection_.gone(); }
  ssize_t read(char* into, size_t most) override {
    const long got = connection_.read(into, most);
    if (got <= 0) error_ = got == 0 ? httplib::Error::ConnectionClosed : httplib::Error::Read;
    return got;
  }
  ssize_t write(const char* from, size_t most) override { return connection_.write(from, most); }
  const char* buffered_data(size_t& size) const override {
    const std::string_view there = connection_.buffered();
    size = there.size();
    return there.empty() ? nullptr : there.data();  // what is not nullptr is taken for bytes
  }
  void consume_buffered(size_t size) override { connection_.consume(size); }
  void get_remote_ip_and_port(std::string& ip, int& port) const override { std::tie(ip, port) = connection_.remote(); }
  void get_local_ip_and_port(std::string& ip, int& port) const override {
    ip.clear();
    port = 0;
  }
  socket_t socket() const override { return connection_.descriptor(); }
  time_t duration() const override { return 0; }

 private:
  Connection& connection_;
};

// cpp-httplib's requests and answers, on connections that are ours (connections.h).
class RequestServer final : public httplib::Server {
 public:
  // It would take itself for stopped, and cut streams off, without a socket to listen at; this is never used as one.
  RequestServer() { svr_sock_ = 0; }
  ~RequestServer() override { cut_off(); }
  RequestServer(const RequestServer&) = delete;
  RequestServer& operator=(const RequestServer&) = delete;

  void cut_off() { svr_sock_ = INVALID_SOCKET; }

  // Whether the connection goes on.
  bool answer(const std::shared_ptr<Connection>& connection) {
    RequestStream stream(*connection);
    bool closed = false;
    now_ = connection;
    const bool fine = serve_guarded([&] { return process_request(stream, "", 0, "", 0, false, closed, {}); });
    now_.reset();
    return fine && !closed && !std::exchange(ends_, false);
  }
  // After this answer nothing more is read from the connection of this thread: what was no request may have left half of one behind.
  static void end_connection() { ends_ = true; }
  // Whose request this thread is answering.
  static const std::shared_ptr<Connection>& now() { return now_; }

 private:
  static thread_local std::shared_ptr<Connection> now_;
  static thread_local bool ends_;
};
thread_local std::shared_ptr<Connection> RequestServer::now_;
thread_local bool RequestServer::ends_ = false;

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
    http_.set_keep_alive_timeout(60);
    http_.set_payload_max_length(kLongestBody);
    httplib::Headers headers;
    for (const auto& [name, value] : kSecurityHeaders) headers.emplace(name, value);
    http_.set_default_headers(headers);
    const auto turn_away = [this](const httplib::Request& request, httplib::Response& response, Reply reply) {
      Visit visit;
      visit.door = "http";
      set_reply(response, as_door_reply(service_.noted(visit, std::move(reply), request.method + " " + request.path)));
    };
    http_.set_error_handler([turn_away](const httplib::Request& request, httplib::Response& response) {
      if (!response.body.empty()) return;
      const auto known = std::ranges::find(routes(), std::string_view(request.path), &Route::path);
      if (response.status == 404 && known != routes().end()) {
        response.set_header("Allow", std::string(known->method));
        return turn_away(request, response, refusal(405, "method", "this is for " + std::string(known->method)));
      }
      if (response.status != 404) RequestServer::end_connection();
      turn_away(request, response, without_route(response.status));
    });
    http_.set_exception_handler([turn_away](const httplib::Request& request, httplib::Response& response, const std::exception_ptr&) {
      turn_away(request, response, without_route(500));
    });
    for (const Route& route : routes()) {
      const auto handler = [this, &route](const httplib::Request& request, httplib::Response& response) { serve(route, request, response); };
      if (route.method == "GET") http_.Get(std::string(route.path), handler);
      if (route.method == "POST") http_.Post(std::string(route.path), handler);
    }
    return bind();
  }

  const std::string& address() const { return address_; }

  Result<Done> listen() {
    connections_->serve([this](const std::shared_ptr<Connection>& connection) { return http_.answer(connection); });
    return Done{};
  }

  void stop() {
    http_.cut_off();
    connections_->stop();
  }

 private:
  Result<Done> bind() {
    const bool six = config_.host.find(':') != std::string::npos;
    const std::string host = six ? "[" + config_.host + "]" : config_.host;
    ConnectionLimits limits;
    limits.workers = 2 * (size_t{config_.limits.at_once} + config_.limits.queue) + 64;  // who waits for a place waits in one
    const Reply full = refusal(429, "busy", "too many are waiting already; try again in a few seconds");
    const std::string too_many = "HTTP/1.1 429 Too Many Requests\r\nContent-Type: application/json\r\nRetry-After: 5\r\nConnection: close\r\nContent-Length: " +
                                 std::to_string(full.body.size()) + "\r\n\r\n" + full.body;
    auto opened = Connections::open(config_.host, config_.port, config_.tls, limits, too_many);
    if (!opened) {
      const Error& error = opened.error();
      return Error{config_.tls && error.message.starts_with('`') ? error.message : "`" + host + ":" + std::to_string(config_.port) + "` " + error.message,
                   config_.file, config_.listen_at};
    }
    connections_ = *std::move(opened);
    address_ = (config_.tls ? "https://" : "http://") + host + ":" + std::to_string(connections_->port());
    return Done{};
  }

  // A page of somebody else's must not ask in the name of whoever looks at it.
  std::optional<Reply> from_elsewhere(const httplib::Request& request) const {
    if (request.get_header_value_count("Host") > 1 || request.get_header_value_count("Origin") > 1 || request.get_header_value_count("Authorization") > 1) {
      return refusal(400, "header_twice", "`Host`, `Origin` and `Authorization` stand in a request once");
    }
    // What stands in front of this server and reads another one of them might see other requests in the same bytes.
    if (request.get_header_value_count("Transfer-Encoding") > 1 || request.get_header_value_count("Content-Length") > 1) {
      return refusal(400, "header_twice", "`Content-Length` and `Transfer-Encoding` stand in a request once");
    }
    if (request.version == "HTTP/1.1" && !request.has_header("Host")) return refusal(400, "host_missing", "`Host` is missing");
    const std::string host = request.get_header_value("Host");
    // Whoever is let in without a key must really have meant this machine: a name that has been made to point here is none.
    if (!service_.knows_people() && is_loopback(config_.host) && !is_loopback(host_of(host))) {
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
    made.visit.gone = [connection = RequestServer::now()] { return connection->gone(); };
    const auto turn_away = [&](Reply reply) { set_reply(response, as_door_reply(service_.noted(made.visit, std::move(reply), route.path))); };
    if (auto elsewhere = from_elsewhere(request)) {
      if (elsewhere->status == 400) RequestServer::end_connection();
      return turn_away(*std::move(elsewhere));
    }
    const auto caller = service_.caller_of(key_of(request));
    if (caller) {
      made.visit.caller = *caller;
    } else if (!route.open) {
      response.set_header("WWW-Authenticate", "Bearer");
      return turn_away(refusal(401, "key", "a key is needed: `Authorization: Bearer …`"));
    }
    made.path = request.path;
    made.body = request.body;
    made.accept = request.get_header_value("Accept");
    for (const auto& [name, value] : request.params) made.query.emplace_back(name, value);
    for (const auto& [name, value] : request.headers) made.headers.emplace_back(folded(name), value);
    const DoorReply reply = route.answer(service_, made);
    if (reply.status >= 400 && !reply.noted) (void)service_.noted(made.visit, Reply{reply.status, reply.body}, route.path);
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
  RequestServer http_;
  std::unique_ptr<Connections> connections_;
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
