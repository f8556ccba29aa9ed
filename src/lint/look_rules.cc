#include "lint/look_rules.h"

#include <utility>

#include "base/text.h"

namespace pccsql {
namespace {

constexpr const char* kBytesOfText = "256";  // of a text

std::string in_sqlite(const Column& column) {
  const std::string name = quoted_identifier(column.name);
  return "CASE typeof(" + name + ") WHEN 'text' THEN substr(" + name + ", 1, " + kBytesOfText + ") WHEN 'blob' THEN NULL ELSE " +
         name + " END";
}

// Numbers and dates are what they are; whatever else is shown as text, without bytes.
std::string in_postgres(const Column& column) {
  const std::string name = quoted_identifier(column.name);
  switch (column.value.kind) {
    case PgKind::Text:
    case PgKind::Enum:
      return "pg_catalog.left(CAST(" + name + " AS text), " + kBytesOfText + ")";
    case PgKind::Opaque:
      return column.type == "bytea" ? "NULL" : "pg_catalog.left(CAST(" + name + " AS text), " + std::string(kBytesOfText) + ")";
    default:
      return name;
  }
}

std::string literal(const std::string& text) {
  std::string made = "'";
  for (const char c : text) made += c == '\'' ? std::string("''") : std::string(1, c);
  return made + "'";
}

const LookRules kSqlite{
    in_sqlite,
    [](const std::string& value) { return value; },
    [](const std::string& value) { return "quote(" + value + ")"; },
    nullptr,
    nullptr,
    [](const DatabasePlace& place, const Catalog& catalog, RunLimits limits) {
      return open_runner(place, catalog, Policy(catalog, ColumnPolicy::Public), Profile::Strict, limits);
    },
};

const LookRules kPostgres{
    in_postgres,
    [](const std::string& value) { return "CAST(" + value + " AS text)"; },
    [](const std::string& value) { return "pg_catalog.quote_nullable(CAST(" + value + " AS text))"; },
    [](const std::string& table, const std::string& schema) {
      return "SELECT CAST(c.reltuples AS bigint) FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace "
             "WHERE n.nspname = " +
             literal(schema) + " AND c.relname = " + literal(table) + " AND c.relkind IN ('r', 'p', 'm')";
    },
    [](int64_t of_a_million) {
      return " TABLESAMPLE SYSTEM (" + std::to_string(of_a_million) + " / 10000.0) REPEATABLE (1)";
    },
    // The role is the owner's or another that has more rights than questions need.
    [](const DatabasePlace& place, const Catalog&, RunLimits limits) { return open_unfenced_runner(place, limits); },
};

}  // namespace

const LookRules& look_rules(Dialect dialect) { return dialect == Dialect::PostgreSql ? kPostgres : kSqlite; }

}  // namespace pccsql
