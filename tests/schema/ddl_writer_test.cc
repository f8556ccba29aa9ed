// A catalogue written as DDL and read again is the same catalogue, whatever its names look like.
#include <gtest/gtest.h>

#include "schema/reader.h"

namespace pccsql {
namespace {

void expect_same_tables(const Catalog& a, const Catalog& b) {
  ASSERT_EQ(a.tables().size(), b.tables().size());
  for (size_t i = 0; i < a.tables().size(); ++i) {
    const Table& x = a.tables()[i];
    const Table& y = b.tables()[i];
    SCOPED_TRACE(x.name);
    EXPECT_EQ(x.name, y.name);
    EXPECT_EQ(x.without_rowid, y.without_rowid);
    EXPECT_EQ(x.integer_primary_key, y.integer_primary_key);
    EXPECT_EQ(x.primary_key, y.primary_key);
    EXPECT_EQ(x.unique_keys, y.unique_keys);
    ASSERT_EQ(x.columns.size(), y.columns.size());
    for (size_t k = 0; k < x.columns.size(); ++k) {
      EXPECT_EQ(x.columns[k].name, y.columns[k].name);
      EXPECT_EQ(x.columns[k].type, y.columns[k].type);
    }
    ASSERT_EQ(x.foreign_keys.size(), y.foreign_keys.size());
    for (size_t k = 0; k < x.foreign_keys.size(); ++k) {
      EXPECT_EQ(x.foreign_keys[k].columns, y.foreign_keys[k].columns);
      EXPECT_EQ(x.foreign_keys[k].parent_table, y.foreign_keys[k].parent_table);
      EXPECT_EQ(x.foreign_keys[k].parent_columns, y.foreign_keys[k].parent_columns);
    }
  }
}

TEST(DdlWriter, RoundTrip) {
  const auto catalog = read_ddl_catalog(
      "CREATE TABLE plain (id INTEGER PRIMARY KEY, name VARCHAR(20) UNIQUE, x DOUBLE PRECISION, untyped);"
      "CREATE TABLE descending (id INTEGER PRIMARY KEY DESC, p REFERENCES plain);"
      "CREATE TABLE text_key (id TEXT PRIMARY KEY, a, b, UNIQUE (b, a), FOREIGN KEY (a, b) REFERENCES \"od d\" (k, l));"
      "CREATE TABLE \"od d\" (k \"my \"\"type\"\"\", l, \"sel\"\"ect\" INT, PRIMARY KEY (l, k)) WITHOUT ROWID;"
      "CREATE TABLE no_rowid (id INTEGER PRIMARY KEY, \"a);--\" TEXT) WITHOUT ROWID;");
  ASSERT_TRUE(catalog) << catalog.error().to_string();
  const auto again = read_ddl_catalog(to_ddl(*catalog));
  ASSERT_TRUE(again) << again.error().to_string() << "\n" << to_ddl(*catalog);
  expect_same_tables(*catalog, *again);
}

TEST(DdlWriter, LeavesOutViewsAndWhatSqliteCouldNotHold) {
  const auto column = [](const char* name) {
    Column c;
    c.name = name;
    return c;
  };
  Table view, own, first, second, bare;
  view.name = "v";
  view.kind = TableKind::View;
  view.columns = {column("a")};
  own.name = "sqlite_sequence";
  own.columns = {column("seq")};
  first.name = "t";
  first.columns = {column("a"), column("A"), column("b")};
  second.name = "T";
  second.columns = {column("c")};
  bare.name = "bare";
  const auto again = read_ddl_catalog(to_ddl(Catalog({view, own, first, second, bare})));
  ASSERT_TRUE(again) << again.error().to_string();
  ASSERT_EQ(again->tables().size(), 1u);
  EXPECT_EQ(again->table(0).name, "t");
  ASSERT_EQ(again->table(0).columns.size(), 2u);
  EXPECT_EQ(again->table(0).columns[1].name, "b");
}

}  // namespace
}  // namespace pccsql
