// The reader of tables.json: its shape, and a message that names database and field when the shape is wrong.
#include <gtest/gtest.h>

#include "schema/reader.h"
#include "schema/scratch.h"

namespace pccsql {
namespace {

class TablesJson : public ::testing::Test {
 protected:
  Result<std::vector<Catalog>> read(std::string_view json) {
    return read_tables_json(scratch_.file("tables.json", json));
  }
  // The message for a database that is right but for one field.
  std::string message_with(const std::string& field, const std::string& value) {
    std::string json = R"([{"db_id": "shop")";
    const std::pair<std::string, std::string> fields[] = {
        {"table_names_original", R"(["a", "b"])"},
        {"column_names_original", R"([[-1, "*"], [0, "x"], [1, "y"]])"},
        {"column_types", R"(["text", "text", "number"])"},
        {"primary_keys", "[1]"},
        {"foreign_keys", "[[2, 1]]"}};
    for (const auto& [name, right] : fields) json += ", \"" + name + "\": " + (name == field ? value : right);
    const auto catalogs = read(json + "}]");
    return catalogs ? "(no error)" : catalogs.error().message;
  }
  Scratch scratch_;
};

TEST_F(TablesJson, ReadsTablesColumnsAndKeys) {
  const auto catalogs = read(R"([{"db_id": "shop",
      "table_names_original": ["Item", "order line", "sqlite_sequence"],
      "column_names_original": [[-1, "*"], [0, "id"], [1, "order"], [1, "Größe"], [0, "name"], [2, "seq"]],
      "column_types": ["text", "number", "number", "text", "text", "text"],
      "primary_keys": [1, [2, 3]], "foreign_keys": [[2, 1]]}])");
  ASSERT_TRUE(catalogs) << catalogs.error().to_string();
  ASSERT_EQ(catalogs->size(), 1u);
  const Catalog& shop = (*catalogs)[0];
  EXPECT_EQ(shop.name(), "shop");
  ASSERT_EQ(shop.tables().size(), 3u);
  EXPECT_EQ(shop.find_column("item", "NAME"), (ColumnRef{0, 1}));
  EXPECT_EQ(shop.find_column("order line", "größe"), (ColumnRef{1, 1}));
  EXPECT_EQ(shop.table(0).columns[0].type, "number");
  EXPECT_EQ(shop.table(0).primary_key, (std::vector<ColumnIndex>{0}));
  EXPECT_FALSE(shop.table(0).integer_primary_key);
  EXPECT_EQ(shop.table(1).primary_key, (std::vector<ColumnIndex>{0, 1}));
  ASSERT_EQ(shop.table(1).foreign_keys.size(), 1u);
  EXPECT_EQ(shop.table(1).foreign_keys[0].parent_table, "Item");
  EXPECT_EQ(shop.table(1).foreign_keys[0].parent_columns, (std::vector<std::string>{"id"}));
  EXPECT_EQ(shop.table(2).kind, TableKind::Virtual);  // SQLite's own: never to be asked for
}

TEST_F(TablesJson, WrongShapesNameDatabaseAndField) {
  EXPECT_EQ(message_with("nothing", ""), "(no error)");
  const std::pair<const char*, const char*> wrong[] = {{"table_names_original", "7"},
                                                       {"table_names_original", "[1]"},
                                                       {"table_names_original", R"(["a\u0000", "b"])"},
                                                       {"column_names_original", "null"},
                                                       {"column_names_original", R"([["0", "x"]])"},
                                                       {"column_names_original", R"([[5, "x"]])"},
                                                       {"column_names_original", R"([[-2, "x"]])"},
                                                       {"column_names_original", R"([[0]])"},
                                                       {"column_types", R"(["text"])"},
                                                       {"column_types", "[1, 2, 3]"},
                                                       {"primary_keys", "{}"},
                                                       {"primary_keys", "[9]"},
                                                       {"primary_keys", "[0]"},
                                                       {"primary_keys", R"([["x"]])"},
                                                       {"primary_keys", "[-1]"},
                                                       {"foreign_keys", "[1, 2]"},
                                                       {"foreign_keys", "[[1, 2, 3]]"},
                                                       {"foreign_keys", "[[1, 99999999999999999999]]"},
                                                       {"foreign_keys", "[[1.5, 1]]"}};
  for (const auto& [field, value] : wrong) {
    const std::string message = message_with(field, value);
    EXPECT_NE(message.find("`shop`"), std::string::npos) << field << ": " << value << ": " << message;
    EXPECT_NE(message.find(field), std::string::npos) << field << ": " << value << ": " << message;
  }
}

TEST_F(TablesJson, WhatIsNoListOfDatabasesIsAnError) {
  EXPECT_NE(read("{}").error().message.find("list of databases"), std::string::npos);
  EXPECT_NE(read("[7]").error().message.find("database 0"), std::string::npos);
  EXPECT_NE(read(R"([{"db_id": 7}])").error().message.find("db_id"), std::string::npos);
  const std::string twice = R"({"db_id": "x", "table_names_original": [], "column_names_original": []})";
  EXPECT_NE(read("[" + twice + "," + twice + "]").error().message.find("`x` is there twice"), std::string::npos);
}

TEST_F(TablesJson, BrokenJsonIsAnErrorWithItsPlace) {
  const Error error = read("[\n  {\"db_id\": }\n]").error();
  EXPECT_EQ(error.at.line, 2u);
  EXPECT_EQ(error.at.column, 13u);
  EXPECT_FALSE(read(""));
  EXPECT_FALSE(read(std::string_view("[\0]", 3)));
  EXPECT_FALSE(read("[\"\xff\"]"));
  EXPECT_FALSE(read(std::string(1 << 20, '[')));
  EXPECT_FALSE(read(std::string(1 << 19, '[') + std::string(1 << 19, ']')));
  EXPECT_FALSE(read_tables_json(scratch_.path("missing.json")));
  EXPECT_FALSE(read_tables_json(scratch_.path("")));
}

}  // namespace
}  // namespace pccsql
