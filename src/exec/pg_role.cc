#include "exec/pg_role.h"

#include <algorithm>

#include "base/text.h"
#include "policy/group_rule.h"

namespace pccsql {
namespace {

constexpr const char* kRights = R"(
SELECT CASE WHEN r.rolsuper THEN 'it is a superuser' END,
  CASE WHEN r.rolbypassrls THEN 'it passes row-level security by (BYPASSRLS)' END,
  CASE WHEN r.rolcreaterole OR r.rolreplication OR r.rolcreatedb THEN 'it may make roles or databases, or replicate' END,
  CASE WHEN session_user OPERATOR(pg_catalog.<>) current_user THEN 'it was taken by SET ROLE, which a query could undo' END,
  (SELECT pg_catalog.concat('it may make tables and functions in ', pg_catalog.string_agg(s.nspname::pg_catalog.text, ', '), ' (CREATE)')
    FROM pg_catalog.pg_namespace s WHERE pg_catalog.has_schema_privilege(s.oid, 'CREATE') AND NOT pg_catalog.starts_with(s.nspname::pg_catalog.text, 'pg_temp_')
    HAVING pg_catalog.count(*) OPERATOR(pg_catalog.>) 0),
  CASE WHEN pg_catalog.has_database_privilege(pg_catalog.current_database(), 'CREATE') THEN 'it may make schemas (CREATE)' END,
  CASE WHEN EXISTS (SELECT 1 FROM pg_catalog.pg_class c WHERE c.relnamespace OPERATOR(pg_catalog.=) n.oid
    AND pg_catalog.pg_has_role(c.relowner, 'MEMBER')) THEN 'it owns tables of the schema, or is a member of who does' END,
  CASE WHEN EXISTS (SELECT 1 FROM pg_catalog.pg_class c WHERE c.relnamespace OPERATOR(pg_catalog.=) n.oid
    AND c.relkind IN ('r', 'p', 'v', 'm', 'f')
    AND pg_catalog.has_table_privilege(c.oid, 'INSERT, UPDATE, DELETE, TRUNCATE')) THEN 'it may write tables of the schema' END,
  (SELECT 'it is a member of ' || pg_catalog.string_agg(g.rolname, ', ') FROM pg_catalog.pg_roles g
    WHERE (g.rolname LIKE 'pg\_read\_%' OR g.rolname LIKE 'pg\_write\_%' OR g.rolname LIKE 'pg\_execute\_%'
      OR g.rolname OPERATOR(pg_catalog.=) 'pg_signal_backend')
    AND NOT r.rolsuper AND pg_catalog.pg_has_role(g.oid, 'MEMBER'))
FROM pg_catalog.pg_roles r, pg_catalog.pg_namespace n
WHERE r.rolname OPERATOR(pg_catalog.=) current_user AND n.nspname OPERATOR(pg_catalog.=) $1)";

constexpr const char* kReadable = R"(
SELECT c.relname, a.attname, pg_catalog.has_column_privilege($2, c.oid, a.attnum, 'SELECT')
FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid OPERATOR(pg_catalog.=) c.relnamespace
JOIN pg_catalog.pg_attribute a ON a.attrelid OPERATOR(pg_catalog.=) c.oid AND a.attnum OPERATOR(pg_catalog.>) 0
  AND NOT a.attisdropped
WHERE n.nspname OPERATOR(pg_catalog.=) $1 AND c.relkind IN ('r', 'p', 'v', 'm', 'f'))";

Error wrong(std::string message) { return {std::move(message), {}, {}}; }

}  // namespace

Result<Policy> policy_of_role(PgConnection& connection, const std::string& schema, const Catalog& catalog,
                              const std::string& role) {
  auto known = connection.query("SELECT 1 FROM pg_catalog.pg_roles WHERE rolname OPERATOR(pg_catalog.=) $1", {role});
  if (!known) return known.error();
  if (known->empty()) return wrong("the server has no role `" + role + "`");
  auto rows = connection.query(kReadable, {schema, role});
  if (!rows) return rows.error();
  Policy policy(catalog, ColumnPolicy::Hidden);
  for (const PgConnection::Row& row : *rows) {
    if (!row[0] || !row[1] || row[2] != "t") continue;
    if (const auto column = catalog.find_column(*row[0], *row[1])) policy.set(*column, ColumnPolicy::Public);
  }
  return policy;
}

Result<Done> check_role(PgConnection& connection, const std::string& schema, const Catalog& catalog,
                        const Policy& policy) {
  auto who = connection.query("SELECT current_user");
  if (!who) return who.error();
  const std::string role = who->front()[0].value_or("");
  auto rights = connection.query(kRights, {schema});
  if (!rights) return rights.error();
  if (rights->empty()) return wrong("the database has no schema `" + schema + "`");
  std::string much;
  for (const auto& right : rights->front()) {
    if (right) much += (much.empty() ? "" : "; ") + *right;
  }
  auto readable = policy_of_role(connection, schema, catalog, role);
  if (!readable) return readable.error();
  size_t hidden = 0;
  std::string first;
  for (TableId id = 0; id < catalog.tables().size(); ++id) {
    const Table& table = catalog.table(id);
    const GroupRule& rule = policy.group(id);
    std::vector<std::string> keys;
    if (rule.minimum > 1) {
      keys = key_columns(table, rule);
      for (std::string& column : row_columns(table, rule)) keys.push_back(std::move(column));
    }
    for (ColumnIndex c = 0; c < table.columns.size(); ++c) {
      const std::string& column = table.columns[c].name;
      if (policy.of({id, c}) != ColumnPolicy::Hidden || readable->of({id, c}) == ColumnPolicy::Hidden) continue;
      if (!policy.all_hidden(id) && std::ranges::find(keys, column) != keys.end()) continue;
      if (hidden++ == 0) first = table.name + "." + column;
    }
  }
  if (hidden > 0) {
    much += (much.empty() ? "" : "; ") + ("it may read `" + first + "`, which the policy hides" +
                                          (hidden > 1 ? ", and " + std::to_string(hidden - 1) + " more such" : ""));
  }
  if (much.empty()) return Done{};
  return wrong("the role `" + role + "` has more rights than questions need: " + much +
               ". Connect as a role of its own; `pccsql policy grants --role NAME` prints the SQL that makes one");
}

}  // namespace pccsql
