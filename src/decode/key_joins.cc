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
};

std::string name_of(const Lexeme& lexeme, std::string_view text) {
  std::string buffer;
  return std::string(name_text(lexeme, text, buffer));
}

// The base tables of the FROM whose ON is lexeme `on`, in their order; nothing where something else stands among them.
std::optional<std::vector<FromItem>> tables_before(const Catalog& catalog, std::string_view text,
                                                   const std::vector<Lexeme>& lexemes, size_t on) {
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
    items.push_back({*table, named ? name_of(lexemes[i + 2], text) : catalog.table(*table).name});
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

}  // namespace

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
