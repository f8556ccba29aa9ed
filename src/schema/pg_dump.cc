// The text of `pg_dump -s`, as PostgreSQL's parser reads it. Only what a catalogue holds is looked at: tables, keys,
// enumerations, domains, comments on columns. What else a dump has (functions, triggers, grants) is passed over, except
// functions and operators that take over names of the language, which are an error here as on a server.
#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "base/span.h"
#include "pgtree/pg_tree.h"
#include "schema/language_names.h"
#include "schema/pg_catalog.h"

namespace pccsql {
namespace {

// `\restrict …` and its like are for psql, not for the server. They are blanked, so that places stay what they are.
std::string without_psql_commands(std::string_view text) {
  std::string result(text);
  for (size_t begin = 0; begin < result.size();) {
    const size_t end = std::min(result.find('\n', begin), result.size());
    if (result[begin] == '\\') std::fill(result.begin() + begin, result.begin() + end, ' ');
    begin = end + 1;
  }
  return result;
}

struct QualifiedName {
  std::string schema;  // empty: none was written
  std::string name;
};

QualifiedName last_two(PgNode names) {
  QualifiedName result;
  for (const PgNode name : names.items()) {
    result.schema = std::move(result.name);
    result.name = name["String"]["sval"].text();
  }
  return result;
}

std::string spelled(std::string_view pg_type) {
  static const std::map<std::string_view, std::string> kSpellings{{"int2", "smallint"},
                                                                  {"int4", "integer"},
                                                                  {"int8", "bigint"},
                                                                  {"float4", "real"},
                                                                  {"float8", "double precision"},
                                                                  {"bool", "boolean"},
                                                                  {"bpchar", "character"},
                                                                  {"varchar", "character varying"},
                                                                  {"timestamp", "timestamp without time zone"},
                                                                  {"timestamptz", "timestamp with time zone"},
                                                                  {"time", "time without time zone"},
                                                                  {"timetz", "time with time zone"}};
  const auto found = kSpellings.find(pg_type);
  return found == kSpellings.end() ? std::string(pg_type) : found->second;
}

class DumpReader {
 public:
  DumpReader(std::string_view text, const std::string& file, const std::string& schema)
      : text_(without_psql_commands(text)), file_(file), schema_(schema) {}

  Result<Catalog> read(const std::string& name) {
    PgTree tree;
    constexpr size_t kMostLexemes = 50'000'000;
    const PgTree::Outcome outcome = tree.parse(text_, kMostLexemes);
    if (outcome == PgTree::Outcome::Unavailable) return Error{tree.message(), file_, {}};
    if (outcome != PgTree::Outcome::Parsed) {
      return Error{tree.message() + "; the text of `pg_dump -s` is expected", file_,
                   position_of(text_, tree.error_at())};
    }
    // Types first: pg_dump writes them first, a person may not.
    for (const PgNode statement : tree.statements().items()) read_type(statement["stmt"]);
    for (const PgNode statement : tree.statements().items()) {
      if (auto done = read_statement(statement["stmt"]); !done) return done.error();
    }
    if (tables_.empty()) return Error{"creates no table in schema `" + schema_ + "`", file_, {}};
    Catalog catalog(std::move(tables_), name, Dialect::PostgreSql);
    catalog.set_enumerations(std::move(enumerations_));
    catalog.set_unusable_views(std::move(views_));
    return catalog;
  }

 private:
  using Key = std::pair<std::string, std::string>;  // schema and name

  Key key_of(const QualifiedName& name) const { return {name.schema.empty() ? schema_ : name.schema, name.name}; }
  bool is_ours(std::string_view schema) const { return schema.empty() || schema == schema_; }

  void read_type(PgNode statement) {
    if (const PgNode made = statement["CreateEnumStmt"]) {
      Enumeration enumeration;
      const QualifiedName name = last_two(made["typeName"]);
      enumeration.name = name.name;
      for (const PgNode label : made["vals"].items()) enumeration.labels.emplace_back(label["String"]["sval"].text());
      ValueType type;
      type.kind = PgKind::Enum;
      type.sortable = true;
      type.enumeration = static_cast<uint32_t>(enumerations_.size());
      types_[key_of(name)] = type;
      enumerations_.push_back(std::move(enumeration));
    } else if (const PgNode domain = statement["CreateDomainStmt"]) {
      ValueType type = value_type(domain["typeName"]);
      read_collation(domain["collClause"], type);
      types_[key_of(last_two(domain["domainname"]))] = type;
    } else if (const PgNode composite = statement["CompositeTypeStmt"]) {
      types_[{std::string(composite["typevar"]["schemaname"].text()),
              std::string(composite["typevar"]["relname"].text())}] = {};
    }
  }

  ValueType value_type(PgNode type) const {
    const QualifiedName name = last_two(type["names"]);
    ValueType value;
    if (type["arrayBounds"] || type["setof"]) return value;
    const auto own = types_.find(key_of(name));
    if (name.schema != "pg_catalog" && own != types_.end()) return own->second;
    if (!name.schema.empty() && name.schema != "pg_catalog") return value;
    value.kind = kind_of_type(name.name);
    value.small = name.name == "int2";
    value.sortable = value.kind != PgKind::Opaque;
    return value;
  }

  static std::string type_text(PgNode type) {
    const QualifiedName name = last_two(type["names"]);
    std::string text = spelled(name.name);
    std::string modifiers;
    for (const PgNode modifier : type["typmods"].items()) {
      if (!modifiers.empty()) modifiers += ',';
      modifiers += std::to_string(modifier["A_Const"]["ival"]["ival"].number());
    }
    if (!modifiers.empty() && name.name != "interval") text += "(" + modifiers + ")";
    if (type["arrayBounds"]) text += "[]";
    return text;
  }

  Result<Done> read_statement(PgNode statement) {
    if (const PgNode create = statement["CreateStmt"]) return read_table(create);
    if (const PgNode foreign = statement["CreateForeignTableStmt"]) return read_table(foreign["base"]);
    if (const PgNode alter = statement["AlterTableStmt"]) return alter_table(alter);
    if (const PgNode comment = statement["CommentStmt"]) read_comment(comment);
    if (const PgNode view = statement["ViewStmt"]; view && is_ours(view["view"]["schemaname"].text())) {
      views_.emplace_back(view["view"]["relname"].text());
    }
    if (const PgNode view = statement["CreateTableAsStmt"]; view && is_ours(view["into"]["rel"]["schemaname"].text())) {
      views_.emplace_back(view["into"]["rel"]["relname"].text());
    }
    if (const PgNode function = statement["CreateFunctionStmt"]) {
      return check_name(last_two(function["funcname"]), language_functions());
    }
    if (const PgNode made = statement["DefineStmt"]) {
      if (made["kind"].text() == "OBJECT_OPERATOR") return check_name(last_two(made["defnames"]), language_operators());
      if (made["kind"].text() == "OBJECT_AGGREGATE") return check_name(last_two(made["defnames"]), language_functions());
    }
    if (const PgNode cast = statement["CreateCastStmt"]) return check_cast(cast);
    return Done{};
  }

  Result<Done> check_cast(PgNode cast) const {
    for (const char* side : {"sourcetype", "targettype"}) {
      if (value_type(cast[side]).kind == PgKind::Opaque) return Done{};
    }
    return Error{"the database casts " + type_text(cast["sourcetype"]) + " to " + type_text(cast["targettype"]) +
                     " in a way of its own, which would take the place of PostgreSQL's in a query; drop that cast",
                 file_,
                 {}};
  }

  // As from a server: texts of two collations do not compare. Of one that the dump makes nothing is known.
  void read_collation(PgNode clause, ValueType& value) {
    if (!clause || value.kind != PgKind::Text) return;
    const QualifiedName name = last_two(clause["collname"]);
    if (name.name == "default") return;
    const bool known = name.schema.empty() || name.schema == "pg_catalog";
    if (known && collation_.empty()) collation_ = name.name;
    if (!known || collation_ != name.name) value.kind = PgKind::Opaque;
  }

  Result<Done> check_name(const QualifiedName& name, const std::vector<std::string_view>& taken) const {
    if (!is_ours(name.schema) || std::ranges::find(taken, name.name) == taken.end()) return Done{};
    return Error{
        "schema `" + schema_ + "` has a function or operator `" + name.name +
            "`, a name that the language uses: it would take the place of PostgreSQL's own in a query; move it "
            "into another schema",
        file_,
        {}};
  }

  Table* find(std::string_view schema, std::string_view name) {
    if (!is_ours(schema)) return nullptr;
    const auto found = std::ranges::find(tables_, name, &Table::name);
    return found == tables_.end() ? nullptr : &*found;
  }

  static std::vector<ColumnIndex> columns_of(const Table& table, PgNode names) {
    std::vector<ColumnIndex> columns;
    for (const PgNode name : names.items()) {
      const auto found = std::ranges::find(table.columns, name["String"]["sval"].text(), &Column::name);
      if (found != table.columns.end()) columns.push_back(static_cast<ColumnIndex>(found - table.columns.begin()));
    }
    return columns;
  }

  Result<Done> read_table(PgNode create) {
    const PgNode relation = create["relation"];
    if (!is_ours(relation["schemaname"].text())) return Done{};
    Table table;
    table.name = relation["relname"].text();
    table.without_rowid = true;
    for (const PgNode parent : create["inhRelations"].items()) {
      const Table* const from = find(parent["RangeVar"]["schemaname"].text(), parent["RangeVar"]["relname"].text());
      if (from == nullptr) continue;
      for (const Column& column : from->columns) {
        if (std::ranges::find(table.columns, column.name, &Column::name) == table.columns.end())
          table.columns.push_back(column);
      }
    }
    for (const PgNode element : create["tableElts"].items()) {
      const PgNode definition = element["ColumnDef"];
      if (!definition) continue;
      Column column;
      column.name = definition["colname"].text();
      column.type = type_text(definition["typeName"]);
      column.value = value_type(definition["typeName"]);
      read_collation(definition["collClause"], column.value);
      for (const PgNode constraint : definition["constraints"].items()) {
        if (constraint["Constraint"]["contype"].text() == "CONSTR_GENERATED") column.generated = Generated::Stored;
      }
      const auto known = std::ranges::find(table.columns, column.name, &Column::name);
      if (known == table.columns.end()) {
        table.columns.push_back(std::move(column));
      } else {
        *known = std::move(column);
      }
    }
    for (const PgNode element : create["tableElts"].items()) {
      if (const PgNode constraint = element["Constraint"]) add_constraint(table, constraint, constraint["keys"]);
      const PgNode definition = element["ColumnDef"];
      for (const PgNode constraint : definition["constraints"].items()) {
        add_column_constraint(table, constraint["Constraint"], definition["colname"].text());
      }
    }
    // PostgreSQL's own relations come first, and all of them are named so.
    if (!table.name.starts_with("pg_")) tables_.push_back(std::move(table));
    return Done{};
  }

  void add_column_constraint(Table& table, PgNode constraint, std::string_view column) {
    const auto found = std::ranges::find(table.columns, column, &Column::name);
    const auto index = static_cast<ColumnIndex>(found - table.columns.begin());
    const std::string_view type = constraint["contype"].text();
    if (type == "CONSTR_PRIMARY") {
      table.primary_key = {index};
      table.deferrable_key = constraint["deferrable"].is_true();
    } else if (type == "CONSTR_UNIQUE") {
      table.unique_keys.push_back({index});
    } else if (type == "CONSTR_FOREIGN") {
      add_foreign_key(table, constraint, {index});
    } else if (type == "CONSTR_ATTR_DEFERRABLE" && table.primary_key == std::vector<ColumnIndex>{index}) {
      table.deferrable_key = true;
    }
  }

  void add_constraint(Table& table, PgNode constraint, PgNode keys) {
    const std::string_view type = constraint["contype"].text();
    if (type == "CONSTR_PRIMARY") {
      table.primary_key = columns_of(table, keys);
      table.deferrable_key = constraint["deferrable"].is_true();
    } else if (type == "CONSTR_UNIQUE") {
      table.unique_keys.push_back(columns_of(table, keys));
    } else if (type == "CONSTR_FOREIGN") {
      add_foreign_key(table, constraint, columns_of(table, constraint["fk_attrs"]));
    }
  }

  void add_foreign_key(Table& table, PgNode constraint, std::vector<ColumnIndex> columns) {
    const PgNode parent = constraint["pktable"];
    if (!is_ours(parent["schemaname"].text())) return;
    ForeignKey key;
    key.columns = std::move(columns);
    key.parent_table = parent["relname"].text();
    for (const PgNode name : constraint["pk_attrs"].items())
      key.parent_columns.emplace_back(name["String"]["sval"].text());
    if (key.parent_columns.empty()) {
      const Table* const known = find({}, key.parent_table);
      if (known == nullptr) return;
      for (const ColumnIndex column : known->primary_key) key.parent_columns.push_back(known->columns[column].name);
    }
    table.foreign_keys.push_back(std::move(key));
  }

  Result<Done> alter_table(PgNode alter) {
    Table* const table = find(alter["relation"]["schemaname"].text(), alter["relation"]["relname"].text());
    if (table == nullptr) return Done{};
    for (const PgNode command : alter["cmds"].items()) {
      const PgNode change = command["AlterTableCmd"];
      const PgNode constraint = change["def"]["Constraint"];
      if (change["subtype"].text() == "AT_AddConstraint" && constraint) {
        add_constraint(*table, constraint, constraint["keys"]);
      } else if (change["subtype"].text() == "AT_AddColumn" || change["subtype"].text() == "AT_DropColumn") {
        return Error{"adds columns to `" + table->name +
                         "` or takes some away after it was made; write it as pg_dump does, whole",
                     file_,
                     {}};
      }
    }
    return Done{};
  }

  void read_comment(PgNode comment) {
    if (comment["objtype"].text() != "OBJECT_COLUMN") return;
    std::vector<std::string> names;
    for (const PgNode name : comment["object"]["List"]["items"].items())
      names.emplace_back(name["String"]["sval"].text());
    if (names.size() < 2) return;
    Table* const table = find(names.size() > 2 ? names[names.size() - 3] : std::string(), names[names.size() - 2]);
    if (table == nullptr) return;
    const auto column = std::ranges::find(table->columns, names.back(), &Column::name);
    if (column != table->columns.end()) column->comment = comment["comment"].text();
  }

  std::string text_;
  const std::string& file_;
  const std::string& schema_;
  std::map<Key, ValueType> types_;
  std::vector<Enumeration> enumerations_;
  std::vector<Table> tables_;
  std::vector<std::string> views_;
  std::string collation_;  // the one besides the database's own
};

}  // namespace

Result<Catalog> read_pg_dump(std::string_view text, const std::string& file, const std::string& schema, const std::string& name) {
  return DumpReader(text, file, schema).read(name.empty() ? schema : name);
}

}  // namespace pccsql
