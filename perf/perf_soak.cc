// What a long run keeps in memory: random generations over many schemas in one process, with forks and steps back, sampled
// to a file.
//
//   perf_soak --seconds 3600 --budget-mb 256 --out soak.csv [--threads 2] [--every 10] [--seed 1] [--vocab FILE.gguf]
//
// The schemas are Spider's dev databases, where PCCSQL_DATA has them, and two wide ones of 2,000 and 10,000 columns; else random
// ones in their place. All engines share one Memory. A line of the file: seconds, megabytes resident, allocated (as malloc counts
// it), counted towards the budget, of running generations; generations and tokens so far. Fails where more than one and a
// half times the budget and 50 MB, for tables that are made once for a vocabulary and for masks that are being made, came on top
// of what the engines took when they were compiled.
#include <malloc.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "engine/engine_impl.h"
#include "suite/column_policies.h"
#include "suite/gold.h"

namespace pccsql {
namespace {

using Clock = std::chrono::steady_clock;

[[noreturn]] void stop(const std::string& why) {
  std::fprintf(stderr, "perf_soak: %s\n", why.c_str());
  std::exit(2);
}

template <typename T>
T value(Result<T> result) {
  if (!result) stop(result.error().to_string());
  return std::move(*result);
}

struct Asked {
  double seconds = 60;
  double every = 10;
  size_t budget_mb = 256;
  unsigned threads = 2;
  unsigned seed = 1;
  std::string out;
  std::string vocabulary;
};

Asked read_arguments(int argc, char** argv) {
  Asked asked;
  for (int i = 1; i + 1 < argc; i += 2) {
    const std::string_view name = argv[i];
    const char* const text = argv[i + 1];
    if (name == "--seconds") {
      asked.seconds = std::atof(text);
    } else if (name == "--every") {
      asked.every = std::atof(text);
    } else if (name == "--budget-mb") {
      asked.budget_mb = std::strtoul(text, nullptr, 10);
    } else if (name == "--threads") {
      asked.threads = static_cast<unsigned>(std::strtoul(text, nullptr, 10));
    } else if (name == "--seed") {
      asked.seed = static_cast<unsigned>(std::strtoul(text, nullptr, 10));
    } else if (name == "--out") {
      asked.out = text;
    } else if (name == "--vocab") {
      asked.vocabulary = text;
    } else {
      stop("there is no option " + std::string(name));
    }
  }
  if (argc % 2 == 0) stop("each option has a value");
  return asked;
}

double resident_mb() {
  std::ifstream file("/proc/self/statm");
  size_t all = 0, resident = 0;
  file >> all >> resident;
  return static_cast<double>(resident) * static_cast<double>(sysconf(_SC_PAGESIZE)) / 1e6;
}

double allocated_mb() {
  const struct mallinfo2 now = mallinfo2();
  return static_cast<double>(now.uordblks + now.hblkhd) / 1e6;
}

// ---- schemas ----

Catalog random_catalog(size_t columns, std::mt19937& random) {
  std::vector<Table> tables;
  for (size_t made = 0; made < columns;) {
    Table table;
    table.name = "table_" + std::to_string(tables.size());
    const size_t wide = std::min(columns - made, 2 + random() % (columns > 1000 ? 200 : 12));
    for (size_t c = 0; c < wide; ++c) {
      Column column;
      column.name = c < 2 ? "shared_" + std::to_string(c)
                          : "col_" + std::to_string(tables.size()) + "_" + std::to_string(random() % 100000) + "_" +
                                std::to_string(c);
      column.type = random() % 2 == 0 ? "TEXT" : "INTEGER";
      table.columns.push_back(std::move(column));
    }
    made += wide;
    tables.push_back(std::move(table));
  }
  return Catalog(std::move(tables), "random_" + std::to_string(columns));
}

Policy random_policy(const Catalog& catalog, std::mt19937& random) {
  Policy policy(catalog, ColumnPolicy::Public);
  for (TableId t = 0; t < catalog.tables().size(); ++t) {
    for (ColumnIndex c = 0; c < catalog.table(t).columns.size(); ++c) {
      constexpr ColumnPolicy kOthers[] = {ColumnPolicy::ConditionOnly, ColumnPolicy::AggregateOnly,
                                          ColumnPolicy::Hidden};
      if (random() % 3 == 0) policy.set({t, c}, kOthers[random() % 3]);
    }
  }
  return policy;
}

struct Ground {
  Catalog catalog;
  Policy policy;
};

std::vector<Ground> grounds_of(const char* data, std::mt19937& random) {
  constexpr size_t kSchemas = 20;
  std::vector<Ground> grounds;
  if (data != nullptr) {
    const GoldData gold = value(read_spider(std::string(data) + "/spider"));
    const std::vector<Policy> policies = column_policies(gold);
    std::vector<char> seen(gold.catalogs.size());
    for (const GoldQuery& query : gold.dev) {
      const auto at = gold.find_catalog(query.db_id);
      if (!at || seen[*at] != 0) continue;
      seen[*at] = 1;
      grounds.push_back({gold.catalogs[*at], policies[*at]});
    }
  }
  while (grounds.size() < kSchemas) {
    Catalog catalog = random_catalog(5 + random() % 400, random);
    Policy policy = random_policy(catalog, random);
    grounds.push_back({std::move(catalog), std::move(policy)});
  }
  for (const size_t columns : {2000, 10000}) {
    Catalog catalog = random_catalog(columns, random);
    Policy policy = random_policy(catalog, random);
    grounds.push_back({std::move(catalog), std::move(policy)});
  }
  return grounds;
}

// ---- generations ----

// A token of a mask, by its first byte first, so that signs come as often as letters.
class Chooser {
 public:
  explicit Chooser(const Vocabulary& vocabulary) : by_first_(257) {
    for (TokenId id = 0; id < vocabulary.size(); ++id) {
      if (vocabulary.is_text(id)) by_first_[static_cast<uint8_t>(vocabulary.bytes(id)[0])].push_back(id);
    }
    by_first_[256].assign(vocabulary.end_of_text().begin(), vocabulary.end_of_text().end());
    std::erase_if(by_first_, [](const auto& tokens) { return tokens.empty(); });
  }
  TokenId choose(const std::vector<uint32_t>& mask, std::mt19937& random) const {
    const auto admitted = [&](TokenId id) { return (mask[id / 32] >> (id % 32) & 1) != 0; };
    for (int i = 0; i < 2000; ++i) {
      const auto& tokens = by_first_[random() % by_first_.size()];
      if (const TokenId id = tokens[random() % tokens.size()]; admitted(id)) return id;
    }
    const size_t first = random() % by_first_.size();
    for (size_t i = 0; i < by_first_.size(); ++i) {
      for (const TokenId id : by_first_[(first + i) % by_first_.size()]) {
        if (admitted(id)) return id;
      }
    }
    stop("a mask is empty");
  }

 private:
  std::vector<std::vector<TokenId>> by_first_;
};

struct Counts {
  std::atomic<size_t> generations = 0, tokens = 0;
};

void generate(const Engine& engine, const Chooser& chooser, std::mt19937& random, const std::atomic<bool>& over,
              Counts& counts) {
  const size_t width = engine.vocabulary().size();
  std::vector<uint32_t> mask(bitmask_words(width));
  std::vector<Matcher> all;
  all.push_back(engine.new_matcher(random() % 2 == 0 ? 0 : static_cast<uint32_t>(20 + random() % 200)));
  for (int i = 0; i < 200 && !all.empty() && !over; ++i) {
    const size_t at = random() % all.size();
    Matcher& matcher = all[at];
    if (!matcher.fill_next_token_bitmask(mask.data(), width)) stop("a mask could not be filled");
    if (!matcher.accept_token(chooser.choose(mask, random))) stop("a token of the mask was not accepted");
    if (matcher.is_refused()) stop("refused: " + matcher.refusal()->reason);
    counts.tokens.fetch_add(1, std::memory_order_relaxed);
    if (matcher.is_terminated() || (all.size() > 1 && random() % 20 == 0)) {
      all.erase(all.begin() + static_cast<std::ptrdiff_t>(at));
      counts.generations.fetch_add(1, std::memory_order_relaxed);
    } else if (random() % 10 == 0) {
      matcher.rollback(std::min<size_t>(matcher.steps(), 1 + random() % 5));
    } else if (all.size() < 4 && random() % 20 == 0) {
      Matcher forked = matcher.fork();
      all.push_back(std::move(forked));
    }
  }
  counts.generations.fetch_add(all.size(), std::memory_order_relaxed);
}

int soak(const Asked& asked) {
  std::mt19937 random(asked.seed);
  const char* const data = std::getenv("PCCSQL_DATA");
  const bool has_data = data != nullptr && *data != '\0';
  const std::string path = !asked.vocabulary.empty() ? asked.vocabulary
                           : has_data                ? std::string(data) + "/vocab/ggml-vocab-qwen2.gguf"
                                                     : std::string();
  const VocabularyIndex index(path.empty() ? builtin_vocabulary() : value(read_vocabulary(path)));
  Settings settings;
  settings.memory = Memory(asked.budget_mb << 20);
  std::vector<Engine> engines;
  size_t columns = 0;
  for (Ground& ground : grounds_of(has_data ? data : nullptr, random)) {
    for (const Table& table : ground.catalog.tables()) columns += table.columns.size();
    settings.style = engines.size() % 2 == 0 ? Settings::Style::Any : Settings::Style::Canonical;
    engines.push_back(value(make_engine(std::move(ground.catalog), std::move(ground.policy), index, settings)));
  }
  malloc_trim(0);
  const double base = resident_mb();
  std::printf("%zu schemas, %zu columns, %zu tokens in the vocabulary; compiled: %.0f MB resident\n", engines.size(),
              columns, index.vocabulary().size(), base);
  std::ofstream out(asked.out.empty() ? "/dev/stdout" : asked.out);
  out << "seconds,resident_mb,allocated_mb,counted_mb,running_mb,generations,tokens\n";
  const Chooser chooser(index.vocabulary());
  std::atomic<bool> over = false;
  Counts counts;
  std::vector<std::thread> threads;
  for (unsigned t = 0; t < asked.threads; ++t) {
    threads.emplace_back([&, t] {
      std::mt19937 own(asked.seed * 1000 + t);
      while (!over) generate(engines[own() % engines.size()], chooser, own, over, counts);
    });
  }
  const auto begin = Clock::now();
  double most = 0;
  for (double next = 0; !over; next += asked.every) {
    std::this_thread::sleep_until(begin + std::chrono::duration_cast<Clock::duration>(
                                              std::chrono::duration<double>(std::min(next, asked.seconds))));
    const double seconds = std::chrono::duration<double>(Clock::now() - begin).count();
    size_t running = 0;
    for (const Engine& engine : engines) running += engine.memory_statistics().generations;
    const double resident = resident_mb();
    most = std::max(most, resident - base);
    char line[200];
    std::snprintf(line, sizeof line, "%.0f,%.1f,%.1f,%.1f,%.2f,%zu,%zu\n", seconds, resident, allocated_mb(),
                  static_cast<double>(settings.memory->used_bytes()) / 1e6, static_cast<double>(running) / 1e6,
                  counts.generations.load(), counts.tokens.load());
    out << line << std::flush;
    over = seconds >= asked.seconds;
  }
  for (std::thread& thread : threads) thread.join();
  const double limit = 1.5 * static_cast<double>(asked.budget_mb << 20) / 1e6 + 50;
  std::printf("at most %.0f MB more than compiled; %.0f MB are allowed\n", most, limit);
  return most <= limit ? 0 : 1;
}

}  // namespace
}  // namespace pccsql

int main(int argc, char** argv) { return pccsql::soak(pccsql::read_arguments(argc, argv)); }
