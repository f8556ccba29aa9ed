// How long the search for a FROM takes: `per_question` is seconds a question, on one thread.
//
// Where PCCSQL_DATA names the folder that holds spider/: the databases of Spider's dev split under random policies, names
// taken at random from a few of their tables, plain or behind an alias, so that about half of the questions can be
// answered with yes. And wide schemas of 10 to 1,000 tables, always: the cost must not grow with tables that do not hold
// the names asked.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <random>
#include <set>
#include <string>
#include <vector>

#include <benchmark/benchmark.h>

#include "schema/reader.h"
#include "suite/gold.h"
#include "track/supply.h"
#include "track/tracker.h"

namespace pccsql::track {
namespace {

struct Database {
  Database(const Catalog& made, std::mt19937_64& random) : catalog(made), names(made.names()) {
    Policy policy(made, ColumnPolicy::Public);
    for (TableId t = 0; t < made.tables().size(); ++t) {
      for (ColumnIndex c = 0; c < made.table(t).columns.size(); ++c) {
        if (random() % 3 == 0) policy.set({t, c}, kColumnPolicies[random() % 4]);
      }
    }
    sources.emplace(made, policy, Profile::Strict, kMostTables);
  }
  const Catalog& catalog;
  Names names;
  std::optional<Sources> sources;
};

struct Question {
  const Database* database = nullptr;
  std::vector<Obligation> pending;
  std::vector<FromItem> present;
  std::vector<Obligation> outside;  // what an enclosing SELECT would take; empty: none encloses
};

struct Workload {
  std::vector<Catalog> catalogs;
  std::vector<std::unique_ptr<Database>> databases;
  std::vector<Question> questions;
};

enum class Kind { Plain, Aliases, Present, Enclosed };

// Up to eight names of up to three tables.
Question some_question(Database& database, Kind kind, std::mt19937_64& random) {
  Question question;
  question.database = &database;
  const auto& all = database.sources->all();
  const NameId aliases[] = {kNoName, database.names.intern("T1"), database.names.intern("T2")};
  const size_t tables = 1 + random() % 3;
  std::vector<const Source*> chosen;
  while (chosen.size() < tables) chosen.push_back(&all[random() % all.size()]);
  for (size_t i = 0, n = 1 + random() % 8; i < n; ++i) {
    const size_t table = random() % tables;
    const auto& columns = chosen[table]->columns;
    if (columns.empty()) continue;
    const bool qualified = kind == Kind::Aliases && random() % 2 == 0;
    const NameId qualifier = qualified ? aliases[table] : kNoName;
    const NameId name = columns[random() % columns.size()].name;
    const RoleSet roles = role_bit(random() % 2 == 0 ? Role::Sel : Role::Where);
    const auto known = std::find_if(question.pending.begin(), question.pending.end(),
                                    [&](const Obligation& o) { return o.qualifier == qualifier && o.name == name; });
    if (known == question.pending.end()) {
      question.pending.push_back({qualifier, name, roles});
    } else {
      known->roles |= roles;
    }
  }
  if (kind == Kind::Present && chosen[0]->nameable) {
    question.present.push_back({chosen[0], chosen[0]->name, true, true, {}});
  }
  if (kind == Kind::Enclosed) {
    for (const Obligation& o : question.pending) {
      if (random() % 3 == 0) question.outside.push_back(o);
    }
  }
  return question;
}

std::unique_ptr<Workload> spider(const GoldData& data, Kind kind) {
  auto work = std::make_unique<Workload>();
  std::mt19937_64 random(7);
  std::set<size_t> used;
  for (const GoldQuery& query : data.dev) {
    if (const auto index = data.find_catalog(query.db_id)) used.insert(*index);
  }
  for (const size_t index : used) {
    work->databases.push_back(std::make_unique<Database>(data.catalogs[index], random));
    for (int i = 0; i < 200; ++i) work->questions.push_back(some_question(*work->databases.back(), kind, random));
  }
  std::shuffle(work->questions.begin(), work->questions.end(), random);
  return work;
}

// `tables` tables of ten columns; the questions are about the first ten of them.
std::unique_ptr<Workload> wide(size_t tables) {
  auto work = std::make_unique<Workload>();
  std::vector<Table> made(tables);
  for (size_t t = 0; t < tables; ++t) {
    made[t].name = "table" + std::to_string(t);
    for (size_t c = 0; c < 10; ++c) {
      Column column;
      column.name = "c" + std::to_string(t / 10) + "_" + std::to_string(t % 10 == 0 || c < 7 ? t % 10 * 10 + c : c);
      made[t].columns.push_back(column);
    }
  }
  work->catalogs.emplace_back(std::move(made), "wide");
  std::mt19937_64 random(7);
  work->databases.push_back(std::make_unique<Database>(work->catalogs[0], random));
  Database& database = *work->databases.back();
  for (int i = 0; i < 2'000; ++i) {
    Question question;
    question.database = &database;
    for (size_t k = 0, n = 1 + random() % 6; k < n; ++k) {
      const Table& table = work->catalogs[0].table(static_cast<TableId>(random() % 10));
      const Obligation o{kNoName, table.columns[random() % 10].id, role_bit(Role::Where)};
      if (std::find(question.pending.begin(), question.pending.end(), o) == question.pending.end()) {
        question.pending.push_back(o);
      }
    }
    work->questions.push_back(std::move(question));
  }
  return work;
}

void ask_all(benchmark::State& state, const Workload& work) {
  size_t yes = 0;
  for (auto _ : state) {
    yes = 0;
    for (const Question& asked : work.questions) {
      SupplyQuestion question;
      question.pending = asked.pending;
      question.present = asked.present;
      if (!asked.outside.empty()) {
        question.can_pass = [&asked](std::span<const Obligation> passed) {
          return std::all_of(passed.begin(), passed.end(), [&](const Obligation& o) {
            return std::find(asked.outside.begin(), asked.outside.end(), o) != asked.outside.end();
          });
        };
      }
      yes += discharge(*asked.database->sources, question).has_value();
    }
    benchmark::DoNotOptimize(yes);
  }
  const auto count = static_cast<double>(work.questions.size());
  state.counters["per_question"] =
      benchmark::Counter(count, benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
  state.counters["yes"] = static_cast<double>(yes) / count;
}

}  // namespace
}  // namespace pccsql::track

int main(int argc, char** argv) {
  using namespace pccsql;
  using namespace pccsql::track;
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  std::vector<std::unique_ptr<Workload>> workloads;
  const auto measure = [&](const std::string& name, std::unique_ptr<Workload> work) {
    workloads.push_back(std::move(work));
    benchmark::RegisterBenchmark(name.c_str(), [w = workloads.back().get()](benchmark::State& s) { ask_all(s, *w); });
  };
  std::optional<GoldData> data;
  if (const char* folder = std::getenv("PCCSQL_DATA"); folder != nullptr && *folder != '\0') {
    auto read = read_spider(std::string(folder) + "/spider");
    if (!read) {
      std::fprintf(stderr, "supply_benchmark: %s\n", read.error().to_string().c_str());
      return 2;
    }
    data = std::move(*read);
    measure("supply/spider/plain", spider(*data, Kind::Plain));
    measure("supply/spider/aliases", spider(*data, Kind::Aliases));
    measure("supply/spider/open_item", spider(*data, Kind::Present));
    measure("supply/spider/enclosed", spider(*data, Kind::Enclosed));
  } else {
    std::fprintf(stderr, "no PCCSQL_DATA: Spider's databases are left out\n");
  }
  for (const size_t tables : {size_t{10}, size_t{100}, size_t{1'000}}) {
    measure("supply/wide/" + std::to_string(tables), wide(tables));
  }
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
}
