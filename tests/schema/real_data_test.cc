// Over Spider's and BIRD's own files: every database loads, and tables.json says the same of it but for what is listed.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <set>

#include "base/text.h"
#include "benchmark_data.h"
#include "schema/reader.h"

namespace pccsql {
namespace {

namespace fs = std::filesystem;

class RealData : public ::testing::Test {
 protected:
  void SetUp() override {
    const auto folder = data_folder();
    if (!folder) GTEST_SKIP() << kNoData;
    data_ = *folder;
  }

  std::map<std::string, Catalog> databases(const fs::path& folder) {
    std::map<std::string, Catalog> found;
    for (const auto& entry : fs::recursive_directory_iterator(folder)) {
      if (entry.path().extension() != ".sqlite") continue;
      Result<Catalog> catalog = read_sqlite_catalog(entry.path().string());
      EXPECT_TRUE(catalog) << catalog.error().to_string();
      if (catalog) found.emplace(entry.path().parent_path().filename().string(), *std::move(catalog));
    }
    return found;
  }

  std::vector<Catalog> listed(const fs::path& file) {
    Result<std::vector<Catalog>> catalogs = read_tables_json((data_ / file).string());
    EXPECT_TRUE(catalogs) << catalogs.error().to_string();
    return catalogs ? *std::move(catalogs) : std::vector<Catalog>{};
  }

  fs::path data_;
};

// "table" and "table.column", folded; SQLite's own tables aside.
std::set<std::string> names_of(const Catalog& catalog) {
  std::set<std::string> names;
  for (const Table& table : catalog.tables()) {
    if (folded(table.name).starts_with("sqlite_")) continue;
    names.insert(folded(table.name));
    for (const Column& column : table.columns) names.insert(folded(table.name + "." + column.name));
  }
  return names;
}

std::set<std::string> databases_that_differ(const std::vector<Catalog>& listed,
                                            const std::map<std::string, Catalog>& real) {
  std::set<std::string> differ;
  for (const Catalog& catalog : listed) {
    const auto found = real.find(catalog.name());
    if (found == real.end()) continue;
    const std::set<std::string> a = names_of(catalog);
    const std::set<std::string> b = names_of(found->second);
    if (a == b) continue;
    differ.insert(catalog.name());
    for (const std::string& name : a) {
      if (!b.contains(name)) std::printf("%s: only in tables.json: %s\n", catalog.name().c_str(), name.c_str());
    }
    for (const std::string& name : b) {
      if (!a.contains(name)) std::printf("%s: only in the database: %s\n", catalog.name().c_str(), name.c_str());
    }
  }
  return differ;
}

TEST_F(RealData, SpiderDatabasesLoadAndTablesJsonAgrees) {
  const auto real = databases(data_ / "spider" / "database");
  EXPECT_EQ(real.size(), 163u);
  const auto catalogs = listed("spider/tables.json");
  EXPECT_EQ(catalogs.size(), 166u);
  EXPECT_EQ(databases_that_differ(catalogs, real), (std::set<std::string>{}));
}

TEST_F(RealData, BirdDatabasesLoadAndTablesJsonAgrees) {
  const auto real = databases(data_ / "bird");
  EXPECT_EQ(real.size(), 3u);
  const auto catalogs = listed("bird/dev/dev_tables.json");
  EXPECT_EQ(catalogs.size(), 11u);
  EXPECT_EQ(listed("bird/train/train_tables.json").size(), 69u);
  EXPECT_EQ(databases_that_differ(catalogs, real), (std::set<std::string>{}));
}

TEST_F(RealData, EveryTablesJsonMakesAnEmptyDatabase) {
  for (const char* file : {"spider/tables.json", "bird/dev/dev_tables.json", "bird/train/train_tables.json"}) {
    for (const Catalog& catalog : listed(file)) {
      const Result<Catalog> again = read_ddl_catalog(to_ddl(catalog));
      ASSERT_TRUE(again) << catalog.name() << ": " << again.error().to_string();
      EXPECT_EQ(names_of(*again), names_of(catalog)) << catalog.name();
    }
  }
}

}  // namespace
}  // namespace pccsql
