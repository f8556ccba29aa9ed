#include "prompt/schema_text.h"

#include <vector>

#include "base/text.h"
#include "syntax/lexer.h"

namespace pccsql {
namespace {

std::string names_in_sql(const std::vector<std::string>& names) {
  std::string list;
  for (const std::string& name : names) list += (list.empty() ? "" : ", ") + name_in_sql(name);
  return "(" + list + ")";
}

std::string names_of(const Table& table, const std::vector<ColumnIndex>& columns) {
  std::vector<std::string> names;
  for (const ColumnIndex column : columns) names.push_back(table.columns[column].name);
  return names_in_sql(names);
}

// A declared type may hold anything; one that is not plain words and numbers would break the text around it.
std::string type_text(const Column& column) {
  std::vector<Lexeme> lexemes;
  lex(column.type, lexemes);
  for (const Lexeme& lexeme : lexemes) {
    const bool fine = (lexeme.terminal == Terminal::Name && lexeme.quote == Quote::None) ||
                      lexeme.terminal == Terminal::Integer || lexeme.terminal == Terminal::LeftParen ||
                      lexeme.terminal == Terminal::RightParen || lexeme.terminal == Terminal::Comma ||
                      lexeme.terminal == Terminal::End;
    if (!fine || column.type.find_first_of("\n\r-/") != std::string::npos) return "";
  }
  return column.type.empty() ? "" : " " + column.type;
}

std::string table_text(TableId id, const Table& table, const Policy& policy) {
  const bool lone_key = table.primary_key.size() == 1;
  std::vector<std::string> constraints;
  if (table.primary_key.size() > 1) constraints.push_back("PRIMARY KEY " + names_of(table, table.primary_key));
  for (const ForeignKey& key : table.foreign_keys) {
    constraints.push_back("FOREIGN KEY " + names_of(table, key.columns) + " REFERENCES " +
                          name_in_sql(key.parent_table) +
                          (key.parent_columns.empty() ? "" : " " + names_in_sql(key.parent_columns)));
  }
  std::string text = "CREATE TABLE " + name_in_sql(table.name) + " (\n";
  for (ColumnIndex c = 0; c < table.columns.size(); ++c) {
    const Column& column = table.columns[c];
    text += "  " + name_in_sql(column.name) + type_text(column);
    if (lone_key && table.primary_key[0] == c) text += " PRIMARY KEY";
    if (c + 1 < table.columns.size() || !constraints.empty()) text += ",";
    text += " -- " + std::string(to_string(policy.of({id, c}))) + "\n";
  }
  for (size_t i = 0; i < constraints.size(); ++i) {
    text += "  " + constraints[i] + (i + 1 < constraints.size() ? ",\n" : "\n");
  }
  return text + ");\n";
}

}  // namespace

std::string name_in_sql(std::string_view name) {
  std::vector<Lexeme> lexemes;
  lex(name, lexemes);
  const bool one = lexemes.size() == 2 && lexemes[0].span.of(name) == name;
  const Terminal terminal = lexemes[0].terminal;
  const bool plain = terminal == Terminal::Name && lexemes[0].quote == Quote::None;
  const bool as_good = terminal > Terminal::LongArrow && keyword_kind(terminal) == KeywordKind::Fallback;
  return one && (plain || as_good) ? std::string(name) : quoted_identifier(name);
}

std::string column_text(const Catalog& catalog, ColumnRef column) {
  return name_in_sql(catalog.table(column.table).name) + "." + name_in_sql(catalog.column(column).name);
}

std::string schema_text(const Catalog& catalog, const Policy& policy) {
  std::string text;
  for (TableId id = 0; id < catalog.tables().size(); ++id) {
    const Table& table = catalog.table(id);
    if (table.kind == TableKind::Virtual || table.columns.empty()) continue;
    text += (text.empty() ? "" : "\n") + table_text(id, table, policy);
  }
  return text;
}

}  // namespace pccsql
