// The judge against the server on random queries: what it calls safe or unsafe prepares and plans there, and reads just the
// columns that it lists.
#include <cstdlib>
#include <memory>
#include <string>

#include <gtest/gtest.h>

#include "check_pg/check_pg.h"
#include "check_pg/number_from.h"
#include "check_pg/query_generator.h"
#include "check_pg/server_witness.h"
#include "postgres/server.h"
#include "schema/pg_catalog.h"

namespace pccsql {
namespace {

constexpr const char* kRandomSchema = R"(
CREATE TYPE mood AS ENUM ('A', 'B', 'C');
CREATE DOMAIN percent AS numeric(5, 2) CHECK (VALUE BETWEEN 0 AND 100);
CREATE TABLE team (team_id integer PRIMARY KEY, name text, city varchar(40), code char(4), budget numeric(12, 2), opened date,
  tags text[], small smallint);
CREATE TABLE person (person_id integer PRIMARY KEY, name text NOT NULL, team_id integer REFERENCES team, hired date,
  updated_at timestamptz, grade mood, active boolean, salary integer, bonus numeric(10, 2), score double precision,
  load percent, big bigint, profile jsonb, key uuid, at time, took interval);
CREATE TABLE badge (badge_no integer, person_id integer, code text, zone text, issued timestamp, PRIMARY KEY (badge_no, person_id));
CREATE TABLE "Order" ("Id" bigint PRIMARY KEY, "Item Name" text, "user" text, total real, placed timestamp, "Name" text, name text);
CREATE VIEW names AS SELECT name, hired, grade FROM person;
)";

// PCCSQL_LONG runs many; PCCSQL_PG_QUERIES says how many, PCCSQL_PG_SEED which.
TEST(PgDifferential, WhatIsInTheLanguageRunsAndReadsWhatIsListed) {
  PCCSQL_NEEDS_POSTGRES();
  ASSERT_EQ(PgServer::get()->make_database("random_queries", kRandomSchema), "");
  auto connection = PgConnection::open(PgServer::get()->address("random_queries"));
  ASSERT_TRUE(connection) << connection.error().to_string();
  const auto catalog = read_pg_catalog(*connection, "public");
  ASSERT_TRUE(catalog) << catalog.error().to_string();
  PgChecker checker(*catalog);
  ServerWitness witness(*connection, *catalog);
  PgQueryGenerator generator(*catalog, number_from("PCCSQL_PG_SEED", 1));
  const uint64_t count = number_from("PCCSQL_PG_QUERIES", std::getenv("PCCSQL_LONG") != nullptr ? 30'000 : 1'000);

  uint64_t inside = 0, prepares = 0, left_out = 0, wrong = 0;
  for (uint64_t i = 0; i < count && wrong < 20; ++i) {
    const std::string sql = generator.query();
    const Analysis& analysis = checker.analyze(sql);
    const ServerWitness::Opinion server = witness.ask(sql);
    prepares += server.prepares;
    if (analysis.verdict != Verdict::Safe) {
      left_out += server.prepares;
      continue;
    }
    ++inside;
    ServerWitness::Columns listed;
    for (const Occurrence& use : analysis.uses) listed.emplace(use.column.table, use.column.column);
    const bool fine = server.prepares && server.plans && !server.whole_row && listed == server.columns;
    if (fine) continue;
    ++wrong;
    std::string columns;
    for (const auto& [table, column] : listed) {
      if (!server.columns.contains({table, column}))
        columns += " +" + catalog->table(table).name + "." + catalog->table(table).columns[column].name;
    }
    for (const auto& [table, column] : server.columns) {
      if (!listed.contains({table, column}))
        columns += " -" + catalog->table(table).name + "." + catalog->table(table).columns[column].name;
    }
    ADD_FAILURE() << sql << "\n  "
                  << (server.prepares ? server.plans ? "other columns:" : "does not plan:" : "does not prepare:")
                  << columns << ' ' << server.message;
  }
  std::printf("%llu queries, %llu prepare, %llu in the language; %llu prepare and are left out\n",
              static_cast<unsigned long long>(count), static_cast<unsigned long long>(prepares),
              static_cast<unsigned long long>(inside), static_cast<unsigned long long>(left_out));
  EXPECT_GE(inside * 12, count) << "too few queries say anything";
}

}  // namespace
}  // namespace pccsql
