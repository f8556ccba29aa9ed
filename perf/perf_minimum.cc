// What a minimum group costs when a query is run: the query as written beside the one that is run for it, over a table of a
// million rows with a thousand groups. Both are run in turn, five times each, and the medians of the processor's time
// compared. The first, which the bound of three times is about, decides how the program ends.
//
// PCCSQL_ROWS sets the number of rows. The database is in memory, with SQLite's own settings but for automatic indexes,
// which whoever runs a query switches off.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <string>
#include <vector>

#include <sqlite3.h>

#include "check/check.h"
#include "policy/policy_file.h"
#include "schema/reader.h"

namespace pccsql {
namespace {

constexpr const char* kSchema =
    "CREATE TABLE employee (id INTEGER PRIMARY KEY, name TEXT, team INT, salary INT, bonus INT);"
    "CREATE TABLE payment (number INTEGER PRIMARY KEY, employee_id INT, team INT, gross INT);"
    "CREATE TABLE visit (doctor INT, patient INT, ward INT, cost INT, PRIMARY KEY (doctor, patient)) WITHOUT ROWID;"
    "CREATE TABLE team (id INTEGER PRIMARY KEY, city TEXT);";
constexpr const char* kPolicy =
    "version: 1\ndefault: Public\nmin_group: 5\ntables:\n"
    "  employee: {salary: AggregateOnly, bonus: AggregateOnly}\n"
    "  payment: {key: employee_id, gross: AggregateOnly}\n"
    "  visit: {cost: AggregateOnly}\n";

struct Case {
  const char* what;
  const char* sql;
};
constexpr Case kCases[] = {
    {"an average by group", "SELECT team, AVG(salary) FROM employee GROUP BY team"},
    {"of all", "SELECT AVG(salary) FROM employee"},
    {"with a condition", "SELECT team, AVG(salary) FROM employee WHERE name < 'n5' GROUP BY team"},
    {"two columns", "SELECT team, AVG(salary), SUM(bonus) FROM employee GROUP BY team"},
    {"joined with its groups", "SELECT city, AVG(salary) FROM employee AS e JOIN team AS t ON t.id = e.team GROUP BY t.id"},
    {"twelve rows an entity", "SELECT team, SUM(gross) FROM payment GROUP BY team"},
    {"a key of two columns", "SELECT ward, AVG(cost) FROM visit GROUP BY ward"},
};

void stop(const std::string& why) {
  std::fprintf(stderr, "perf_minimum: %s\n", why.c_str());
  std::exit(2);
}

void execute(sqlite3* db, const std::string& sql) {
  if (sqlite3_exec(db, sql.c_str(), nullptr, nullptr, nullptr) != SQLITE_OK) stop(sql + ": " + sqlite3_errmsg(db));
}

// In milliseconds of the processor; `rows` is how many came.
double time_of(sqlite3* db, const std::string& sql, int& rows) {
  rows = 0;
  sqlite3_stmt* statement = nullptr;
  const std::clock_t begun = std::clock();
  if (sqlite3_prepare_v2(db, sql.c_str(), -1, &statement, nullptr) != SQLITE_OK) stop(sql + ": " + sqlite3_errmsg(db));
  int code = SQLITE_ROW;
  while ((code = sqlite3_step(statement)) == SQLITE_ROW) ++rows;
  sqlite3_finalize(statement);
  if (code != SQLITE_DONE) stop(sql + ": " + sqlite3_errmsg(db));
  return 1e3 * static_cast<double>(std::clock() - begun) / CLOCKS_PER_SEC;
}

double median(std::vector<double> times) {
  std::ranges::sort(times);
  return times[times.size() / 2];
}

int measure() {
  const char* const wanted = std::getenv("PCCSQL_ROWS");
  const std::string rows = wanted != nullptr ? wanted : "1000000";
  sqlite3* db = nullptr;
  if (sqlite3_open(":memory:", &db) != SQLITE_OK) stop("no database");
  execute(db, std::string(kSchema) + "PRAGMA automatic_index = off;");
  const std::string count = "WITH RECURSIVE n (i) AS (VALUES (0) UNION ALL SELECT i + 1 FROM n WHERE i + 1 < " + rows + ") ";
  execute(db, "INSERT INTO team " + count + "SELECT i, 'city ' || i % 50 FROM n LIMIT 1000");
  execute(db, "INSERT INTO employee " + count + "SELECT i, 'n' || i * 7919 % 10, i * 31 % 1000, i * 37 % 90000, i * 41 % 900 FROM n");
  execute(db, "INSERT INTO payment " + count + "SELECT i, i / 12, i / 12 % 1000, i * 37 % 9000 FROM n");
  execute(db, "INSERT INTO visit " + count + "SELECT i / 1000, i % 1000, i * 31 % 1000, i * 37 % 500 FROM n");

  const auto catalog = read_ddl_catalog(kSchema);
  if (!catalog) stop(catalog.error().to_string());
  const auto policy = parse_policy_yaml(kPolicy, *catalog);
  if (!policy) stop(policy.error().to_string());
  SqliteChecker checker(*catalog);
  std::printf("%s rows, minimum 5, medians of 5\n%-26s %12s %12s %8s %6s\n", rows.c_str(), "", "as written", "as run",
              "times", "rows");
  double first = 0;
  for (const Case& one : kCases) {
    const auto run = checker.run_text(one.sql, *policy);
    if (!run) stop(run.error().to_string());
    if (!run->changed()) stop(std::string("nothing was added to ") + one.sql);
    std::vector<double> written;
    std::vector<double> held;
    int all = 0;
    int left = 0;
    for (int round = 0; round < 5; ++round) {
      written.push_back(time_of(db, one.sql, all));
      held.push_back(time_of(db, run->sql, left));
    }
    const double times = median(held) / median(written);
    if (&one == kCases) first = times;
    std::printf("%-26s %9.0f ms %9.0f ms %8.2f %6d%s\n", one.what, median(written), median(held), times, left,
                left == all ? "" : " (fewer)");
  }
  sqlite3_close(db);
  return first <= 3 ? 0 : 1;
}

}  // namespace
}  // namespace pccsql

int main() { return pccsql::measure(); }
