#include "apps/terminal.h"

#include <cstdio>
#include <cstdlib>
#include <string_view>

#include <unistd.h>

namespace pccsql {

Style style_for(Color color) {
  const auto set = [](const char* name) {
    const char* value = std::getenv(name);
    return std::string_view(value == nullptr ? "" : value);
  };
  if (color != Color::Auto) return {color == Color::Always};
  return {isatty(STDOUT_FILENO) != 0 && set("NO_COLOR").empty() && set("TERM") != "dumb"};
}

Progress::Progress(const char* unit, bool beside_output)
    : unit_(unit), wanted_(isatty(STDERR_FILENO) != 0 && (beside_output || isatty(STDOUT_FILENO) == 0)) {}

bool Progress::is_time() {
  if (!wanted_) return false;
  const auto now = std::chrono::steady_clock::now();
  if (now - start_ < std::chrono::seconds(2) || now - last_ < std::chrono::milliseconds(200)) return false;
  last_ = now;
  shown_ = true;
  return true;
}

void Progress::done(size_t count) {
  if (!is_time()) return;
  const double seconds = std::chrono::duration<double>(last_ - start_).count();
  std::fprintf(stderr, "\r%zu %s, %.0f a second ", count, unit_, static_cast<double>(count) / seconds);
}

void Progress::done(size_t count, size_t all, size_t before, const std::string& more) {
  if (!is_time() || all == 0) return;
  constexpr size_t kWidth = 20;
  const double seconds = std::chrono::duration<double>(last_ - start_).count();
  const double rate = static_cast<double>(count - before) / seconds;
  const size_t full = kWidth * count / all;
  std::string line = "\r[" + std::string(full, '#') + std::string(kWidth - full, '.') + "] " + std::to_string(count) +
                     "/" + std::to_string(all) + " " + unit_;
  if (count > before) {
    const auto left = static_cast<unsigned long>(static_cast<double>(all - count) / rate);
    char buffer[64];
    std::snprintf(buffer, sizeof buffer, ", %.2f a second, %lu:%02lu:%02lu left", rate, left / 3600, left / 60 % 60,
                  left % 60);
    line += buffer;
  }
  std::fputs((line + more + "\033[K").c_str(), stderr);
}

Progress::~Progress() {
  if (shown_) std::fputs("\r\033[K", stderr);
}

Waiting::Waiting(std::string what) : what_(std::move(what)) {
  if (isatty(STDERR_FILENO) != 0) thread_ = std::thread([this] { show(); });
}

void Waiting::done() {
  if (!thread_.joinable()) return;
  {
    const std::lock_guard lock(mutex_);
    done_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

void Waiting::show() {
  using std::chrono::milliseconds;
  const auto start = std::chrono::steady_clock::now();
  std::unique_lock lock(mutex_);
  if (changed_.wait_for(lock, milliseconds(180), [this] { return done_; })) return;
  do {
    const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(std::chrono::steady_clock::now() - start).count();
    std::fprintf(stderr, "\r%s …%s\033[K", what_.c_str(), seconds == 0 ? "" : (" " + std::to_string(seconds) + " s").c_str());
    std::fflush(stderr);
  } while (!changed_.wait_for(lock, milliseconds(500), [this] { return done_; }));
  std::fputs("\r\033[K", stderr);
  std::fflush(stderr);
}

}  // namespace pccsql
