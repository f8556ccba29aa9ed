// The rights that a policy leaves, as GRANT statements. No connection is needed for that.
#include <algorithm>

#include "base/text.h"
#include "exec/pg_role.h"
#include "policy/group_rule.h"

namespace pccsql {

std::string grants_for(const std::string& role, const std::string& database, const std::string& schema,
                       const Catalog& catalog, const Policy& policy) {
  const std::string who = quoted_identifier(role);
  const std::string where = quoted_identifier(schema);
  std::string sql =
      "-- The role that questions run under. Read it, then run it as the owner of the tables; give the role a password "
      "with\n"
      "-- \\password, or let pg_hba.conf say who may be it. Nothing here gives it more than the policy leaves.\n"
      "CREATE ROLE " +
      who +
      " LOGIN NOSUPERUSER NOCREATEDB NOCREATEROLE NOREPLICATION NOBYPASSRLS NOINHERIT;\n"
      "ALTER ROLE " +
      who +
      " SET default_transaction_read_only = on;\n"
      "ALTER ROLE " +
      who +
      " SET statement_timeout = '10s';\n"
      "ALTER ROLE " +
      who +
      " SET lock_timeout = '10s';\n"
      "ALTER ROLE " +
      who +
      " SET idle_in_transaction_session_timeout = '60s';\n"
      "-- As a superuser, if you are one: ALTER ROLE " +
      who +
      " SET temp_file_limit = '1GB';\n"
      "REVOKE CREATE ON SCHEMA " +
      where +
      " FROM PUBLIC;\n"
      "REVOKE TEMPORARY ON DATABASE " +
      quoted_identifier(database) +
      " FROM PUBLIC;\n"
      "GRANT CONNECT ON DATABASE " +
      quoted_identifier(database) + " TO " + who +
      ";\n"
      "GRANT USAGE ON SCHEMA " +
      where + " TO " + who + ";\n";
  for (TableId id = 0; id < catalog.tables().size(); ++id) {
    const Table& table = catalog.table(id);
    const std::string name = where + "." + quoted_identifier(table.name);
    std::vector<std::string> columns;
    std::vector<std::string> keys;
    const GroupRule& rule = policy.group(id);
    if (rule.minimum > 1) {
      for (auto* const list : {&key_columns, &row_columns}) {
        for (std::string& column : (*list)(table, rule)) keys.push_back(std::move(column));
      }
    }
    for (ColumnIndex c = 0; c < table.columns.size(); ++c) {
      const std::string& column = table.columns[c].name;
      const bool key = std::ranges::find(keys, column) != keys.end();
      if (policy.of({id, c}) != ColumnPolicy::Hidden || (key && !policy.all_hidden(id))) {
        columns.push_back(quoted_identifier(column));
      }
    }
    sql += "REVOKE ALL ON " + name + " FROM PUBLIC;\n";
    if (columns.empty()) continue;
    std::string list;
    for (const std::string& column : columns) list += (list.empty() ? "" : ", ") + column;
    sql += "GRANT SELECT (" + list + ") ON " + name + " TO " + who + ";\n";
  }
  return sql;
}

}  // namespace pccsql
