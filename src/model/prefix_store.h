// PrefixStore: evaluated states of prompt prefixes, kept in a folder between runs, so that a schema is read by the
// model once and not at every start.
//
// What is kept can always be had again. So a file that cannot be read or is damaged is as good as none, one that cannot
// be written is no error, and the folder is held below a size by deleting what was longest not used.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "mask/vocabulary.h"

namespace pccsql {

class PrefixStore {
 public:
  static constexpr uint64_t kUsualLimit = uint64_t{1} << 30;

  PrefixStore(std::string folder, uint64_t most_bytes) : folder_(std::move(folder)), most_bytes_(most_bytes) {}

  // What the state depends on: all that made it, and the tokens.
  static std::string key(std::string_view made_by, std::span<const TokenId> tokens);

  // Makes it the most recently used. A damaged file is deleted.
  std::optional<std::vector<uint8_t>> load(const std::string& key) const;
  // False if it was not kept.
  bool save(const std::string& key, std::span<const uint8_t> state) const;

 private:
  std::string path_of(const std::string& key) const { return folder_ + "/" + key + ".state"; }
  void make_room(uint64_t bytes) const;

  std::string folder_;
  uint64_t most_bytes_;
};

}  // namespace pccsql
