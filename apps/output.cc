#include "apps/output.h"

#include <cerrno>
#include <cstdio>
#include <cstring>

#include <unistd.h>

#include "base/render.h"

namespace pccsql {

int fail(std::string_view message, std::string_view hint) {
  std::string text = "pccsql: " + printable(message) + "\n";
  if (!hint.empty()) text += printable(hint) + "\n";
  std::fputs(text.c_str(), stderr);
  return kExitUsage;
}

int fail(const Error& error) { return fail(error.to_string()); }

void Output::write(std::string_view text) {
  constexpr size_t kPiece = 1 << 16;
  buffer_ += text;
  if (buffer_.size() >= kPiece) flush();
}

void Output::flush() {
  std::string_view rest = buffer_;
  while (!rest.empty() && ok()) {
    const ssize_t put = ::write(STDOUT_FILENO, rest.data(), rest.size());
    if (put >= 0) {
      rest.remove_prefix(static_cast<size_t>(put));
    } else if (errno == EPIPE) {
      closed_ = true;
    } else if (errno != EINTR) {
      failure_ = Error{std::string("cannot be written: ") + std::strerror(errno), "standard output", {0, 0}};
    }
  }
  buffer_.clear();
}

int Output::finish(int status) {
  flush();
  if (failure_) return fail(*failure_);
  return closed_ ? kExitNotFine : status;
}

}  // namespace pccsql
