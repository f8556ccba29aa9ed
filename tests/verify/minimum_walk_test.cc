// Walks under policies that set a minimum group: what the mask lets through has the form that the checker asks for, and
// what would be run for it can be written and is prepared. Over the demo, over tables and views of one family, and, where
// the data is there, over Spider's databases with nearly all columns AggregateOnly.
#include <cstdlib>
#include <iostream>
#include <random>

#include <gtest/gtest.h>

#include "base/file.h"
#include "benchmark_data.h"
#include "policy/policy_file.h"
#include "schema/reader.h"
#include "suite/gold.h"
#include "verify/tokens.h"
#include "verify/walk.h"

namespace pccsql {
namespace {

constexpr const char* kFamilies =
    "CREATE TABLE emp (id INTEGER PRIMARY KEY, name TEXT, dept INT, salary INT, bonus INT, hours REAL, code TEXT UNIQUE);\n"
    "CREATE TABLE loan (nr INTEGER PRIMARY KEY, emp_code TEXT REFERENCES emp (code), amount INT);\n"
    "CREATE TABLE pay (nr INTEGER PRIMARY KEY, emp_id INT REFERENCES emp (id), month TEXT, gross INT);\n"
    "CREATE TABLE sale (nr INTEGER PRIMARY KEY, emp_id INT REFERENCES emp (id), worth INT, gross INT);\n"
    "CREATE VIEW staff AS SELECT id AS sid, dept AS sdept, salary AS wage, bonus AS bonus FROM emp;\n"
    "CREATE VIEW totals AS SELECT dept AS dept, COUNT(*) AS people, SUM(salary) AS total FROM emp GROUP BY dept;\n"
    "CREATE VIEW sizes AS SELECT dept AS dept, COUNT(*) AS people FROM emp GROUP BY dept;\n";
constexpr const char* kFamilyPolicy =
    "version: 1\ndefault: Public\nmin_group: 5\ntables:\n"
    "  emp: {id: ConditionOnly, salary: AggregateOnly, bonus: AggregateOnly}\n"
    "  pay: {key: emp_id, gross: AggregateOnly}\n"
    "  loan: {key: emp_code, amount: AggregateOnly}\n"
    "  sale: {worth: AggregateOnly, gross: AggregateOnly}\n"
    "  staff: {key: sid, row: sid, wage: AggregateOnly, bonus: AggregateOnly}\n";

// Whatever a query says of a column, it counts it.
constexpr const char* kCountedAlone =
    "version: 1\ndefault: AggregateOnly\nmin_group: 5\ntables:\n"
    "  pay: {key: emp_id}\n"
    "  loan: {key: emp_code}\n"
    "  staff: {key: sid, row: sid}\n"
    "  totals: {key: dept, row: dept}\n"
    "  sizes: {key: dept, row: dept}\n";

size_t wanted_tokens() {
  if (const char* value = std::getenv("PCCSQL_WALK_TOKENS")) return std::strtoull(value, nullptr, 10);
  const char* value = std::getenv("PCCSQL_LONG");
  return value != nullptr && *value != '\0' ? 200'000 : 8'000;
}

struct Totals {
  WalkTotals walks{Language::Full};
  size_t finished = 0;
  size_t held = 0;  // to a minimum: conditions were added
};

void walk(const Catalog& catalog, const Policy& policy, Settings settings, const std::string& name, uint64_t first_seed,
          size_t tokens, Totals& totals) {
  static const Tokens builtin = *Tokens::load("builtin");
  const TokenClasses classes(builtin.vocabulary(), catalog);
  for (const WalkLogits logits : {WalkLogits::Uniform, WalkLogits::Adversarial}) {
    auto world = MaskWorld::make(catalog, policy, builtin.index(), settings);
    ASSERT_TRUE(world) << world.error().to_string();
    const Result<Database*> database = (*world)->database();
    ASSERT_TRUE(database) << database.error().to_string();
    Walker walker(**world, classes, logits, 300, builtin.vocabulary().size());
    const size_t enough = totals.walks.tokens + tokens / 2;
    for (uint64_t seed = first_seed; totals.walks.tokens < enough && walker.shortest() != 0; ++seed) {
      Walk made = walker.walk(seed);
      if (made.end == WalkEnd::Good) {
        ++totals.finished;
        const auto run = (*world)->checker().run_text(made.text, policy);
        ASSERT_TRUE(run) << name << ": " << made.text << "\n  " << run.error().to_string();
        const Prepared prepared = (*database)->prepare(run->sql);
        ASSERT_TRUE(prepared.ok) << name << ": " << run->sql << "\n  " << prepared.message;
        totals.held += run->changed() ? 1 : 0;
      }
      totals.walks.add(std::move(made), name);
      ASSERT_TRUE(totals.walks.fine()) << to_string(totals.walks.first_bad->end) << " in " << name << ", seed " << seed
                                       << ": " << totals.walks.first_bad->text << "\n  "
                                       << totals.walks.first_bad->detail;
    }
  }
}

void tell(const std::string& what, const Totals& totals) {
  std::cout << what << ": " << totals.walks.walks << " walks, " << totals.walks.tokens << " tokens, " << totals.finished
            << " queries, of which " << totals.held << " count what is held to a minimum\n";
}

TEST(MinimumWalks, OverTheDemo) {
  const Catalog catalog = *read_ddl_catalog(*read_file(PCCSQL_ROOT "/examples/hr/schema.sql"));
  const Policy policy = *parse_policy_yaml(*read_file(PCCSQL_ROOT "/examples/hr/policy.yaml"), catalog);
  Totals totals;
  for (const auto style : {Settings::Style::Any, Settings::Style::Canonical}) {
    Settings settings;
    settings.style = style;
    walk(catalog, policy, settings, "hr", 1, wanted_tokens() / 8, totals);
  }
  tell("demo", totals);
  EXPECT_GT(totals.finished, 0u);
}

TEST(MinimumWalks, OverOneFamily) {
  const Catalog catalog = *read_ddl_catalog(kFamilies);
  for (const char* const text : {kFamilyPolicy, kCountedAlone}) {
    const Policy policy = *parse_policy_yaml(text, catalog);
    Totals totals;
    for (const auto style : {Settings::Style::Any, Settings::Style::Canonical}) {
      Settings settings;
      settings.style = style;
      walk(catalog, policy, settings, "family", 10'001, wanted_tokens() / 8, totals);
      if (HasFatalFailure()) return;
    }
    tell(text == kCountedAlone ? "family, counted alone" : "family", totals);
    EXPECT_GT(totals.finished, 0u);
  }
}

TEST(MinimumWalks, OverSpider) {
  const auto folder = data_folder();
  if (!folder) GTEST_SKIP() << kNoData;
  const auto data = read_spider(*folder + "/spider");
  ASSERT_TRUE(data) << data.error().to_string();
  Totals totals;
  const size_t count = std::min<size_t>(20, data->catalogs.size());
  for (size_t d = 0; d < count; ++d) {
    const Catalog& catalog = data->catalogs[d];
    std::mt19937_64 random(d);
    Policy policy(catalog, ColumnPolicy::Public);
    for (TableId t = 0; t < catalog.tables().size(); ++t) {
      const Table& table = catalog.table(t);
      for (ColumnIndex c = 0; c < table.columns.size(); ++c) {
        const bool counted = d % 2 == 0 || random() % 3 != 0;
        policy.set({t, c}, counted ? ColumnPolicy::AggregateOnly : kColumnPolicies[random() % 4]);
      }
      GroupRule rule;
      rule.minimum = static_cast<uint32_t>(1 + random() % 6);
      if (random() % 2 == 0) rule.key = {static_cast<ColumnIndex>(random() % table.columns.size())};
      if (key_columns(table, rule).empty() || row_columns(table, rule).empty()) rule = {};
      policy.set_group(t, rule);
    }
    Settings settings;
    if (d % 4 >= 2) settings.style = Settings::Style::Canonical;
    walk(catalog, policy, settings, catalog.name(), d * 100'000, wanted_tokens() / 2 / count, totals);
    if (::testing::Test::HasFatalFailure()) return;
  }
  tell("Spider", totals);
  EXPECT_GT(totals.finished, 0u);
}

}  // namespace
}  // namespace pccsql
