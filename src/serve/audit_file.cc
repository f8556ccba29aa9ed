#include "serve/audit_file.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

namespace pccsql {
namespace {

Error failure(const std::string& path) {
  return Error{std::string("the audit line cannot be written: ") + std::strerror(errno), path, {}};
}

}  // namespace

Result<AuditFile> AuditFile::open(const std::string& path) {
  const int descriptor = ::open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  if (descriptor < 0) return failure(path);
  return AuditFile(descriptor, path);
}

AuditFile::AuditFile(AuditFile&& other) noexcept
    : descriptor_(std::exchange(other.descriptor_, -1)), path_(std::move(other.path_)) {}

AuditFile::~AuditFile() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

Result<Done> AuditFile::add(std::string_view line) {
  // The lock is for taking back: nobody else's line may stand after ours by then.
  if (flock(descriptor_, LOCK_EX) != 0) return failure(path_);
  struct stat before {};
  const bool known = fstat(descriptor_, &before) == 0 && S_ISREG(before.st_mode);
  Result<Done> result = Done{};
  while (!line.empty()) {
    const ssize_t put = ::write(descriptor_, line.data(), line.size());
    if (put >= 0) {
      line.remove_prefix(static_cast<size_t>(put));
    } else if (errno != EINTR) {
      result = failure(path_);
      if (known && ftruncate(descriptor_, before.st_size) != 0) result = failure(path_);
      break;
    }
  }
  flock(descriptor_, LOCK_UN);
  return result;
}

Result<std::vector<std::string>> last_lines(const std::string& path, size_t most) {
  constexpr off_t kMost = off_t{32} << 20, kBlock = off_t{256} << 10;
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (descriptor < 0) return Error{std::strerror(errno), path, {}};
  struct stat found {};
  Result<std::vector<std::string>> lines = std::vector<std::string>{};
  if (fstat(descriptor, &found) != 0 || !S_ISREG(found.st_mode)) lines = Error{"is no file of lines", path, {}};
  std::string rest;  // from where was read to the first line end behind it
  for (off_t end = found.st_size; lines && end > 0 && lines->size() < most && found.st_size - end < kMost;) {
    const off_t begin = std::max<off_t>(0, end - kBlock);
    std::string block(static_cast<size_t>(end - begin), '\0');
    if (pread(descriptor, block.data(), block.size(), begin) != static_cast<ssize_t>(block.size())) {
      lines = Error{"could not be read", path, {}};
      break;
    }
    rest.insert(0, block);
    end = begin;
    for (size_t stop = rest.rfind('\n'); stop != std::string::npos && lines->size() < most; stop = rest.rfind('\n')) {
      if (stop + 1 < rest.size()) lines->push_back(rest.substr(stop + 1));
      rest.resize(stop);
    }
    if (end == 0 && !rest.empty() && lines->size() < most) lines->push_back(rest);
  }
  ::close(descriptor);
  return lines;
}

}  // namespace pccsql
