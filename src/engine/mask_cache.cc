#include "engine/mask_cache.h"

#include <mutex>

namespace pccsql {

std::shared_ptr<const StoredMask> MaskCache::find(const track::Key& key) {
  Shard& shard = shard_of(key);
  const std::shared_lock lock(shard.mutex);
  const auto found = shard.entries.find(key);
  if (found == shard.entries.end()) {
    shard.misses.fetch_add(1, std::memory_order_relaxed);
    return nullptr;
  }
  shard.hits.fetch_add(1, std::memory_order_relaxed);
  // Read first: writing the same flag from many threads would have them fight for its cache line.
  std::atomic<bool>& asked_for = found->second.asked_for;
  if (!asked_for.load(std::memory_order_relaxed)) asked_for.store(true, std::memory_order_relaxed);
  return found->second.mask;
}

void MaskCache::insert(const track::Key& key, std::shared_ptr<const StoredMask> mask) {
  const size_t bytes = cost(*mask);
  if (bytes > most_bytes_) return;
  Shard& shard = shard_of(key);
  const std::unique_lock lock(shard.mutex);
  if (shard.entries.contains(key)) return;
  if (shard.bytes + bytes > most_bytes_) make_room(shard);
  if (shard.bytes + bytes > most_bytes_) {
    shard.evictions += shard.entries.size();
    shard.entries.clear();
    shard.bytes = 0;
  }
  shard.entries.try_emplace(key, std::move(mask));
  shard.bytes += bytes;
}

void MaskCache::make_room(Shard& shard) {
  for (auto entry = shard.entries.begin(); entry != shard.entries.end();) {
    if (entry->second.asked_for.exchange(false, std::memory_order_relaxed)) {
      ++entry;
      continue;
    }
    shard.bytes -= cost(*entry->second.mask);
    ++shard.evictions;
    entry = shard.entries.erase(entry);
  }
}

Engine::CacheStatistics MaskCache::statistics() const {
  Engine::CacheStatistics sum;
  for (const Shard& shard : shards_) {
    const std::shared_lock lock(shard.mutex);
    sum.hits += shard.hits.load(std::memory_order_relaxed);
    sum.misses += shard.misses.load(std::memory_order_relaxed);
    sum.evictions += shard.evictions;
    sum.masks += shard.entries.size();
    sum.bytes += shard.bytes;
  }
  return sum;
}

}  // namespace pccsql
