// MaskCache: masks that were computed before, for all generations of an Engine, on all its threads.
//
// Bounded by bytes. When a shard is full, what was not asked for since it was last full goes; if that is nothing,
// everything goes.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <shared_mutex>
#include <unordered_map>

#include <pccsql/engine.h>

#include "engine/stored_mask.h"
#include "track/tracker.h"

namespace pccsql {

class MaskCache {
 public:
  explicit MaskCache(size_t most_bytes) : most_bytes_(most_bytes / kShards) {}

  // nullptr: not there.
  std::shared_ptr<const StoredMask> find(const track::Key& key);
  // Two threads may compute the same mask; the first one stays.
  void insert(const track::Key& key, std::shared_ptr<const StoredMask> mask);

  Engine::CacheStatistics statistics() const;

 private:
  static constexpr size_t kShards = 16;

  struct Hash {
    size_t operator()(const track::Key& key) const { return static_cast<size_t>(key.low ^ key.high >> 7); }
  };
  struct Entry {
    explicit Entry(std::shared_ptr<const StoredMask> m) : mask(std::move(m)) {}
    std::shared_ptr<const StoredMask> mask;
    std::atomic<bool> asked_for = false;
  };
  struct alignas(64) Shard {
    mutable std::shared_mutex mutex;
    std::unordered_map<track::Key, Entry, Hash> entries;
    size_t bytes = 0;
    uint64_t evictions = 0;
    std::atomic<uint64_t> hits = 0;
    std::atomic<uint64_t> misses = 0;
  };
  static size_t cost(const StoredMask& mask) { return mask.bytes() + sizeof(Entry) + sizeof(track::Key) + 64; }
  static void make_room(Shard& shard);
  Shard& shard_of(const track::Key& key) { return shards_[(key.high ^ key.low >> 11) % kShards]; }

  std::array<Shard, kShards> shards_;
  size_t most_bytes_;  // of a shard
};

}  // namespace pccsql
