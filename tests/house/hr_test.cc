// The demo in examples/hr is what its page says: it holds its own against the real checker, with the real files.
#include <memory>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/file.h"
#include "check/check.h"
#include "exec/database.h"
#include "policy/policy_file.h"
#include "schema/reader.h"

namespace pccsql {
namespace {

std::string text_of(const char* name) {
  auto text = read_file(std::string(PCCSQL_ROOT "/examples/hr/") + name);
  EXPECT_TRUE(text) << text.error().to_string();
  return text ? *text : "";
}

struct Example {
  std::string verdict;
  std::string sql;
};

// The ```sql blocks of the page: a comment with the verdict, then a query up to its semicolon.
std::vector<Example> examples_of(const std::string& page) {
  std::vector<Example> examples;
  bool inside = false;
  std::istringstream in(page);
  for (std::string line; std::getline(in, line);) {
    if (line.starts_with("```")) {
      inside = line == "```sql";
    } else if (inside && line.starts_with("-- ")) {
      examples.push_back({line.substr(3), ""});
    } else if (inside && !examples.empty()) {
      examples.back().sql += line + "\n";
    }
  }
  return examples;
}

class Hr : public testing::Test {
 protected:
  void SetUp() override {
    auto read = read_ddl_catalog(text_of("schema.sql"), "schema.sql");
    ASSERT_TRUE(read) << read.error().to_string();
    catalog_ = std::make_unique<Catalog>(std::move(*read));
    auto parsed = parse_policy_yaml(text_of("policy.yaml"), *catalog_, "policy.yaml");
    ASSERT_TRUE(parsed) << parsed.error().to_string();
    policy_ = std::make_unique<Policy>(std::move(*parsed));
  }

  std::unique_ptr<Catalog> catalog_;
  std::unique_ptr<Policy> policy_;
};

TEST_F(Hr, HasWhatADemoNeeds) {
  size_t views = 0, generated = 0, foreign_keys = 0, without_rowid = 0, spaced = 0, hidden_tables = 0;
  std::set<ColumnPolicy> policies;
  for (TableId t = 0; t < catalog_->tables().size(); ++t) {
    const Table& table = catalog_->table(t);
    views += table.kind == TableKind::View;
    foreign_keys += table.foreign_keys.size();
    without_rowid += table.without_rowid;
    hidden_tables += policy_->all_hidden(t);
    for (ColumnIndex c = 0; c < table.columns.size(); ++c) {
      generated += table.columns[c].generated != Generated::No;
      spaced += table.columns[c].name.find(' ') != std::string::npos;
      policies.insert(policy_->of({t, c}));
    }
  }
  EXPECT_GE(catalog_->tables().size(), 10u);
  EXPECT_GE(views, 2u);
  EXPECT_GE(generated, 2u);
  EXPECT_GE(foreign_keys, 8u);
  EXPECT_GE(without_rowid, 1u);
  EXPECT_GE(spaced, 1u);
  EXPECT_EQ(hidden_tables, 1u);
  EXPECT_EQ(policies.size(), kColumnPolicies.size());
}

TEST_F(Hr, TheBuiltDatabaseIsTheSchema) {
  const auto built = read_sqlite_catalog(PCCSQL_DEMO_DATABASE);
  ASSERT_TRUE(built) << built.error().to_string();
  EXPECT_EQ(to_ddl(*built), to_ddl(*catalog_));
  EXPECT_EQ(built->tables().size(), catalog_->tables().size());
}

TEST_F(Hr, ThePageTellsTheTruth) {
  const auto examples = examples_of(text_of("README.md"));
  ASSERT_GE(examples.size(), 20u);
  auto database = Database::open(PCCSQL_DEMO_DATABASE);
  ASSERT_TRUE(database) << database.error().to_string();
  SqliteChecker checker(*catalog_);
  for (const Example& example : examples) {
    const Judgement judgement = checker.check(example.sql, *policy_);
    EXPECT_EQ(to_string(judgement.verdict), example.verdict) << example.sql << judgement.reason;
    if (example.verdict == "safe" || example.verdict == "unsafe") {
      const Prepared prepared = database->prepare(example.sql);
      EXPECT_TRUE(prepared.ok) << example.sql << prepared.message;
    }
  }
}

}  // namespace
}  // namespace pccsql
