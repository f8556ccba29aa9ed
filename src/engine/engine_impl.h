// What stands behind an Engine, and the ways to make one from parts that are there already: for programs that read
// schemas and policies themselves, and for tests that bring a tracker of their own.
#pragma once

#include <array>
#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include <pccsql/engine.h>

#include "engine/keyed_cache.h"
#include "engine/memory_budget.h"
#include "engine/tracker_pool.h"
#include "engine/vocabulary_index.h"
#include "policy/policy.h"
#include "schema/catalog.h"
#include "track/tracker.h"

namespace pccsql {

// Must be callable from many threads at once. Trackers of one factory share their keys: equal keys, equal futures.
using TrackerFactory = std::function<std::unique_ptr<track::Tracker>()>;

// Where a refusal may be chosen and the vocabulary cannot write it: an Error.
Result<Engine> make_engine(Catalog catalog, Policy policy, VocabularyIndex vocabulary, const Settings& settings = {});

// Of the settings only those count that are not the tracker's: lookahead (whether it can have dead ends), refusal,
// token_budget, memory, algorithm.
Engine make_engine(TrackerFactory make_tracker, VocabularyIndex vocabulary, const Settings& settings = {});

// What trackers are made from, and how.
struct Ground {
  std::shared_ptr<const Catalog> catalog;  // nullptr with a tracker of the caller's own
  std::shared_ptr<const Policy> policy;
  TrackerFactory make_tracker;
  std::string nothing_to_ask;  // why each generation is refused from the start; empty: it is not
  // Why the tracker has stopped at this prefix, for one that says so; empty: it has not.
  std::function<std::string(track::Tracker&, track::PrefixId)> stopped;
};
Ground make_ground(Catalog catalog, Policy policy, const Settings& settings);

// The one word with which a model may refuse.
inline constexpr std::string_view kRefuseWord = "REFUSE";

class Engine::Impl {
 public:
  Impl(Ground ground, VocabularyIndex vocabulary, const Settings& settings);

  const Ground& ground() const { return ground_; }
  const Settings& settings() const { return settings_; }
  const VocabularyIndex::Impl& index() const { return vocabulary_.impl(); }
  const Vocabulary& vocabulary() const { return vocabulary_.vocabulary(); }
  // Whether the tracker promises that every prefix it takes can be finished.
  bool looks_ahead() const { return settings_.lookahead && settings_.algorithm == Settings::Algorithm::Pcc; }
  MaskCache& cache() { return cache_; }
  MaskCache& word_cache() { return word_cache_; }  // which words may follow, for many states at once
  NeedCache& needs() { return needs_; }
  // What Tracker::word_tokens() told, asked once.
  template <typename Ask>
  uint32_t word_tokens(const Ask& ask) {
    std::call_once(word_tokens_once_, [&] { word_tokens_ = ask(); });
    return word_tokens_;
  }
  TrackerPool& pool() { return pool_; }
  Memory::Budget& budget() { return *budget_; }
  // Bytes of trackers that generations are using: what they remember, which counts towards the budget, and their prefixes,
  // which do not.
  std::atomic<size_t>& remembered_bytes() { return remembered_bytes_; }
  std::atomic<size_t>& prefix_bytes() { return prefix_bytes_; }
  Engine::MemoryStatistics memory_statistics() const;

  // Tokens that go on with REFUSE after its first `written` bytes, ascending.
  const std::vector<TokenId>& refuse_tokens(size_t written) const { return refuse_tokens_[written]; }

 private:
  const Ground ground_;
  const VocabularyIndex vocabulary_;
  const Settings settings_;
  std::array<std::vector<TokenId>, kRefuseWord.size()> refuse_tokens_;
  const std::shared_ptr<Memory::Budget> budget_;
  MaskCache cache_, word_cache_;
  NeedCache needs_;
  std::once_flag word_tokens_once_;
  uint32_t word_tokens_ = 0;
  TrackerPool pool_;
  std::atomic<size_t> remembered_bytes_ = 0, prefix_bytes_ = 0;
};

}  // namespace pccsql
