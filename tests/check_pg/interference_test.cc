// Non-interference: what the judge calls safe gives the same answers, and the same errors, on two databases that differ in
// Hidden values alone; and no word of the server's about it holds a value of a ConditionOnly or AggregateOnly column.
#include <libpq-fe.h>

#include <cstdlib>
#include <memory>
#include <string>

#include <gtest/gtest.h>

#include "check_pg/check_pg.h"
#include "check_pg/number_from.h"
#include "check_pg/query_generator.h"
#include "policy/policy_file.h"
#include "postgres/server.h"
#include "schema/pg_catalog.h"

namespace pccsql {
namespace {

constexpr const char* kTwinSchema = R"(
CREATE TYPE mood AS ENUM ('A', 'B', 'C');
CREATE TABLE team (team_id integer PRIMARY KEY, name text, city varchar(40), budget numeric(12, 2), opened date, tags text[]);
CREATE TABLE person (person_id integer PRIMARY KEY, name text NOT NULL, team_id integer, hired date, grade mood, active boolean,
  salary integer, bonus numeric(10, 2), score double precision, zone text, code text, ssn text, pin integer, born date, note text);
CREATE TABLE badge (badge_no integer PRIMARY KEY, person_id integer, level text, key text, issued timestamp);
CREATE VIEW names AS SELECT name, hired, grade FROM person;
)";

// Values that are marked: `zmark` in text, 7700001 and more in numbers, where no other value comes near.
std::string data(int variant) {
  const std::string v = std::to_string(variant);
  return "INSERT INTO team SELECT i, 'T' || i, 'C' || i % 4, 7700000.25 + i, date '2000-01-01' + i * 30, ARRAY['x'] FROM "
         "generate_series(1, 9) i;"
         "INSERT INTO person SELECT i, 'P' || i, NULLIF(i % 10, 0), date '2010-01-01' + i * 17, (ARRAY['A','B','C'])[1 + i % "
         "3]::mood, i % 3 = 0, 7700000 + i, CASE WHEN i % 4 > 0 THEN 7700000.5 + i END, i * 0.75, 'zmark' || i % 7, 'zmark' || i, "
         "'s" + v + "-' || i, i * 31 * " + v + ", date '1970-01-01' + i * 101 * " + v + ", CASE WHEN i % 2 = " + std::to_string(variant % 2) +
         " THEN 'n" + v + "' || i END FROM generate_series(1, 60) i;"
         "INSERT INTO badge SELECT i, i % 60 + 1, 'zmark' || i % 5, 'k" + v + "' || i, timestamp '2015-01-01' + i * interval '1 "
         "day' FROM generate_series(1, 40) i;";
}

constexpr const char* kTwinPolicy = R"(
version: 1
tables:
  team: {team_id: Public, name: Public, city: Public, budget: AggregateOnly, opened: Public, tags: Public}
  person: {person_id: Public, name: Public, team_id: Public, hired: Public, grade: Public, active: Public, salary: AggregateOnly,
    bonus: AggregateOnly, score: Public, zone: ConditionOnly, code: ConditionOnly, ssn: Hidden, pin: Hidden, born: Hidden, note: Hidden}
  badge: {badge_no: Public, person_id: Public, level: ConditionOnly, key: Hidden, issued: Public}
  names: {"*": Public}
)";

bool tells_the_time(const std::string& sql) {
  for (const char* word : {"now()", "CURRENT_", "LOCALTIME"}) {
    if (sql.find(word) != std::string::npos) return true;
  }
  return false;
}

struct Outcome {
  std::string rows;
  std::string error;
};

Outcome ask(PgConnection& connection, const std::string& sql) {
  pg_conn* const db = connection.get();
  const auto command = [&](const std::string& text) {
    return PgResult(PQexecParams(db, text.c_str(), 0, nullptr, nullptr, nullptr, nullptr, 0));
  };
  command("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY");
  command("SET LOCAL statement_timeout = 2000");
  const PgResult result = command(sql);
  Outcome outcome;
  if (PQresultStatus(result.get()) == PGRES_TUPLES_OK) {
    for (int r = 0; r < PQntuples(result.get()); ++r) {
      for (int c = 0; c < PQnfields(result.get()); ++c) {
        outcome.rows += PQgetisnull(result.get(), r, c) != 0 ? "\x01" : PQgetvalue(result.get(), r, c);
        outcome.rows += '\x02';
      }
      outcome.rows += '\x03';
    }
  } else {
    outcome.error = PQresultErrorMessage(result.get());
  }
  command("ROLLBACK");
  return outcome;
}

TEST(PgInterference, HiddenValuesChangeNothingAndNoErrorShowsAValue) {
  PCCSQL_NEEDS_POSTGRES();
  PgServer& server = *PgServer::get();
  // A copy, so that what the server orders by its own numbers (labels of an enumeration) is in one order in both.
  ASSERT_EQ(server.make_database("twin1", kTwinSchema), "");
  ASSERT_EQ(server.run("postgres", "CREATE DATABASE twin2 TEMPLATE twin1;"), "");
  ASSERT_EQ(server.run("twin1", data(1)), "");
  ASSERT_EQ(server.run("twin2", data(2)), "");
  auto one = PgConnection::open(server.address("twin1"));
  auto two = PgConnection::open(server.address("twin2"));
  ASSERT_TRUE(one && two);
  const auto catalog = read_pg_catalog(*one, "public");
  ASSERT_TRUE(catalog) << catalog.error().to_string();
  const auto policy = parse_policy_yaml(kTwinPolicy, *catalog);
  ASSERT_TRUE(policy) << policy.error().to_string();
  PgChecker checker(*catalog);
  PgQueryGenerator generator(*catalog, number_from("PCCSQL_PG_SEED", 1));
  const uint64_t count = number_from("PCCSQL_PG_QUERIES", std::getenv("PCCSQL_LONG") != nullptr ? 30'000 : 4'000);

  uint64_t safe = 0, failed = 0, wrong = 0, late = 0;
  for (uint64_t i = 0; i < count && wrong < 20; ++i) {
    const std::string sql = generator.query();
    if (tells_the_time(sql)) continue;
    if (checker.check(sql, *policy).verdict != Verdict::Safe) continue;
    ++safe;
    const Outcome first = ask(*one, sql), second = ask(*two, sql);
    failed += !first.error.empty();
    if (first.error.find("timeout") != std::string::npos || second.error.find("timeout") != std::string::npos) {
      ++late;
      continue;
    }
    bool fine = first.rows == second.rows && first.error == second.error;
    for (const char* mark : {"zmark", "77000"}) {
      const size_t line = first.error.find("LINE ");  // the query itself, repeated
      fine &= first.error.substr(0, line).find(mark) == std::string::npos;
    }
    if (fine) continue;
    ++wrong;
    ADD_FAILURE() << sql << "\n  " << first.error << "\n  " << second.error;
  }
  std::printf("%llu queries, %llu safe and run on both, %llu of these end in an error, %llu out of time\n",
              static_cast<unsigned long long>(count), static_cast<unsigned long long>(safe),
              static_cast<unsigned long long>(failed), static_cast<unsigned long long>(late));
  EXPECT_GE(safe * 60, count) << "too few queries say anything";
}

}  // namespace
}  // namespace pccsql
