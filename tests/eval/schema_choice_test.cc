// What is chosen of large schemas: the tables and columns that gold queries need, within the tokens that there are, for all of
// Spider's tables together and for BIRD's widest databases.
#include "prompt/schema_choice.h"

#include <algorithm>
#include <iostream>
#include <map>
#include <memory>
#include <set>

#include <gtest/gtest.h>

#include "base/text.h"
#include "benchmark_data.h"
#include "check/check.h"
#include "model/llama/llama_vocabulary.h"
#include "policy/policy_file.h"
#include "prompt/schema_text.h"
#include "schema/reader.h"
#include "suite/column_policies.h"
#include "suite/gold.h"

namespace pccsql {
namespace {

size_t bytes_by_three(std::string_view text) { return text.size() / 3 + 1; }

Catalog shop() {
  return *read_ddl_catalog(R"(
    CREATE TABLE customer (customer_id INTEGER PRIMARY KEY, first_name TEXT, town TEXT);
    CREATE TABLE purchase (purchase_id INTEGER PRIMARY KEY, customer_id INT REFERENCES customer (customer_id), day TEXT);
    CREATE TABLE purchase_item (purchase_id INT REFERENCES purchase (purchase_id), product_id INT REFERENCES product (product_id));
    CREATE TABLE product (product_id INTEGER PRIMARY KEY, label TEXT, price REAL);
    CREATE TABLE weather (station TEXT, rain REAL);
    CREATE TABLE payroll (EmployeeName TEXT, Salary INT);)");
}

std::set<std::string> chosen(const Catalog& catalog, const SchemaChoice& choice) {
  std::set<std::string> names;
  for (TableId t = 0; t < catalog.tables().size(); ++t) {
    if (choice.has(t)) names.insert(catalog.table(t).name);
  }
  return names;
}

TEST(SchemaChoice, NamesAndKeysDecide) {
  const Catalog catalog = shop();
  SchemaChooser chooser(catalog, Policy(catalog, ColumnPolicy::Public), {});
  EXPECT_EQ(chosen(catalog, chooser.choose("How much did it rain?", 30, bytes_by_three)), (std::set<std::string>{"weather"}));
  EXPECT_TRUE(chosen(catalog, chooser.choose("names of employees", 30, bytes_by_three)).contains("payroll"));
  // purchase_item is not named; it stands between what is.
  const auto between = chosen(catalog, chooser.choose("Which customers bought products over 5?", 250, bytes_by_three));
  EXPECT_TRUE(between.contains("customer") && between.contains("product") && between.contains("purchase_item"));
  EXPECT_EQ(chosen(catalog, chooser.choose("anything", 100000, bytes_by_three)).size(), 6u);
}

TEST(SchemaChoice, AValueTellsTheTableToo) {
  const Catalog catalog = shop();
  ExampleValues values;
  values.set({4, 0}, {"'Blindern'"});
  SchemaChooser chooser(catalog, Policy(catalog, ColumnPolicy::Public), values);
  EXPECT_EQ(chosen(catalog, chooser.choose("What happened at Blindern?", 40, bytes_by_three)), (std::set<std::string>{"weather"}));
}

TEST(SchemaChoice, TakesNoMoreTokensThanThereAreAndReadsBack) {
  const Catalog catalog = shop();
  const Policy policy(catalog, ColumnPolicy::ConditionOnly);
  SchemaChooser chooser(catalog, policy, {});
  for (const size_t tokens : {60u, 90u, 150u, 220u, 400u}) {
    const SchemaChoice choice = chooser.choose("customers and products", tokens, bytes_by_three);
    const std::string text = schema_text(catalog, policy, {}, choice);
    EXPECT_LE(bytes_by_three(text), tokens) << text;
    const auto again = read_ddl_catalog(text);
    ASSERT_TRUE(again) << again.error().to_string() << text;
    EXPECT_FALSE(again->tables().empty());
  }
}

TEST(SchemaChoice, OfAWideTableKeysAndNamedColumnsStay) {
  std::string ddl = "CREATE TABLE wide (id INTEGER PRIMARY KEY";
  for (int i = 0; i < 300; ++i) ddl += ", filler_" + std::to_string(i) + " TEXT";
  const auto catalog = read_ddl_catalog(ddl + ", shoe_size INT)");
  ASSERT_TRUE(catalog);
  SchemaChooser chooser(*catalog, Policy(*catalog, ColumnPolicy::Public), {});
  const SchemaChoice choice = chooser.choose("What is the largest shoe size?", 200, bytes_by_three);
  EXPECT_TRUE(choice.columns[0].front());
  EXPECT_TRUE(choice.columns[0].back());
  EXPECT_LT(std::ranges::count(choice.columns[0], true), 30);
}

// The model's own tokens, where its vocabulary is at hand.
class LargeSchemas : public testing::Test {
 protected:
  void SetUp() override {
    const auto folder = data_folder();
    if (!folder) GTEST_SKIP() << kNoData;
    folder_ = *folder;
    auto vocabulary = LlamaVocabulary::load(folder_ + "/vocab/ggml-vocab-qwen2.gguf");
    ASSERT_TRUE(vocabulary) << vocabulary.error().to_string();
    vocabulary_ = std::make_shared<LlamaVocabulary>(*std::move(vocabulary));
  }
  TokenCount count() const {
    return [vocabulary = vocabulary_](std::string_view text) { return vocabulary->tokenize(text)->size(); };
  }

  struct Kept {
    size_t questions = 0, tables = 0, columns = 0, largest = 0;
    double percent(size_t some) const { return 100.0 * static_cast<double>(some) / static_cast<double>(questions); }
  };
  // `where`: a table of the question's own catalogue in the one that is chosen from.
  template <typename Where>
  void ask(SchemaChooser& chooser, const Catalog& own, const GoldQuery& gold, Where&& where, Kept& kept, const Catalog& from,
           const Policy& policy) {
    SqliteChecker checker(own);
    const Analysis& analysis = checker.analyze(gold.sql);
    if (analysis.tables.empty()) return;
    const std::string asked = gold.question + " " + gold.evidence.value_or("");
    const SchemaChoice choice = chooser.choose(asked, 4000, count());
    ++kept.questions;
    kept.tables += std::ranges::all_of(analysis.tables, [&](const NamedTable& one) { return choice.has(where(one.table)); });
    kept.columns += std::ranges::all_of(analysis.uses, [&](const Occurrence& one) {
      return choice.columns[where(one.column.table)][one.column.column];
    });
    if (kept.questions % 40 == 0) kept.largest = std::max(kept.largest, count()(schema_text(from, policy, {}, choice)));
  }

  // Five hundred tables: those of the databases that the questions are about, then others. A name that is there already gets its
  // database's before it.
  Kept all_together(Split split) {
    const auto data = read_spider(folder_ + "/spider");
    EXPECT_TRUE(data);
    std::set<std::string> asked_about;
    for (const GoldQuery& query : data->queries(split)) asked_about.insert(query.db_id);
    std::vector<Table> tables;
    std::map<std::pair<std::string, TableId>, TableId> place;
    std::set<std::string> names;
    for (const bool first : {true, false}) {
      for (const Catalog& catalog : data->catalogs) {
        if (asked_about.contains(catalog.name()) != first || tables.size() + catalog.tables().size() > 500) continue;
        std::map<std::string, std::string> renamed;
        for (const Table& table : catalog.tables()) {
          std::string name = table.name;
          if (!names.insert(folded(name)).second) name = catalog.name() + "_" + name;
          names.insert(folded(name));
          renamed[folded(table.name)] = name;
        }
        for (TableId t = 0; t < catalog.tables().size(); ++t) {
          Table table = catalog.table(t);
          table.name = renamed[folded(table.name)];
          for (ForeignKey& key : table.foreign_keys) key.parent_table = renamed[folded(key.parent_table)];
          place[{catalog.name(), t}] = static_cast<TableId>(tables.size());
          tables.push_back(std::move(table));
        }
      }
    }
    const Catalog merged(std::move(tables), "merged");
    const Policy policy(merged, ColumnPolicy::Public);
    SchemaChooser chooser(merged, policy, {});
    Kept kept;
    size_t asked = 0;
    std::cout << merged.tables().size() << " tables, " << count()(schema_text(merged, policy)) << " tokens in full\n";
    for (const GoldQuery& query : data->queries(split)) {
      if (!place.contains({query.db_id, 0})) continue;
      if (split == Split::Train && asked++ % 5 != 0) continue;
      const Catalog& own = data->catalogs[*data->find_catalog(query.db_id)];
      ask(chooser, own, query, [&](TableId t) { return place.at({query.db_id, t}); }, kept, merged, policy);
    }
    std::cout << kept.questions << " questions: gold's tables in the prompt for " << kept.percent(kept.tables)
              << " %, and all of its columns for " << kept.percent(kept.columns) << " %, in at most " << kept.largest << " tokens\n";
    return kept;
  }

  std::string folder_;
  std::shared_ptr<LlamaVocabulary> vocabulary_;
};

TEST_F(LargeSchemas, OfFiveHundredTablesGoldsAreThere) {
  const Kept dev = all_together(Split::Dev);
  EXPECT_GT(dev.questions, 1000u);
  EXPECT_GE(dev.percent(dev.tables), 97);
  EXPECT_LE(dev.largest, 4000u);
}

TEST_F(LargeSchemas, LikewiseForTrainingQuestions) {
  // Five hundred tables of 140 databases, of which many are about the same: students, orders, flights.
  const Kept train = all_together(Split::Train);
  EXPECT_GE(train.percent(train.tables), 95);
}

TEST_F(LargeSchemas, OfBirdsWidestDatabasesGoldsAreThere) {
  const auto data = read_bird(folder_ + "/bird");
  ASSERT_TRUE(data) << data.error().to_string();
  const std::vector<Policy> policies = column_policies(*data);
  Kept kept;
  size_t databases = 0;
  for (size_t i = 0; i < data->catalogs.size(); ++i) {
    const Catalog& catalog = data->catalogs[i];
    const size_t whole = count()(schema_text(catalog, policies[i]));
    if (whole <= 4000) continue;
    ++databases;
    SchemaChooser chooser(catalog, policies[i], {});
    Kept here;
    for (const Split split : {Split::Dev, Split::Train}) {
      for (const GoldQuery& query : data->queries(split)) {
        if (query.db_id == catalog.name()) ask(chooser, catalog, query, [](TableId t) { return t; }, here, catalog, policies[i]);
      }
    }
    std::cout << catalog.name() << ": " << whole << " tokens in full; " << here.questions << " questions, tables "
              << here.percent(here.tables) << " %, columns " << here.percent(here.columns) << " %\n";
    kept.questions += here.questions;
    kept.tables += here.tables;
    kept.columns += here.columns;
    kept.largest = std::max(kept.largest, here.largest);
  }
  std::cout << databases << " databases, " << kept.questions << " questions: tables " << kept.percent(kept.tables) << " %, columns "
            << kept.percent(kept.columns) << " %, at most " << kept.largest << " tokens\n";
  EXPECT_GT(databases, 0u);
  EXPECT_GE(kept.percent(kept.tables), 97);
  EXPECT_LE(kept.largest, 4000u);
}

}  // namespace
}  // namespace pccsql
