// Suites as files: built from a small copy of Spider made here, read back, and told apart from damaged ones; and from
// the real data, where they must be the paper's.
#include <cmath>
#include <filesystem>
#include <string>

#include <gtest/gtest.h>

#include "base/file.h"
#include "benchmark_data.h"
#include "policy/policy_file.h"
#include "schema/reader.h"
#include "schema/scratch.h"
#include "suite/build.h"
#include "suite/statistics_report.h"

namespace pccsql {
namespace {

constexpr const char* kTables = R"([{"db_id": "shop", "table_names_original": ["item", "sale"],
  "table_names": ["item", "sale"],
  "column_names_original": [[-1, "*"], [0, "id"], [0, "name"], [0, "price"], [0, "email"], [1, "item_id"], [1, "size"]],
  "column_types": ["text", "number", "text", "number", "text", "number", "number"],
  "primary_keys": [1, [5, 6]], "foreign_keys": [[5, 1]]}])";

struct SmallSpider {
  Scratch scratch;
  BuildOptions options;

  SmallSpider() {
    scratch.file("tables.json", kTables);
    scratch.file("dev.json", R"([
      {"db_id": "shop", "question": "Which names?", "query": "SELECT name FROM item"},
      {"db_id": "shop", "question": "Which ids?", "query": "SELECT id FROM item", "evidence": "ids are numbers"},
      {"db_id": "shop", "question": "Who?", "query": "SELECT email FROM item UNION SELECT name FROM item"}])");
    scratch.file("train_spider.json", R"([
      {"db_id": "shop", "question": "", "query": "SELECT size FROM item JOIN sale ON item.id = sale.item_id"},
      {"db_id": "shop", "question": "", "query": "SELECT AVG(price) FROM item"}])");
    scratch.file("train_others.json", "[]");
    std::filesystem::create_directories(scratch.path("database/shop"));
    scratch.file("database/shop/shop.sqlite", "");
    options.folder = scratch.path("");
  }

  Suite suite() const {
    auto made = build_spider_cu(options);
    if (!made) throw std::runtime_error(made.error().to_string());
    return *std::move(made);
  }
};

TEST(SuiteBuild, LinesSayAllThatARunNeeds) {
  const SmallSpider spider;
  const Suite suite = spider.suite();
  ASSERT_EQ(suite.questions.size(), 3u);
  EXPECT_EQ(suite.questions[0].id, "spider-dev-0");
  EXPECT_EQ(suite.questions[0].db_path, "database/shop/shop.sqlite");
  EXPECT_EQ(database_file(suite, suite.questions[0]), spider.scratch.path("database/shop/shop.sqlite"));
  EXPECT_EQ(database_file(suite, suite.questions[0], "/data"), "/data/database/shop/shop.sqlite");
  EXPECT_EQ(suite.questions[1].evidence, "ids are numbers");
  EXPECT_EQ(suite.questions[0].gold_label, GoldLabel::Sql);
  EXPECT_EQ(suite.questions[1].gold_label, GoldLabel::Refuse);
  EXPECT_EQ(suite.questions[2].gold_label, GoldLabel::Refuse);
  ASSERT_EQ(suite.policies.size(), 1u);
  EXPECT_EQ(suite.policies[0].text,
            R"({"version":1,"default":"Hidden","tables":{"item":{"*":"Public","id":"ConditionOnly",)"
            R"("price":"AggregateOnly","email":"Hidden"},"sale":{"*":"Public","item_id":"ConditionOnly"}}})");
}

TEST(SuiteBuild, SameInputsSameBytesAndReadBack) {
  const SmallSpider spider;
  const std::string text = to_text(spider.suite());
  EXPECT_EQ(text, to_text(spider.suite()));
  const auto read = parse_suite(text, "suite.jsonl");
  ASSERT_TRUE(read) << read.error().to_string();
  EXPECT_EQ(to_text(*read), text);
  const SuiteStatistics a = statistics_of(spider.suite());
  const SuiteStatistics b = statistics_of(*read);
  EXPECT_EQ(a.columns, b.columns);
  EXPECT_EQ(a.uses, b.uses);
  EXPECT_EQ(a.set_operations, 1u);
  EXPECT_EQ(a.in_fragment, 2u);
  EXPECT_EQ(a.sql, 1u);
  EXPECT_EQ(a.refuse_open, 1u);
  EXPECT_EQ(a.binary_sql, 1u);
}

TEST(SuiteBuild, DamageIsToldByItsPlace) {
  const SmallSpider spider;
  const std::string text = to_text(spider.suite());
  const auto with = [&text](std::string_view from, std::string_view to) {
    std::string changed = text;
    const size_t at = changed.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    return at == std::string::npos ? changed : changed.replace(at, from.size(), to);
  };
  struct Damage {
    std::string text;
    uint32_t line;
    const char* message;
  };
  for (const Damage& damage :
       {Damage{"", 0, "is empty"}, Damage{"{}\n", 1, "is not a suite"}, Damage{"[\n", 1, "not a line of a suite"},
        Damage{with("\"version\":1", "\"version\":2"), 1, "a suite of version 2"},
        Damage{with("\"profile\":\"paper\"", "\"profile\":\"lax\""), 1, "`profile` is paper or strict"},
        Damage{with("\"gold_label\":\"sql\"", "\"gold_label\":\"maybe\""), 2, "`gold_label` is sql or refuse"},
        Damage{with("\"email\":\"Hidden\"", "\"mail\":\"Hidden\""), 2, "`policy`: "},
        Damage{with("\"id\":\"spider-dev-1\"", "\"id\":\"spider-dev-0\""), 3, "comes twice"},
        Damage{with("\"db_id\":\"shop\",\"db_path\"", "\"db_id\":\"bank\",\"db_path\""), 2,
               "`bank` is not in the first line"},
        Damage{text.substr(0, text.size() - 50), 4, "not a line of a suite"},
        Damage{text.substr(0, text.find("{\"id\":\"spider-dev-2\"")), 0,
               "it has 2 questions, its first line says 3"}}) {
    const auto read = parse_suite(damage.text, "suite.jsonl");
    ASSERT_FALSE(read) << damage.message;
    EXPECT_NE(read.error().message.find(damage.message), std::string::npos) << read.error().to_string();
    EXPECT_EQ(read.error().at.line, damage.line) << read.error().to_string();
  }
}

TEST(Disturbance, WhatMayBecomeWhat) {
  const Disturbance relax{0, 1, 42};
  const Disturbance hide{1, 0, 42};
  const Disturbance both{1, 1, 42};
  using enum ColumnPolicy;
  EXPECT_EQ(disturbed("email", Hidden, "d.t.email", relax), Public);
  EXPECT_EQ(disturbed("email", Hidden, "d.t.email", hide), Hidden);
  EXPECT_EQ(disturbed("name", Public, "d.t.name", hide), Hidden);
  EXPECT_EQ(disturbed("name", Public, "d.t.name", relax), Public);
  EXPECT_EQ(disturbed("name", Public, "d.t.name", both), Hidden);
  for (const ColumnPolicy base : {ConditionOnly, AggregateOnly}) {
    EXPECT_EQ(disturbed("code", base, "d.t.code", relax), Public);
    EXPECT_EQ(disturbed("code", base, "d.t.code", hide), Hidden);
    EXPECT_EQ(disturbed("code", base, "d.t.code", both), Public);
    EXPECT_EQ(disturbed("code", base, "d.t.code", {}), base);
  }
  EXPECT_EQ(disturbed("code", Public, "d.t.code", both), Public);
}

TEST(Disturbance, AboutAsManyAsAskedForAndMoreNeverOthers) {
  size_t few = 0;
  size_t more = 0;
  for (int i = 0; i < 10000; ++i) {
    const std::string name = "d.t.c" + std::to_string(i);
    const bool a = disturbed("c", ColumnPolicy::ConditionOnly, name, {0.05, 0, 42}) == ColumnPolicy::Hidden;
    const bool b = disturbed("c", ColumnPolicy::ConditionOnly, name, {0.10, 0, 42}) == ColumnPolicy::Hidden;
    EXPECT_TRUE(!a || b) << name;
    few += a;
    more += b;
  }
  EXPECT_NEAR(static_cast<double>(few), 500, 80);
  EXPECT_NEAR(static_cast<double>(more), 1000, 110);
}

TEST(SuiteBuild, SpiderCuIsThePapers) {
  const auto folder = data_folder();
  if (!folder) GTEST_SKIP() << kNoData;
  BuildOptions options;
  options.folder = *folder + "/spider";
  const auto suite = build_spider_cu(options);
  ASSERT_TRUE(suite) << suite.error().to_string();
  const std::string text = to_text(*suite);
  EXPECT_EQ(text, to_text(*build_spider_cu(options)));
  const auto read = parse_suite(text, "spider-cu.jsonl");
  ASSERT_TRUE(read) << read.error().to_string();
  EXPECT_EQ(to_text(*read), text);

  const SuiteStatistics stats = statistics_of(*read);
  EXPECT_EQ(std::lround(100 * stats.percent(ColumnPolicy::Public)), 6598);
  EXPECT_EQ(std::lround(100 * stats.percent(ColumnPolicy::ConditionOnly)), 2299);
  EXPECT_EQ(std::lround(100 * stats.percent(ColumnPolicy::AggregateOnly)), 407);
  EXPECT_EQ(std::lround(100 * stats.percent(ColumnPolicy::Hidden)), 696);
  EXPECT_EQ(stats.sql, 684u);
  EXPECT_EQ(stats.refuse, 350u);
  EXPECT_EQ(stats.refuse_named, 347u);
  EXPECT_EQ(stats.violations_by_policy, (CountByPolicy{0, 274, 23, 154}));
  EXPECT_EQ(stats.violations_by_role, (CountByRole{322, 12, 49, 68}));
  EXPECT_EQ(stats.uses[static_cast<size_t>(Role::Sel)], 1242u);
  EXPECT_EQ(stats.in_fragment, 954u);
  EXPECT_EQ(stats.set_operations, 80u);
  EXPECT_EQ(std::lround(1000.0 * static_cast<double>(stats.binary_sql) / 1034), 368);
  EXPECT_EQ(std::lround(1000.0 * static_cast<double>(stats.binary_lost) / 684), 444);

  // The paper's figure beside ours, and none beside a suite that the paper does not have.
  const std::string shown = to_markdown(report_of(*read, "x"));
  for (const char* row : {"| Public | 65.98 % | 65.98 % |", "| ConditionOnly | 22.99 % | 22.99 % |",
                          "| AggregateOnly | 4.07 % | 4.07 % |", "| Hidden | 6.96 % | 6.96 % |",
                          "| gold label refuse | 350 (33.8 %) | 350 |", "| of ConditionOnly | 274 | 274 |"}) {
    EXPECT_NE(shown.find(row), std::string::npos) << row << " in\n" << shown;
  }
  options.profile = Profile::Strict;
  const auto strict = build_spider_cu(options);
  ASSERT_TRUE(strict);
  EXPECT_EQ(statistics_of(*strict).sql, 649u);
  EXPECT_EQ(to_markdown(report_of(*strict, "x")).find("65.98 % | 65.98 %"), std::string::npos);
}

TEST(SuiteBuild, SpiderAclHasTheDatasLabels) {
  const auto folder = data_folder();
  if (!folder) GTEST_SKIP() << kNoData;
  BuildOptions options;
  options.folder = *folder + "/spider";
  options.acl = *folder + "/spider-acl/access_control_dataset.jsonl";
  const auto suite = build_spider_acl(options);
  ASSERT_TRUE(suite) << suite.error().to_string();
  EXPECT_FALSE(suite->execution);
  const SuiteStatistics stats = statistics_of(*suite);
  EXPECT_EQ(stats.sql, 8095u);
  EXPECT_EQ(stats.refuse, 11529u);
  EXPECT_EQ(stats.sql_but_unsafe, 0u);  // what the database answered is permitted here too
  EXPECT_EQ(stats.set_operations, 1372u);
  size_t changes = 0;
  for (size_t i = 1; i < suite->questions.size(); ++i) {
    changes += suite->questions[i].policy != suite->questions[i - 1].policy;
  }
  EXPECT_LE(changes, 612u);  // questions that share a prompt stand together
}

TEST(SuiteBuild, EveryCatalogueAndPolicyIsReadBack) {
  const auto folder = data_folder();
  if (!folder) GTEST_SKIP() << kNoData;
  for (const std::string file : {"/spider/tables.json", "/bird/dev/dev_tables.json", "/bird/train/train_tables.json"}) {
    const auto catalogs = read_tables_json(*folder + file);
    ASSERT_TRUE(catalogs);
    for (const Catalog& catalog : *catalogs) {
      const std::string text = to_tables_json(catalog);
      const auto again = parse_tables_json("[" + text + "]", "x");
      ASSERT_TRUE(again) << again.error().to_string();
      EXPECT_EQ(to_tables_json(again->front()), text);
      ASSERT_EQ(again->front().tables().size(), catalog.tables().size());
      for (TableId t = 0; t < catalog.tables().size(); ++t) {
        EXPECT_EQ(again->front().table(t).primary_key, catalog.table(t).primary_key) << catalog.name();
        EXPECT_EQ(again->front().table(t).columns.size(), catalog.table(t).columns.size());
        EXPECT_EQ(again->front().table(t).foreign_keys.size(), catalog.table(t).foreign_keys.size()) << catalog.name();
      }
    }
  }
}

}  // namespace
}  // namespace pccsql
