#include "serve/audit_file.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

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

}  // namespace pccsql
