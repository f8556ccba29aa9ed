// What tests with random queries share: how many they make, the cores they are spread over, and a query that failed
// cut down to what makes it fail.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <functional>
#include <string>
#include <thread>
#include <vector>

namespace pccsql {

// How many queries a test makes: PCCSQL_QUERIES where it is set, 2,000,000 in a long run (PCCSQL_LONG), else `briefly`.
uint64_t random_queries(uint64_t briefly);
// PCCSQL_SEED, or 1: other seeds give other queries.
uint64_t random_seed();
// PCCSQL_TEST_THREADS, or as many as there are cores.
unsigned test_threads();

// A query with as much left out as it fails without, by lexemes that are parted by blanks or are signs.
std::string shrunk(std::string sql, const std::function<bool(const std::string&)>& fails);

// Makes `queries` queries in shards, test_threads() at a time. `make(seed)` gives a pointer to a worker, and
// its run(count) is called in some thread; the workers come back in the order of their seeds. What they find does not
// depend on the number of cores.
template <typename Make>
auto in_shards(uint64_t queries, const Make& make) {
  constexpr uint64_t kShards = 16;
  using Worker = decltype(make(uint64_t{}));
  std::vector<Worker> workers;
  for (uint64_t shard = 0; shard < kShards; ++shard) workers.push_back(make(random_seed() * kShards + shard));
  std::atomic<uint64_t> next = 0;
  std::vector<std::thread> threads;
  for (unsigned i = 0; i < test_threads(); ++i) {
    threads.emplace_back([&] {
      for (uint64_t shard = next++; shard < kShards; shard = next++) workers[shard]->run(queries / kShards);
    });
  }
  for (std::thread& thread : threads) thread.join();
  return workers;
}

}  // namespace pccsql
