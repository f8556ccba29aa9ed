// The schema text: as it looks, and that it reads back to what it was made from, also for real schemas.
#include "prompt/schema_text.h"

#include "prompt/schema_choice.h"

#include <gtest/gtest.h>

#include "base/file.h"
#include "benchmark_data.h"
#include "policy/policy_file.h"
#include "schema/reader.h"

namespace pccsql {
namespace {

TEST(SchemaText, LooksAsAModelShallSeeIt) {
  const auto catalog = read_ddl_catalog(R"(
    CREATE TABLE team (id INTEGER PRIMARY KEY, "floor area" REAL, "order" TEXT, key TEXT);
    CREATE TABLE member (team_id INTEGER REFERENCES team (id), no INT, name, PRIMARY KEY (team_id, no));
    CREATE VIEW names AS SELECT name FROM member;)");
  ASSERT_TRUE(catalog) << catalog.error().to_string();
  const auto policy = parse_policy_yaml(
      R"({version: 1, tables: {team: {id: ConditionOnly, floor area: AggregateOnly, order: Public},
          member: {"*": Public}, names: {"*": Public}}})",
      *catalog);
  ASSERT_TRUE(policy) << policy.error().to_string();
  EXPECT_EQ(schema_text(*catalog, *policy), R"(CREATE TABLE team (
  id INTEGER PRIMARY KEY, -- ConditionOnly
  "floor area" REAL, -- AggregateOnly
  "order" TEXT, -- Public
  key TEXT -- Hidden
);

CREATE TABLE member (
  team_id INTEGER, -- Public
  no INT, -- Public
  name, -- Public
  PRIMARY KEY (team_id, no),
  FOREIGN KEY (team_id) REFERENCES team (id)
);

CREATE TABLE names (
  name -- Public
);
)");
  EXPECT_EQ(column_text(*catalog, {0, 1}), "team.\"floor area\"");
}

TEST(SchemaText, WhatIsHiddenCanBeLeftOut) {
  const Catalog catalog = *read_ddl_catalog(R"(
    CREATE TABLE team (id INTEGER PRIMARY KEY, motto TEXT);
    CREATE TABLE vault (code TEXT PRIMARY KEY, deputy TEXT);
    CREATE TABLE member (team_id INTEGER REFERENCES team (id), secret TEXT REFERENCES vault, no INT, pin INT, name, PRIMARY KEY (team_id, pin));)");
  const Policy policy = *parse_policy_yaml("version: 1\ntables: {team: {id: ConditionOnly}, member: {team_id: Public, no: Public, name: Public}}", catalog);
  EXPECT_EQ(schema_text(catalog, policy, {}, open_columns(catalog, policy)), R"(CREATE TABLE team (
  id INTEGER PRIMARY KEY -- ConditionOnly
);

CREATE TABLE member (
  team_id INTEGER, -- Public
  no INT, -- Public
  name, -- Public
  FOREIGN KEY (team_id) REFERENCES team (id)
);
)");
}

TEST(SchemaText, ATypeThatWouldBreakTheTextIsLeftOut) {
  Table table;
  table.name = "t";
  for (const auto& [name, type] : std::vector<std::pair<std::string, std::string>>{
           {"a", "INT -- Public\n"}, {"b", "DECIMAL(10, 2)"}, {"c", "x); DROP TABLE t; --"}, {"-- Public\nd", "'"}}) {
    Column& column = table.columns.emplace_back();
    column.name = name;
    column.type = type;
  }
  const Catalog catalog({table});
  EXPECT_EQ(schema_text(catalog, Policy(catalog, ColumnPolicy::Hidden)),
            "CREATE TABLE t (\n  a, -- Hidden\n  b DECIMAL(10, 2), -- Hidden\n  c, -- Hidden\n  \"-- Public\nd\" -- "
            "Hidden\n);\n");
}

// Policies that differ from column to column, so that one that slips to a neighbour is seen.
Policy mixed(const Catalog& catalog) {
  Policy policy(catalog, ColumnPolicy::Hidden);
  size_t next = 0;
  for (TableId t = 0; t < catalog.tables().size(); ++t) {
    for (ColumnIndex c = 0; c < catalog.table(t).columns.size(); ++c, ++next) {
      policy.set({t, c}, kColumnPolicies[next * 7 / 3 % 4]);
    }
  }
  return policy;
}

void expect_reads_back(const Catalog& catalog) {
  const Policy policy = mixed(catalog);
  const std::string text = schema_text(catalog, policy);
  const auto again = read_ddl_catalog(text);
  ASSERT_TRUE(again) << catalog.name() << ": " << again.error().to_string() << "\n" << text;
  const auto policy_again = parse_policy_ddl(text, *again);
  ASSERT_TRUE(policy_again) << catalog.name() << ": " << policy_again.error().to_string();
  for (TableId t = 0; t < catalog.tables().size(); ++t) {
    if (catalog.table(t).kind == TableKind::Virtual) continue;
    for (ColumnIndex c = 0; c < catalog.table(t).columns.size(); ++c) {
      const auto found = again->find_column(catalog.table(t).name, catalog.table(t).columns[c].name);
      ASSERT_TRUE(found) << column_text(catalog, {t, c});
      EXPECT_EQ(policy_again->of(*found), policy.of({t, c})) << column_text(catalog, {t, c});
    }
  }
}

TEST(SchemaText, ReadsBackForTheDemo) {
  const auto catalog = read_ddl_catalog(*read_file(PCCSQL_ROOT "/examples/hr/schema.sql"));
  ASSERT_TRUE(catalog) << catalog.error().to_string();
  expect_reads_back(*catalog);
}

TEST(SchemaText, ReadsBackForTheBenchmarks) {
  const auto data = data_folder();
  if (!data) GTEST_SKIP() << kNoData;
  size_t databases = 0;
  for (const char* file : {"/spider/tables.json", "/bird/dev/dev_tables.json"}) {
    const auto catalogs = read_tables_json(*data + file);
    ASSERT_TRUE(catalogs) << catalogs.error().to_string();
    for (const Catalog& catalog : *catalogs) {
      expect_reads_back(catalog);
      ++databases;
    }
  }
  EXPECT_GT(databases, 170U);
}

}  // namespace
}  // namespace pccsql
