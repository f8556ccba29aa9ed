// A catalogue written as CREATE TABLE statements, for an empty database in which queries over it can be prepared. Every
// name and every type is quoted (SQLite takes a quoted type as it takes a bare one), so that no spelling in a schema
// can be mistaken for SQL. Left out: views, SQLite's own tables, and what SQLite could not hold: a second table of one
// name, a second column of one name. Generated columns become ordinary ones.
#include <set>

#include "base/text.h"
#include "schema/reader.h"

namespace pccsql {
namespace {

std::string column_list(const Table& table, const std::vector<ColumnIndex>& columns) {
  std::string list;
  for (const ColumnIndex column : columns) {
    list += (list.empty() ? "(" : ", ") + quoted_identifier(table.columns[column].name);
  }
  return list + ")";
}

std::string columns_of(const Table& table) {
  // A lone INTEGER key becomes the rowid if it is written plainly; DESC is SQLite's way to say that it is not.
  const bool lone_integer_key =
      table.primary_key.size() == 1 && equal_folded(table.columns[table.primary_key[0]].type, "INTEGER");
  std::set<std::string> seen;
  std::string text;
  for (size_t i = 0; i < table.columns.size(); ++i) {
    const Column& column = table.columns[i];
    if (!seen.insert(folded(column.name)).second) continue;
    text += (text.empty() ? "\n  " : ",\n  ") + quoted_identifier(column.name);
    if (!column.type.empty()) text += " " + quoted_identifier(column.type);
    if (lone_integer_key && table.primary_key[0] == i) {
      text += table.integer_primary_key || table.without_rowid ? " PRIMARY KEY" : " PRIMARY KEY DESC";
    }
  }
  if (!table.primary_key.empty() && !lone_integer_key)
    text += ",\n  PRIMARY KEY " + column_list(table, table.primary_key);
  for (const std::vector<ColumnIndex>& key : table.unique_keys) text += ",\n  UNIQUE " + column_list(table, key);
  for (const ForeignKey& key : table.foreign_keys) {
    text +=
        ",\n  FOREIGN KEY " + column_list(table, key.columns) + " REFERENCES " + quoted_identifier(key.parent_table);
    std::string parents;
    for (const std::string& parent : key.parent_columns) {
      parents += (parents.empty() ? " (" : ", ") + quoted_identifier(parent);
    }
    if (!parents.empty()) text += parents + ")";
  }
  return text;
}

}  // namespace

std::string to_ddl(const Catalog& catalog) {
  std::set<std::string> seen;
  std::string ddl;
  for (const Table& table : catalog.tables()) {
    if (table.kind == TableKind::View || table.columns.empty() || folded(table.name).starts_with("sqlite_")) continue;
    if (!seen.insert(folded(table.name)).second) continue;
    ddl += "CREATE TABLE " + quoted_identifier(table.name) + " (" + columns_of(table) + "\n)" +
           (table.without_rowid && !table.primary_key.empty() ? " WITHOUT ROWID" : "") + ";\n";
  }
  return ddl;
}

}  // namespace pccsql
