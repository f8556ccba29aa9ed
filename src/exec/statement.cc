#include "exec/statement.h"

#include <sqlite3.h>

#include <algorithm>
#include <climits>
#include <vector>

#include "syntax/lexer.h"

namespace pccsql {
namespace {

bool only_blanks_and_semicolons(std::string_view tail) {
  std::vector<Lexeme> lexemes;
  lex(tail, lexemes);
  return std::ranges::all_of(lexemes, [](const Lexeme& lexeme) {
    return lexeme.terminal == Terminal::Semicolon || lexeme.terminal == Terminal::End;
  });
}

}  // namespace

void FinalizeStatement::operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }

PrepareOutcome prepare_one(sqlite3* db, std::string_view sql) {
  if (sql.size() > INT_MAX) return {nullptr, 0, "the query is too long"};
  if (sql.empty()) return {nullptr, 0, "there is no statement"};
  if (sql.find('\0') != std::string_view::npos) return {nullptr, 0, "the query holds a NUL byte"};
  sqlite3_stmt* raw = nullptr;
  const char* tail = nullptr;
  const int rc = sqlite3_prepare_v2(db, sql.data(), static_cast<int>(sql.size()), &raw, &tail);
  Statement statement(raw);
  if (rc != SQLITE_OK) return {nullptr, rc, sqlite3_errmsg(db)};
  if (!statement) return {nullptr, 0, "there is no statement"};
  if (!only_blanks_and_semicolons(sql.substr(static_cast<size_t>(tail - sql.data())))) {
    return {nullptr, 0, "there is text after the statement"};
  }
  return {std::move(statement), SQLITE_OK, {}};
}

}  // namespace pccsql
