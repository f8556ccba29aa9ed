#include "decode/key_column.h"

#include <algorithm>
#include <string>
#include <vector>

#include "base/text.h"
#include "syntax/lexer.h"

namespace pccsql {
namespace {

// Of the text of CREATE TABLE: whether the column's declaration says NOT NULL.
bool is_declared_not_null(const std::string& sql, const std::string& column) {
  std::vector<Lexeme> lexemes;
  lex(sql, lexemes);
  int depth = 0;
  bool here = false;
  for (size_t i = 0; i < lexemes.size(); ++i) {
    const Terminal terminal = lexemes[i].terminal;
    if (terminal == Terminal::LeftParen) ++depth;
    if (terminal == Terminal::RightParen) --depth;
    const bool begins = depth == 1 && i > 0 && (lexemes[i - 1].terminal == Terminal::LeftParen || lexemes[i - 1].terminal == Terminal::Comma);
    if (begins) {
      std::string buffer;
      here = terminal == Terminal::Name && equal_folded(name_text(lexemes[i], sql, buffer), column);
    }
    if (here && depth == 1 && i > 0 && terminal == Terminal::kw_NULL && lexemes[i - 1].terminal == Terminal::kw_NOT) return true;
  }
  return false;
}

}  // namespace

bool is_primary_key(const Catalog& catalog, ColumnRef column) {
  const Table& table = catalog.table(column.table);
  return std::ranges::find(table.primary_key, column.column) != table.primary_key.end() ||
         table.integer_primary_key == column.column;
}

bool is_always_there(const Catalog& catalog, ColumnRef column) {
  if (is_primary_key(catalog, column)) return true;
  const Table& table = catalog.table(column.table);
  const bool refers = std::ranges::any_of(table.foreign_keys, [&](const ForeignKey& key) {
    return std::ranges::find(key.columns, column.column) != key.columns.end();
  });
  return refers && (table.sql.empty() || is_declared_not_null(table.sql, catalog.column(column).name));
}

}  // namespace pccsql
