// The judge against the server on the benchmarks' gold queries, ported to PostgreSQL (tests/gold/test_pg_gold.py), and on
// those with random changes: of what prepares nearly all is in the language, and what is in the language prepares, plans,
// and reads just the columns that are listed.
#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "base/file.h"
#include "check_pg/check_pg.h"
#include "check_pg/number_from.h"
#include "check_pg/query_mutator.h"
#include "check_pg/server_witness.h"
#include "postgres/server.h"
#include "schema/pg_catalog.h"

namespace pccsql {
namespace {

struct Gold {
  std::string split;
  size_t index = 0;
  std::string sql;
};
using Databases = std::map<std::pair<std::string, std::string>, std::vector<Gold>>;  // by form and database

Databases read_gold(const std::string& folder) {
  Databases databases;
  std::ifstream in(folder + "/gold.jsonl");
  for (std::string line; std::getline(in, line);) {
    const auto json = nlohmann::json::parse(line);
    databases[{json["form"], json["db"]}].push_back({json["split"], json["index"], json["sql"]});
  }
  return databases;
}

// "declared bird-dev 17", which the server takes and the language does not hold.
std::set<std::string> listed_exceptions() {
  std::set<std::string> listed;
  std::ifstream in(std::string(PCCSQL_ROOT) + "/tests/gold/pg_exceptions.txt");
  for (std::string line; std::getline(in, line);) {
    if (!line.empty() && line[0] != '#') listed.insert(line);
  }
  return listed;
}

// One database's judge and server. Its name is taken anew for each, so that one connection serves all.
class Seat {
 public:
  static std::unique_ptr<Seat> make(const std::string& folder, const std::string& form, const std::string& name) {
    static const std::string made = PgServer::get()->make_database("gold", "");
    EXPECT_EQ(made, "");
    const auto ddl = read_file(folder + "/" + form + "/" + name + ".sql");
    if (!ddl) return nullptr;
    const std::string wrong =
        PgServer::get()->run("gold", "SET client_min_messages = warning; DROP SCHEMA public CASCADE; CREATE SCHEMA public;" + *ddl);
    EXPECT_EQ(wrong, "") << form << ' ' << name;
    auto connection = PgConnection::open(PgServer::get()->address("gold"));
    if (!connection) return nullptr;
    auto catalog = read_pg_catalog(*connection, "public");
    EXPECT_TRUE(catalog) << catalog.error().to_string();
    if (!catalog) return nullptr;
    return std::unique_ptr<Seat>(new Seat(std::move(*connection), std::move(*catalog)));
  }

  // What is wrong with what the judge says, which the server disagrees with; empty: nothing.
  std::string wrong(const std::string& sql, bool& prepares, bool& inside) {
    const Analysis& analysis = checker_.analyze(sql);
    inside = analysis.verdict == Verdict::Safe;
    const ServerWitness::Opinion server = witness_.ask(sql);
    prepares = server.prepares;
    if (!inside) return {};
    if (!server.prepares || !server.plans) return "does not " + std::string(server.prepares ? "plan: " : "prepare: ") + server.message;
    ServerWitness::Columns listed;
    for (const Occurrence& use : analysis.uses) listed.emplace(use.column.table, use.column.column);
    if (server.whole_row || listed != server.columns) return "the server reads other columns";
    return {};
  }
  std::string reason(const std::string& sql) { return checker_.analyze(sql).reason; }

 private:
  Seat(PgConnection connection, Catalog catalog)
      : connection_(std::move(connection)), catalog_(std::move(catalog)), checker_(catalog_), witness_(connection_, catalog_) {}
  PgConnection connection_;
  Catalog catalog_;
  PgChecker checker_;
  ServerWitness witness_;
};

class PgGold : public testing::Test {
 protected:
  void SetUp() override {
    const char* const folder = std::getenv("PCCSQL_PG_GOLD");
    if (folder == nullptr) GTEST_SKIP() << "no ported gold: tests/gold/test_pg_gold.py makes it";
    PCCSQL_NEEDS_POSTGRES();
    folder_ = folder;
    databases_ = read_gold(folder_);
    ASSERT_FALSE(databases_.empty());
  }
  std::string folder_;
  Databases databases_;
};

TEST_F(PgGold, IsInTheLanguageWhereItPrepares) {
  struct Tally {
    size_t all = 0, prepare = 0, inside = 0;
  };
  std::map<std::string, Tally> tallies;
  const std::set<std::string> listed = listed_exceptions();
  std::set<std::string> found;
  for (const auto& [place, queries] : databases_) {
    const auto seat = Seat::make(folder_, place.first, place.second);
    ASSERT_TRUE(seat);
    for (const Gold& gold : queries) {
      bool prepares = false, inside = false;
      const std::string wrong = seat->wrong(gold.sql, prepares, inside);
      EXPECT_EQ(wrong, "") << gold.split << ' ' << gold.index << ' ' << gold.sql;
      Tally& tally = tallies[place.first + " " + gold.split];
      ++tally.all;
      tally.prepare += prepares;
      tally.inside += prepares && inside;
      if (!prepares || inside) continue;
      const std::string which = place.first + " " + gold.split + " " + std::to_string(gold.index);
      found.insert(which);
      if (!listed.contains(which)) ADD_FAILURE() << which << " is not listed: " << seat->reason(gold.sql) << "\n  " << gold.sql;
    }
  }
  for (const std::string& which : listed) {
    if (!tallies.contains(which.substr(0, which.rfind(' ')))) continue;  // not among what was ported
    EXPECT_TRUE(found.contains(which)) << which << " is listed, but in the language";
  }
  for (const auto& [name, tally] : tallies) {
    std::printf("%s: %zu ported, %zu prepare (%.1f %%), %zu of these in the language (%.2f %%)\n", name.c_str(), tally.all,
                tally.prepare, 100.0 * static_cast<double>(tally.prepare) / static_cast<double>(tally.all), tally.inside,
                100.0 * static_cast<double>(tally.inside) / static_cast<double>(tally.prepare));
    EXPECT_GE(static_cast<double>(tally.inside), 0.99 * static_cast<double>(tally.prepare)) << name;
  }
}

// PCCSQL_PG_MUTATIONS says how many, PCCSQL_PG_SEED which. PCCSQL_PG_PART and PCCSQL_PG_PARTS: the databases of one part alone, so
// that several programs do it together.
TEST_F(PgGold, WithChangesIsJudgedAsTheServerReadsIt) {
  const uint64_t count = number_from("PCCSQL_PG_MUTATIONS", 2'000);
  const uint64_t each = count / databases_.size() + 1;
  const uint64_t parts = std::max<uint64_t>(number_from("PCCSQL_PG_PARTS", 1), 1);
  const uint64_t part = number_from("PCCSQL_PG_PART", 0);
  PgQueryMutator mutator(number_from("PCCSQL_PG_SEED", 1));
  uint64_t at = 0, asked = 0, prepared = 0, judged = 0, left_out = 0, failed = 0;
  for (const auto& [place, queries] : databases_) {
    if (at++ % parts != part % parts) continue;
    const auto seat = Seat::make(folder_, place.first, place.second);
    ASSERT_TRUE(seat);
    std::vector<std::string> texts;
    for (const Gold& gold : queries) texts.push_back(gold.sql);
    for (uint64_t i = 0; i < each && failed < 20; ++i) {
      const std::string sql = mutator.mutate(texts[i % texts.size()], texts);
      bool prepares = false, inside = false;
      const std::string wrong = seat->wrong(sql, prepares, inside);
      ++asked;
      prepared += prepares;
      judged += inside;
      left_out += prepares && !inside;
      if (wrong.empty()) continue;
      ++failed;
      ADD_FAILURE() << place.first << ' ' << place.second << ": " << sql << "\n  " << wrong;
    }
  }
  std::printf("%llu changed queries, %llu prepare, %llu in the language; %llu prepare and are left out\n",
              static_cast<unsigned long long>(asked), static_cast<unsigned long long>(prepared),
              static_cast<unsigned long long>(judged), static_cast<unsigned long long>(left_out));
}

}  // namespace
}  // namespace pccsql
