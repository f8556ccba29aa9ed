// The queries name pg_catalog in full and run in a read-only transaction, so that nothing in the database can change what
// they mean.
#include "schema/pg_catalog.h"

#include <charconv>
#include <map>
#include <utility>

#include "base/text.h"
#include "pgtree/pg_tree.h"
#include "schema/language_names.h"

namespace pccsql {
namespace {

using PgRow = PgConnection::Row;

const std::string& text_of(const std::optional<std::string>& value) {
  static const std::string empty;
  return value ? *value : empty;
}
bool is_true(const std::optional<std::string>& value) { return value && *value == "t"; }

int64_t number_of(std::string_view digits) {
  int64_t value = 0;
  std::from_chars(digits.data(), digits.data() + digits.size(), value);
  return value;
}

// `{1,2}`, as arrays of numbers are printed.
std::vector<int64_t> numbers_of(const std::optional<std::string>& list) {
  std::vector<int64_t> numbers;
  std::string_view rest = list ? *list : std::string_view();
  if (rest.size() < 2) return numbers;
  rest = rest.substr(1, rest.size() - 2);
  while (!rest.empty()) {
    const size_t comma = std::min(rest.find(','), rest.size());
    numbers.push_back(number_of(rest.substr(0, comma)));
    rest = rest.substr(std::min(comma + 1, rest.size()));
  }
  return numbers;
}

// `{'a','b'}` of names, as an array that the server reads.
std::string array_of(const std::vector<std::string_view>& names) {
  std::string text = "{";
  for (const std::string_view name : names) {
    if (text.size() > 1) text += ',';
    text += '"';
    for (const char c : name) {
      if (c == '"' || c == '\\') text += '\\';
      text += c;
    }
    text += '"';
  }
  return text + "}";
}

constexpr const char* kSettings = R"(
SELECT pg_catalog.current_setting('server_version_num'), pg_catalog.current_setting('server_encoding'),
  pg_catalog.current_setting('standard_conforming_strings'), pg_catalog.current_setting('max_identifier_length'))";

constexpr const char* kColumns = R"(
WITH RECURSIVE base AS (
  SELECT oid, oid AS b FROM pg_catalog.pg_type WHERE typtype OPERATOR(pg_catalog.<>) 'd'
  UNION ALL SELECT t.oid, base.b FROM pg_catalog.pg_type t JOIN base ON t.typbasetype OPERATOR(pg_catalog.=) base.oid
    WHERE t.typtype OPERATOR(pg_catalog.=) 'd')
SELECT c.oid, c.relname, c.relkind, pg_catalog.array_to_string(c.reloptions, ','), a.attnum, a.attname, a.attgenerated,
  bt.oid, bt.typname, bt.typtype, pg_catalog.format_type(a.atttypid, a.atttypmod),
  EXISTS (SELECT 1 FROM pg_catalog.pg_opclass o JOIN pg_catalog.pg_am m ON m.oid OPERATOR(pg_catalog.=) o.opcmethod
    WHERE m.amname OPERATOR(pg_catalog.=) 'btree' AND o.opcdefault AND o.opcintype OPERATOR(pg_catalog.=) bt.oid),
  pg_catalog.col_description(c.oid, a.attnum),
  bt.typnamespace OPERATOR(pg_catalog.=) 'pg_catalog'::pg_catalog.regnamespace,
  CASE WHEN NOT l.collisdeterministic OR l.collname OPERATOR(pg_catalog.<>) 'default' THEN l.oid END, l.collisdeterministic
FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid OPERATOR(pg_catalog.=) c.relnamespace
JOIN pg_catalog.pg_attribute a ON a.attrelid OPERATOR(pg_catalog.=) c.oid AND a.attnum OPERATOR(pg_catalog.>) 0
  AND NOT a.attisdropped
JOIN base ON base.oid OPERATOR(pg_catalog.=) a.atttypid
JOIN pg_catalog.pg_type bt ON bt.oid OPERATOR(pg_catalog.=) base.b
LEFT JOIN pg_catalog.pg_collation l ON l.oid OPERATOR(pg_catalog.=) a.attcollation
WHERE n.nspname OPERATOR(pg_catalog.=) $1 AND c.relkind IN ('r', 'p', 'v', 'm', 'f')
  AND NOT EXISTS (SELECT 1 FROM pg_catalog.pg_class s WHERE s.relname OPERATOR(pg_catalog.=) c.relname
    AND s.relnamespace OPERATOR(pg_catalog.=) 'pg_catalog'::pg_catalog.regnamespace)
ORDER BY c.oid, a.attnum)";

constexpr const char* kLabels = R"(
SELECT e.enumtypid, t.typname, e.enumlabel FROM pg_catalog.pg_enum e
JOIN pg_catalog.pg_type t ON t.oid OPERATOR(pg_catalog.=) e.enumtypid ORDER BY e.enumtypid, e.enumsortorder)";

constexpr const char* kConstraints = R"(
SELECT conrelid, contype, condeferrable, conkey, confrelid, confkey FROM pg_catalog.pg_constraint k
JOIN pg_catalog.pg_namespace n ON n.oid OPERATOR(pg_catalog.=) k.connamespace
WHERE contype IN ('p', 'u', 'f') AND n.nspname OPERATOR(pg_catalog.=) $1 ORDER BY conrelid, k.oid)";

constexpr const char* kViews = R"(
SELECT c.oid, pg_catalog.pg_get_viewdef(c.oid) FROM pg_catalog.pg_class c
JOIN pg_catalog.pg_namespace n ON n.oid OPERATOR(pg_catalog.=) c.relnamespace
WHERE n.nspname OPERATOR(pg_catalog.=) $1 AND c.relkind OPERATOR(pg_catalog.=) 'v')";

// What would be called in the place of PostgreSQL's own: functions and operators of the schema, and casts that somebody has made
// between types of the language, whatever schema their function is in. $2 and $3: the language's names.
constexpr const char* kTakenOver = R"(
SELECT pg_catalog.concat(p.proname, '()') AS name, p.oid FROM pg_catalog.pg_proc p
WHERE p.pronamespace OPERATOR(pg_catalog.=) (SELECT oid FROM pg_catalog.pg_namespace WHERE nspname OPERATOR(pg_catalog.=) $1)
  AND p.proname OPERATOR(pg_catalog.=) ANY ($2::pg_catalog.name[])
UNION ALL SELECT o.oprname, o.oid FROM pg_catalog.pg_operator o
WHERE o.oprnamespace OPERATOR(pg_catalog.=) (SELECT oid FROM pg_catalog.pg_namespace WHERE nspname OPERATOR(pg_catalog.=) $1)
  AND o.oprname OPERATOR(pg_catalog.=) ANY ($3::pg_catalog.name[])
UNION ALL SELECT pg_catalog.concat('CAST (', pg_catalog.format_type(s.oid, NULL), ' AS ', pg_catalog.format_type(t.oid, NULL), ')'), k.oid
FROM pg_catalog.pg_cast k JOIN pg_catalog.pg_type s ON s.oid OPERATOR(pg_catalog.=) k.castsource
JOIN pg_catalog.pg_type t ON t.oid OPERATOR(pg_catalog.=) k.casttarget
WHERE k.oid OPERATOR(pg_catalog.>=) 16384::pg_catalog.oid AND (s.typtype OPERATOR(pg_catalog.=) 'e' OR s.oid OPERATOR(pg_catalog.<) 16384::pg_catalog.oid)
  AND (t.typtype OPERATOR(pg_catalog.=) 'e' OR t.oid OPERATOR(pg_catalog.<) 16384::pg_catalog.oid)
ORDER BY 1)";

// Names, types and order of columns; which object each table is; what views are made of; what of the language means something
// else (%s, which is kTakenOver).
constexpr const char* kStamp = R"(
SELECT pg_catalog.md5(pg_catalog.concat((SELECT pg_catalog.string_agg(taken.oid::pg_catalog.text, ' ') FROM (%s) AS taken),
  pg_catalog.string_agg(pg_catalog.concat_ws(' ', c.oid, c.relname, c.relkind, a.attnum,
  a.attname, a.atttypid, a.atttypmod, c.reloptions, CASE WHEN c.relkind IN ('v', 'm') THEN (
    SELECT pg_catalog.string_agg(pg_catalog.concat_ws(' ', r.oid, r.xmin), ' ' ORDER BY r.oid)
    FROM pg_catalog.pg_rewrite r WHERE r.ev_class OPERATOR(pg_catalog.=) c.oid) END), E'\n' ORDER BY c.oid, a.attnum), ''))
FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid OPERATOR(pg_catalog.=) c.relnamespace
JOIN pg_catalog.pg_attribute a ON a.attrelid OPERATOR(pg_catalog.=) c.oid AND a.attnum OPERATOR(pg_catalog.>) 0
  AND NOT a.attisdropped
WHERE n.nspname OPERATOR(pg_catalog.=) $1 AND c.relkind IN ('r', 'p', 'v', 'm', 'f'))";

class Reader {
 public:
  Reader(PgConnection& connection, const std::string& schema) : connection_(connection), schema_(schema) {}

  Result<Catalog> read() {
    if (auto done = connection_.run("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"); !done) return done.error();
    Result<Catalog> catalog = read_inside();
    const auto ended = connection_.run("ROLLBACK");
    if (catalog && !ended) return ended.error();
    return catalog;
  }

 private:
  Result<Catalog> read_inside() {
    // The functions that stand in no schema's name, such as format_type's printing, must not depend on the caller's path.
    for (const auto step : {&Reader::fix_path, &Reader::check_settings, &Reader::check_names, &Reader::read_labels,
                            &Reader::read_columns, &Reader::read_constraints, &Reader::read_views}) {
      if (auto done = (this->*step)(); !done) return done.error();
    }
    auto stamp = connection_.query(pg_stamp_query(), {schema_});
    if (!stamp) return stamp.error();
    Catalog catalog(std::move(tables_), connection_.database(), Dialect::PostgreSql);
    catalog.set_stamp(pg_stamp(text_of(stamp->front()[0])));
    catalog.set_enumerations(std::move(enumerations_));
    return catalog;
  }

  Result<Done> fix_path() { return connection_.run("SET LOCAL search_path = pg_catalog, pg_temp"); }

  Result<Done> check_settings() {
    auto rows = connection_.query(kSettings);
    if (!rows) return rows.error();
    const PgRow& row = rows->front();
    const auto wrong = [](const std::string& what) { return Error{what, {}, {}}; };
    if (number_of(text_of(row[0])) < 150000) {
      return wrong("the server is PostgreSQL " + std::to_string(number_of(text_of(row[0])) / 10000) +
                   "; 15 or newer is needed");
    }
    if (text_of(row[1]) != "UTF8") {
      return wrong("the database's encoding is " + text_of(row[1]) +
                   "; names would be cut and folded by other rules than are known here. It must be UTF8");
    }
    if (text_of(row[2]) != "on") {
      return wrong(
          "standard_conforming_strings is off, so that a backslash would end strings elsewhere than it seems; "
          "set it to on for the role: ALTER ROLE … SET standard_conforming_strings = on");
    }
    if (text_of(row[3]) != "63") {
      return wrong("the server cuts names at " + text_of(row[3]) +
                   " bytes; 63, as PostgreSQL is built, is what is known here");
    }
    auto found =
        connection_.query("SELECT 1 FROM pg_catalog.pg_namespace WHERE nspname OPERATOR(pg_catalog.=) $1", {schema_});
    if (!found) return found.error();
    if (found->empty()) return wrong("the database `" + connection_.database() + "` has no schema `" + schema_ + "`");
    return Done{};
  }

  Result<Done> check_names() {
    auto rows =
        connection_.query(kTakenOver, {schema_, array_of(language_functions()), array_of(language_operators())});
    if (!rows) return rows.error();
    if (rows->empty()) return Done{};
    std::string names;
    for (const PgRow& row : *rows) names += (names.empty() ? "`" : ", `") + text_of(row[0]) + "`";
    return Error{"schema `" + schema_ + "` has functions or operators of names that the language uses, or the database casts: " +
                     names +
                     ". They would take the place of PostgreSQL's own in a query; move functions and operators into another "
                     "schema, and drop the casts",
                 {},
                 {}};
  }

  Result<Done> read_labels() {
    auto rows = connection_.query(kLabels);
    if (!rows) return rows.error();
    for (const PgRow& row : *rows) {
      const auto [entry, fresh] = enumeration_of_.emplace(text_of(row[0]), static_cast<uint32_t>(enumerations_.size()));
      if (fresh) enumerations_.push_back({text_of(row[1]), {}});
      enumerations_[entry->second].labels.push_back(text_of(row[2]));
    }
    return Done{};
  }

  Result<Done> read_columns() {
    auto rows = connection_.query(kColumns, {schema_});
    if (!rows) return rows.error();
    for (const PgRow& row : *rows) {
      const auto [entry, fresh] = table_of_.emplace(text_of(row[0]), tables_.size());
      if (fresh) {
        Table& table = tables_.emplace_back();
        table.name = text_of(row[1]);
        table.without_rowid = true;
        const std::string& kind = text_of(row[2]);
        if (kind == "v" || kind == "m") table.kind = TableKind::View;
        const std::string& options = text_of(row[3]);
        const bool barrier = options.find("security_barrier=true") != std::string::npos ||
                             options.find("security_barrier=on") != std::string::npos ||
                             options.find("security_barrier=1") != std::string::npos;
        table.leaky_view = kind == "v" && !barrier;
        attributes_.emplace_back();
      }
      Table& table = tables_[entry->second];
      attributes_[entry->second][number_of(text_of(row[4]))] = static_cast<ColumnIndex>(table.columns.size());
      Column& column = table.columns.emplace_back();
      column.name = text_of(row[5]);
      column.type = text_of(row[10]);
      column.comment = text_of(row[12]);
      if (!text_of(row[6]).empty()) column.generated = Generated::Stored;
      ValueType& value = column.value;
      if (text_of(row[9]) == "e") {
        const auto labels = enumeration_of_.find(text_of(row[7]));
        if (labels != enumeration_of_.end()) {
          value.kind = PgKind::Enum;
          value.enumeration = labels->second;
        }
      } else if (is_true(row[13])) {
        value.kind = kind_of_type(text_of(row[8]));
        value.small = text_of(row[8]) == "int2";
        if (row[14] && !fits_collation(*row[14], is_true(row[15]))) value.kind = PgKind::Opaque;
      }
      value.sortable = value.kind != PgKind::Opaque || is_true(row[11]);
    }
    return Done{};
  }

  // Texts of two collations, the database's own aside, do not compare, and those of one that is not deterministic know no
  // LIKE: such texts are only shown.
  bool fits_collation(const std::string& oid, bool deterministic) {
    if (collation_.empty() && deterministic) collation_ = oid;
    return deterministic && collation_ == oid;
  }

  std::vector<ColumnIndex> columns_of(size_t table, const std::optional<std::string>& numbers) const {
    std::vector<ColumnIndex> columns;
    for (const int64_t number : numbers_of(numbers)) {
      const auto found = attributes_[table].find(number);
      if (found != attributes_[table].end()) columns.push_back(found->second);
    }
    return columns;
  }

  Result<Done> read_constraints() {
    auto rows = connection_.query(kConstraints, {schema_});
    if (!rows) return rows.error();
    for (const PgRow& row : *rows) {
      const auto found = table_of_.find(text_of(row[0]));
      if (found == table_of_.end()) continue;
      Table& table = tables_[found->second];
      std::vector<ColumnIndex> columns = columns_of(found->second, row[3]);
      if (text_of(row[1]) == "p") {
        table.primary_key = std::move(columns);
        table.deferrable_key = is_true(row[2]);
      } else if (text_of(row[1]) == "u") {
        table.unique_keys.push_back(std::move(columns));
      } else if (const auto parent = table_of_.find(text_of(row[4])); parent != table_of_.end()) {
        ForeignKey key;
        key.columns = std::move(columns);
        key.parent_table = tables_[parent->second].name;
        for (const ColumnIndex column : columns_of(parent->second, row[5])) {
          key.parent_columns.push_back(tables_[parent->second].columns[column].name);
        }
        table.foreign_keys.push_back(std::move(key));
      }
    }
    return Done{};
  }

  // A view that shows all rows of one table leaves none out, so that nothing computed over it can tell of others.
  Result<Done> read_views() {
    auto rows = connection_.query(kViews, {schema_});
    if (!rows) return rows.error();
    for (const PgRow& row : *rows) {
      const auto found = table_of_.find(text_of(row[0]));
      if (found != table_of_.end() && shows_all_rows(text_of(row[1]))) tables_[found->second].leaky_view = false;
    }
    return Done{};
  }

  bool shows_all_rows(const std::string& definition) {
    if (tree_.parse(definition) != PgTree::Outcome::Parsed) return false;
    const PgNode select = tree_.statements().first()["stmt"]["SelectStmt"];
    if (!select || select["op"].text() != "SETOP_NONE") return false;
    for (const char* part : {"whereClause", "groupClause", "havingClause", "distinctClause", "limitCount",
                             "limitOffset", "withClause", "valuesLists"}) {
      if (select[part]) return false;
    }
    if (select["fromClause"].size() != 1) return false;
    const PgNode range = select["fromClause"].first()["RangeVar"];
    if (!range || !range["inh"].is_true() || range["schemaname"].text() != schema_) return false;
    for (const Table& table : tables_) {
      if (table.name == range["relname"].text()) return table.kind == TableKind::Table;
    }
    return false;
  }

  PgConnection& connection_;
  const std::string& schema_;
  std::vector<Table> tables_;
  std::vector<std::map<int64_t, ColumnIndex>> attributes_;  // per table, by the server's numbers
  std::map<std::string, size_t> table_of_;                  // by oid
  std::vector<Enumeration> enumerations_;
  std::map<std::string, uint32_t> enumeration_of_;  // by the type's oid
  std::string collation_;                           // the one besides the database's own
  PgTree tree_;
};

}  // namespace

const std::string& pg_stamp_query() {
  static const std::string query = [] {
    const auto put = [](std::string& text, std::string_view mark, const std::string& value) {
      text.replace(text.find(mark), mark.size(), value);
    };
    std::string taken = kTakenOver;
    put(taken, "$2", "'" + array_of(language_functions()) + "'");
    put(taken, "$3", "'" + array_of(language_operators()) + "'");
    std::string text = kStamp;
    put(text, "%s", taken);
    return text;
  }();
  return query;
}

// 128 bits as the server prints them, in two halves.
SchemaStamp pg_stamp(std::string_view answer) {
  SchemaStamp stamp;
  uint64_t high = 0;
  const std::string_view first = answer.substr(0, 16),
                         second = answer.size() > 16 ? answer.substr(16) : std::string_view();
  std::from_chars(first.data(), first.data() + first.size(), high, 16);
  std::from_chars(second.data(), second.data() + second.size(), stamp.hash, 16);
  stamp.version = static_cast<int64_t>(high);
  return stamp;
}

Result<Catalog> read_pg_catalog(PgConnection& connection, const std::string& schema) {
  return Reader(connection, schema).read();
}

Result<Catalog> read_pg_catalog(const std::string& address, const std::string& schema) {
  auto connection = PgConnection::open(address);
  if (!connection) return connection.error();
  auto catalog = read_pg_catalog(*connection, schema);
  if (!catalog) return Error{catalog.error().message, shown_pg_address(address), {}};
  return catalog;
}

}  // namespace pccsql
