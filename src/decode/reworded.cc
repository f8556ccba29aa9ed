#include "decode/reworded.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "base/text.h"
#include "decode/key_column.h"
#include "prompt/schema_text.h"
#include "syntax/lexer.h"

namespace pccsql {
namespace {

// A draft's lexemes, and what the functions below ask of them.
class Draft {
 public:
  explicit Draft(std::string_view sql) : sql_(sql) {
    lex(sql, lexemes_);
    lexemes_.pop_back();  // the end
  }

  size_t size() const { return lexemes_.size(); }
  Span span(size_t i) const { return lexemes_[i].span; }
  std::string_view text(size_t i) const { return span(i).of(sql_); }
  bool is(size_t i, Terminal terminal) const { return i < lexemes_.size() && lexemes_[i].terminal == terminal; }
  std::string name(size_t i) const {
    std::string buffer;
    return std::string(name_text(lexemes_[i], sql_, buffer));
  }
  bool has(Terminal terminal) const { return std::ranges::find(lexemes_, terminal, &Lexeme::terminal) != lexemes_.end(); }
  // The first lexeme that begins there or later.
  size_t at(uint32_t offset) const {
    const auto found = std::ranges::find_if(lexemes_, [&](const Lexeme& l) { return l.span.begin >= offset; });
    return static_cast<size_t>(found - lexemes_.begin());
  }
  // The parenthesis that closes the one at `open`.
  std::optional<size_t> closing(size_t open) const {
    int depth = 0;
    for (size_t i = open; i < size(); ++i) {
      if (is(i, Terminal::LeftParen)) ++depth;
      if (is(i, Terminal::RightParen) && --depth == 0) return i;
    }
    return std::nullopt;
  }

 private:
  std::string_view sql_;
  std::vector<Lexeme> lexemes_;
};

struct NamedItem {
  std::string name;  // that the table has here
  TableId table = 0;
};

// The base tables that lexemes [from, end) name after FROM, JOIN and commas, each name once.
std::vector<NamedItem> named_items(const Catalog& catalog, const Draft& draft, size_t from, size_t end) {
  std::vector<NamedItem> items;
  for (size_t i = std::max<size_t>(from, 1); i < end; ++i) {
    const bool begins = draft.is(i - 1, Terminal::kw_FROM) || draft.is(i - 1, Terminal::kw_JOIN) || draft.is(i - 1, Terminal::Comma);
    if (!begins || !draft.is(i, Terminal::Name)) continue;
    const auto table = catalog.find_table(draft.name(i));
    if (!table) continue;
    const size_t alias = draft.is(i + 1, Terminal::kw_AS) ? i + 2 : i + 1;
    const std::string own = draft.is(alias, Terminal::Name) ? draft.name(alias) : draft.name(i);
    if (std::ranges::none_of(items, [&](const NamedItem& item) { return equal_folded(item.name, own); })) items.push_back({own, *table});
  }
  return items;
}

bool has_outer_join(const Draft& draft) {
  return draft.has(Terminal::kw_LEFT) || draft.has(Terminal::kw_RIGHT) || draft.has(Terminal::kw_FULL);
}

// Whether FROM, one level of tables joined on equal columns, repeats no row of that table: each other one is found by its key from
// what is there already.
bool repeats_no_row(const Catalog& catalog, const Draft& draft, TableId of) {
  size_t selects = 0;
  for (size_t i = 0; i < draft.size(); ++i) selects += draft.is(i, Terminal::kw_SELECT) ? 1 : 0;
  const std::vector<NamedItem> items = named_items(catalog, draft, 0, draft.size());
  if (selects != 1 || std::ranges::count(items, of, &NamedItem::table) != 1) return false;
  std::vector<bool> found;
  for (const NamedItem& item : items) found.push_back(item.table == of);
  // `A.x = B.y`, both ways round, as often as it finds another table.
  const auto column = [&](size_t i) -> std::optional<std::pair<size_t, ColumnRef>> {
    if (!draft.is(i, Terminal::Name) || !draft.is(i + 1, Terminal::Dot) || !draft.is(i + 2, Terminal::Name)) return std::nullopt;
    for (size_t k = 0; k < items.size(); ++k) {
      if (!equal_folded(items[k].name, draft.name(i))) continue;
      const auto ref = catalog.find_column(catalog.table(items[k].table).name, draft.name(i + 2));
      if (ref) return std::pair{k, *ref};
    }
    return std::nullopt;
  };
  const auto finds = [&](const auto& from, const auto& to) {
    const std::vector<ColumnIndex>& key = catalog.table(to->second.table).primary_key;
    if (!found[from->first] || found[to->first] || key.size() != 1 || key[0] != to->second.column) return false;
    found[to->first] = true;
    return true;
  };
  for (bool more = true; more;) {
    more = false;
    for (size_t i = 3; i + 3 < draft.size(); ++i) {
      if (!draft.is(i, Terminal::Equal)) continue;
      const auto left = column(i - 3);
      const auto right = column(i + 1);
      if (left && right) more |= finds(left, right) || finds(right, left);
    }
  }
  return std::ranges::find(found, false) == found.end();
}

std::string replaced(const std::string& draft, std::vector<Reworded> pieces) {
  std::ranges::sort(pieces, {}, [](const Reworded& one) { return one.place.begin; });
  std::string text;
  uint32_t done = 0;
  for (const Reworded& one : pieces) {
    if (one.place.begin < done) continue;
    text += draft.substr(done, one.place.begin - done) + one.text;
    done = one.place.end;
  }
  return text + draft.substr(done);
}

// A column as written at [begin, end), with the table that it must be of where it says none.
std::optional<std::string> qualified(const Draft& draft, size_t begin, size_t end, const std::vector<NamedItem>& items) {
  if (end - begin == 3) return std::string(draft.text(begin)) + "." + std::string(draft.text(begin + 2));
  if (end - begin != 1 || items.size() != 1) return std::nullopt;
  return name_in_sql(items.front().name) + "." + std::string(draft.text(begin));
}

}  // namespace

std::string with_counts_of_rows(const Catalog& catalog, const std::string& draft, const Judgement& judgement) {
  const Draft words(draft);
  if (has_outer_join(words)) return draft;
  std::vector<Reworded> counts;
  for (size_t i = 0; i < judgement.uses.size(); ++i) {
    const Occurrence& use = judgement.uses[i];
    if (judgement.permitted[i] || use.role != Role::Agg) continue;
    const size_t argument = words.at(use.span.begin);
    const size_t close = words.at(use.span.end);
    if (argument < 2 || !words.is(close, Terminal::RightParen)) continue;
    const bool distinct = words.is(argument - 1, Terminal::kw_DISTINCT);
    const size_t open = argument - (distinct ? 2 : 1);
    if (open < 1 || !words.is(open, Terminal::LeftParen) || !equal_folded(words.text(open - 1), "count")) continue;
    const bool rows = distinct ? is_primary_key(catalog, use.column) && catalog.table(use.column.table).primary_key.size() == 1 &&
                                     repeats_no_row(catalog, words, use.column.table)
                               : is_always_there(catalog, use.column);
    if (rows) counts.push_back({{words.span(open).end, words.span(close).begin}, "*"});
  }
  return replaced(draft, std::move(counts));
}

std::vector<Reworded> existence_tests(const Catalog& catalog, const std::string& draft, const Judgement& judgement, bool negated) {
  const Draft words(draft);
  std::vector<Reworded> tests;
  for (size_t u = 0; u < judgement.uses.size(); ++u) {
    const Occurrence& use = judgement.uses[u];
    if (judgement.permitted[u] || use.role != Role::Sel || !permitted(judgement.policies[u], Role::Where)) continue;
    const size_t item = words.at(use.span.begin);
    const size_t from = words.at(use.span.end);
    if (item < 4 || !words.is(from, Terminal::kw_FROM)) continue;
    const size_t select = words.is(item - 1, Terminal::kw_DISTINCT) ? item - 2 : item - 1;
    if (select < 3 || !words.is(select, Terminal::kw_SELECT) || !words.is(select - 1, Terminal::LeftParen)) continue;
    const size_t open = select - 1;
    const auto close = words.closing(open);
    if (!close || !(words.is(open - 1, Terminal::kw_IN) || words.is(open - 1, Terminal::Equal))) continue;
    const bool is_not = words.is(open - 1, Terminal::kw_IN) && words.is(open - 2, Terminal::kw_NOT);
    if (is_not && !negated) continue;
    const size_t operand_end = open - (is_not ? 2 : 1);
    if (!words.is(operand_end - 1, Terminal::Name)) continue;
    const bool with_table = operand_end >= 3 && words.is(operand_end - 2, Terminal::Dot);
    const size_t operand = operand_end - (with_table ? 3 : 1);
    // Before it a condition begins, so that it is all of its left side.
    const bool begins = operand > 0 && (words.is(operand - 1, Terminal::kw_WHERE) || words.is(operand - 1, Terminal::kw_AND) ||
                                        words.is(operand - 1, Terminal::kw_OR) || words.is(operand - 1, Terminal::LeftParen));
    if (!begins) continue;
    // Plain: FROM and WHERE alone.
    std::optional<size_t> where;
    bool plain = true;
    bool alternatives = false;
    int depth = 0;
    for (size_t i = from + 1; i < *close; ++i) {
      if (words.is(i, Terminal::LeftParen)) ++depth;
      if (words.is(i, Terminal::RightParen)) --depth;
      if (depth != 0) continue;
      if (words.is(i, Terminal::kw_WHERE)) where = i;
      alternatives |= words.is(i, Terminal::kw_OR);
      for (const Terminal other : {Terminal::kw_GROUP, Terminal::kw_HAVING, Terminal::kw_ORDER, Terminal::kw_LIMIT, Terminal::kw_UNION,
                                   Terminal::kw_INTERSECT, Terminal::kw_EXCEPT}) {
        plain &= !words.is(i, other);
      }
    }
    if (!plain) continue;
    const size_t tables_end = where.value_or(*close);
    const std::vector<NamedItem> inner = named_items(catalog, words, from, tables_end);
    // The tables around: those of the FROM before this one, if there is one alone.
    size_t outer_from = operand;
    while (outer_from > 0 && !words.is(outer_from, Terminal::kw_FROM)) --outer_from;
    const std::vector<NamedItem> outer = named_items(catalog, words, outer_from, operand);
    const auto left = qualified(words, operand, operand_end, outer);
    const auto right = qualified(words, item, from, inner);
    const auto same_name = [&](const NamedItem& one) {
      return std::ranges::any_of(outer, [&](const NamedItem& other) { return equal_folded(one.name, other.name); });
    };
    if (!left || !right || inner.empty() || outer.empty() || std::ranges::any_of(inner, same_name)) continue;
    std::string text = is_not ? "NOT EXISTS (SELECT 1 " : "EXISTS (SELECT 1 ";
    text += trimmed(draft.substr(words.span(from).begin, words.span(tables_end).begin - words.span(from).begin));
    text += " WHERE " + *right + " = " + *left;
    if (where) {
      const uint32_t begin = words.span(*where + 1).begin;
      const std::string condition(trimmed(draft.substr(begin, words.span(*close).begin - begin)));
      text += " AND " + (alternatives ? "(" + condition + ")" : condition);
    }
    tests.push_back({{words.span(operand).begin, words.span(*close).end}, text + ")"});
  }
  return tests;
}

std::string with_existence(const Catalog& catalog, const std::string& draft, const Judgement& judgement) {
  return replaced(draft, existence_tests(catalog, draft, judgement, false));
}

std::string with_owners(const Catalog& catalog, const std::string& draft) {
  const Draft words(draft);
  const std::vector<NamedItem> items = named_items(catalog, words, 0, words.size());
  std::vector<Reworded> owners;
  for (size_t i = 0; i + 2 < words.size(); ++i) {
    if (!words.is(i, Terminal::Name) || !words.is(i + 1, Terminal::Dot) || !words.is(i + 2, Terminal::Name)) continue;
    const auto has_column = [&](const NamedItem& item) {
      return catalog.find_column(catalog.table(item.table).name, words.name(i + 2)).has_value();
    };
    const auto item = std::ranges::find_if(items, [&](const NamedItem& one) { return equal_folded(one.name, words.name(i)); });
    if (item == items.end() || has_column(*item) || std::ranges::count_if(items, has_column) != 1) continue;
    owners.push_back({words.span(i), name_in_sql(std::ranges::find_if(items, has_column)->name)});
  }
  return replaced(draft, std::move(owners));
}

}  // namespace pccsql
