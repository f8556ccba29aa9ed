// The golden files with minimum groups laid over their policies: what is safe has a text to run, and the database prepares it. Their
// queries are of every construct, and each policy is tried as it is and with every column AggregateOnly, where nearly all of
// them are counted.
#include <gtest/gtest.h>

#include <iostream>

#include "check/golden_file.h"
#include "exec/database.h"
#include "policy/group_rule.h"

namespace pccsql::golden {
namespace {

Policy with_minimum(const Catalog& catalog, Policy policy, uint32_t minimum) {
  for (TableId id = 0; id < catalog.tables().size(); ++id) {
    GroupRule rule = policy.group(id);
    rule.minimum = minimum;
    const Table& table = catalog.table(id);
    if (key_columns(table, rule).empty() || row_columns(table, rule).empty()) rule = {};
    policy.set_group(id, rule);
  }
  return policy;
}

TEST(GoldenFiles, AreRunUnderMinimumGroups) {
  size_t safe = 0;
  size_t changed = 0;
  for (const File& file : all_files()) {
    const auto world = make_world(file);
    ASSERT_TRUE(world) << world.error().to_string();
    const Catalog& catalog = (*world)->catalog;
    auto database = Database::in_memory(file.schema);
    ASSERT_TRUE(database) << file.name << ": " << database.error().to_string();
    const Policy policies[] = {with_minimum(catalog, (*world)->policy, 5),
                               with_minimum(catalog, Policy(catalog, ColumnPolicy::AggregateOnly), 2)};
    for (const Policy& policy : policies) {
      for (const Case& one : file.cases) {
        if ((*world)->strict.check(one.sql, policy).verdict != Verdict::Safe) continue;
        ++safe;
        const auto run = (*world)->strict.run_text(one.sql, policy);
        ASSERT_TRUE(run) << file.name << ": " << one.sql << "\n  " << run.error().to_string();
        if (!run->changed()) {
          EXPECT_EQ(run->sql, one.sql);
          continue;
        }
        ++changed;
        const auto prepared = database->prepare(run->sql);
        EXPECT_TRUE(prepared.ok) << file.name << ": " << one.sql << "\n  " << run->sql << "\n  " << prepared.message;
      }
    }
  }
  std::cout << safe << " safe queries, " << changed << " with conditions\n";
  EXPECT_GT(safe, 300U);
  EXPECT_GT(changed, 30U);
}

}  // namespace
}  // namespace pccsql::golden
