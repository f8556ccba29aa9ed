#include "model/file_identity.h"

#include <cerrno>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <optional>
#include <string_view>

#include <sys/stat.h>

#include "base/file.h"
#include "model/cache_folder.h"
#include "model/sha256.h"

namespace pccsql {
namespace {

// Where the hash of this file is kept; nowhere if the file has just changed and that matters.
std::optional<std::string> memo_path(std::span<const std::string> paths, bool settled_only = true) {
  const auto identity = file_identity(paths);
  const auto cache = cache_folder();
  if (!identity || !cache || (settled_only && !identity->settled)) return std::nullopt;
  return *cache + "/hashes/" + sha256_hex(identity->text).substr(0, 32);
}

void keep(const std::optional<std::string>& memo, const std::string& hex) {
  if (!memo) return;
  std::error_code ignored;
  std::filesystem::create_directories(std::filesystem::path(*memo).parent_path(), ignored);
  (void)write_file(*memo, hex + "\n");  // without it the next call is slow, no more
}

bool is_hash(const std::string& text) {
  return text.size() == 64 && text.find_first_not_of("0123456789abcdef") == std::string::npos;
}

}  // namespace

Result<FileIdentity> file_identity(std::span<const std::string> paths) {
  FileIdentity identity;
  identity.settled = true;
  for (const std::string& path : paths) {
    struct stat status {};
    if (stat(path.c_str(), &status) != 0) {
      return Error{std::string("cannot be read: ") + std::strerror(errno), path, {}};
    }
    const auto time = [](const timespec& at) { return std::to_string(at.tv_sec) + "." + std::to_string(at.tv_nsec); };
    identity.text += std::to_string(status.st_dev) + ":" + std::to_string(status.st_ino) + ":" +
                     std::to_string(status.st_size) + ":" + time(status.st_mtim) + ":" + time(status.st_ctim) + ";";
    if (status.st_ctim.tv_sec + 2 > std::time(nullptr)) identity.settled = false;
  }
  return identity;
}

// A part is named `…-00001-of-00003.gguf`, always with five digits.
std::vector<std::string> gguf_parts(const std::string& path) {
  constexpr std::string_view kPattern = "-ddddd-of-ddddd.gguf";
  if (path.size() < kPattern.size()) return {path};
  const std::string stem = path.substr(0, path.size() - kPattern.size());
  const std::string_view name = std::string_view(path).substr(stem.size());
  for (size_t i = 0; i < name.size(); ++i) {
    const bool digit = name[i] >= '0' && name[i] <= '9';
    if (kPattern[i] == 'd' ? !digit : name[i] != kPattern[i]) return {path};
  }
  const std::string total(name.substr(10, 5));
  const int count = std::stoi(total);
  std::vector<std::string> parts;
  for (int i = 1; i <= count; ++i) {
    const std::string number = std::to_string(i);
    parts.push_back(stem + "-" + std::string(5 - number.size(), '0') + number + "-of-" + total + ".gguf");
  }
  return parts.empty() ? std::vector{path} : parts;
}

Result<std::string> sha256_of_files(std::span<const std::string> paths) {
  const auto memo = memo_path(paths);
  if (memo) {
    if (const auto kept = read_file(*memo); kept && kept->size() == 65 && is_hash(kept->substr(0, 64))) {
      return kept->substr(0, 64);
    }
  }
  Sha256 hash;
  for (const std::string& path : paths) {
    if (auto added = hash.add_file(path); !added) return added.error();
  }
  const std::string hex = hash.hex();
  if (memo == memo_path(paths)) keep(memo, hex);  // the files are still those that were read
  return hex;
}

void remember_sha256(const std::string& path, const std::string& hex) {
  if (is_hash(hex)) keep(memo_path(std::span(&path, 1), false), hex);
}

}  // namespace pccsql
