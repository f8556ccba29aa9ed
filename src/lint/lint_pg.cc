#include "lint/lint_pg.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "exec/pg_role.h"

namespace pccsql {
namespace {

constexpr const char* kViewParts = R"(
SELECT DISTINCT v.relname, t.relname, a.attname
FROM pg_catalog.pg_rewrite r JOIN pg_catalog.pg_class v ON v.oid OPERATOR(pg_catalog.=) r.ev_class
JOIN pg_catalog.pg_namespace n ON n.oid OPERATOR(pg_catalog.=) v.relnamespace
JOIN pg_catalog.pg_depend d ON d.classid OPERATOR(pg_catalog.=) 'pg_catalog.pg_rewrite'::pg_catalog.regclass
  AND d.objid OPERATOR(pg_catalog.=) r.oid AND d.refclassid OPERATOR(pg_catalog.=) 'pg_catalog.pg_class'::pg_catalog.regclass
  AND d.refobjsubid OPERATOR(pg_catalog.>) 0
JOIN pg_catalog.pg_class t ON t.oid OPERATOR(pg_catalog.=) d.refobjid
  AND t.relnamespace OPERATOR(pg_catalog.=) v.relnamespace AND t.oid OPERATOR(pg_catalog.<>) v.oid
JOIN pg_catalog.pg_attribute a ON a.attrelid OPERATOR(pg_catalog.=) t.oid
  AND a.attnum::pg_catalog.int4 OPERATOR(pg_catalog.=) d.refobjsubid
WHERE n.nspname OPERATOR(pg_catalog.=) $1 AND v.relkind IN ('v', 'm') ORDER BY 1, 2, 3)";

constexpr const char* kGeneratedParts = R"(
SELECT DISTINCT t.relname, g.attname, a.attname
FROM pg_catalog.pg_attribute g JOIN pg_catalog.pg_class t ON t.oid OPERATOR(pg_catalog.=) g.attrelid
JOIN pg_catalog.pg_namespace n ON n.oid OPERATOR(pg_catalog.=) t.relnamespace
JOIN pg_catalog.pg_attrdef ad ON ad.adrelid OPERATOR(pg_catalog.=) t.oid AND ad.adnum OPERATOR(pg_catalog.=) g.attnum
JOIN pg_catalog.pg_depend d ON d.refobjid OPERATOR(pg_catalog.=) t.oid AND d.refobjsubid OPERATOR(pg_catalog.<>) ad.adnum
  AND d.refobjsubid OPERATOR(pg_catalog.>) 0
  AND ((d.classid OPERATOR(pg_catalog.=) 'pg_catalog.pg_attrdef'::pg_catalog.regclass AND d.objid OPERATOR(pg_catalog.=) ad.oid)
    OR (d.classid OPERATOR(pg_catalog.=) 'pg_catalog.pg_class'::pg_catalog.regclass AND d.objid OPERATOR(pg_catalog.=) t.oid
      AND d.objsubid OPERATOR(pg_catalog.=) ad.adnum))
JOIN pg_catalog.pg_attribute a ON a.attrelid OPERATOR(pg_catalog.=) t.oid
  AND a.attnum::pg_catalog.int4 OPERATOR(pg_catalog.=) d.refobjsubid
WHERE n.nspname OPERATOR(pg_catalog.=) $1 AND g.attgenerated OPERATOR(pg_catalog.<>) '' ORDER BY 1, 2, 3)";

constexpr const char* kRole = R"(
SELECT r.rolname, r.rolsuper OR r.rolbypassrls, EXISTS (SELECT 1 FROM pg_catalog.pg_class c
    WHERE c.relnamespace OPERATOR(pg_catalog.=) n.oid AND pg_catalog.pg_has_role(r.oid, c.relowner, 'MEMBER')),
  (SELECT pg_catalog.string_agg(c.relname, ', ' ORDER BY c.relname) FROM pg_catalog.pg_class c
    WHERE c.relnamespace OPERATOR(pg_catalog.=) n.oid AND c.relrowsecurity),
  (SELECT pg_catalog.string_agg(o.rolname, ', ' ORDER BY o.rolname) FROM pg_catalog.pg_roles o
    WHERE o.rolbypassrls AND NOT o.rolsuper AND o.rolcanlogin AND o.oid OPERATOR(pg_catalog.<>) r.oid)
FROM pg_catalog.pg_roles r, pg_catalog.pg_namespace n
WHERE r.rolname OPERATOR(pg_catalog.=) CASE WHEN $2 OPERATOR(pg_catalog.=) '' THEN current_user ELSE $2::pg_catalog.name END
  AND n.nspname OPERATOR(pg_catalog.=) $1)";

// $1: a role, or `public` for everybody.
constexpr const char* kDefinerFunctions = R"(
SELECT p.oid::pg_catalog.regprocedure::pg_catalog.text FROM pg_catalog.pg_proc p
WHERE p.prosecdef AND p.oid OPERATOR(pg_catalog.>=) 16384::pg_catalog.oid
  AND pg_catalog.has_function_privilege($1::pg_catalog.name, p.oid, 'EXECUTE')
  AND pg_catalog.has_schema_privilege($1::pg_catalog.name, p.pronamespace, 'USAGE') ORDER BY 1)";

constexpr const char* kExtensions = R"(
SELECT extname FROM pg_catalog.pg_extension WHERE extname IN ('dblink', 'postgres_fdw', 'file_fdw', 'adminpack', 'lo',
  'pageinspect', 'plpython3u', 'plperlu', 'pltclu') ORDER BY 1)";

class Lint {
 public:
  Lint(PgConnection& connection, const std::string& schema, const Catalog& catalog, const Policy& policy, std::string role)
      : connection_(connection), schema_(schema), catalog_(catalog), policy_(policy), role_(std::move(role)) {}

  Result<std::vector<Warning>> run() {
    for (const auto step : {&Lint::views, &Lint::generated, &Lint::role, &Lint::extensions}) {
      if (auto done = (this->*step)(); !done) return done.error();
    }
    return std::move(warnings_);
  }

 private:
  using Rows = std::vector<PgConnection::Row>;

  void warn(Finding kind, std::string message) { warnings_.push_back({kind, "", "", std::move(message), kNoTable, {}}); }
  void warn(Finding kind, TableId table, std::string message) {
    warnings_.push_back({kind, catalog_.table(table).name, "", std::move(message), table, {}});
  }
  void warn(Finding kind, ColumnRef column, std::string message) {
    warnings_.push_back({kind, catalog_.table(column.table).name, catalog_.column(column).name, std::move(message),
                         column.table, {column.column}});
  }
  std::string name(ColumnRef column) const {
    return "`" + catalog_.table(column.table).name + "." + catalog_.column(column).name + "`";
  }
  std::string label(ColumnRef column) const { return std::string(to_string(policy_.of(column))); }

  Result<Done> views() {
    auto rows = connection_.query(kViewParts, {schema_});
    if (!rows) return rows.error();
    std::map<TableId, std::vector<std::string>> parts;
    for (const auto& row : *rows) {
      const auto view = catalog_.find_table(row[0].value_or(""));
      const auto part = catalog_.find_column(row[1].value_or(""), row[2].value_or(""));
      if (!view || !part) continue;
      bool wider = false;
      for (ColumnIndex c = 0; c < catalog_.table(*view).columns.size(); ++c) {
        wider |= permits_more(policy_.of({*view, c}), policy_.of(*part));
      }
      if (wider) parts[*view].push_back(name(*part) + " (" + label(*part) + ")");
    }
    for (const auto& [view, columns] : parts) {
      std::string list;
      for (const std::string& column : columns) list += (list.empty() ? "" : ", ") + column;
      warn(Finding::View, view,
           "view `" + catalog_.table(view).name + "` is made of " + list +
               " and permits more than that: what it shows, or which rows it has, may tell of them");
    }
    for (TableId id = 0; id < catalog_.tables().size(); ++id) {
      const Table& table = catalog_.table(id);
      if (!table.leaky_view || policy_.all_hidden(id)) continue;
      warn(Finding::Barrier, id,
           "view `" + table.name +
               "` leaves rows out and is no security barrier: a cast or a division over it could fail on a "
               "row that it leaves out and tell of it. Such queries are refused; ALTER VIEW … SET (security_barrier) "
               "permits them");
    }
    return Done{};
  }

  Result<Done> generated() {
    auto rows = connection_.query(kGeneratedParts, {schema_});
    if (!rows) return rows.error();
    for (const auto& row : *rows) {
      const auto made = catalog_.find_column(row[0].value_or(""), row[1].value_or(""));
      const auto part = catalog_.find_column(row[0].value_or(""), row[2].value_or(""));
      if (!made || !part || !permits_more(policy_.of(*made), policy_.of(*part))) continue;
      warn(Finding::GeneratedColumn, *made,
           "generated column " + name(*made) + " is " + label(*made) + ", but is computed from " + name(*part) +
               ", which is " + label(*part));
    }
    return Done{};
  }

  Result<Done> role() {
    auto rows = connection_.query(kRole, {schema_, role_});
    if (!rows) return rows.error();
    if (rows->empty()) return role_.empty() ? Result<Done>(Done{}) : Error{"the server has no role `" + role_ + "`", {}, {}};
    const auto& row = rows->front();
    const std::string who = row[0].value_or("");
    const bool strong = row[1] == "t", owner = row[2] == "t";
    if (row[3] && (strong || owner)) {
      warn(Finding::Role,
           "role `" + who + "` passes the row-level security of " + *row[3] + " by: questions must not run as it");
    }
    if (row[3] && row[4]) {
      warn(Finding::Role, "the row-level security of " + *row[3] + " does not hold for " + *row[4] + " (BYPASSRLS)");
    }
    // An owner may call everything; what it leaves to everybody is what questions' role may call too.
    const bool everybody = strong || owner;
    auto functions = connection_.query(kDefinerFunctions, {everybody ? "public" : who});
    if (!functions) return functions.error();
    for (const auto& function : *functions) {
      warn(Finding::Role, "`" + function[0].value_or("") + "` runs with the rights of its owner (SECURITY DEFINER), and " +
                              (everybody ? "everybody" : "role `" + who + "`") +
                              " may call it: it is not in the language, but the server's rights would not stop a call");
    }
    if (strong || owner) return Done{};
    auto readable = policy_of_role(connection_, schema_, catalog_, who);
    if (!readable) return readable.error();
    for (TableId id = 0; id < catalog_.tables().size(); ++id) {
      for (ColumnIndex c = 0; c < catalog_.table(id).columns.size(); ++c) {
        const ColumnRef column{id, c};
        if (policy_.of(column) == ColumnPolicy::Hidden || readable->of(column) != ColumnPolicy::Hidden) continue;
        warn(Finding::Grant, column,
             name(column) + " is " + label(column) +
                 ", but role `" + who + "` may not read it: queries that use it would be called safe and denied");
      }
    }
    return Done{};
  }

  Result<Done> extensions() {
    auto rows = connection_.query(kExtensions);
    if (!rows) return rows.error();
    for (const auto& row : *rows) {
      warn(Finding::Extension,
           "the extension `" + row[0].value_or("") +
               "` reaches files or other servers; its functions are not in the language, but "
               "the role that questions run under should not be able to call them either");
    }
    return Done{};
  }

  PgConnection& connection_;
  const std::string& schema_;
  const Catalog& catalog_;
  const Policy& policy_;
  std::string role_;  // empty: the one that is connected
  std::vector<Warning> warnings_;
};

}  // namespace

Result<std::vector<Warning>> lint_pg(PgConnection& connection, const std::string& schema, const Catalog& catalog,
                                     const Policy& policy, const std::optional<std::string>& role) {
  return Lint(connection, schema, catalog, policy, role.value_or("")).run();
}

}  // namespace pccsql
