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
#include "perf/perf.h"
#include "suite/column_policies.h"
#include "suite/gold.h"

namespace pccsql {
namespace {

using perf::stop;
using perf::value;

using Clock = std::chrono::steady_clock;

double microseconds(Clock::time_point begin, Clock::time_point end) {
  return std::chrono::duration<double, std::micro>(end - begin).count();
}

class Times {
 public:
  void add(double time) { times_.push_back(time); }
  double mean() const {
    double sum = 0;
    for (const double time : times_) sum += time;
    return times_.empty() ? 0 : sum / static_cast<double>(times_.size());
  }
  void print(const char* what) {
    if (times_.empty()) return;
    std::ranges::sort(times_);
    const auto at = [&](double share) {
      return times_[static_cast<size_t>(share * static_cast<double>(times_.size() - 1))];
    };
    std::printf("%-28s n %7zu  mean %8.2f  p50 %7.2f  p90 %7.2f  p99 %8.2f  max %9.1f us\n", what, times_.size(),
                mean(), at(0.5), at(0.9), at(0.99), times_.back());
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
  none.memory_bytes = 0;
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

// ---- against the length of the prefix ----

void print_by_length(const Model& model, const GoldData& gold) {
  const auto at = gold.find_catalog("concert_singer");
  if (!at) return;
  const Policy open(gold.catalogs[*at], ColumnPolicy::Public);
  for (const size_t memory_bytes : {size_t{256} << 20, size_t{0}}) {
    Settings settings;
    settings.memory_bytes = memory_bytes;
    const Engine engine = value(make_engine(gold.catalogs[*at], open, model.index, settings));
    const size_t width = engine.vocabulary().size();
    std::vector<uint32_t> words(bitmask_words(width));
    Matcher matcher = engine.new_matcher();
    // Short lists in brackets: the expression as a whole stays within the database's limits.
    std::string text = "SELECT name FROM singer WHERE age IN (1";
    while (text.size() < 12000) text += ", 42, age";
    const auto tokens = model.tokenize(text);
    std::printf("-- by tokens of the prefix, %s: fill / accept, mean of 250, us\n",
                memory_bytes > 0 ? "cached" : "no cache");
    double fill = 0, accept = 0;
    for (size_t i = 0; i < tokens.size() && i < 2000; ++i) {
      const auto begin = Clock::now();
      if (!matcher.fill_next_token_bitmask(words.data(), width)) stop("a mask could not be filled");
      const auto filled = Clock::now();
      if (!matcher.accept_token(tokens[i])) stop("the long query was refused after `" + text.substr(0, 40) + "`…");
      fill += microseconds(begin, filled), accept += microseconds(filled, Clock::now());
      if (i % 250 != 249) continue;
      std::printf("%-28zu %9.2f %9.2f\n", i + 1, fill / 250, accept / 250);
      fill = accept = 0;
      if (memory_bytes == 0 && i > 1000) break;
    }
  }
}

// ---- against the size of the schema ----

Catalog wide_catalog(size_t columns) {
  std::vector<Table> tables;
  for (size_t i = 0; i * 10 < columns; ++i) {
    Table table;
    table.name = "table_" + std::to_string(i);
    for (int c = 0; c < 10; ++c) {
      Column column;
      column.name = "col_" + std::to_string(i) + "_" + std::to_string(c);
      column.type = "TEXT";
      table.columns.push_back(std::move(column));
    }
    tables.push_back(std::move(table));
  }
  return Catalog(std::move(tables), "wide");
}

size_t used_bytes() { return mallinfo2().uordblks; }

void print_by_schema(const Model& model) {
  const auto tokens =
      model.tokenize("SELECT T1.col_0_1, COUNT(*) FROM table_0 AS T1 WHERE T1.col_0_2 = 'x' GROUP BY T1.col_0_1");
  std::printf(
      "-- by columns of the schema: compile us, engine KB, cold fill, warm fill, accept, mean us; matcher KB\n");
  for (const size_t columns : {10, 100, 1000, 10000}) {
    const Catalog catalog = wide_catalog(columns);
    const Policy open(catalog, ColumnPolicy::Public);
    const size_t before = used_bytes();
    const auto begin = Clock::now();
    const Engine engine = value(make_engine(catalog, open, model.index));
    const double compile = microseconds(begin, Clock::now());
    const size_t engine_bytes = used_bytes() - before;
    Times cold, warm, accept, none;
    if (replay(engine, tokens, cold, none) != tokens.size()) stop("the query over the wide schema was refused");
    for (int i = 0; i < 20; ++i) replay(engine, tokens, warm, accept);
    std::vector<uint32_t> words(bitmask_words(engine.vocabulary().size()));
    const Engine other = value(make_engine(catalog, open, model.index));
    const size_t without = used_bytes();
    Matcher matcher = other.new_matcher();
    for (const TokenId id : tokens) matcher.accept_token(id);
    std::printf("%-28zu %9.0f %9.0f %9.2f %9.2f %9.2f %9.0f\n", columns, compile,
                static_cast<double>(engine_bytes) / 1024, cold.mean(), warm.mean(), accept.mean(),
                static_cast<double>(used_bytes() - without) / 1024);
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
  pccsql::print_by_length(model, gold);
  pccsql::print_by_schema(model);
}
