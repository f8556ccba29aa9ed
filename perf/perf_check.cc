// How many queries a second the checker judges, on one thread: analysis and judgement, under an all-Public policy.
//
// The workload is all of Spider's gold queries, dev and train, where PCCSQL_DATA names the folder that holds spider/; and
// the fuzzer's seeds over the demo's schema, which are always there. Reading files and making checkers is not counted.
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include <benchmark/benchmark.h>

#include "base/file.h"
#include "check/check.h"
#include "policy/policy.h"
#include "schema/reader.h"
#include "suite/gold.h"

namespace pccsql {
namespace {

struct Judge {
  explicit Judge(const Catalog& catalog) : checker(catalog), policy(catalog, ColumnPolicy::Public) {}
  SqliteChecker checker;
  Policy policy;
};

struct Query {
  Judge* judge = nullptr;
  std::string sql;
};

struct Workload {
  explicit Workload(GoldData gold) : data(std::move(gold)) {
    for (const Catalog& catalog : data.catalogs) judges.push_back(std::make_unique<Judge>(catalog));
  }
  void add(const std::vector<GoldQuery>& gold) {
    for (const GoldQuery& query : gold) {
      if (const auto index = data.find_catalog(query.db_id)) queries.push_back({judges[*index].get(), query.sql});
    }
  }

  const GoldData data;                         // the judges keep references into its catalogues
  std::vector<std::unique_ptr<Judge>> judges;  // one a catalogue
  std::vector<Query> queries;
};

[[noreturn]] void stop(const Error& error) {
  std::fprintf(stderr, "perf_check: %s\n", error.to_string().c_str());
  std::exit(2);
}

std::unique_ptr<Workload> spider(const std::string& folder) {
  auto data = read_spider(folder);
  if (!data) stop(data.error());
  auto work = std::make_unique<Workload>(std::move(*data));
  work->add(work->data.dev);
  work->add(work->data.train);
  return work;
}

std::unique_ptr<Workload> seeds() {
  const auto schema = read_file(PCCSQL_ROOT "/examples/hr/schema.sql");
  if (!schema) stop(schema.error());
  auto catalog = read_ddl_catalog(*schema);
  if (!catalog) stop(catalog.error());
  GoldData demo;
  demo.catalogs.push_back(std::move(*catalog));
  auto work = std::make_unique<Workload>(std::move(demo));
  for (const auto& entry : std::filesystem::directory_iterator(PCCSQL_ROOT "/fuzz/corpus/check")) {
    const auto seed = read_file(entry.path().string());
    if (!seed) stop(seed.error());
    work->queries.push_back({work->judges[0].get(), seed->substr(1)});  // its first byte is settings
  }
  return work;
}

// One pass over the whole workload per iteration; `items_per_second` is queries a second.
void judge_all(benchmark::State& state, Workload& work) {
  size_t safe = 0;
  for (auto _ : state) {
    safe = 0;
    for (const Query& query : work.queries) {
      const Analysis& analysis = query.judge->checker.analyze(query.sql);
      const Judgement judgement = query.judge->checker.judge(analysis, query.judge->policy);
      safe += judgement.verdict == Verdict::Safe;
    }
    benchmark::DoNotOptimize(safe);
  }
  state.SetItemsProcessed(static_cast<int64_t>(state.iterations() * work.queries.size()));
  state.counters["queries"] = static_cast<double>(work.queries.size());
  state.counters["safe"] = static_cast<double>(safe);
}

}  // namespace
}  // namespace pccsql

int main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  std::vector<std::unique_ptr<pccsql::Workload>> workloads;
  const auto measure = [&](const char* name, std::unique_ptr<pccsql::Workload> work) {
    workloads.push_back(std::move(work));
    benchmark::RegisterBenchmark(name, [w = workloads.back().get()](benchmark::State& s) {
      pccsql::judge_all(s, *w);
    })->Unit(benchmark::kMillisecond);
  };
  if (const char* data = std::getenv("PCCSQL_DATA"); data != nullptr && *data != '\0') {
    measure("check/spider_gold", pccsql::spider(std::string(data) + "/spider"));
  } else {
    std::fprintf(stderr, "no PCCSQL_DATA: Spider's gold queries are left out\n");
  }
  measure("check/seeds", pccsql::seeds());
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
}
