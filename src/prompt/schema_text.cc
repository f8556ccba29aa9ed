#include "prompt/schema_text.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <vector>

#include "base/text.h"
#include "pgtree/pg_tree.h"
#include "prompt/schema_choice.h"
#include "schema/rules.h"
#include "syntax/lexer.h"

namespace pccsql {
namespace {

std::string names_in_sql(const std::vector<std::string>& names, Dialect dialect) {
  std::string list;
  for (const std::string& name : names) list += (list.empty() ? "" : ", ") + name_in_sql(name, dialect);
  return "(" + list + ")";
}

std::string names_of(const Table& table, const std::vector<ColumnIndex>& columns, Dialect dialect) {
  std::vector<std::string> names;
  for (const ColumnIndex column : columns) names.push_back(table.columns[column].name);
  return names_in_sql(names, dialect);
}

// A declared type may hold anything; one that is not plain words and numbers would break the text around it.
bool is_plain_in_sqlite(std::string_view type) {
  std::vector<Lexeme> lexemes;
  lex(type, lexemes);
  for (const Lexeme& lexeme : lexemes) {
    const bool fine = (lexeme.terminal == Terminal::Name && lexeme.quote == Quote::None) ||
                      lexeme.terminal == Terminal::Integer || lexeme.terminal == Terminal::LeftParen ||
                      lexeme.terminal == Terminal::RightParen || lexeme.terminal == Terminal::Comma ||
                      lexeme.terminal == Terminal::End;
    if (!fine || type.find_first_of("\n\r-/") != std::string_view::npos) return false;
  }
  return true;
}

// As the server writes it: `timestamp with time zone`, `text[]`, `public.mood`.
bool is_plain_in_postgres(std::string_view type) {
  return std::ranges::all_of(type, [](char c) {
    return (fold(c) >= 'a' && fold(c) <= 'z') || (c >= '0' && c <= '9') || std::string_view("_. (),[]").find(c) != std::string_view::npos;
  });
}

// Whether the bare word is read as that name.
bool is_bare_in_sqlite(std::string_view name) {
  std::vector<Lexeme> lexemes;
  lex(name, lexemes);
  const bool one = lexemes.size() == 2 && lexemes[0].span.of(name) == name;
  const Terminal terminal = lexemes[0].terminal;
  const bool plain = terminal == Terminal::Name && lexemes[0].quote == Quote::None;
  const bool as_good = terminal > Terminal::LongArrow && keyword_kind(terminal) == KeywordKind::Fallback;
  return one && (plain || as_good);
}

// By PostgreSQL's parser, of a column as well as of a table.
bool is_bare_in_postgres(std::string_view name) {
  PgTree tree;
  if (tree.parse("SELECT " + std::string(name) + " FROM " + std::string(name)) != PgTree::Outcome::Parsed) return false;
  const PgNode select = tree.statements().first()["stmt"]["SelectStmt"];
  const PgNode column = select["targetList"].first()["ResTarget"]["val"]["ColumnRef"]["fields"].first()["String"];
  const PgNode table = select["fromClause"].first()["RangeVar"];
  return tree.statements().size() == 1 && column["sval"].text() == name && table["relname"].text() == name && !table["alias"];
}

// What Rules cannot hold, because a catalogue needs no parser: how a dialect's own reader takes words.
struct Words {
  bool (*is_bare)(std::string_view name);
  bool (*is_plain)(std::string_view type);
};
const Words& words_of(Dialect dialect) {
  static constexpr Words kSqlite{is_bare_in_sqlite, is_plain_in_sqlite};
  static constexpr Words kPostgres{is_bare_in_postgres, is_plain_in_postgres};
  static constexpr std::array kWords{&kSqlite, &kPostgres};  // as Dialect has them
  return *kWords[static_cast<size_t>(dialect)];
}

std::string type_text(const Column& column, Dialect dialect) {
  if (column.type.empty() || !words_of(dialect).is_plain(column.type)) return "";
  // A server's own types have its schema before them.
  return " " + column.type.substr(rules_of(dialect).server ? column.type.find('.') + 1 : 0);
}

// " /* 'France', 'USA' */"; nothing where there is none to show.
std::string values_text(ColumnRef column, const Policy& policy, const ExampleValues& values) {
  if (policy.of(column) != ColumnPolicy::Public) return "";
  std::string list;
  for (const std::string& value : values.of(column)) list += (list.empty() ? " /* " : ", ") + value;
  return list.empty() ? "" : list + " */";
}

// `shown` says which columns are; `has_parent`, whether a foreign key is.
template <typename Shown, typename HasParent>
std::string table_text(const Catalog& catalog, TableId id, const Policy& policy, const ExampleValues& values, Shown&& shown,
                       HasParent&& has_parent) {
  const Table& table = catalog.table(id);
  const Dialect dialect = catalog.dialect();
  const bool lone_key = table.primary_key.size() == 1;
  std::vector<std::string> constraints;
  if (table.primary_key.size() > 1 && std::ranges::all_of(table.primary_key, shown)) {
    constraints.push_back("PRIMARY KEY " + names_of(table, table.primary_key, dialect));
  }
  for (const ForeignKey& key : table.foreign_keys) {
    if (!std::ranges::all_of(key.columns, shown) || !has_parent(key)) continue;
    constraints.push_back("FOREIGN KEY " + names_of(table, key.columns, dialect) + " REFERENCES " +
                          name_in_sql(key.parent_table, dialect) +
                          (key.parent_columns.empty() ? "" : " " + names_in_sql(key.parent_columns, dialect)));
  }
  std::vector<ColumnIndex> columns;
  for (ColumnIndex c = 0; c < table.columns.size(); ++c) {
    if (shown(c)) columns.push_back(c);
  }
  std::string text = "CREATE TABLE " + name_in_sql(table.name, dialect) + " (\n";
  for (const ColumnIndex c : columns) {
    const Column& column = table.columns[c];
    text += "  " + name_in_sql(column.name, dialect) + type_text(column, dialect);
    if (lone_key && table.primary_key[0] == c) text += " PRIMARY KEY";
    if (c != columns.back() || !constraints.empty()) text += ",";
    text += values_text({id, c}, policy, values) + " -- " + std::string(to_string(policy.of({id, c}))) + "\n";
  }
  for (size_t i = 0; i < constraints.size(); ++i) {
    text += "  " + constraints[i] + (i + 1 < constraints.size() ? ",\n" : "\n");
  }
  return text + ");\n";
}

std::string string_in_sql(std::string_view text) {
  std::string out = "'";
  for (const char c : text) out += c == '\'' ? std::string("''") : std::string(1, c);
  return out + "'";
}

// CREATE TYPE for what a column that may be used is an enumeration of.
std::string enumerations_text(const Catalog& catalog, const Policy& policy) {
  std::vector<bool> used(catalog.enumerations().size());
  for (TableId id = 0; id < catalog.tables().size(); ++id) {
    for (ColumnIndex c = 0; c < catalog.table(id).columns.size(); ++c) {
      const ValueType& value = catalog.table(id).columns[c].value;
      if (value.kind == PgKind::Enum && policy.of({id, c}) != ColumnPolicy::Hidden) used[value.enumeration] = true;
    }
  }
  std::string text;
  for (size_t i = 0; i < used.size(); ++i) {
    if (!used[i]) continue;
    std::string labels;
    for (const std::string& label : catalog.enumerations()[i].labels) labels += (labels.empty() ? "" : ", ") + string_in_sql(label);
    text += "CREATE TYPE " + name_in_sql(catalog.enumerations()[i].name, Dialect::PostgreSql) + " AS ENUM (" + labels + ");\n";
  }
  return text;
}

}  // namespace

std::string name_in_sql(std::string_view name, Dialect dialect) {
  return words_of(dialect).is_bare(name) ? std::string(name) : quoted_identifier(name);
}

std::string column_text(const Catalog& catalog, ColumnRef column) {
  const Dialect dialect = catalog.dialect();
  return name_in_sql(catalog.table(column.table).name, dialect) + "." + name_in_sql(catalog.column(column).name, dialect);
}

namespace {

// Of all tables that `has` has.
template <typename Has, typename Shown>
std::string text_of_tables(const Catalog& catalog, const Policy& policy, const ExampleValues& values, Has&& has, Shown&& shown) {
  std::string text = enumerations_text(catalog, policy);
  const auto has_parent = [&](const ForeignKey& key) {
    const auto parent = catalog.find_table(key.parent_table);
    if (!parent) return true;
    return has(*parent) && std::ranges::all_of(key.parent_columns, [&](const std::string& name) {
      const auto column = catalog.find_column(key.parent_table, name);
      return !column || shown(column->table, column->column);
    });
  };
  for (TableId id = 0; id < catalog.tables().size(); ++id) {
    const Table& table = catalog.table(id);
    if (table.kind == TableKind::Virtual || table.columns.empty() || !has(id)) continue;
    text += (text.empty() ? "" : "\n") +
            table_text(catalog, id, policy, values, [&](ColumnIndex c) { return shown(id, c); }, has_parent);
  }
  return text;
}

}  // namespace

std::string schema_text(const Catalog& catalog, const Policy& policy, const ExampleValues& values) {
  return text_of_tables(catalog, policy, values, [](TableId) { return true; }, [](TableId, ColumnIndex) { return true; });
}

std::string schema_text(const Catalog& catalog, const Policy& policy, const ExampleValues& values, const SchemaChoice& choice) {
  return text_of_tables(catalog, policy, values, [&](TableId id) { return choice.has(id); },
                        [&](TableId id, ColumnIndex c) { return choice.columns[id][c]; });
}

std::string table_text_of(const Catalog& catalog, const Policy& policy, const ExampleValues& values, TableId table,
                          const std::vector<bool>& columns) {
  return table_text(catalog, table, policy, values, [&](ColumnIndex c) { return columns[c]; }, [](const ForeignKey&) { return true; });
}

}  // namespace pccsql
