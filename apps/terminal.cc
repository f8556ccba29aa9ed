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

void Progress::done(size_t count) {
  if (!wanted_) return;
  const auto now = std::chrono::steady_clock::now();
  if (now - start_ < std::chrono::seconds(2) || now - last_ < std::chrono::milliseconds(200)) return;
  const double seconds = std::chrono::duration<double>(now - start_).count();
  std::fprintf(stderr, "\r%zu %s, %.0f a second ", count, unit_, static_cast<double>(count) / seconds);
  last_ = now;
  shown_ = true;
}

Progress::~Progress() {
  if (shown_) std::fputs("\r\033[K", stderr);
}

}  // namespace pccsql
