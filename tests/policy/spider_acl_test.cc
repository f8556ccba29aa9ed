// Spider-ACL's grants, all of them, against the catalogues of Spider's tables.json.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <tuple>

#include <nlohmann/json.hpp>

#include "benchmark_data.h"
#include "policy/policy_file.h"
#include "schema/reader.h"

namespace pccsql {
namespace {

TEST(SpiderAcl, EveryRecordsGrantsAreRead) {
  const auto folder = data_folder();
  if (!folder) GTEST_SKIP() << kNoData;
  const std::string& data = *folder;
  const auto listed = read_tables_json(data + "/spider/tables.json");
  ASSERT_TRUE(listed) << listed.error().to_string();
  std::map<std::string, const Catalog*> catalogs;
  for (const Catalog& catalog : *listed) catalogs[catalog.name()] = &catalog;

  std::ifstream in(data + "/spider-acl/access_control_dataset.jsonl");
  std::string line;
  size_t records = 0;
  std::set<std::tuple<std::string, std::string, std::string>> read;
  std::map<std::string, size_t> users_without_a_column;
  while (std::getline(in, line)) {
    const auto record = nlohmann::json::parse(line);
    const std::string db = record["db_id"];
    const std::string user = record["user"];
    const std::string grants = record["access_policy_sql"];
    ASSERT_TRUE(catalogs.contains(db)) << db;
    const Catalog& catalog = *catalogs[db];
    ++records;
    // The same grants come with many questions.
    if (!read.emplace(db, user, grants).second) continue;
    // The grants call the users of a database by its name: `<db_id>_User_1`.
    const auto policy = parse_policy_grants(grants, catalog, db + "_" + user);
    ASSERT_TRUE(policy) << db << ": " << policy.error().to_string();
    bool any = false;
    for (TableId table = 0; table < catalog.tables().size(); ++table) any = any || !policy->all_hidden(table);
    if (!any) ++users_without_a_column[user];
  }
  EXPECT_EQ(records, 19624u);
  EXPECT_TRUE(users_without_a_column.empty());
}

}  // namespace
}  // namespace pccsql
