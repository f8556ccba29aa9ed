#include "decode/mention.h"

#include <algorithm>
#include <array>
#include <span>
#include <vector>

#include "base/text.h"
#include "prompt/schema_text.h"
#include "syntax/lexer.h"

namespace pccsql {
namespace {

using NameWords = std::vector<std::string>;

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool is_capital(char c) { return c >= 'A' && c <= 'Z'; }

// "CountryCode", "country_code" and "country codes" have the same two words.
NameWords words_of(std::string_view text) {
  NameWords words;
  std::string word;
  const auto end = [&] {
    if (!word.empty()) words.push_back(folded(word));
    word.clear();
  };
  for (size_t i = 0; i < text.size(); ++i) {
    if (!is_letter(text[i])) {
      end();
      continue;
    }
    if (i > 0 && is_capital(text[i]) && is_letter(text[i - 1]) && !is_capital(text[i - 1])) end();
    word += text[i];
  }
  end();
  return words;
}

// "ages", "aged" and "age's" speak of an age; "agent" does not.
bool speaks_of(std::string_view said, std::string_view word) {
  if (!said.starts_with(word)) return said.ends_with("ies") && word.ends_with('y') && said.substr(0, said.size() - 3) == word.substr(0, word.size() - 1);
  const std::string_view rest = said.substr(word.size());
  return rest.empty() || rest == "s" || rest == "es" || rest == "d" || rest == "ed";
}

// Near each other: "birth date" and "date of birth" do, "the dates of those whose birth" does not.
bool speaks_of(const NameWords& said, const NameWords& words) {
  for (size_t begin = 0; begin < said.size(); ++begin) {
    const auto near = std::span(said).subspan(begin, std::min(words.size() + 1, said.size() - begin));
    const auto is_said = [&](const std::string& word) {
      return std::ranges::any_of(near, [&](const std::string& one) { return speaks_of(one, word); });
    };
    if (std::ranges::all_of(words, is_said)) return true;
  }
  return false;
}

// Words that questions have for other reasons.
bool says_little(const NameWords& words) {
  constexpr std::array<std::string_view, 8> kUsual{"number", "count", "total", "amount", "name", "list", "order", "value"};
  return words.size() == 1 && (words[0].size() < 3 || std::ranges::find(kUsual, words[0]) != kUsual.end());
}

}  // namespace

std::optional<WithheldUse> mentioned_and_closed(const Catalog& catalog, const Policy& policy, std::string_view question,
                                                std::string_view sql) {
  const NameWords said = words_of(question);
  std::vector<Lexeme> lexemes;
  lex(sql, lexemes);
  std::vector<NameWords> named;
  std::vector<TableId> tables;
  for (const Lexeme& lexeme : lexemes) {
    if (lexeme.terminal != Terminal::Name) continue;
    std::string buffer;
    const std::string name(name_text(lexeme, sql, buffer));
    named.push_back(words_of(name));
    if (const auto table = catalog.find_table(name)) tables.push_back(*table);
  }
  const auto holds = [](const NameWords& all, const NameWords& some) {
    return std::ranges::all_of(some, [&](const std::string& word) { return std::ranges::find(all, word) != all.end(); });
  };
  const auto is_public = [&](const NameWords& words) {
    for (TableId t = 0; t < catalog.tables().size(); ++t) {
      for (ColumnIndex c = 0; c < catalog.table(t).columns.size(); ++c) {
        if (policy.of({t, c}) == ColumnPolicy::Public && words_of(catalog.table(t).columns[c].name) == words) return true;
      }
    }
    return false;
  };
  for (TableId t = 0; t < catalog.tables().size(); ++t) {
    if (std::ranges::find(tables, t) == tables.end()) continue;
    for (ColumnIndex c = 0; c < catalog.table(t).columns.size(); ++c) {
      const ColumnPolicy its = policy.of({t, c});
      if (its == ColumnPolicy::Public) continue;
      const NameWords words = words_of(catalog.table(t).columns[c].name);
      if (words.empty() || says_little(words) || (its != ColumnPolicy::Hidden && words.size() < 2)) continue;
      if (!speaks_of(said, words)) continue;
      if (std::ranges::any_of(named, [&](const NameWords& name) { return holds(name, words); }) || is_public(words)) continue;
      return WithheldUse{column_text(catalog, {t, c}), "what the question names", std::nullopt, its, false, ColumnRef{t, c}, {}};
    }
  }
  return std::nullopt;
}

}  // namespace pccsql
