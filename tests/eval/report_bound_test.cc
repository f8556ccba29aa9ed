// The paper's bound B on recovery, asked of the suite's file: a hand-made suite with one Refuse-gold question of two
// that has a permitted column reference.
#include <gtest/gtest.h>

#include "eval/made_run.h"
#include "eval/report_data.h"
#include "model/sha256.h"
#include "policy/policy_file.h"
#include "schema/reader.h"
#include "schema/scratch.h"
#include "suite/suite.h"

namespace pccsql {
namespace {

std::string small_suite() {
  Suite suite;
  suite.name = "spider-cu";
  suite.catalogs.push_back(*read_ddl_catalog("CREATE TABLE item(name TEXT, cost INTEGER);"));
  Policy policy =
      *parse_policy_yaml("version: 1\ntables: {item: {name: Public, cost: Hidden}}\n", suite.catalogs.front());
  const std::string text = policy_json(suite.catalogs.front(), policy);
  suite.policies.push_back({0, text, std::move(policy)});
  const auto add = [&suite](const char* id, const char* sql, GoldLabel label) {
    suite.questions.push_back({id, suite.catalogs.front().name(), "", "?", std::nullopt, sql, label, 0, 0});
  };
  add("1", "SELECT name FROM item", GoldLabel::Sql);
  add("2", "SELECT name, cost FROM item", GoldLabel::Refuse);
  add("3", "SELECT cost FROM item", GoldLabel::Refuse);
  return to_text(suite);
}

EvalReport asked(const std::string& path, const std::string& sha256) {
  RunFile run = made_run("pcc", {made_question("1", Outcome::SafeSql)});
  run.header.suite.path = path;
  run.header.suite.sha256 = sha256;
  auto report = build_report({run});
  EXPECT_TRUE(report) << report.error().to_string();
  ask_suites(*report);
  return *std::move(report);
}

TEST(ReportBound, IsAskedOfTheSuite) {
  const Scratch scratch;
  const std::string text = small_suite();
  const std::string path = scratch.file("suite.jsonl", text);
  EXPECT_EQ(asked(path, sha256_hex(text)).rows[0].recovery_bound, 0.5);
}

TEST(ReportBound, IsUnknownWithoutTheSuiteThatTheRunHad) {
  const Scratch scratch;
  const std::string text = small_suite();
  const std::string path = scratch.file("suite.jsonl", text);
  EXPECT_EQ(asked(path, "another").rows[0].recovery_bound, std::nullopt);
  EXPECT_EQ(asked(scratch.path("none.jsonl"), sha256_hex(text)).rows[0].recovery_bound, std::nullopt);
  const std::string damaged = "{}\n" + text;
  EXPECT_EQ(asked(scratch.file("damaged.jsonl", damaged), sha256_hex(damaged)).rows[0].recovery_bound, std::nullopt);
}

}  // namespace
}  // namespace pccsql
