#include "schema/rules.h"

#include "base/text.h"

namespace pccsql {
namespace {

constexpr const char* kBytesOfText = "256";  // that a look reads

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

const Rules kSqlite{
    .name = "SQLite",
    .names = NameCase::Folded,
    .server = false,
    .mask = true,
    .variants = true,
    .shortened = in_sqlite,
    .distinct = [](const std::string& value) { return value; },
    .written = [](const std::string& value) { return "quote(" + value + ")"; },
    .estimate = nullptr,
    .part = nullptr,
};

const Rules kPostgres{
    .name = "PostgreSQL",
    .names = NameCase::Exact,
    .server = true,
    .mask = false,
    .variants = false,
    .shortened = in_postgres,
    .distinct = [](const std::string& value) { return "CAST(" + value + " AS text)"; },
    .written = [](const std::string& value) { return "pg_catalog.quote_nullable(CAST(" + value + " AS text))"; },
    .estimate = [](const std::string& table, const std::string& schema) {
      return "SELECT CAST(c.reltuples AS bigint) FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace "
             "WHERE n.nspname = " +
             literal(schema) + " AND c.relname = " + literal(table) + " AND c.relkind IN ('r', 'p', 'm')";
    },
    .part = [](int64_t of_a_million) {
      return " TABLESAMPLE SYSTEM (" + std::to_string(of_a_million) + " / 10000.0) REPEATABLE (1)";
    },
};

}  // namespace

const Rules& rules_of(Dialect dialect) {
  switch (dialect) {
    case Dialect::Sqlite:
      return kSqlite;
    case Dialect::PostgreSql:
      return kPostgres;
  }
  return kSqlite;
}

}  // namespace pccsql
