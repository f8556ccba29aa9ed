// Catalog: the tables, views and columns that a query can name, whatever they were read from.
//
// Three readers make one (reader.h): a SQLite file, DDL text, Spider/BIRD tables.json. What a reader cannot know it
// leaves unknown (tables.json tells no INTEGER PRIMARY KEY), and the judges treat unknown as forbidden.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/names.h"
#include "schema/pg_kind.h"

namespace pccsql {

using TableId = uint32_t;      // index into Catalog::tables()
using ColumnIndex = uint32_t;  // index into Table::columns

struct ColumnRef {
  TableId table = 0;
  ColumnIndex column = 0;
  friend bool operator==(const ColumnRef&, const ColumnRef&) = default;
};

enum class Generated { No, Virtual, Stored };

struct Column {
  std::string name;  // as declared
  std::string type;  // declared type, may be empty
  Generated generated = Generated::No;
  bool hidden = false;  // hidden column of a virtual table: can be named, is not part of `*`
  // PostgreSQL's alone.
  ValueType value = {};
  std::string comment = {};  // of COMMENT ON COLUMN
  NameId id = kNoName;  // set by Catalog
};

// Virtual: never to be asked for. Virtual tables, the tables that store them, and SQLite's own (sqlite_sequence) where
// tables.json lists them among the others.
enum class TableKind { Table, View, Virtual };

struct ForeignKey {
  std::vector<ColumnIndex> columns;
  std::string parent_table;
  std::vector<std::string> parent_columns;  // resolved: the parent's primary key when the declaration left them out
};

// What a query may find rows by, in the index's order. SQLite's own are among them, but for the rowid.
struct Index {
  std::string name;
  std::vector<ColumnIndex> columns;  // in the key, in its expressions or in the condition of a partial index; each once
  bool constraint = false;           // made for a PRIMARY KEY or UNIQUE
};

struct Table {
  std::string name;
  TableKind kind = TableKind::Table;
  std::vector<Column> columns;
  bool without_rowid = false;
  // The column that `rowid` is another name for. Without one (or where the source cannot tell) rowid is not ours to
  // judge.
  std::optional<ColumnIndex> integer_primary_key;
  std::vector<ColumnIndex> primary_key;
  std::vector<std::vector<ColumnIndex>> unique_keys;  // UNIQUE constraints and unique indexes, without the primary key
  std::vector<ForeignKey> foreign_keys;
  std::vector<Index> indexes;  // where the source has them
  std::string sql;      // the CREATE statement, where the source has one
  NameId id = kNoName;  // set by Catalog
  // How many tables of a join it counts for, at most: a view may be merged into the query around it. Set by Catalog.
  uint16_t merged_tables = 1;
  // PostgreSQL's alone. A primary key that is checked at the end of a transaction does not tell rows apart before that.
  bool deferrable_key = false;
  // A view that leaves rows out and is no security barrier: what a query computes may be computed of those rows, too.
  bool leaky_view = false;

  std::optional<ColumnIndex> find_column(NameId name) const;
};

// Whose rules the names and values of a catalogue follow.
enum class Dialect : uint8_t { Sqlite, PostgreSql };
std::string_view to_string(Dialect dialect);  // "SQLite", "PostgreSQL"

// What the bodies of a catalogue's views hold, taken together: the database may merge any of them into a query.
struct ViewBodies {
  bool union_all = false;
  bool outer_join = false;  // RIGHT or FULL
};

// One state of a SQLite file's schema. Any change of a table, view or index makes another.
struct SchemaStamp {
  int64_t version = 0;  // SQLite's own count of changes; two files can have the same
  uint64_t hash = 0;    // of the names and the text of all CREATE statements
  friend bool operator==(const SchemaStamp&, const SchemaStamp&) = default;
};

class Catalog {
 public:
  // Takes tables in their order; interns and indexes the names. Two tables of one name: the first is found.
  explicit Catalog(std::vector<Table> tables, std::string name = {}, Dialect dialect = Dialect::Sqlite);

  Dialect dialect() const { return dialect_; }
  const std::string& name() const { return name_; }  // database name or db_id, for messages
  const std::vector<Table>& tables() const { return tables_; }
  const Table& table(TableId id) const { return tables_[id]; }
  const Column& column(ColumnRef ref) const { return tables_[ref.table].columns[ref.column]; }

  std::optional<TableId> find_table(std::string_view name) const;  // as the dialect compares names
  std::optional<TableId> find_table(NameId name) const;
  std::optional<ColumnRef> find_column(std::string_view table, std::string_view column) const;

  // All names of tables and columns. Judges copy it and add the names of a query on top.
  const Names& names() const { return names_; }

  const std::vector<Enumeration>& enumerations() const { return enumerations_; }
  void set_enumerations(std::vector<Enumeration> enumerations) { enumerations_ = std::move(enumerations); }

  const ViewBodies& view_bodies() const { return view_bodies_; }

  // Names of views that exist but are not in the catalogue, because a name in their body is not bound by the body's
  // own FROM (or the body does not prepare); a judge says so instead of "no such table".
  const std::vector<std::string>& unusable_views() const { return unusable_views_; }
  void set_unusable_views(std::vector<std::string> names) { unusable_views_ = std::move(names); }

  // The state that was read, where the catalogue is that of a SQLite file.
  const std::optional<SchemaStamp>& stamp() const { return stamp_; }
  void set_stamp(SchemaStamp stamp) { stamp_ = stamp; }

 private:
  Dialect dialect_;
  std::string name_;
  std::vector<Table> tables_;
  std::vector<Enumeration> enumerations_;
  Names names_;
  std::vector<TableId> table_of_name_;  // NameId -> TableId, or kNoTable
  ViewBodies view_bodies_;
  std::vector<std::string> unusable_views_;
  std::optional<SchemaStamp> stamp_;
};

}  // namespace pccsql
