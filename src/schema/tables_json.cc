// Spider's and BIRD's `tables.json`: a list of databases, each with its table names, its columns as [table, name] pairs
// counted through all tables (number 0 is `*`), and keys as column numbers. Types there are coarse and say nothing of
// rowids, so no table gets an INTEGER PRIMARY KEY.
#include <nlohmann/json.hpp>

#include <algorithm>
#include <optional>
#include <set>

#include "base/file.h"
#include "base/text.h"
#include "schema/reader.h"

namespace pccsql {
namespace {

using Json = nlohmann::json;

class DatabaseReader {
 public:
  DatabaseReader(const Json& json, size_t number, const std::string& file)
      : json_(json), file_(file), who_("database " + std::to_string(number)) {}

  Result<Catalog> read() {
    if (!json_.is_object()) return wrong("is no object");
    const Json* id = field("db_id");
    if (!id || !id->is_string()) return wrong("field `db_id`: a string was expected");
    name_ = id->get<std::string>();
    who_ = "database `" + name_ + "`";
    for (const auto step : {&DatabaseReader::read_tables, &DatabaseReader::read_columns, &DatabaseReader::read_types,
                            &DatabaseReader::read_primary_keys, &DatabaseReader::read_foreign_keys}) {
      if (std::optional<Error> error = (this->*step)()) return *error;
    }
    return Catalog(std::move(tables_), name_);
  }

 private:
  using Failure = std::optional<Error>;

  Error wrong(const std::string& what) const { return {who_ + " " + what, file_, {}}; }
  Error wrong_field(const std::string& name, const std::string& what) const {
    return wrong("field `" + name + "`: " + what);
  }

  const Json* field(const char* name) const {
    const auto found = json_.find(name);
    return found == json_.end() ? nullptr : &*found;
  }

  const Json* array(const char* name) const {
    const Json* found = field(name);
    return found && found->is_array() ? found : nullptr;
  }

  // No name in a SQL text can hold a NUL byte.
  static bool is_name(const Json& name) {
    return name.is_string() && name.get_ref<const std::string&>().find('\0') == std::string::npos;
  }

  Failure read_tables() {
    const Json* names = array("table_names_original");
    if (!names) return wrong_field("table_names_original", "a list of table names was expected");
    for (const Json& name : *names) {
      if (!is_name(name)) return wrong_field("table_names_original", "a table name is no string, or holds a NUL byte");
      Table table;
      table.name = name.get<std::string>();
      // SQLite's own tables are listed with the rest. They cannot be asked for, and a table of this kind never can.
      if (folded(table.name).starts_with("sqlite_")) table.kind = TableKind::Virtual;
      tables_.push_back(std::move(table));
    }
    return std::nullopt;
  }

  Failure read_columns() {
    const Json* columns = array("column_names_original");
    if (!columns) return wrong_field("column_names_original", "a list of [table number, name] pairs was expected");
    for (const Json& pair : *columns) {
      if (!pair.is_array() || pair.size() != 2 || !pair[0].is_number_integer() || !is_name(pair[1])) {
        return wrong_field("column_names_original",
                           "[table number, name] was expected for column " + std::to_string(places_.size()));
      }
      const auto table = pair[0].get<int64_t>();
      if (table < -1 || table >= static_cast<int64_t>(tables_.size())) {
        return wrong_field("column_names_original", "there is no table number " + std::to_string(table));
      }
      if (table == -1) {  // `*`
        places_.emplace_back();
        continue;
      }
      Column column;
      column.name = pair[1].get<std::string>();
      std::vector<Column>& siblings = tables_[static_cast<size_t>(table)].columns;
      places_.push_back(ColumnRef{static_cast<TableId>(table), static_cast<ColumnIndex>(siblings.size())});
      siblings.push_back(std::move(column));
    }
    return std::nullopt;
  }

  Failure read_types() {
    if (!field("column_types")) return std::nullopt;
    const Json* types = array("column_types");
    if (!types || types->size() != places_.size())
      return wrong_field("column_types", "a list with one type for each column was expected");
    for (size_t i = 0; i < places_.size(); ++i) {
      if (!is_name((*types)[i])) return wrong_field("column_types", "a type is no string");
      if (places_[i]) tables_[places_[i]->table].columns[places_[i]->column].type = (*types)[i].get<std::string>();
    }
    return std::nullopt;
  }

  // The column that a number in a key means.
  std::optional<ColumnRef> place(const Json& number) const {
    if (!number.is_number_unsigned() || number.get<uint64_t>() >= places_.size()) return std::nullopt;
    return places_[number.get<size_t>()];
  }

  // A key is one column's number, or a list of them.
  Failure read_primary_keys() {
    if (!field("primary_keys")) return std::nullopt;
    const Json* keys = array("primary_keys");
    if (!keys) return wrong_field("primary_keys", "a list was expected");
    for (const Json& key : *keys) {
      const Json numbers = key.is_array() ? key : Json::array({key});
      for (const Json& number : numbers) {
        const auto column = place(number);
        if (!column) return wrong_field("primary_keys", "there is no column number `" + shown(number) + "`");
        std::vector<ColumnIndex>& known = tables_[column->table].primary_key;
        if (std::find(known.begin(), known.end(), column->column) == known.end()) known.push_back(column->column);
      }
    }
    return std::nullopt;
  }

  Failure read_foreign_keys() {
    if (!field("foreign_keys")) return std::nullopt;
    const Json* keys = array("foreign_keys");
    if (!keys) return wrong_field("foreign_keys", "a list was expected");
    for (const Json& key : *keys) {
      if (!key.is_array() || key.size() != 2)
        return wrong_field("foreign_keys", "a pair of column numbers was expected");
      const auto from = place(key[0]);
      const auto to = place(key[1]);
      if (!from || !to)
        return wrong_field("foreign_keys", "there is no column number `" + shown(from ? key[1] : key[0]) + "`");
      const Table& parent = tables_[to->table];
      tables_[from->table].foreign_keys.push_back({{from->column}, parent.name, {parent.columns[to->column].name}});
    }
    return std::nullopt;
  }

  // Bounded, because it goes into a message; never throws, whatever the bytes.
  static std::string shown(const Json& value) {
    constexpr size_t kLongest = 40;
    if (value.is_structured()) return value.is_array() ? "[…]" : "{…}";
    return value.dump(-1, ' ', true, Json::error_handler_t::replace).substr(0, kLongest);
  }

  const Json& json_;
  const std::string& file_;
  std::string who_;
  std::string name_;
  std::vector<Table> tables_;
  std::vector<std::optional<ColumnRef>> places_;  // by column number; empty for `*`
};

}  // namespace

Result<std::vector<Catalog>> parse_tables_json(std::string_view text, const std::string& path) {
  Json json;
  try {
    json = Json::parse(text);
  } catch (const Json::parse_error& e) {
    // The library names the byte it stopped at, counted from 1.
    const auto offset = static_cast<uint32_t>(e.byte == 0 ? 0 : e.byte - 1);
    return Error{"this is not JSON: unexpected text here", path, position_of(text, offset)};
  } catch (const Json::exception& e) {
    return Error{std::string("this is not JSON: ") + e.what(), path, {0, 0}};
  }
  if (!json.is_array()) return Error{"a list of databases was expected, as in Spider's tables.json", path, {0, 0}};
  std::vector<Catalog> catalogs;
  std::set<std::string> ids;
  for (size_t i = 0; i < json.size(); ++i) {
    Result<Catalog> catalog = DatabaseReader(json[i], i, path).read();
    if (!catalog) return catalog.error();
    if (!ids.insert(catalog->name()).second) {
      return Error{"database `" + catalog->name() + "` is there twice", path, {0, 0}};
    }
    catalogs.push_back(*std::move(catalog));
  }
  return catalogs;
}

Result<std::vector<Catalog>> read_tables_json(const std::string& path) {
  const Result<std::string> text = read_file(path);
  if (!text) return text.error();
  return parse_tables_json(*text, path);
}

std::string to_tables_json(const Catalog& catalog) {
  using Ordered = nlohmann::ordered_json;
  Ordered tables = Ordered::array();
  Ordered columns = Ordered::array({Ordered::array({-1, "*"})});
  Ordered types = Ordered::array({"text"});
  std::vector<size_t> first;  // column number of each table's first column
  for (const Table& table : catalog.tables()) {
    tables.push_back(table.name);
    first.push_back(columns.size());
    for (const Column& column : table.columns) {
      columns.push_back(Ordered::array({first.size() - 1, column.name}));
      types.push_back(column.type);
    }
  }
  Ordered keys = Ordered::array();
  Ordered foreign = Ordered::array();
  for (TableId t = 0; t < catalog.tables().size(); ++t) {
    const Table& table = catalog.table(t);
    Ordered key = Ordered::array();
    for (const ColumnIndex column : table.primary_key) key.push_back(first[t] + column);
    if (key.size() == 1) keys.push_back(key[0]);
    if (key.size() > 1) keys.push_back(key);
    for (const ForeignKey& one : table.foreign_keys) {
      for (size_t i = 0; i < std::min(one.columns.size(), one.parent_columns.size()); ++i) {
        const auto parent = catalog.find_column(one.parent_table, one.parent_columns[i]);
        if (parent)
          foreign.push_back(Ordered::array({first[t] + one.columns[i], first[parent->table] + parent->column}));
      }
    }
  }
  const Ordered json{{"db_id", catalog.name()},
                     {"table_names_original", std::move(tables)},
                     {"column_names_original", std::move(columns)},
                     {"column_types", std::move(types)},
                     {"primary_keys", std::move(keys)},
                     {"foreign_keys", std::move(foreign)}};
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace pccsql
