#include "decode/wanted.h"

#include <algorithm>
#include <optional>
#include <string>

#include "base/text.h"
#include "prompt/output.h"
#include "syntax/lexer.h"
#include "track/lexical.h"

namespace pccsql {
namespace {

// The name that was being written: what stands of it, and whether the piece ends it.
struct Wanted {
  std::string begin;
  bool whole = false;
  std::string qualifier;  // folded
};

char closing(char quote) { return quote == '[' ? ']' : quote; }
bool is_name_quote(char c) { return c == '"' || c == '`' || c == '['; }
bool in_word(char c) { return track::continues_word(static_cast<uint8_t>(c)); }

std::string qualifier_before(std::string_view text, const std::vector<Lexeme>& lexemes, size_t end) {
  if (end < 2 || lexemes[end - 1].terminal != Terminal::Dot || lexemes[end - 2].terminal != Terminal::Name) return "";
  std::string buffer;
  return folded(name_text(lexemes[end - 2], text, buffer));
}

// Nothing where the piece does not go on with a name.
std::optional<Wanted> wanted_name(std::string_view text, std::string_view rest) {
  if (rest.empty()) return std::nullopt;
  std::vector<Lexeme> lexemes;
  lex(text, lexemes);
  lexemes.pop_back();  // the end
  std::string_view open;
  char quote = 0;
  if (!lexemes.empty() && lexemes.back().span.end == text.size()) {
    const std::string_view last = lexemes.back().span.of(text);
    if (lexemes.back().terminal == Terminal::Illegal) {
      if (!is_name_quote(last[0])) return std::nullopt;  // inside a string
      quote = last[0];
      open = last.substr(1);
      lexemes.pop_back();
    } else if (in_word(last.back()) && !(last[0] >= '0' && last[0] <= '9')) {
      open = last;
      lexemes.pop_back();
    }
  }
  Wanted wanted;
  wanted.qualifier = qualifier_before(text, lexemes, lexemes.size());
  if (quote == 0 && open.empty() && is_name_quote(rest[0])) {
    quote = rest[0];
    rest.remove_prefix(1);
  }
  size_t length = 0;
  while (length < rest.size() && (quote != 0 ? rest[length] != closing(quote) : in_word(rest[length]))) ++length;
  wanted.begin = folded(std::string(open) + std::string(rest.substr(0, length)));
  wanted.whole = length < rest.size();
  if (wanted.begin.empty()) return std::nullopt;
  return wanted;
}

// A table that a FROM has brought, under the name that it has there: "employee AS e", both folded.
struct InScope {
  std::string table;
  std::string name;
};

std::vector<InScope> tables_in(const std::vector<std::string>& scope) {
  std::vector<InScope> tables;
  for (const std::string& entry : scope) {
    const size_t as = entry.rfind(" AS ");
    tables.push_back({folded(entry.substr(0, as)), folded(as == std::string::npos ? entry : entry.substr(as + 4))});
  }
  return tables;
}

bool by_policy(std::string_view why) {
  for (const ColumnPolicy policy : kColumnPolicies) {
    if (why.starts_with(to_string(policy))) return true;
  }
  return why.starts_with("no column of") || why.starts_with("`*`");
}

}  // namespace

bool begins_refusal(std::string_view text, std::string_view piece) {
  const std::string word = trimmed(piece);
  return trimmed(text).empty() && word.size() >= 2 && kRefuse.starts_with(word);
}

Explanation explain_word(Matcher& matcher, std::string_view piece) {
  size_t lead = 0;
  while (lead < piece.size() && !in_word(piece[lead])) ++lead;
  if (lead == 0 || lead == piece.size()) return matcher.explain();
  const bool taken = matcher.accept_text(piece.substr(0, lead));
  if (!taken) matcher.rollback(1);
  Explanation explanation = matcher.explain();
  if (taken) matcher.rollback(1);
  return explanation;
}

std::vector<BlockedName> wanted_names(Matcher& matcher, std::string_view piece) {
  constexpr size_t kMostMeant = 3;
  size_t admitted = 0;
  while (admitted < piece.size() && matcher.accept_text(piece.substr(admitted, 1))) ++admitted;
  if (admitted < piece.size()) matcher.rollback(1);
  const Explanation explanation = matcher.explain();
  const std::string text(matcher.text());
  matcher.rollback(admitted);

  const std::string_view rest = piece.substr(admitted);
  if (rest.starts_with('*') && explanation.clause == "select list" && !explanation.role.empty()) {
    return {{"*", explanation.role, "no table that could stand here has Public columns alone", true}};
  }
  const auto wanted = wanted_name(text, rest);
  if (!wanted) return {};
  const std::vector<InScope> scope = tables_in(explanation.scope);
  // Whether the name could be meant there: of the table that qualifies it, or of one that FROM has brought. A table's
  // own name may always be.
  const auto meant = [&](const std::string& table) {
    const auto fits = [&](const InScope& item) {
      return item.table == table && (wanted->qualifier.empty() || item.name == wanted->qualifier);
    };
    return scope.empty() || std::ranges::any_of(scope, fits);
  };
  std::vector<BlockedName> exact;
  std::vector<BlockedName> begun;
  for (const Explanation::Name& name : explanation.blocked) {
    const std::string full = folded(name.text);
    const size_t dot = full.find('.');
    if (dot != std::string::npos && !meant(full.substr(0, dot))) continue;
    const std::string own = dot == std::string::npos ? full : full.substr(dot + 1);
    const BlockedName made{name.text, explanation.role, name.detail, by_policy(name.detail)};
    if (own == wanted->begin) {
      exact.push_back(made);
    } else if (!wanted->whole && own.starts_with(wanted->begin)) {
      begun.push_back(made);
    }
  }
  std::vector<BlockedName>& names = exact.empty() ? begun : exact;
  // Of several columns with that name the ones that the policy closes are what the reader must know about.
  if (std::ranges::any_of(names, &BlockedName::by_policy)) {
    std::erase_if(names, [](const BlockedName& name) { return !name.by_policy; });
  }
  if (names.size() <= kMostMeant) return std::move(names);
  if (exact.empty()) return {};
  // One name that many tables have: it is said once, as it was to be written.
  BlockedName one = names.front();
  one.name = one.name.substr(one.name.find('.') + 1);
  return {std::move(one)};
}

}  // namespace pccsql
