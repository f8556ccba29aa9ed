#include "base/file.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <system_error>

#include <signal.h>
#include <unistd.h>

namespace pccsql {
namespace {

// While it lives, what would end the program waits: a temporary file must not stay behind.
class HoldSignals {
 public:
  HoldSignals() {
    sigset_t held;
    sigemptyset(&held);
    for (const int signal : {SIGINT, SIGTERM, SIGHUP}) sigaddset(&held, signal);
    pthread_sigmask(SIG_BLOCK, &held, &before_);
  }
  ~HoldSignals() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  HoldSignals(const HoldSignals&) = delete;
  HoldSignals& operator=(const HoldSignals&) = delete;

 private:
  sigset_t before_;
};

}  // namespace

Result<std::string> read_file(const std::string& path) {
  if (path == "-") return std::string(std::istreambuf_iterator<char>(std::cin), {});
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored)) {
    return Error{"is a directory; a file was expected", path, {}};
  }
  std::ifstream in(path, std::ios::binary);
  if (!in) return Error{std::string("cannot be read: ") + std::strerror(errno), path, {}};
  std::string content(std::istreambuf_iterator<char>(in), {});
  if (in.bad()) return Error{"reading it failed", path, {}};
  return content;
}

Result<Done> write_file(const std::string& path, std::string_view content) {
  const HoldSignals hold;
  const std::string temporary = path + ".tmp" + std::to_string(getpid());
  const auto fail = [&](const char* what) {
    Error error{std::string(what) + ": " + std::strerror(errno), path, {}};
    std::remove(temporary.c_str());
    return error;
  };
  {
    std::ofstream out(temporary, std::ios::binary | std::ios::trunc);
    if (!out) return fail("cannot be written");
    out.write(content.data(), static_cast<std::streamsize>(content.size()));
    out.flush();
    if (!out) return fail("cannot be written");
  }
  std::error_code unknown;
  const auto replaced = std::filesystem::status(path, unknown);  // who could not read the old one cannot read the new one
  if (std::filesystem::exists(replaced)) {
    std::filesystem::permissions(temporary, replaced.permissions(), unknown);
    if (unknown) return fail("cannot be given the rights of the file that it replaces");
  }
  if (std::rename(temporary.c_str(), path.c_str()) != 0) return fail("cannot be moved into place");
  return Done{};
}

}  // namespace pccsql
