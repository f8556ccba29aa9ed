// What SQLite says about its own tables: `table_xinfo` for columns (generated and hidden ones too), `table_list` for
// what kind of table it is, `index_list` for keys. Nothing is worked out here from the text of a CREATE statement.
//
// A view is part of the catalogue only if every name in its body is bound by the body itself. SQLite expands a view
// where it is used and lets loose names bind there: `"x"`, which is a string until an enclosing query has a column x,
// and TRUE and FALSE, which are columns where one of that name is in sight (so they are loose only in a schema that has
// such a column). Both are tried, with SQLite as the judge.
#include "schema/sqlite_catalog.h"

#include <sqlite3.h>

#include <algorithm>
#include <filesystem>
#include <functional>
#include <map>
#include <utility>

#include "base/text.h"
#include "schema/connection.h"
#include "schema/reader.h"
#include "syntax/lexer.h"

namespace pccsql {
namespace {

// One row of a statement, by column number.
class Row {
 public:
  explicit Row(sqlite3_stmt* statement) : statement_(statement) {}
  std::string text(int column) const {
    const auto* value = reinterpret_cast<const char*>(sqlite3_column_text(statement_, column));
    return value ? std::string(value) : std::string();
  }
  bool is_null(int column) const { return sqlite3_column_type(statement_, column) == SQLITE_NULL; }
  int integer(int column) const { return sqlite3_column_int(statement_, column); }
  int64_t long_integer(int column) const { return sqlite3_column_int64(statement_, column); }

 private:
  sqlite3_stmt* statement_;
};

// False when SQLite reports an error, then to be found with sqlite3_errmsg().
bool for_each_row(sqlite3* db, const std::string& sql, const std::function<void(const Row&)>& visit) {
  sqlite3_stmt* statement = nullptr;
  int rc = sqlite3_prepare_v2(db, sql.c_str(), -1, &statement, nullptr);
  while (rc == SQLITE_OK && (rc = sqlite3_step(statement)) == SQLITE_ROW) {
    visit(Row(statement));
    rc = SQLITE_OK;
  }
  sqlite3_finalize(statement);
  return rc == SQLITE_DONE;
}

std::string pragma(std::string_view what, std::string_view name) {
  return "PRAGMA main." + std::string(what) + "(" + quoted_identifier(name) + ")";
}

std::string quoted_string(std::string_view text) {
  std::string quoted = "'";
  for (const char c : text) quoted.append(c == '\'' ? 2 : 1, c);
  return quoted + "'";
}

std::optional<ColumnIndex> index_of(const Table& table, std::string_view column) {
  for (size_t i = 0; i < table.columns.size(); ++i) {
    if (equal_folded(table.columns[i].name, column)) return static_cast<ColumnIndex>(i);
  }
  return std::nullopt;
}

bool read_columns(sqlite3* db, Table& table) {
  std::map<int, ColumnIndex> key;  // by place in the primary key, from 1
  const bool ok = for_each_row(db, pragma("table_xinfo", table.name), [&](const Row& row) {
    constexpr int kName = 1, kType = 2, kKeyPlace = 5, kHidden = 6;
    Column column;
    column.name = row.text(kName);
    column.type = row.text(kType);
    column.hidden = row.integer(kHidden) == 1;
    if (row.integer(kHidden) == 2) column.generated = Generated::Virtual;
    if (row.integer(kHidden) == 3) column.generated = Generated::Stored;
    if (row.integer(kKeyPlace) > 0) key[row.integer(kKeyPlace)] = static_cast<ColumnIndex>(table.columns.size());
    table.columns.push_back(std::move(column));
  });
  for (const auto& [place, column] : key) table.primary_key.push_back(column);
  return ok;
}

// Columns that the text of a CREATE INDEX names anywhere: in expressions and in the condition of a partial index SQLite
// does not list them. A string or a function of a column's name is taken for the column, which errs on the safe side.
void add_named_columns(const Table& table, std::string_view create_index, std::vector<ColumnIndex>& columns) {
  std::vector<Lexeme> lexemes;
  lex(create_index, lexemes);
  std::string buffer;
  const auto is_on = [](const Lexeme& lexeme) { return lexeme.terminal == Terminal::kw_ON; };
  auto at = std::find_if(lexemes.begin(), lexemes.end(), is_on);
  if (at != lexemes.end()) at += 2;  // past the table's name
  for (; at < lexemes.end(); ++at) {
    const bool name = at->terminal == Terminal::Name;
    std::string_view text = name ? name_text(*at, create_index, buffer) : at->span.of(create_index);
    if (const auto column = index_of(table, text)) columns.push_back(*column);
  }
}

bool read_indexes(sqlite3* db, Table& table) {
  constexpr int kName = 1, kOrigin = 3, kPartial = 4;
  std::vector<bool> partial;
  bool ok = for_each_row(db, pragma("index_list", table.name), [&](const Row& row) {
    table.indexes.push_back({row.text(kName), {}, row.text(kOrigin) != "c"});
    partial.push_back(row.integer(kPartial) == 1);
  });
  for (size_t i = 0; i < table.indexes.size(); ++i) {
    Index& index = table.indexes[i];
    bool read_text = partial[i];
    ok = ok && for_each_row(db, pragma("index_info", index.name), [&](const Row& row) {
           const int column = row.integer(1);
           if (column >= 0) index.columns.push_back(static_cast<ColumnIndex>(column));
           if (column == -1 && table.integer_primary_key) index.columns.push_back(*table.integer_primary_key);
           read_text = read_text || column == -2;
         });
    if (read_text) {
      const std::string text = "SELECT sql FROM main.sqlite_schema WHERE type = 'index' AND name = " +
                               quoted_string(index.name);
      ok = ok && for_each_row(db, text, [&](const Row& row) { add_named_columns(table, row.text(0), index.columns); });
    }
    std::sort(index.columns.begin(), index.columns.end());
    index.columns.erase(std::unique(index.columns.begin(), index.columns.end()), index.columns.end());
  }
  std::reverse(table.indexes.begin(), table.indexes.end());  // SQLite lists the last one made first
  return ok;
}

bool read_keys(sqlite3* db, Table& table) {
  constexpr int kName = 1, kUnique = 2, kOrigin = 3, kPartial = 4;
  bool has_key_index = false;
  std::vector<std::string> unique_indexes;
  bool ok = for_each_row(db, pragma("index_list", table.name), [&](const Row& row) {
    if (row.text(kOrigin) == "pk") {
      has_key_index = true;
    } else if (row.integer(kUnique) == 1 && row.integer(kPartial) == 0) {
      unique_indexes.push_back(row.text(kName));
    }
  });
  for (const std::string& index : unique_indexes) {
    std::vector<ColumnIndex> columns;
    bool only_columns = true;  // not the rowid, not an expression
    ok = ok && for_each_row(db, pragma("index_info", index), [&](const Row& row) {
           const int column = row.integer(1);
           only_columns = only_columns && column >= 0;
           columns.push_back(static_cast<ColumnIndex>(column));
         });
    if (only_columns && !columns.empty()) table.unique_keys.push_back(std::move(columns));
  }
  // A rowid needs no index; `INTEGER PRIMARY KEY DESC` is no rowid and has one.
  if (table.kind == TableKind::Table && !table.without_rowid && table.primary_key.size() == 1 && !has_key_index &&
      equal_folded(table.columns[table.primary_key[0]].type, "INTEGER")) {
    table.integer_primary_key = table.primary_key[0];
  }
  return ok;
}

bool read_foreign_keys(sqlite3* db, Table& table) {
  constexpr int kId = 0, kParent = 2, kFrom = 3, kTo = 4;
  std::map<int, ForeignKey, std::greater<>> keys;  // SQLite numbers them from the last to the first
  const bool ok = for_each_row(db, pragma("foreign_key_list", table.name), [&](const Row& row) {
    ForeignKey& key = keys[row.integer(kId)];
    key.parent_table = row.text(kParent);
    if (const auto from = index_of(table, row.text(kFrom))) key.columns.push_back(*from);
    if (!row.is_null(kTo)) key.parent_columns.push_back(row.text(kTo));
  });
  for (auto& [id, key] : keys) table.foreign_keys.push_back(std::move(key));
  return ok;
}

// `REFERENCES parent` alone means the parent's primary key.
void resolve_parents(std::vector<Table>& tables) {
  for (Table& table : tables) {
    for (ForeignKey& key : table.foreign_keys) {
      if (!key.parent_columns.empty()) continue;
      for (const Table& parent : tables) {
        if (!equal_folded(parent.name, key.parent_table) || parent.primary_key.size() != key.columns.size()) continue;
        for (const ColumnIndex column : parent.primary_key) key.parent_columns.push_back(parent.columns[column].name);
      }
    }
  }
}

bool prepares(sqlite3* db, const std::string& sql) {
  sqlite3_stmt* statement = nullptr;
  const int rc = sqlite3_prepare_v2(db, sql.c_str(), -1, &statement, nullptr);
  sqlite3_finalize(statement);
  return rc == SQLITE_OK;
}

constexpr char kProbe[] = "pccsql probe for loose names";

int note_probe_read(void* seen, int action, const char* table, const char* column, const char*, const char*) {
  if (action == SQLITE_READ && table && column && *column && equal_folded(table, kProbe))
    *static_cast<bool*>(seen) = true;
  return SQLITE_OK;
}

// Whether a TRUE or FALSE in the view's body would be taken for a column of an enclosing query.
bool has_loose_truth(sqlite3* db, const std::string& view) {
  bool reads_enclosing_column = false;
  sqlite3_set_authorizer(db, note_probe_read, &reads_enclosing_column);
  const bool ok = prepares(
      db, "SELECT (SELECT 1 FROM main." + quoted_identifier(view) + ") FROM temp." + quoted_identifier(kProbe));
  sqlite3_set_authorizer(db, nullptr, nullptr);
  return !ok || reads_enclosing_column;
}

bool has_truth_column(const std::vector<Table>& tables) {
  for (const Table& table : tables) {
    for (const Column& column : table.columns) {
      if (equal_folded(column.name, "true") || equal_folded(column.name, "false")) return true;
    }
  }
  return false;
}

// Moves the views with a loose TRUE or FALSE out of `tables`. False when SQLite cannot be asked.
bool take_out_loose_truth(sqlite3* db, std::vector<Table>& tables, std::vector<std::string>& unusable_views) {
  const std::string probe = "CREATE TEMP TABLE " + quoted_identifier(kProbe) + R"(("true", "false"))";
  if (sqlite3_exec(db, probe.c_str(), nullptr, nullptr, nullptr) != SQLITE_OK) return false;
  std::erase_if(tables, [&](const Table& table) {
    const bool loose = table.kind == TableKind::View && has_loose_truth(db, table.name);
    if (loose) unusable_views.push_back(table.name);
    return loose;
  });
  return true;
}

struct Listed {
  std::string type;  // table, view, virtual, shadow
  bool without_rowid = false;
};

}  // namespace

Result<Catalog> catalog_of(sqlite3* db, const std::string& name) {
  const auto failed = [&] { return Error{std::string("the schema cannot be read: ") + sqlite3_errmsg(db), {}, {}}; };
  sqlite3_db_config(db, SQLITE_DBCONFIG_DQS_DML, 0, nullptr);

  struct Entry {
    std::string name;
    bool view = false;
    std::string sql;
  };
  std::vector<Entry> entries;  // in the order of their making
  if (!for_each_row(db, "SELECT name, type = 'view', sql FROM main.sqlite_schema WHERE type IN ('table', 'view')",
                    [&](const Row& row) {
                      entries.push_back({row.text(0), row.integer(1) == 1, row.text(2)});
                    })) {
    return failed();
  }
  std::map<std::string, Listed> listed;
  if (!for_each_row(db, "PRAGMA main.table_list", [&](const Row& row) {
        listed[folded(row.text(1))] = {row.text(2), row.integer(4) == 1};
      })) {
    return failed();
  }

  std::vector<Table> tables;
  std::vector<std::string> unusable_views;
  for (Entry& entry : entries) {
    if (folded(entry.name).starts_with("sqlite_")) continue;
    Table table;
    table.name = std::move(entry.name);
    table.sql = std::move(entry.sql);
    if (entry.view) {
      table.kind = TableKind::View;
      // A condition around a view moves into its body, which not every body takes.
      if (!prepares(db, "SELECT * FROM main." + quoted_identifier(table.name) + " WHERE 1") || !read_columns(db, table)) {
        unusable_views.push_back(std::move(table.name));
        continue;
      }
    } else if (const Listed& how = listed[folded(table.name)]; how.type == "virtual" || how.type == "shadow") {
      table.kind = TableKind::Virtual;
      read_columns(db, table);  // fails where SQLite does not have the module; the table is there all the same
    } else {
      table.without_rowid = how.without_rowid;
      if (!read_columns(db, table) || !read_keys(db, table) || !read_indexes(db, table) ||
          !read_foreign_keys(db, table)) {
        return failed();
      }
    }
    tables.push_back(std::move(table));
  }
  if (has_truth_column(tables) && !take_out_loose_truth(db, tables, unusable_views)) return failed();
  resolve_parents(tables);
  Catalog catalog(std::move(tables), name);
  catalog.set_unusable_views(std::move(unusable_views));
  return catalog;
}

Result<int64_t> schema_version(sqlite3* db) {
  int64_t version = 0;
  if (for_each_row(db, "PRAGMA main.schema_version", [&](const Row& row) { version = row.long_integer(0); })) {
    return version;
  }
  return Error{std::string("the schema cannot be read: ") + sqlite3_errmsg(db), {}, {}};
}

Result<SchemaStamp> schema_stamp(sqlite3* db) {
  const auto version = schema_version(db);
  if (!version) return version.error();
  SchemaStamp stamp{*version, 14695981039346656037u};  // FNV-1a
  const auto add = [&stamp](const std::string& text) {
    for (const char c : text + '\0') stamp.hash = (stamp.hash ^ static_cast<unsigned char>(c)) * 1099511628211u;
  };
  const char* const all = "SELECT type, name, tbl_name, sql FROM main.sqlite_schema ORDER BY rowid";
  if (for_each_row(db, all, [&](const Row& row) {
        for (int i = 0; i < 4; ++i) add(row.text(i));
      })) {
    return stamp;
  }
  return Error{std::string("the schema cannot be read: ") + sqlite3_errmsg(db), {}, {}};
}

Result<Catalog> read_sqlite_catalog(const std::string& path) {
  constexpr int kAttempts = 5;
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    const Result<ReadOnlyDatabase> db = open_read_only(path);
    if (!db) return db.error();
    sqlite3* const connection = db->connection.get();
    // One transaction, so that all of it is of one state.
    if (sqlite3_exec(connection, "BEGIN", nullptr, nullptr, nullptr) != SQLITE_OK) {
      return Error{std::string("the schema cannot be read: ") + sqlite3_errmsg(connection), path, {}};
    }
    const Result<SchemaStamp> stamp = schema_stamp(connection);
    if (!stamp) return Error{stamp.error().message, path, {}};
    Result<Catalog> catalog = catalog_of(connection, std::filesystem::path(path).stem().string());
    if (!catalog) return Error{catalog.error().message, path, {}};
    catalog->set_stamp(*stamp);
    if (db->still_unchanged()) return catalog;
  }
  return Error{"is being written to all the time; try again when that is done", path, {}};
}

}  // namespace pccsql
