// KeyedCache: what was computed before, by the key of the state that it was computed for. For all generations of an Engine, on
// all its threads.
//
// Bounded by the engine's memory. What does not fit is not kept; to make room, what was not asked for since the last time
// goes, or everything.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <shared_mutex>
#include <unordered_map>
#include <utility>

#include <pccsql/engine.h>

#include "base/bytes.h"
#include "engine/memory_budget.h"
#include "engine/stored_mask.h"
#include "track/tracker.h"

namespace pccsql {

template <typename Value>
class KeyedCache final : public Memory::Budget::Keeper {
 public:
  explicit KeyedCache(std::shared_ptr<Memory::Budget> budget) : budget_(std::move(budget)) { budget_->enlist(*this); }
  ~KeyedCache() override {
    budget_->dismiss(*this);
    give_up(true);
  }
  KeyedCache(const KeyedCache&) = delete;
  KeyedCache& operator=(const KeyedCache&) = delete;

  std::optional<Value> find(const track::Key& key) {
    Shard& shard = shard_of(key);
    const std::shared_lock lock(shard.mutex);
    const auto found = shard.entries.find(key);
    if (found == shard.entries.end()) {
      shard.misses.fetch_add(1, std::memory_order_relaxed);
      return std::nullopt;
    }
    shard.hits.fetch_add(1, std::memory_order_relaxed);
    // Read first: writing the same flag from many threads would have them fight for its cache line.
    std::atomic<bool>& asked_for = found->second.asked_for;
    if (!asked_for.load(std::memory_order_relaxed)) asked_for.store(true, std::memory_order_relaxed);
    return found->second.value;
  }

  // `bytes`: what the value allocates. Two threads may compute the same value; the first one stays.
  void insert(const track::Key& key, Value value, size_t bytes) {
    const size_t cost = bytes + kEntryBytes;
    if (!budget_->take(cost)) return;
    Shard& shard = shard_of(key);
    const std::unique_lock lock(shard.mutex);
    if (!shard.entries.try_emplace(key, std::move(value), cost).second) return budget_->give(cost);
    shard.bytes += cost;
  }

  void give_up(bool everything) override {
    for (Shard& shard : shards_) {
      Entries gone;  // freed after the lock
      size_t bytes = 0;
      {
        const std::unique_lock lock(shard.mutex);
        if (everything) {
          gone.swap(shard.entries);
          bytes = shard.bytes;
        } else {
          for (auto entry = shard.entries.begin(); entry != shard.entries.end();) {
            const auto at = entry++;
            if (at->second.asked_for.exchange(false, std::memory_order_relaxed)) continue;
            bytes += at->second.cost;
            gone.insert(shard.entries.extract(at));
          }
        }
        shard.bytes -= bytes;
        shard.evictions += gone.size();
      }
      budget_->give(bytes);
    }
  }

  Engine::CacheStatistics statistics() const {
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

 private:
  static constexpr size_t kShards = 16;

  struct Hash {
    size_t operator()(const track::Key& key) const { return static_cast<size_t>(key.low ^ key.high >> 7); }
  };
  struct Entry {
    Entry(Value v, size_t c) : value(std::move(v)), cost(c) {}
    Value value;
    size_t cost;
    std::atomic<bool> asked_for = false;
  };
  using Entries = std::unordered_map<track::Key, Entry, Hash>;
  // With two places in the table of buckets, which doubles when it is full.
  static constexpr size_t kEntryBytes =
      sizeof(typename Entries::value_type) + 2 * sizeof(void*) + kAllocationBytes + 2 * sizeof(void*);
  struct alignas(64) Shard {
    mutable std::shared_mutex mutex;
    Entries entries;
    size_t bytes = 0;
    uint64_t evictions = 0;
    std::atomic<uint64_t> hits = 0;
    std::atomic<uint64_t> misses = 0;
  };
  Shard& shard_of(const track::Key& key) { return shards_[(key.high ^ key.low >> 11) % kShards]; }

  std::array<Shard, kShards> shards_;
  const std::shared_ptr<Memory::Budget> budget_;
};

class MaskCache {
 public:
  explicit MaskCache(const std::shared_ptr<Memory::Budget>& budget) : budget_(budget), masks_(budget) {}

  // nullptr: not there.
  std::shared_ptr<const StoredMask> find(const track::Key& key) {
    auto found = masks_.find(key);
    return found ? std::move(*found) : nullptr;
  }
  void insert(const track::Key& key, std::shared_ptr<const StoredMask> mask) {
    const size_t bytes = mask->bytes() + 3 * kAllocationBytes;
    masks_.insert(key, std::move(mask), bytes);
  }
  Engine::CacheStatistics statistics() const {
    Engine::CacheStatistics all = masks_.statistics();
    all.bytes += for_good_.load(std::memory_order_relaxed);
    return all;
  }

  // For what is kept as long as the vocabulary, and counted with what is kept here: an eighth of the whole at most.
  bool has_room_for_good() const { return for_good_.load(std::memory_order_relaxed) < budget_->most() / kShare; }
  bool take_for_good(size_t bytes) {
    if (for_good_.load(std::memory_order_relaxed) + bytes > budget_->most() / kShare || !budget_->take(bytes)) return false;
    for_good_.fetch_add(bytes, std::memory_order_relaxed);
    return true;
  }

 private:
  static constexpr size_t kShare = 8;
  const std::shared_ptr<Memory::Budget> budget_;
  std::atomic<size_t> for_good_ = 0;
  KeyedCache<std::shared_ptr<const StoredMask>> masks_;
};

// How many tokens finish a query, by the key of where it stands.
class NeedCache {
 public:
  static constexpr uint32_t kNone = UINT32_MAX;  // it cannot be finished, or not with this vocabulary

  explicit NeedCache(std::shared_ptr<Memory::Budget> budget) : tokens_(std::move(budget)) {}

  std::optional<uint32_t> find(const track::Key& key) { return tokens_.find(key); }
  void insert(const track::Key& key, uint32_t tokens) { tokens_.insert(key, tokens, 0); }
  Engine::CacheStatistics statistics() const { return tokens_.statistics(); }

 private:
  KeyedCache<uint32_t> tokens_;
};

}  // namespace pccsql
