// Engine: a schema, a policy, a vocabulary and settings, compiled once. Matchers (one a generation) come from it.
//
//   auto vocabulary = pccsql::read_vocabulary("model.gguf");
//   auto engine = pccsql::Engine::compile(pccsql::SqliteFile{"hr.sqlite"}, pccsql::PolicyFile{"policy.yaml"},
//                                         pccsql::VocabularyIndex(*vocabulary));
//   pccsql::Matcher matcher = engine->new_matcher();
//   while (!matcher.is_terminated()) {
//     if (!matcher.fill_next_token_bitmask(mask.data(), logits.size())) …
//     matcher.accept_token(sample(logits, mask));
//   }
//   if (const auto sql = matcher.sql()) …
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include <pccsql/matcher.h>
#include <pccsql/result.h>
#include <pccsql/settings.h>
#include <pccsql/sources.h>
#include <pccsql/vocabulary.h>

namespace pccsql {

// A handle: copies share what was compiled, which never changes. Any number of threads may use it at once.
class Engine {
 public:
  // What cannot be read, a policy that names what the schema does not have, a refusal that may be chosen and that the
  // vocabulary cannot write: an Error. A policy that leaves nothing to ask is none: each generation is then a refusal
  // that says so.
  static Result<Engine> compile(const SchemaSource& schema, const PolicySource& policy, VocabularyIndex vocabulary,
                                const Settings& settings = {});

  // A generation from its beginning.
  Matcher new_matcher() const;
  // The same, with a token budget of its own instead of the setting; 0: no limit.
  Matcher new_matcher(uint32_t token_budget) const;

  const Settings& settings() const;
  const Vocabulary& vocabulary() const;

  // How the cache of masks is doing, over all generations so far.
  struct CacheStatistics {
    uint64_t hits = 0;
    uint64_t misses = 0;
    uint64_t evictions = 0;
    size_t masks = 0;
    size_t bytes = 0;
  };
  CacheStatistics cache_statistics() const;

  // Where the memory of Settings::memory_bytes is. All but the last count towards it.
  struct MemoryStatistics {
    size_t most = 0;           // the setting
    size_t used = 0;           // of it, by all Engines that share it
    size_t masks = 0;          // of this Engine, from here on: masks
    size_t parts = 0;          // parts of masks
    size_t needs = 0;          // how many tokens finish a query
    size_t idle_trackers = 0;  // trackers that wait for the next generation
    size_t remembered = 0;     // what the trackers of running generations remember
    size_t generations = 0;    // what running generations themselves need: grows with their texts, and goes with them
  };
  MemoryStatistics memory_statistics() const;

  class Impl;
  explicit Engine(std::shared_ptr<Impl> impl) : impl_(std::move(impl)) {}
  Impl& impl() const { return *impl_; }

 private:
  std::shared_ptr<Impl> impl_;
};

}  // namespace pccsql
