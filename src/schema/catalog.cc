// A catalogue's lookups: table names through an array indexed by NameId, columns by a scan over ids, which for the
// handful of columns that tables have is faster than any index.
#include "schema/catalog.h"

#include <algorithm>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "schema/rules.h"
#include "syntax/lexer.h"

namespace pccsql {
namespace {

constexpr TableId kNoTable = std::numeric_limits<TableId>::max();

void look_into(const Table& view, ViewBodies& bodies) {
  std::vector<Lexeme> lexemes;
  lex(view.sql, lexemes);
  for (size_t i = 0; i < lexemes.size(); ++i) {
    const Terminal word = lexemes[i].terminal;
    bodies.outer_join |= word == Terminal::kw_RIGHT || word == Terminal::kw_FULL;
    bodies.union_all |= i > 0 && word == Terminal::kw_ALL && lexemes[i - 1].terminal == Terminal::kw_UNION;
  }
}

// How many tables of a join a view comes to when the database merges it into the query around: those that its body names,
// views among them with theirs. Names before a dot are left out; one that is a column's as well counts all the same. A WITH
// of its own may name each of them as often as there are names.
class MergedTables {
 public:
  explicit MergedTables(const Catalog& catalog) : catalog_(catalog), counts_(catalog.tables().size(), 0) {}

  uint16_t count(TableId id) {
    const Table& table = catalog_.table(id);
    if (table.kind != TableKind::View) return 1;
    if (counts_[id] != 0) return counts_[id];
    counts_[id] = 1;  // a view that names itself does not prepare
    std::vector<Lexeme> lexemes;
    lex(table.sql, lexemes);
    std::string buffer;
    uint32_t named = 0;
    bool with = false;
    size_t at = 0;
    while (at < lexemes.size() && lexemes[at].terminal != Terminal::kw_AS) ++at;  // past the view's own name
    for (; at + 1 < lexemes.size() && named < kMostCounted; ++at) {
      with |= lexemes[at].terminal == Terminal::kw_WITH;
      if (lexemes[at].terminal != Terminal::Name || lexemes[at + 1].terminal == Terminal::Dot) continue;
      if (const auto found = catalog_.find_table(name_text(lexemes[at], table.sql, buffer))) named += count(*found);
    }
    if (with) named *= named;
    counts_[id] = static_cast<uint16_t>(std::clamp<uint32_t>(named, 1, kMostCounted));
    return counts_[id];
  }

 private:
  static constexpr uint32_t kMostCounted = 1000;
  const Catalog& catalog_;
  std::vector<uint16_t> counts_;
};

}  // namespace

std::optional<ColumnIndex> Table::find_column(NameId wanted) const {
  if (wanted == kNoName) return std::nullopt;
  for (size_t i = 0; i < columns.size(); ++i) {
    if (columns[i].id == wanted) return static_cast<ColumnIndex>(i);
  }
  return std::nullopt;
}

std::string_view to_string(Dialect dialect) { return rules_of(dialect).name; }

Catalog::Catalog(std::vector<Table> tables, std::string name, Dialect dialect)
    : dialect_(dialect),
      name_(std::move(name)),
      tables_(std::move(tables)),
      names_(rules_of(dialect).names) {
  for (Table& table : tables_) {
    table.id = names_.intern(table.name);
    for (Column& column : table.columns) column.id = names_.intern(column.name);
    if (table.kind == TableKind::View) look_into(table, view_bodies_);
  }
  table_of_name_.assign(names_.size(), kNoTable);
  for (size_t i = 0; i < tables_.size(); ++i) {
    TableId& found = table_of_name_[tables_[i].id];
    if (found == kNoTable) found = static_cast<TableId>(i);
  }
  MergedTables merged(*this);
  for (size_t i = 0; i < tables_.size(); ++i) tables_[i].merged_tables = merged.count(static_cast<TableId>(i));
}

std::optional<TableId> Catalog::find_table(NameId name) const {
  // A judge's own copy of the names goes on where ours ends, so an id may lie beyond the array.
  if (name >= table_of_name_.size() || table_of_name_[name] == kNoTable) return std::nullopt;
  return table_of_name_[name];
}

std::optional<TableId> Catalog::find_table(std::string_view name) const { return find_table(names_.find(name)); }

std::optional<ColumnRef> Catalog::find_column(std::string_view table, std::string_view column) const {
  const std::optional<TableId> table_id = find_table(table);
  if (!table_id) return std::nullopt;
  const std::optional<ColumnIndex> index = tables_[*table_id].find_column(names_.find(column));
  if (!index) return std::nullopt;
  return ColumnRef{*table_id, *index};
}

}  // namespace pccsql
