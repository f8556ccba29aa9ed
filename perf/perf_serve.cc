// Asks a running server the same again and again, by so many callers at once, each on a connection of its own, and prints requests a
// second, times to the answer, answers by status, and the memory of the server's process as it went.
//
//   build/release/perf/perf_serve 127.0.0.1:8080 /v1/check '{"sql": "SELECT name FROM employee"}' --callers 8 --seconds 10 --pid 4711
//
// A line of the body's file (`@FILE`) is one body; callers take them in turn. The key is read from PCCSQL_KEY.
#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

namespace {

using Clock = std::chrono::steady_clock;

struct Load {
  std::string host, path, key;
  int port = 0;
  std::vector<std::string> bodies;
  size_t callers = 1;
  double seconds = 10;
  int pid = 0;
};

struct Seen {
  std::mutex mutex;
  std::map<int, size_t> statuses;  // 0: none, the connection broke
  std::vector<float> milliseconds;  // of answers with status 200
};

class Caller {
 public:
  explicit Caller(const Load& load) : load_(load) {}
  ~Caller() { leave(); }
  Caller(const Caller&) = delete;
  Caller& operator=(const Caller&) = delete;

  // The status; 0: none.
  int ask(const std::string& body) {
    if (socket_ < 0 && !enter()) return 0;
    const std::string text = "POST " + load_.path + " HTTP/1.1\r\nHost: " + load_.host + "\r\nContent-Type: application/json\r\nAuthorization: Bearer " +
                             load_.key + "\r\nContent-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body;
    for (std::string_view rest = text; !rest.empty();) {
      const ssize_t put = ::send(socket_, rest.data(), rest.size(), MSG_NOSIGNAL);
      if (put <= 0) return leave();
      rest.remove_prefix(static_cast<size_t>(put));
    }
    std::string got;
    size_t wanted = std::string::npos;
    while (got.size() < wanted) {
      std::array<char, 65536> block;
      const ssize_t more = ::recv(socket_, block.data(), block.size(), 0);
      if (more <= 0) return leave();
      got.append(block.data(), static_cast<size_t>(more));
      const size_t head = got.find("\r\n\r\n");
      if (wanted != std::string::npos || head == std::string::npos) continue;
      const size_t length = got.find("Content-Length: ");
      if (length == std::string::npos || length > head) return leave();
      wanted = head + 4 + std::strtoul(got.c_str() + length + 16, nullptr, 10);
    }
    const int status = std::atoi(got.c_str() + 9);
    if (got.find("Connection: close") < got.find("\r\n\r\n")) leave();
    return status;
  }

 private:
  bool enter() {
    socket_ = ::socket(AF_INET, SOCK_STREAM, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(static_cast<uint16_t>(load_.port));
    inet_pton(AF_INET, load_.host.c_str(), &address.sin_addr);
    const int on = 1;
    setsockopt(socket_, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    if (::connect(socket_, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0) return true;
    leave();
    return false;
  }
  int leave() {
    if (socket_ >= 0) ::close(socket_);
    socket_ = -1;
    return 0;
  }

  const Load& load_;
  int socket_ = -1;
};

double resident_mb(int pid) {
  std::ifstream statm("/proc/" + std::to_string(pid) + "/statm");
  double all = 0, resident = 0;
  return statm >> all >> resident ? resident * static_cast<double>(sysconf(_SC_PAGESIZE)) / 1e6 : 0;
}

void call(const Load& load, std::atomic<size_t>& turn, Clock::time_point end, Seen& seen) {
  Caller caller(load);
  while (Clock::now() < end) {
    const auto begin = Clock::now();
    const int status = caller.ask(load.bodies[turn++ % load.bodies.size()]);
    {
      const std::lock_guard lock(seen.mutex);
      ++seen.statuses[status];
      if (status == 200) seen.milliseconds.push_back(std::chrono::duration<float, std::milli>(Clock::now() - begin).count());
    }
    // Who is told to come back later does not come back at once.
    if (status == 429 || status == 503 || status == 0) std::this_thread::sleep_for(std::chrono::milliseconds(500));
  }
}

// Of all answers until now, `took` seconds from the beginning.
void print(Seen& seen, double took) {
  const std::lock_guard lock(seen.mutex);
  std::vector<float> sorted = seen.milliseconds;
  std::ranges::sort(sorted);
  const auto at = [&sorted](double share) { return sorted.empty() ? 0.0F : sorted[static_cast<size_t>(share * static_cast<double>(sorted.size() - 1))]; };
  std::printf("%zu answers in %.1f s, %.1f a second; ms: p50 %.2f, p99 %.2f, most %.2f\n", sorted.size(), took, static_cast<double>(sorted.size()) / took, at(0.5), at(0.99), at(1));
  for (const auto& [status, count] : seen.statuses) std::printf("status %d: %zu\n", status, count);
  std::fflush(stdout);
}

int usage() {
  std::fputs("perf_serve HOST:PORT PATH BODY|@FILE [--callers N] [--seconds N] [--pid PID]\n", stderr);
  return 2;
}

bool read_arguments(int argc, char** argv, Load& load) {
  if (argc < 4) return false;
  const std::string address = argv[1];
  const size_t colon = address.rfind(':');
  if (colon == std::string::npos) return false;
  load.host = address.substr(0, colon);
  load.port = std::atoi(address.c_str() + colon + 1);
  load.path = argv[2];
  if (argv[3][0] == '@') {
    std::ifstream file(argv[3] + 1);
    for (std::string line; std::getline(file, line);) load.bodies.push_back(line);
  } else {
    load.bodies.emplace_back(argv[3]);
  }
  for (int i = 4; i + 1 < argc; i += 2) {
    const std::string_view name = argv[i];
    if (name == "--callers") load.callers = std::strtoul(argv[i + 1], nullptr, 10);
    if (name == "--seconds") load.seconds = std::strtod(argv[i + 1], nullptr);
    if (name == "--pid") load.pid = std::atoi(argv[i + 1]);
  }
  const char* const key = std::getenv("PCCSQL_KEY");
  load.key = key == nullptr ? "" : key;
  return !load.bodies.empty() && load.callers > 0;
}

}  // namespace

int main(int argc, char** argv) {
  Load load;
  if (!read_arguments(argc, argv, load)) return usage();
  Seen seen;
  std::atomic<size_t> turn = 0;
  const auto begin = Clock::now();
  const auto end = begin + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(load.seconds));
  std::vector<std::thread> callers;
  for (size_t i = 0; i < load.callers; ++i) callers.emplace_back([&] { call(load, turn, end, seen); });
  const auto minute = std::chrono::seconds(60);
  for (auto next = begin; load.pid != 0 && next < end; next += minute) {
    std::this_thread::sleep_until(next);
    const double so_far = std::chrono::duration<double>(Clock::now() - begin).count();
    std::printf("%4.0f s: %.1f MB resident\n", so_far, resident_mb(load.pid));
    if (next > begin) print(seen, so_far);
  }
  for (std::thread& caller : callers) caller.join();
  const double took = std::chrono::duration<double>(Clock::now() - begin).count();
  if (load.pid != 0) std::printf("%4.0f s: %.1f MB resident\n", took, resident_mb(load.pid));
  print(seen, took);
  return 0;
}
