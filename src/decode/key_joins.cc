#include "decode/key_joins.h"

#include <algorithm>
#include <optional>

#include "base/text.h"
#include "prompt/schema_text.h"
#include "syntax/lexer.h"

namespace pccsql {
namespace {

struct FromItem {
  TableId table = 0;
  std::string name;  // as it is called in this FROM
  uint32_t begin = 0;  // of the table's name in the text
};

std::string name_of(const Lexeme& lexeme, std::string_view text) {
  std::string buffer;
  return std::string(name_text(lexeme, text, buffer));
}

// The base tables of the FROM whose ON is lexeme `on`, in their order; nothing where something else stands among them.
std::optional<std::vector<FromItem>> tables_before(const Catalog& catalog, std::string_view text,
                                                   std::span<const Lexeme> lexemes, size_t on) {
  size_t from = on;
  int depth = 0;
  for (; from > 0; --from) {
    const Terminal terminal = lexemes[from - 1].terminal;
    if (terminal == Terminal::RightParen) ++depth;
    if (terminal == Terminal::LeftParen && depth-- == 0) return std::nullopt;
    if (depth == 0 && terminal == Terminal::kw_FROM) break;
  }
  if (from == 0) return std::nullopt;
  std::vector<FromItem> items;
  for (size_t i = from; i < on; ++i) {
    const bool begins = i == from || lexemes[i - 1].terminal == Terminal::kw_JOIN || lexemes[i - 1].terminal == Terminal::Comma;
    if (!begins) continue;
    if (lexemes[i].terminal != Terminal::Name) return std::nullopt;
    const auto table = catalog.find_table(name_of(lexemes[i], text));
    if (!table) return std::nullopt;
    const bool named = i + 2 < lexemes.size() && lexemes[i + 1].terminal == Terminal::kw_AS;
    items.push_back({*table, named ? name_of(lexemes[i + 2], text) : catalog.table(*table).name, lexemes[i].span.begin});
  }
  return items;
}

bool may_join(const Policy& policy, ColumnRef column) { return permitted(policy.of(column), Role::Join); }

// `child` refers to `parent`: both ways round.
void add_references(const Catalog& catalog, const Policy& policy, const FromItem& child, const FromItem& parent,
                    std::vector<std::string>& conditions) {
  for (const ForeignKey& key : catalog.table(child.table).foreign_keys) {
    if (key.columns.size() != 1 || key.parent_columns.size() != 1) continue;
    if (!equal_folded(key.parent_table, catalog.table(parent.table).name)) continue;
    const ColumnRef from{child.table, key.columns[0]};
    const auto to = catalog.find_column(key.parent_table, key.parent_columns[0]);
    if (!to || !may_join(policy, from) || !may_join(policy, *to)) continue;
    const std::string one = name_in_sql(child.name) + "." + name_in_sql(catalog.column(from).name);
    const std::string other = name_in_sql(parent.name) + "." + name_in_sql(catalog.column(*to).name);
    conditions.push_back(" " + one + " = " + other);
    conditions.push_back(" " + other + " = " + one);
  }
}

// What a column refers to.
std::vector<ColumnRef> targets_of(const Catalog& catalog, ColumnRef column) {
  std::vector<ColumnRef> targets;
  for (const ForeignKey& key : catalog.table(column.table).foreign_keys) {
    if (key.columns.size() != 1 || key.parent_columns.size() != 1 || key.columns[0] != column.column) continue;
    if (const auto target = catalog.find_column(key.parent_table, key.parent_columns[0])) targets.push_back(*target);
  }
  return targets;
}

// `from` refers to other tables than the one whose key it is compared with.
bool strays(const Catalog& catalog, ColumnRef from, ColumnRef to) {
  const std::vector<ColumnIndex>& key = catalog.table(to.table).primary_key;
  if (key.size() != 1 || key[0] != to.column) return false;
  const std::vector<ColumnRef> meant = targets_of(catalog, from);
  if (meant.empty() || std::ranges::find(meant, to) != meant.end()) return false;
  const std::vector<ColumnRef> others = targets_of(catalog, to);
  if (std::ranges::any_of(others, [&](ColumnRef one) { return one == from || std::ranges::find(meant, one) != meant.end(); })) return false;
  return !equal_folded(catalog.column(from).name, catalog.column(to).name);
}

}  // namespace

std::vector<uint32_t> stray_join(const Catalog& catalog, std::string_view text, std::span<const Lexeme> lexemes) {
  const size_t end = lexemes.size();
  const auto is = [&](size_t i, Terminal terminal) { return lexemes[i].terminal == terminal; };
  if (end < 10 || !is(end - 4, Terminal::Equal) || !(is(end - 8, Terminal::kw_ON) || is(end - 8, Terminal::kw_AND))) return {};
  for (const size_t i : {end - 7, end - 5, end - 3, end - 1}) {
    if (!is(i, Terminal::Name)) return {};
  }
  if (!is(end - 6, Terminal::Dot) || !is(end - 2, Terminal::Dot)) return {};
  size_t on = end - 8;
  while (on > 0 && !is(on, Terminal::kw_ON)) {
    if (is(on, Terminal::kw_WHERE) || is(on, Terminal::kw_HAVING) || is(on, Terminal::RightParen) || is(on, Terminal::LeftParen)) return {};
    --on;
  }
  if (on == 0) return {};
  const auto items = tables_before(catalog, text, lexemes, on);
  if (!items || items->size() < 2) return {};
  const auto column = [&](size_t qualifier) -> std::optional<ColumnRef> {
    const std::string name = name_of(lexemes[qualifier], text);
    const auto item = std::ranges::find_if(*items, [&](const FromItem& one) { return equal_folded(one.name, name); });
    if (item == items->end()) return std::nullopt;
    return catalog.find_column(catalog.table(item->table).name, name_of(lexemes[qualifier + 2], text));
  };
  const auto left = column(end - 7);
  const auto right = column(end - 3);
  if (!left || !right || left->table == right->table) return {};
  if (!strays(catalog, *left, *right) && !strays(catalog, *right, *left)) return {};
  return {items->back().begin, lexemes[end - 1].span.begin};
}

std::vector<std::string> key_joins(const Catalog& catalog, const Policy& policy, std::string_view text) {
  std::vector<Lexeme> lexemes;
  lex(text, lexemes);
  size_t on = lexemes.size();
  while (on > 0 && lexemes[on - 1].terminal != Terminal::kw_ON) {
    switch (lexemes[on - 1].terminal) {
      case Terminal::End:
      case Terminal::Name:
      case Terminal::Dot:
      case Terminal::Equal:
      case Terminal::Illegal:
        --on;
        break;
      default:
        return {};
    }
  }
  if (on == 0) return {};
  const auto items = tables_before(catalog, text, lexemes, on - 1);
  if (!items || items->size() < 2) return {};
  std::vector<std::string> conditions;
  for (size_t i = 0; i + 1 < items->size(); ++i) {
    add_references(catalog, policy, items->back(), (*items)[i], conditions);
    add_references(catalog, policy, (*items)[i], items->back(), conditions);
  }
  const std::string_view written = text.substr(lexemes[on - 1].span.end);
  std::vector<std::string> rests;
  for (const std::string& condition : conditions) {
    if (condition.size() > written.size() && condition.starts_with(written)) rests.push_back(condition.substr(written.size()));
  }
  return rests;
}

}  // namespace pccsql
