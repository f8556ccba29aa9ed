// NeedCache: how many tokens finish a query, by the key of where it stands. For all generations of an Engine.
//
// Entries are a few bytes, and cost a search to find again; when a shard is full it begins anew.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <optional>
#include <unordered_map>

#include "track/tracker.h"

namespace pccsql {

class NeedCache {
 public:
  static constexpr uint32_t kNone = UINT32_MAX;  // it cannot be finished, or not with this vocabulary

  std::optional<uint32_t> find(const track::Key& key) {
    Shard& shard = shard_of(key);
    const std::lock_guard lock(shard.mutex);
    const auto found = shard.tokens.find(key);
    return found == shard.tokens.end() ? std::nullopt : std::optional(found->second);
  }
  void insert(const track::Key& key, uint32_t tokens) {
    Shard& shard = shard_of(key);
    const std::lock_guard lock(shard.mutex);
    if (shard.tokens.size() >= kMostEntries) shard.tokens.clear();
    shard.tokens.emplace(key, tokens);
  }

 private:
  static constexpr size_t kShards = 16;
  static constexpr size_t kMostEntries = 16384;  // of a shard
  struct Hash {
    size_t operator()(const track::Key& key) const { return static_cast<size_t>(key.low ^ key.high >> 7); }
  };
  struct alignas(64) Shard {
    std::mutex mutex;
    std::unordered_map<track::Key, uint32_t, Hash> tokens;
  };
  Shard& shard_of(const track::Key& key) { return shards_[(key.high ^ key.low >> 11) % kShards]; }

  std::array<Shard, kShards> shards_;
};

}  // namespace pccsql
