#include "exec/fence.h"

#include <sqlite3.h>

#include "base/text.h"
#include "exec/statement.h"
#include "syntax/lexer.h"

namespace pccsql {
namespace {

std::string_view text_of(const char* text) { return text == nullptr ? std::string_view() : std::string_view(text); }

int note_views(void* views, int, const char*, const char*, const char*, const char* view) {
  if (view != nullptr) static_cast<std::set<std::string>*>(views)->insert(folded(view));
  return SQLITE_OK;
}

// The views that a view reads, itself included. A view that does not prepare reads none.
void add_inner_views(sqlite3* db, const std::string& view, std::set<std::string>& views) {
  sqlite3_set_authorizer(db, note_views, &views);
  prepare_one(db, "SELECT * FROM main." + quoted_identifier(view));
  sqlite3_set_authorizer(db, nullptr, nullptr);
}

Result<std::set<std::string>> names_present(sqlite3* db) {
  std::set<std::string> names;
  const PrepareOutcome query = prepare_one(db, "SELECT name FROM main.sqlite_schema WHERE type IN ('table', 'view')");
  if (!query.statement) return Error{"its tables cannot be listed: " + query.message, {}, {}};
  int rc = SQLITE_ROW;
  while ((rc = sqlite3_step(query.statement.get())) == SQLITE_ROW) {
    names.insert(folded(text_of(reinterpret_cast<const char*>(sqlite3_column_text(query.statement.get(), 0)))));
  }
  if (rc != SQLITE_DONE) return Error{std::string("its tables cannot be listed: ") + sqlite3_errmsg(db), {}, {}};
  return names;
}

}  // namespace

Result<Fence> Fence::make(sqlite3* db, const FenceRules& rules) {
  Fence fence;
  auto present = names_present(db);
  if (!present) return present.error();
  fence.present_ = std::move(*present);
  for (const FenceRules::Table& rule : rules.tables) {
    Columns columns;
    columns.closed = rule.closed;
    columns.open_view = rule.open_view;
    for (const auto& [column, may] : rule.may_read) columns.may.emplace(column, may);
    if (columns.open_view) add_inner_views(db, rule.name, fence.inner_views_);
    fence.tables_.emplace(folded(rule.name), std::move(columns));
  }
  fence.functions_.insert(rules.functions.begin(), rules.functions.end());
  return fence;
}

void Fence::guard(sqlite3* db) { sqlite3_set_authorizer(db, authorize, this); }
void Fence::lift(sqlite3* db) { sqlite3_set_authorizer(db, nullptr, nullptr); }

void Fence::admit(const Admitted& columns) {
  admitted_.clear();
  for (const auto& [table, column] : columns) admitted_.emplace(folded(table), folded(column));
}

bool Fence::is_open_view(const std::string& folded_name) const {
  const auto found = tables_.find(folded_name);
  return (found != tables_.end() && found->second.open_view) || inner_views_.contains(folded_name);
}

std::string Fence::disguise(std::string_view sql) const {
  // A name that introduces a query stands before AS and a parenthesis, with or without a list of columns between, and
  // with or without MATERIALIZED. A window's looks the same, and is as good as denied.
  std::vector<Lexeme> lexemes;
  lex(sql, lexemes);
  std::string buffer;
  for (size_t i = 1; i + 1 < lexemes.size(); ++i) {
    if (lexemes[i].terminal != Terminal::kw_AS) continue;
    const Terminal after = lexemes[i + 1].terminal;
    if (after != Terminal::LeftParen && after != Terminal::kw_NOT && after != Terminal::kw_MATERIALIZED) continue;
    size_t name = i - 1;
    if (lexemes[name].terminal == Terminal::RightParen) {
      while (name > 0 && lexemes[name].terminal != Terminal::LeftParen) --name;
      if (name == 0) continue;
      --name;
    }
    std::string_view text = lexemes[name].span.of(sql);
    if (lexemes[name].terminal == Terminal::Name) text = name_text(lexemes[name], sql, buffer);
    if (lexemes[name].terminal == Terminal::String && text.size() >= 2) text = text.substr(1, text.size() - 2);
    if (is_open_view(folded(text))) return std::string(text);
  }
  return {};
}

std::string Fence::take_denial() { return std::exchange(denial_, {}); }

bool Fence::allows_read(std::string_view table, std::string_view column) const {
  const std::string name = folded(table);
  const auto found = tables_.find(name);
  // A table from which nothing is read is reported without a column; so is a CTE, which the database does not have.
  if (found == tables_.end()) return column.empty() && !present_.contains(name) && !name.starts_with("sqlite_");
  if (found->second.closed) return false;
  if (column.empty()) return true;
  if (admitted_.contains({name, folded(column)})) return true;
  const auto may = found->second.may.find(folded(column));
  return may != found->second.may.end() && may->second;
}

bool Fence::allows(int action, std::string_view a, std::string_view b, std::string_view schema,
                   std::string_view view) const {
  const bool inside_view = !view.empty() && is_open_view(folded(view));
  // COUNT(*) over a view reads none of its columns: that it is named at all shows in what its body reads. Views inside
  // open ones cannot be told from those by this.
  if (!inside_view && present_.contains(folded(view))) return false;
  switch (action) {
    case SQLITE_SELECT:
      return true;
    case SQLITE_READ:
      if (!schema.empty() && schema != "main") return false;
      return inside_view ? !folded(a).starts_with("sqlite_") : allows_read(a, b);
    case SQLITE_FUNCTION:
      return functions_.contains(folded(b)) || (inside_view && !equal_folded(b, "load_extension"));
    case SQLITE_RECURSIVE:
      return inside_view;
    default:
      return false;
  }
}

int Fence::authorize(void* fence, int action, const char* a, const char* b, const char* schema, const char* view) {
  auto& self = *static_cast<Fence*>(fence);
  try {
    if (self.allows(action, text_of(a), text_of(b), text_of(schema), text_of(view))) return SQLITE_OK;
    if (self.denial_.empty()) {
      const std::string what = std::string(text_of(b));
      if (action == SQLITE_READ) {
        self.denial_ = "`" + std::string(text_of(a)) + (what.empty() ? "" : "." + what) + "` may not be read";
      } else if (action == SQLITE_FUNCTION) {
        self.denial_ = "the function `" + what + "` may not be called";
      } else {
        self.denial_ = "only reading is allowed";
      }
    }
  } catch (...) {  // SQLite is C: no memory for the answer is a denial
  }
  return SQLITE_DENY;
}

}  // namespace pccsql
