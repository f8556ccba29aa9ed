// Lookups of a catalogue: case folds in ASCII only, unknown names are unknown, the first of two equal names is found.
#include "schema/catalog.h"

#include <gtest/gtest.h>

namespace pccsql {
namespace {

Table table_of(std::string name, std::vector<std::string> columns) {
  Table table;
  table.name = std::move(name);
  for (std::string& column : columns) {
    table.columns.emplace_back();
    table.columns.back().name = std::move(column);
  }
  return table;
}

TEST(Catalog, FindsNamesInAnyAsciiCase) {
  const Catalog catalog({table_of("Employee", {"ID", "Größe"}), table_of("dept", {"id"})}, "hr");
  EXPECT_EQ(catalog.name(), "hr");
  EXPECT_EQ(catalog.find_table("EMPLOYEE"), TableId{0});
  EXPECT_EQ(catalog.find_table("Dept"), TableId{1});
  EXPECT_EQ(catalog.find_column("employee", "id"), (ColumnRef{0, 0}));
  EXPECT_EQ(catalog.find_column("DEPT", "ID"), (ColumnRef{1, 0}));
  EXPECT_EQ(catalog.find_column("employee", "GRößE"), (ColumnRef{0, 1}));
  EXPECT_FALSE(catalog.find_column("employee", "GRÖßE"));  // only ASCII folds
}

TEST(Catalog, UnknownNamesAreNotFound) {
  const Catalog catalog({table_of("t", {"a"})});
  EXPECT_FALSE(catalog.find_table("a"));  // a column's name is no table
  EXPECT_FALSE(catalog.find_table("nothing"));
  EXPECT_FALSE(catalog.find_table(""));
  EXPECT_FALSE(catalog.find_column("t", "t"));
  EXPECT_FALSE(catalog.find_column("t", "nothing"));
  EXPECT_FALSE(catalog.table(0).find_column(kNoName));
}

TEST(Catalog, NamesAddedByAQueryAreNoTables) {
  const Catalog catalog({table_of("t", {"a"})});
  Names names = catalog.names();
  EXPECT_FALSE(catalog.find_table(names.intern("alias")));
  EXPECT_EQ(catalog.find_table(names.intern("T")), TableId{0});
}

TEST(Catalog, FirstOfTwoTablesOfOneNameIsFound) {
  const Catalog catalog({table_of("t", {"a"}), table_of("T", {"b"})});
  EXPECT_EQ(catalog.find_table("t"), TableId{0});
}

TEST(Catalog, EmptyCatalogueHasNothing) {
  const Catalog catalog({});
  EXPECT_FALSE(catalog.find_table("t"));
  EXPECT_FALSE(catalog.find_column("t", "a"));
}

}  // namespace
}  // namespace pccsql
