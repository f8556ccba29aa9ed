// Queries in canonical style: how each thing is written, and that gold means the same afterwards.
#include "suite/canonical_sql.h"

#include <algorithm>
#include <iostream>
#include <set>
#include <tuple>

#include <gtest/gtest.h>

#include "benchmark_data.h"
#include "check/check.h"
#include "schema/reader.h"
#include "suite/gold.h"

namespace pccsql {
namespace {

TEST(CanonicalSql, EachThingHasOneForm) {
  const auto catalog = read_ddl_catalog(R"(
    CREATE TABLE Singer (id INTEGER PRIMARY KEY, Name TEXT, "birth day" TEXT, "order" INT);
    CREATE TABLE concert (cid INTEGER PRIMARY KEY, singer_id INT, year INT, name TEXT);)");
  ASSERT_TRUE(catalog) << catalog.error().to_string();
  SqliteChecker checker(*catalog);
  for (const auto& [written, canonical] : std::vector<std::pair<std::string, std::string>>{
           {"select  name from singer;", "SELECT Name FROM Singer"},
           {"SELECT count( * ) ,max(ID) FROM singer", "SELECT COUNT(*), MAX(id) FROM Singer"},
           {"SELECT name FROM singer WHERE name = \"Ann\" AND id != -1", "SELECT Name FROM Singer WHERE Name = 'Ann' AND id != -1"},
           {"SELECT name FROM singer WHERE name = \"it's\"", "SELECT Name FROM Singer WHERE Name = 'it''s'"},
           {"SELECT `birth day`, [order] FROM singer", "SELECT \"birth day\", \"order\" FROM Singer"},
           {"SELECT t1.NAME FROM singer t1 JOIN concert t2 ON t1.id == t2.singer_id",
            "SELECT t1.Name FROM Singer AS t1 JOIN concert AS t2 ON t1.id = t2.singer_id"},
           {"SELECT who.name FROM singer AS who", "SELECT T1.Name FROM Singer AS T1"},
           {"SELECT name FROM singer WHERE id in (select singer_id from concert)",
            "SELECT Name FROM Singer WHERE id IN (SELECT singer_id FROM concert)"},
           {"SELECT year, count(*) n FROM concert GROUP BY year ORDER BY n desc",
            "SELECT year, COUNT(*) AS n FROM concert GROUP BY year ORDER BY n DESC"},
           {"SELECT id - 1, cast(id as real) FROM singer", "SELECT id - 1, CAST(id AS REAL) FROM Singer"}}) {
    EXPECT_EQ(canonical_sql(written, *catalog, checker.analyze(written)), canonical);
  }
}

TEST(CanonicalSql, WhatDoesNotRunStaysAsItIs) {
  const auto catalog = read_ddl_catalog("CREATE TABLE t (a INT)");
  ASSERT_TRUE(catalog);
  SqliteChecker checker(*catalog);
  for (const char* const sql : {"select b from t", "select from", ""}) {
    EXPECT_EQ(canonical_sql(sql, *catalog, checker.analyze(sql)), sql);
  }
}

using Use = std::tuple<TableId, ColumnIndex, Role>;

std::multiset<Use> uses_of(const Analysis& analysis) {
  std::multiset<Use> uses;
  for (const Occurrence& use : analysis.uses) uses.insert({use.column.table, use.column.column, use.role});
  return uses;
}

void means_the_same(const GoldData& data) {
  size_t compared = 0, unlike = 0;
  for (const Split split : {Split::Dev, Split::Train}) {
    for (const GoldQuery& query : data.queries(split)) {
      const Catalog& catalog = data.catalogs[*data.find_catalog(query.db_id)];
      SqliteChecker checker(catalog);
      const Analysis before = checker.analyze(query.sql);
      if (before.verdict != Verdict::Safe) continue;
      const std::string written = canonical_sql(query.sql, catalog, before);
      const Analysis& after = checker.analyze(written);
      ++compared;
      if (after.verdict == Verdict::Safe && uses_of(before) == uses_of(after)) {
        EXPECT_EQ(canonical_sql(written, catalog, after), written);
        continue;
      }
      ++unlike;
      ADD_FAILURE() << query.sql << "\n" << written << "\n" << after.reason;
      if (unlike > 10) return;
    }
  }
  std::cout << data.name << ": " << compared << " gold queries use the same columns in the same roles\n";
  EXPECT_GT(compared, 9000u);
}

TEST(CanonicalSql, SpidersGoldMeansTheSame) {
  const auto folder = data_folder();
  if (!folder) GTEST_SKIP() << kNoData;
  const auto data = read_spider(*folder + "/spider");
  ASSERT_TRUE(data) << data.error().to_string();
  means_the_same(*data);
}

TEST(CanonicalSql, BirdsGoldMeansTheSame) {
  const auto folder = data_folder();
  if (!folder) GTEST_SKIP() << kNoData;
  const auto data = read_bird(*folder + "/bird");
  ASSERT_TRUE(data) << data.error().to_string();
  means_the_same(*data);
}

}  // namespace
}  // namespace pccsql
