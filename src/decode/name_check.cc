#include "decode/name_check.h"

#include <algorithm>

#include "base/text.h"
#include "syntax/lexer.h"

namespace pccsql {

bool NameCheck::exists(std::string_view name, bool table) const {
  std::vector<Lexeme> lexemes;
  lex(name, lexemes);
  std::vector<std::string> parts;
  for (const Lexeme& lexeme : lexemes) {
    if (lexeme.terminal == Terminal::Dot || lexeme.terminal == Terminal::End) continue;
    std::string buffer;
    parts.emplace_back(lexeme.terminal == Terminal::Name ? name_text(lexeme, name, buffer) : lexeme.span.of(name));
  }
  if (parts.empty()) return false;
  if (table) return catalog_.find_table(parts[0]).has_value();
  if (parts.size() > 1 && catalog_.find_table(parts[0])) return catalog_.find_column(parts[0], parts[1]).has_value();
  return std::ranges::any_of(catalog_.tables(), [&](const Table& its) {
    return std::ranges::any_of(its.columns,
                               [&](const Column& column) { return equal_folded(column.name, parts.back()); });
  });
}

bool NameCheck::feed(std::string_view bytes) {
  if (bytes.empty()) return true;
  if (!matcher_->accept_text(bytes)) {
    matcher_->rollback(1);
    return false;
  }
  fed_.push_back((fed_.empty() ? 0 : fed_.back()) + bytes.size());
  return true;
}

bool NameCheck::passes(std::string_view text, const NameEnd& name) {
  if (!matcher_) return exists(name.span.of(text), name.table);
  if (lost_) return true;
  const size_t known = fed_.empty() ? 0 : fed_.back();
  if (known > name.span.begin || matcher_->is_refused() || !feed(text.substr(known, name.span.begin - known))) {
    lost_ = name.span.begin;
    return true;
  }
  if (!feed(name.span.of(text))) return false;
  // The name must be able to end here: what stands may be the beginning of another that is permitted.
  if (!feed(" ")) {
    go_back(name.span.begin);
    return false;
  }
  matcher_->rollback(1);
  fed_.pop_back();
  return true;
}

void NameCheck::go_back(size_t length) {
  if (!matcher_) return;
  if (lost_ && length <= *lost_) lost_.reset();
  size_t steps = 0;
  while (!fed_.empty() && fed_.back() > length) {
    fed_.pop_back();
    ++steps;
  }
  matcher_->rollback(steps);
}

}  // namespace pccsql
