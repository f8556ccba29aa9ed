// PostgreSQL: how many queries a second its judge judges on one core, how long the catalogue of a thousand tables takes to read, and
// what a query costs beside what the server needs for it.
//
// Queries are those of the list below; where PCCSQL_PG_GOLD names a folder that tests/gold/test_pg_gold.py has written, also all
// gold queries in it, each over its own schema. Times of judging are the processor's. What needs a server starts a private one,
// and is left out where there is none; those times are a clock's, the least of some.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <map>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "base/file.h"
#include "check_pg/check_pg.h"
#include "exec/pg_runner.h"
#include "policy/policy.h"
#include "postgres/server.h"
#include "schema/pg_catalog.h"

namespace pccsql {
namespace {

constexpr const char* kSchema =
    "CREATE TABLE department (id integer PRIMARY KEY, name text, city text, budget numeric);"
    "CREATE TABLE employee (id integer PRIMARY KEY, name text, department_id integer, salary integer, hired date, manager_id integer);"
    "CREATE TABLE payment (number integer PRIMARY KEY, employee_id integer, month date, gross numeric);";

constexpr const char* kQueries[] = {
    "SELECT name FROM employee WHERE hired > '2020-01-01' ORDER BY name LIMIT 10",
    "SELECT d.name, AVG(e.salary) FROM employee e JOIN department d ON d.id = e.department_id GROUP BY d.id ORDER BY 2 DESC",
    "SELECT city, COUNT(*) FROM department GROUP BY city HAVING COUNT(*) > 2",
    "SELECT name FROM employee WHERE department_id IN (SELECT id FROM department WHERE city = 'Paris') AND salary > 1000",
    "SELECT COUNT(*) FROM employee e WHERE NOT EXISTS (SELECT 1 FROM payment p WHERE p.employee_id = e.id)",
    "SELECT e.name, m.name FROM employee e LEFT JOIN employee m ON m.id = e.manager_id WHERE e.name LIKE 'A%'",
    // In parentheses: one query, no comma forgotten.
    ("WITH paid AS (SELECT employee_id, SUM(gross) AS total FROM payment GROUP BY employee_id) SELECT e.name, p.total FROM employee e "
     "JOIN paid p ON p.employee_id = e.id WHERE p.total > 100 ORDER BY p.total DESC"),
    "SELECT name FROM employee UNION SELECT name FROM department ORDER BY 1",
    "SELECT extract(year FROM hired) AS y, COUNT(DISTINCT department_id) FROM employee GROUP BY 1",
    "SELECT name, CASE WHEN salary > 1000 THEN 'high' ELSE 'low' END, rank() OVER (PARTITION BY department_id ORDER BY hired) FROM employee",
};

[[noreturn]] void stop(const std::string& why) {
  std::fprintf(stderr, "perf_pg: %s\n", why.c_str());
  std::exit(2);
}

double processor_seconds() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

struct World {
  explicit World(Catalog read) : catalog(std::move(read)), checker(catalog), policy(catalog, ColumnPolicy::Public) {}
  Catalog catalog;
  PgChecker checker;
  Policy policy;
  std::vector<std::string> queries;
};

std::unique_ptr<World> world_of(const std::string& ddl) {
  auto catalog = read_pg_dump(ddl, "", "public");
  if (!catalog) stop(catalog.error().to_string());
  return std::make_unique<World>(*std::move(catalog));
}

void judge_all(const char* what, std::vector<std::unique_ptr<World>>& worlds) {
  size_t count = 0, safe = 0;
  for (const auto& world : worlds) count += world->queries.size();
  const size_t rounds = std::max<size_t>(1, 20'000 / std::max<size_t>(count, 1));
  const double begun = processor_seconds();
  for (size_t round = 0; round < rounds; ++round) {
    for (const auto& world : worlds) {
      for (const std::string& sql : world->queries) safe += world->checker.check(sql, world->policy).verdict == Verdict::Safe;
    }
  }
  const double took = processor_seconds() - begun;
  std::printf("%s: %zu queries, %.1f %% safe under an all-Public policy, %.0f judged a second of one core\n", what, count,
              100.0 * static_cast<double>(safe) / static_cast<double>(count * rounds), static_cast<double>(count * rounds) / took);
}

void judge_gold(const std::string& folder) {
  std::map<std::string, std::unique_ptr<World>> worlds;
  const auto text = read_file(folder + "/gold.jsonl");
  if (!text) stop(text.error().to_string());
  std::istringstream in(*text);
  for (std::string line; std::getline(in, line);) {
    const auto json = nlohmann::json::parse(line);
    if (json["form"] != "cleaned") continue;
    auto& world = worlds[json["db"]];
    if (!world) {
      const auto ddl = read_file(folder + "/cleaned/" + json["db"].get<std::string>() + ".sql");
      if (!ddl) stop(ddl.error().to_string());
      world = world_of(*ddl);
    }
    world->queries.push_back(json["sql"]);
  }
  std::vector<std::unique_ptr<World>> all;
  for (auto& [name, world] : worlds) all.push_back(std::move(world));
  judge_all("ported gold", all);
}

template <typename Work>
double least_milliseconds(int times, Work work) {
  double least = 1e9;
  for (int i = 0; i < times; ++i) {
    const auto begun = std::chrono::steady_clock::now();
    work();
    least = std::min(least, std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begun).count());
  }
  return least;
}

void read_catalogue(size_t tables) {
  std::string ddl;
  for (size_t t = 0; t < tables; ++t) {
    ddl += "CREATE TABLE table_" + std::to_string(t) + " (id integer PRIMARY KEY, name text, amount numeric(10, 2), made timestamptz, "
           "kind varchar(20), parent integer" + (t > 0 ? " REFERENCES table_" + std::to_string(t - 1) : "") +
           ", a integer, b text, c date, d boolean);\n";
  }
  PgServer& server = *PgServer::get();
  const std::string name = "perf_" + std::to_string(tables);
  if (const std::string wrong = server.make_database(name, ddl); !wrong.empty()) stop(wrong);
  std::optional<Catalog> catalog;
  const double took = least_milliseconds(5, [&] {
    auto read = read_pg_catalog(server.address(name), "public");
    if (!read) stop(read.error().to_string());
    catalog.emplace(*std::move(read));
  });
  std::printf("catalogue of %zu tables of 10 columns: %.0f ms, connection included\n", catalog->tables().size(), took);
  auto runner = PgRunner::open_unchecked(server.address(name), "public");
  if (!runner) stop(runner.error().to_string());
  const double run = least_milliseconds(20, [&] {
    if (!(*runner)->run("SELECT name FROM table_0")) stop("the query does not run");
  });
  const Policy open(*catalog, ColumnPolicy::Public);
  const std::string role = "perf_asker_" + std::to_string(tables);
  if (const std::string wrong = server.run(name, "CREATE ROLE " + role + " LOGIN; GRANT SELECT ON ALL TABLES IN SCHEMA public TO " + role + ";");
      !wrong.empty()) {
    stop(wrong);
  }
  auto fenced = PgRunner::open(server.address(name, role), "public", *catalog, open);
  if (!fenced) stop(fenced.error().to_string());
  const double with = least_milliseconds(20, [&] {
    if (!(*fenced)->run("SELECT name FROM table_0")) stop("the query does not run");
  });
  std::printf("a query in its transaction: %.1f ms; and made sure that the schema is the one it was judged by: %.1f ms\n", run, with);
}

int run() {
  std::vector<std::unique_ptr<World>> own;
  own.push_back(world_of(kSchema));
  own.back()->queries.assign(std::begin(kQueries), std::end(kQueries));
  judge_all("the list", own);
  if (const char* folder = std::getenv("PCCSQL_PG_GOLD")) judge_gold(folder);
  if (PgServer::get() == nullptr) {
    std::printf("no server: %s\n", PgServer::why().c_str());
    return 0;
  }
  read_catalogue(10);
  read_catalogue(1000);
  return 0;
}

}  // namespace
}  // namespace pccsql

int main() { return pccsql::run(); }
