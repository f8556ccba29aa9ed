// AuditFile: a file to which whole lines are added, or nothing.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace pccsql {

class AuditFile {
 public:
  // Made if it is not there. What cannot be added to is an Error, before anything is asked.
  static Result<AuditFile> open(const std::string& path);
  AuditFile(AuditFile&& other) noexcept;
  AuditFile& operator=(AuditFile&&) = delete;
  ~AuditFile();

  // Several programs may add to one file at once. A line that does not fit (the disk is full) is taken back, and is an
  // Error.
  Result<Done> add(std::string_view line);

 private:
  AuditFile(int descriptor, std::string path) : descriptor_(descriptor), path_(std::move(path)) {}

  int descriptor_;
  std::string path_;
};

// The last lines of such a file, the newest first: at most so many, and of the last 32 MB. An Error where it is no file that can
// be read back.
Result<std::vector<std::string>> last_lines(const std::string& path, size_t most);

}  // namespace pccsql
