// The readers of the benchmarks' files, on small files made here: what is read, and what a broken copy is told.
#include <filesystem>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <unistd.h>

#include "base/file.h"
#include "suite/gold.h"

namespace pccsql {
namespace {

class GoldFiles : public testing::Test {
 protected:
  GoldFiles() : folder_(testing::TempDir() + "pccsql_gold_" + std::to_string(getpid())) {
    std::filesystem::create_directories(folder_);
  }
  ~GoldFiles() override { std::filesystem::remove_all(folder_); }

  std::string write(const std::string& name, std::string_view content) {
    const std::string path = folder_ + "/" + name;
    std::filesystem::create_directories(std::filesystem::path(path).parent_path());
    EXPECT_TRUE(write_file(path, content));
    return path;
  }

  std::string folder_;
};

constexpr const char* kItemTables = R"([{"db_id": "shop", "table_names_original": ["item"], "table_names": ["item"],
  "column_names_original": [[-1, "*"], [0, "id"], [0, "price"]], "column_names": [[-1, "*"], [0, "id"], [0, "price"]],
  "column_types": ["text", "number", "number"], "primary_keys": [1], "foreign_keys": []}])";

std::string one_query(const std::string& key, const std::string& sql, const std::string& db_id = "shop") {
  return R"([{"db_id": ")" + db_id + R"(", "question": "which?", ")" + key + R"(": ")" + sql + R"("}])";
}

TEST_F(GoldFiles, BothSpellingsOfTheQueryAreRead) {
  for (const char* key : {"query", "SQL"}) {
    const auto gold = read_gold(write("gold.json", one_query(key, "SELECT 1")));
    ASSERT_TRUE(gold) << gold.error().to_string();
    ASSERT_EQ(gold->size(), 1u);
    EXPECT_EQ(gold->front().db_id, "shop");
    EXPECT_EQ(gold->front().question, "which?");
    EXPECT_EQ(gold->front().sql, "SELECT 1");
  }
}

TEST_F(GoldFiles, BrokenFilesAreErrorsThatNameTheFile) {
  const std::vector<std::pair<std::string, std::string>> broken{
      {"[{", "not a JSON array"},
      {"{}", "not a JSON array"},
      {"", "not a JSON array"},
      {"[1]", "entry 0 is not an object"},
      {R"([{"db_id": "shop", "question": "which?"}])", "entry 0 has no text `query`"},
      {R"([{"question": "which?", "query": "SELECT 1"}])", "entry 0 has no text `db_id`"},
      {R"([{"db_id": "shop", "question": 1, "query": "SELECT 1"}])", "entry 0 has no text `question`"}};
  for (const auto& [content, message] : broken) {
    const std::string path = write("gold.json", content);
    const auto gold = read_gold(path);
    ASSERT_FALSE(gold) << content;
    EXPECT_NE(gold.error().to_string().find(message), std::string::npos) << gold.error().to_string();
    EXPECT_EQ(gold.error().file, path);
  }
  EXPECT_FALSE(read_gold(folder_ + "/missing.json"));
}

TEST_F(GoldFiles, SpiderTrainIsSpiderThenOthers) {
  write("tables.json", kItemTables);
  write("dev.json", one_query("query", "SELECT 1"));
  write("train_spider.json", one_query("query", "SELECT 2"));
  write("train_others.json", one_query("query", "SELECT 3"));
  write("database/shop/shop.sqlite", "");
  const auto data = read_spider(folder_);
  ASSERT_TRUE(data) << data.error().to_string();
  ASSERT_EQ(data->train.size(), 2u);
  EXPECT_EQ(data->queries(Split::Dev)[0].sql, "SELECT 1");
  EXPECT_EQ(data->queries(Split::Train)[0].sql, "SELECT 2");
  EXPECT_EQ(data->queries(Split::Train)[1].sql, "SELECT 3");
  ASSERT_TRUE(data->find_catalog("shop"));
  EXPECT_EQ(data->catalogs[*data->find_catalog("shop")].tables()[0].name, "item");
  EXPECT_EQ(data->database_path("shop"), folder_ + "/database/shop/shop.sqlite");
  EXPECT_EQ(data->database_path("bank"), std::nullopt);
}

TEST_F(GoldFiles, AQueryOverAnUndescribedDatabaseIsAnError) {
  write("tables.json", kItemTables);
  write("dev.json", one_query("query", "SELECT 1", "bank"));
  write("train_spider.json", "[]");
  write("train_others.json", "[]");
  const auto data = read_spider(folder_);
  ASSERT_FALSE(data);
  EXPECT_NE(data.error().to_string().find("`bank`"), std::string::npos) << data.error().to_string();
}

TEST_F(GoldFiles, BirdHasItsSchemasInTwoFiles) {
  std::string train_tables = kItemTables;
  train_tables.replace(train_tables.find("shop"), 4, "mill");
  write("dev/dev_tables.json", kItemTables);
  write("train/train_tables.json", train_tables);
  write("dev/dev.json", one_query("SQL", "SELECT 1"));
  write("train/train.json", one_query("SQL", "SELECT 2", "mill"));
  write("train/train_databases/mill/mill.sqlite", "");
  const auto data = read_bird(folder_);
  ASSERT_TRUE(data) << data.error().to_string();
  EXPECT_EQ(data->catalogs.size(), 2u);
  EXPECT_EQ(data->database_path("mill"), folder_ + "/train/train_databases/mill/mill.sqlite");
  EXPECT_EQ(data->database_path("shop"), std::nullopt);
}

}  // namespace
}  // namespace pccsql
