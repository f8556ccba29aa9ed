// DDL text becomes a catalogue by running it: SQLite parses it in an empty database in memory, statement by statement,
// and then that database is asked. Only what makes tables, views and indexes is let through to SQLite; rows are
// skipped; everything else is an error, so that a schema file can neither open other files nor change settings.
#include <sqlite3.h>

#include <algorithm>
#include <filesystem>
#include <optional>

#include "base/text.h"
#include "schema/comments.h"
#include "schema/connection.h"
#include "schema/reader.h"
#include "schema/sqlite_catalog.h"
#include "syntax/lexer.h"

namespace pccsql {
namespace {

constexpr size_t kLongestDdl = 256u << 20;
// CREATE TABLE … AS SELECT computes rows, and a recursive one need never end.
constexpr int kSteps = 1'000'000;
constexpr int kLongestValue = 64 << 20;

int give_up(void*) { return 1; }

int allow_only_schema(void*, int action, const char*, const char*, const char*, const char*) {
  switch (action) {
    case SQLITE_ATTACH:
    case SQLITE_DETACH:
    case SQLITE_PRAGMA:
    case SQLITE_CREATE_VTABLE:
    case SQLITE_CREATE_TEMP_TABLE:
    case SQLITE_CREATE_TEMP_VIEW:
    case SQLITE_CREATE_TEMP_INDEX:
      return SQLITE_DENY;
    default:
      return SQLITE_OK;
  }
}

class DdlReader {
 public:
  DdlReader(std::string_view ddl, const std::string& file) : ddl_(ddl), file_(file) {}

  Result<Catalog> read() {
    if (ddl_.size() > kLongestDdl) return Error{"the DDL is longer than 256 MB", file_, {}};
    if (const size_t nul = ddl_.find('\0'); nul != ddl_.npos) return error(nul, "the DDL holds a NUL byte");
    if (const size_t bad = find_invalid_utf8(ddl_); bad != ddl_.npos) return error(bad, "the DDL is not valid UTF-8");
    if (lex(ddl_, lexemes_).unterminated_comment) return error(ddl_.size(), "a `/*` comment does not end");
    Result<Connection> db = open_in_memory();
    if (!db) return db.error();
    db_ = db->get();
    sqlite3_limit(db_, SQLITE_LIMIT_LENGTH, static_cast<int>(std::max<size_t>(kLongestValue, ddl_.size())));
    sqlite3_set_authorizer(db_, allow_only_schema, nullptr);
    sqlite3_progress_handler(db_, kSteps, give_up, nullptr);

    size_t first = 0;
    for (size_t i = 0; i < lexemes_.size(); ++i) {
      const Terminal terminal = lexemes_[i].terminal;
      if (terminal != Terminal::Semicolon && terminal != Terminal::End) continue;
      if (i > first) {
        if (std::optional<Error> wrong = run(first, i)) return *wrong;
      }
      first = i + 1;
    }
    sqlite3_set_authorizer(db_, nullptr, nullptr);
    sqlite3_progress_handler(db_, 0, nullptr, nullptr);
    Result<Catalog> catalog = catalog_of(db_, std::filesystem::path(file_).stem().string());
    if (!catalog) return Error{catalog.error().message, file_, {}};
    return catalog;
  }

 private:
  Error error(size_t offset, std::string message) const {
    return {std::move(message), file_, position_of(ddl_, static_cast<uint32_t>(offset))};
  }

  bool is_word(size_t lexeme, size_t end, std::string_view word) const {
    return lexeme < end && equal_folded(lexemes_[lexeme].span.of(ddl_), word);
  }

  bool makes_schema(size_t first, size_t end) const {
    if (!is_word(first, end, "CREATE")) return false;
    if (is_word(first + 1, end, "UNIQUE")) return is_word(first + 2, end, "INDEX");
    return is_word(first + 1, end, "TABLE") || is_word(first + 1, end, "VIEW") || is_word(first + 1, end, "INDEX");
  }

  // The statement of lexemes [first, end), without its semicolon.
  std::optional<Error> run(size_t first, size_t end) {
    const size_t begin = lexemes_[first].span.begin;
    if (is_word(first, end, "INSERT")) return std::nullopt;
    if (!makes_schema(first, end)) {
      return error(begin, "only CREATE TABLE, CREATE VIEW, CREATE INDEX and INSERT are read here, not `" +
                              std::string(opening(first, end)) + "`");
    }
    std::string sql(ddl_.substr(begin, lexemes_[end - 1].span.end - begin));
    std::optional<Error> failure = execute(sql, begin);
    if (failure && take_commas_out_of_comments(first, end, sql) && !execute(sql, begin)) failure.reset();
    return failure;
  }

  std::optional<Error> execute(const std::string& sql, size_t begin) {
    sqlite3_stmt* statement = nullptr;
    int rc = sqlite3_prepare_v2(db_, sql.data(), static_cast<int>(sql.size()), &statement, nullptr);
    const int offset = rc == SQLITE_OK ? -1 : sqlite3_error_offset(db_);
    if (rc == SQLITE_OK && statement != nullptr) {
      while ((rc = sqlite3_step(statement)) == SQLITE_ROW) {
      }
    }
    std::string message = sqlite3_errmsg(db_);
    sqlite3_finalize(statement);
    if (rc == SQLITE_DONE) return std::nullopt;
    if (rc == SQLITE_INTERRUPT) message = "this statement computes too much for a schema";
    return error(begin + static_cast<size_t>(std::max(offset, 0)), std::move(message));
  }

  // Prompts write `a INT -- Public,`: SQLite then misses the comma. Blanks such comments out of `sql`, the text of
  // lexemes [first, end), leaving the comma. False when there is none.
  bool take_commas_out_of_comments(size_t first, size_t end, std::string& sql) const {
    bool found = false;
    const size_t begin = lexemes_[first].span.begin;
    for (size_t i = first; i + 1 < end; ++i) {
      const Terminal next = lexemes_[i + 1].terminal;
      if (lexemes_[i].terminal == Terminal::Comma || next == Terminal::Comma || next == Terminal::RightParen) continue;
      for (const Comment& comment : comments_in(ddl_, {lexemes_[i].span.end, lexemes_[i + 1].span.begin})) {
        if (!comment.ends_with_comma(ddl_)) continue;
        std::fill(sql.begin() + comment.span.begin - begin, sql.begin() + comment.span.end - begin, ' ');
        sql[comment.span.begin - begin] = ',';
        found = true;
      }
    }
    return found;
  }

  std::string_view opening(size_t first, size_t end) const {
    constexpr size_t kWords = 3;
    const size_t last = std::min(end, first + kWords) - 1;
    const size_t begin = lexemes_[first].span.begin;
    const std::string_view words = ddl_.substr(begin, lexemes_[last].span.end - begin).substr(0, 60);
    return words.substr(0, find_invalid_utf8(words));  // a character cut in half
  }

  std::string_view ddl_;
  const std::string& file_;
  std::vector<Lexeme> lexemes_;
  sqlite3* db_ = nullptr;
};

}  // namespace

Result<Catalog> read_ddl_catalog(std::string_view ddl, const std::string& file) { return DdlReader(ddl, file).read(); }

}  // namespace pccsql
