// Example values: which are shown, how they are written, and that no column but a Public one is ever asked for or shown.
#include "prompt/example_values.h"

#include <filesystem>
#include <iostream>
#include <sstream>

#include <gtest/gtest.h>

#include "benchmark_data.h"
#include "exec/runner.h"
#include "policy/policy_file.h"
#include "prompt/schema_text.h"
#include "schema/reader.h"
#include "schema/scratch.h"

namespace pccsql {
namespace {

TEST(ExampleValues, AreWrittenAsInSqlAndNeverBreakTheComment) {
  const auto shown = [](const char* text) { return example_text(Value(std::string(text))); };
  EXPECT_EQ(shown("France"), "'France'");
  EXPECT_EQ(shown("it's"), "'it''s'");
  EXPECT_EQ(shown(""), "");
  EXPECT_EQ(shown("a */ b"), "");
  EXPECT_EQ(shown("two\nlines"), "");
  EXPECT_EQ(shown("\x80"), "");
  EXPECT_EQ(shown("0123456789012345678901234567890123456789"), "'01234567890123456789012345678901…'");
  EXPECT_EQ(shown("012345678901234567890123456789é"), "'012345678901234567890123456789é'");
  EXPECT_EQ(shown("0123456789012345678901234567890é"), "'0123456789012345678901234567890…'");
  EXPECT_EQ(example_text(Value(int64_t{-7})), "-7");
  EXPECT_EQ(example_text(Value(0.1)), "0.1");
  EXPECT_EQ(example_text(Value(Null())), "");
  EXPECT_EQ(example_text(Value(Blob{"x"})), "");
}

constexpr const char* kTables = R"(
  CREATE TABLE person (id INTEGER PRIMARY KEY, name TEXT, pay INT, town TEXT, code INT, note TEXT);
  INSERT INTO person VALUES (1, 'Ann', 7001, 'Oslo', 1, 'secret'), (2, 'Bob', 7002, 'Oslo', 0, 'secret'),
    (3, 'Cid', 7003, 'Rome', 1, 'secret'), (4, 'Dan', 7004, 'Bern', 1, 'secret'), (5, 'Eve', 7005, 'Bern', 1, 'x');)";

struct World {
  Scratch scratch;
  std::string path = scratch.database("people.sqlite", kTables);
  Catalog catalog = *read_sqlite_catalog(path);
  Policy policy = *parse_policy_yaml(
      "{version: 1, tables: {person: {name: Public, town: Public, id: Public, code: Public, pay: AggregateOnly, "
      "note: ConditionOnly}}}",
      catalog);
};

TEST(ExampleValues, TheOftenestComeFirstAndMeasuredNumbersDoNot) {
  World world;
  auto runner = Runner::open(world.path, world.catalog, world.policy, Profile::Strict);
  ASSERT_TRUE(runner) << runner.error().to_string();
  const ExampleValues values = read_example_values(*runner, world.catalog, world.policy, 2);
  EXPECT_EQ(values.of({0, 1}), (std::vector<std::string>{"'Ann'", "'Bob'"}));
  EXPECT_EQ(values.of({0, 3}), (std::vector<std::string>{"'Bern'", "'Oslo'"}));
  EXPECT_EQ(values.of({0, 4}), (std::vector<std::string>{"1", "0"}));
  EXPECT_TRUE(values.of({0, 0}).empty());
  EXPECT_TRUE(values.of({0, 2}).empty());
  EXPECT_TRUE(values.of({0, 5}).empty());
  EXPECT_TRUE(values.of({9, 9}).empty());
  EXPECT_TRUE(read_example_values(*runner, world.catalog, world.policy, 0).of({0, 1}).empty());
}

// Answers everything and writes down what it was asked.
class Spy : public QueryRunner {
 public:
  Result<RowSet> run(std::string_view sql, const std::atomic<bool>*) override {
    asked.emplace_back(sql);
    return RowSet{{"x"}, {{Value(std::string("value"))}}, {}};
  }
  Result<RowSet> run(std::string_view sql, const RunText&, const std::atomic<bool>* stop) override { return run(sql, stop); }
  const RunLimits& limits() const override { return limits_; }

  std::vector<std::string> asked;

 private:
  RunLimits limits_;
};

TEST(ExampleValues, NoOtherColumnIsAskedFor) {
  World world;
  Spy spy;
  (void)read_example_values(spy, world.catalog, world.policy, 3);
  ASSERT_EQ(spy.asked.size(), 4u);
  for (const std::string& sql : spy.asked) {
    EXPECT_EQ(sql.find("pay"), std::string::npos) << sql;
    EXPECT_EQ(sql.find("note"), std::string::npos) << sql;
  }
}

// Every column has a value to show: only those of Public ones are. The text reads back to the policy that it was made of.
void only_public_values(const Catalog& catalog, const Policy& policy, size_t& shown) {
  ExampleValues values;
  for (TableId t = 0; t < catalog.tables().size(); ++t) {
    for (ColumnIndex c = 0; c < catalog.table(t).columns.size(); ++c) values.set({t, c}, {"'VALUE'", "'Hidden'"});
  }
  const std::string text = schema_text(catalog, policy, values);
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    if (line.find("/*") == std::string::npos) {
      EXPECT_FALSE(line.ends_with("-- Public")) << line;
      continue;
    }
    ++shown;
    EXPECT_TRUE(line.ends_with("/* 'VALUE', 'Hidden' */ -- Public")) << line;
  }
  const auto read = parse_policy_ddl(text, catalog, ColumnPolicy::Hidden, "prompt");
  ASSERT_TRUE(read) << read.error().to_string() << text;
  for (TableId t = 0; t < catalog.tables().size(); ++t) {
    if (catalog.table(t).kind == TableKind::Virtual) continue;
    for (ColumnIndex c = 0; c < catalog.table(t).columns.size(); ++c) EXPECT_EQ(read->of({t, c}), policy.of({t, c})) << column_text(catalog, {t, c});
  }
}

TEST(ExampleValues, StandBesidePublicColumnsAloneInEveryPrompt) {
  const auto folder = data_folder();
  if (!folder) GTEST_SKIP() << kNoData;
  size_t shown = 0, schemas = 0;
  for (const char* const file : {"/spider/tables.json", "/bird/dev/dev_tables.json"}) {
    const auto catalogs = read_tables_json(*folder + file);
    ASSERT_TRUE(catalogs) << catalogs.error().to_string();
    for (const Catalog& catalog : *catalogs) {
      for (size_t turn = 0; turn < 4; ++turn) {  // each column has each policy once
        Policy policy(catalog, ColumnPolicy::Hidden);
        size_t number = turn;
        for (TableId t = 0; t < catalog.tables().size(); ++t) {
          for (ColumnIndex c = 0; c < catalog.table(t).columns.size(); ++c) {
            policy.set({t, c}, kColumnPolicies[number++ % kColumnPolicies.size()]);
          }
        }
        only_public_values(catalog, policy, shown);
        ++schemas;
      }
    }
  }
  std::cout << schemas << " prompts, " << shown << " columns with values\n";
  EXPECT_GT(shown, 5000u);
}

}  // namespace
}  // namespace pccsql
