#include "decode/renamed.h"

#include <algorithm>

#include "base/text.h"
#include "syntax/lexer.h"

namespace pccsql {

std::vector<Renaming> renamings(std::string_view text, std::string_view piece) {
  std::vector<Lexeme> lexemes;
  lex(text, lexemes);
  lexemes.pop_back();
  const auto is = [&](size_t i, Terminal terminal) { return i < lexemes.size() && lexemes[i].terminal == terminal; };
  const auto word = [&](size_t i) { return lexemes[i].span.of(text); };
  size_t from = 0;
  for (size_t i = 0; i < lexemes.size(); ++i) {
    if (i > 0 && is(i, Terminal::kw_SELECT)) return {};  // one level alone
    if (is(i, Terminal::kw_FROM)) from = i;
  }
  if (from == 0) return {};
  std::vector<std::string_view> aliases;
  std::vector<std::string_view> used;  // before FROM
  for (size_t i = 0; i < lexemes.size(); ++i) {
    if (i < from && is(i, Terminal::Name) && is(i + 1, Terminal::Dot)) used.push_back(word(i));
    const bool whole = i + 1 < lexemes.size() || lexemes[i].span.end < text.size();
    if (i > from + 1 && is(i, Terminal::Name) && is(i - 1, Terminal::kw_AS) && whole) aliases.push_back(word(i));
  }
  const auto among = [](const std::vector<std::string_view>& all, std::string_view one) { return std::ranges::find(all, one) != all.end(); };
  std::string_view owed;
  for (const std::string_view one : used) {
    if (among(aliases, one) || one == owed) continue;
    if (!owed.empty()) return {};
    owed = one;
  }
  if (owed.empty()) return {};
  // What is being written may be just that name, for another table; or has been, and the mask asks for one more letter.
  const size_t last = lexemes.size() - 1;
  const size_t as = is(last, Terminal::kw_AS) ? last : last - 1;
  const bool naming = is(as, Terminal::kw_AS) && !piece.empty();
  const std::string name = naming ? trimmed(std::string(text.substr(lexemes[as].span.end)) + std::string(piece)) : "";
  const bool named = as != last && is(as, Terminal::kw_AS) && word(last) == owed && lexemes[last].span.end == text.size();
  std::vector<Renaming> made;
  for (const std::string_view alias : aliases) {
    if (among(used, alias)) continue;
    std::string renamed;
    uint32_t done = 0;
    uint32_t first = 0;
    for (size_t i = from; i < lexemes.size(); ++i) {
      const bool other = named && i == last;
      const bool stands = is(i, Terminal::Name) && word(i) == alias && (is(i - 1, Terminal::kw_AS) || is(i + 1, Terminal::Dot));
      if (!stands && !other) continue;
      if (first == 0) first = done = lexemes[i].span.begin;
      renamed += std::string(text.substr(done, lexemes[i].span.begin - done)) + std::string(other ? alias : owed);
      done = lexemes[i].span.end;
    }
    if (first == 0) continue;
    renamed += text.substr(done);
    made.push_back({first, renamed, name == owed});
  }
  return made;
}

}  // namespace pccsql
