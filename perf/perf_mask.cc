// What a mask costs: Spider's dev queries replayed token by token, in the model's own tokenisation, on one thread.
//
//   perf_mask [VOCABULARY.gguf] [queries]      the first one named in PCCSQL_DATA's vocab/ is Qwen's
//
// Three passes over the queries, each under the paper's policies: with engines that have seen nothing, then with the same
// engines again, as in a server that has been up for a while, then with no cache at all. A query that the policy forbids is
// replayed up to its first token that is not admitted. Then the cost against the length of the prefix and the size of the
// schema, and what an Engine and a Matcher take in memory.
#include <malloc.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "engine/engine_impl.h"
#include "model/llama/gguf_vocabulary.h"
#include "suite/column_policies.h"
#include "suite/gold.h"

namespace pccsql {
namespace {

using Clock = std::chrono::steady_clock;

double microseconds(Clock::time_point begin, Clock::time_point end) {
  return std::chrono::duration<double, std::micro>(end - begin).count();
}

[[noreturn]] void stop(const std::string& why) {
  std::fprintf(stderr, "perf_mask: %s\n", why.c_str());
  std::exit(2);
}

template <typename T>
T value(Result<T> result) {
  if (!result) stop(result.error().to_string());
  return std::move(*result);
}

class Times {
 public:
  void add(double time) { times_.push_back(time); }
  void print(const char* what) {
    if (times_.empty()) return;
    std::ranges::sort(times_);
    double sum = 0;
    for (const double time : times_) sum += time;
    const auto at = [&](double share) {
      return times_[static_cast<size_t>(share * static_cast<double>(times_.size() - 1))];
    };
    std::printf("%-28s n %7zu  mean %8.2f  p50 %7.2f  p90 %7.2f  p99 %8.2f  max %9.1f us\n", what, times_.size(),
                sum / static_cast<double>(times_.size()), at(0.5), at(0.9), at(0.99), times_.back());
  }

 private:
  std::vector<double> times_;
};

struct Model {
  explicit Model(const std::string& path)
      : llama(value(LlamaVocabulary::load(path))), index(value(mask_vocabulary(llama))) {}
  std::vector<TokenId> tokenize(const std::string& text) const {
    const auto ids = value(llama.tokenize(text));
    return {ids.begin(), ids.end()};
  }
  LlamaVocabulary llama;
  VocabularyIndex index;
};

// One generation along `tokens`; gives how many of them were admitted.
size_t replay(const Engine& engine, const std::vector<TokenId>& tokens, Times& fill, Times& accept) {
  const size_t width = engine.vocabulary().size();
  std::vector<uint32_t> words(bitmask_words(width));
  Matcher matcher = engine.new_matcher();
  for (size_t i = 0; i <= tokens.size(); ++i) {
    const auto begin = Clock::now();
    if (!matcher.fill_next_token_bitmask(words.data(), width)) stop("a mask could not be filled");
    const auto filled = Clock::now();
    fill.add(microseconds(begin, filled));
    if (i == tokens.size() || (words[tokens[i] / 32] >> (tokens[i] % 32) & 1) == 0) return i;
    const auto before = Clock::now();
    if (!matcher.accept_token(tokens[i])) stop("a token of the mask was not accepted");
    accept.add(microseconds(before, Clock::now()));
  }
  return tokens.size();
}

void replay_gold(const Model& model, const GoldData& gold, size_t most) {
  const std::vector<Policy> policies = column_policies(gold);
  std::vector<std::optional<Engine>> engines(gold.catalogs.size()), uncached(gold.catalogs.size());
  Times compile;
  Settings none;
  none.cache_bytes = 0;
  struct Line {
    size_t catalog;
    std::vector<TokenId> tokens;
  };
  std::vector<Line> lines;
  for (const GoldQuery& query : gold.dev) {
    const auto at = gold.find_catalog(query.db_id);
    if (!at || lines.size() >= most) continue;
    lines.push_back({*at, model.tokenize(query.sql)});
    if (engines[*at]) continue;
    const auto begin = Clock::now();
    engines[*at] = value(make_engine(gold.catalogs[*at], policies[*at], model.index));
    compile.add(microseconds(begin, Clock::now()));
    uncached[*at] = value(make_engine(gold.catalogs[*at], policies[*at], model.index, none));
  }
  compile.print("compile an engine");
  for (const char* pass : {"cold", "warm", "no cache"}) {
    auto& used = std::string_view(pass) == "no cache" ? uncached : engines;
    Times fill, accept;
    size_t whole = 0;
    Engine::CacheStatistics before, after;
    const auto add_up = [&](Engine::CacheStatistics& sum) {
      for (const auto& engine : used) {
        if (!engine) continue;
        const auto own = engine->cache_statistics();
        sum.hits += own.hits, sum.misses += own.misses, sum.bytes += own.bytes, sum.masks += own.masks;
      }
    };
    add_up(before);
    for (const Line& line : lines)
      whole += replay(*used[line.catalog], line.tokens, fill, accept) == line.tokens.size();
    add_up(after);
    std::printf("-- %s: %zu of %zu queries whole\n", pass, whole, lines.size());
    fill.print("fill");
    accept.print("accept");
    const double hits = static_cast<double>(after.hits - before.hits);
    const double all = hits + static_cast<double>(after.misses - before.misses);
    std::printf("%-28s %.2f %%, %zu masks in %.1f MB\n", "found in the cache", all > 0 ? 100 * hits / all : 0,
                after.masks, static_cast<double>(after.bytes) / 1e6);
  }
}

}  // namespace
}  // namespace pccsql

int main(int argc, char** argv) {
  const char* data = std::getenv("PCCSQL_DATA");
  if (data == nullptr || *data == '\0') pccsql::stop("PCCSQL_DATA must name the folder that holds spider/ and vocab/");
  const std::string folder = data;
  const pccsql::Model model(argc > 1 ? argv[1] : folder + "/vocab/ggml-vocab-qwen2.gguf");
  const auto gold = pccsql::value(pccsql::read_spider(folder + "/spider"));
  pccsql::replay_gold(model, gold, argc > 2 ? std::stoul(argv[2]) : SIZE_MAX);
}
