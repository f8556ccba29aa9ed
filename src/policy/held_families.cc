#include "policy/held_families.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <set>
#include <string>
#include <utility>

#include "base/text.h"
#include "syntax/lexer.h"

namespace pccsql {
namespace {

using Columns = std::set<std::pair<TableId, ColumnIndex>>;
using Key = std::vector<std::string>;    // columns, folded and sorted
using Entity = std::pair<TableId, Key>;  // whom a key of a table tells apart; a row of it, where the key is empty

// The words of a view's text, folded, and whether some `*` or NATURAL may mean columns that it does not name.
struct Words {
  std::set<std::string> names;
  bool all_columns = false;

  explicit Words(std::string_view sql) {
    std::vector<Lexeme> lexemes;
    lex(sql, lexemes);
    std::string buffer;
    for (size_t i = 0; i < lexemes.size(); ++i) {
      const Terminal terminal = lexemes[i].terminal;
      if (terminal == Terminal::Star) {
        const bool counts = i > 0 && i + 1 < lexemes.size() && lexemes[i - 1].terminal == Terminal::LeftParen &&
                            lexemes[i + 1].terminal == Terminal::RightParen;
        all_columns |= !counts && (i == 0 || !ends_operand(lexemes[i - 1].terminal));
      } else if (terminal == Terminal::kw_NATURAL) {
        all_columns = true;
      } else if (terminal != Terminal::End) {
        // Keywords can be names as well, and strings in double quotes are names.
        const bool name = terminal == Terminal::Name || terminal == Terminal::String;
        names.insert(folded(name ? name_text(lexemes[i], sql, buffer) : lexemes[i].span.of(sql)));
      }
    }
  }

  bool has(const std::string& name) const { return names.contains(folded(name)); }

 private:
  static bool ends_operand(Terminal terminal) {
    return terminal == Terminal::Name || terminal == Terminal::Integer || terminal == Terminal::Float ||
           terminal == Terminal::String || terminal == Terminal::Blob || terminal == Terminal::RightParen;
  }
};

class Reader {
 public:
  Reader(const Catalog& catalog, const Policy& policy) : catalog_(catalog), policy_(policy) {}

  // The columns of tables whose values may come out where columns of `id` that are held to a minimum are summed; of a
  // view, where anything of it is shown.
  const Columns& values(TableId id) {
    const auto [entry, is_new] = values_.try_emplace(id);
    if (!is_new) return entry->second;  // a view cannot stand in its own text
    Columns found;
    const Table& table = catalog_.table(id);
    if (table.kind == TableKind::View) {
      found = values_of_view(table);
    } else {
      for (ColumnIndex column = 0; column < table.columns.size(); ++column) {
        if (is_grouped(policy_, {id, column})) found.emplace(id, column);
      }
    }
    return values_[id] = std::move(found);
  }

  // Who is counted, under each name that can be followed: what the key tells apart, a row of the table itself, and rows of
  // the tables that either refers to.
  std::set<Entity> entities(TableId id) const {
    std::set<Entity> all;
    std::vector<Entity> open{{id, {}}, {id, key_of(id)}};
    while (!open.empty()) {
      const auto [table, key] = open.back();
      open.pop_back();
      if (!all.emplace(table, key).second) continue;
      const std::vector<Key> told_by = key.empty() ? own_keys(table) : std::vector<Key>{key};
      for (const ForeignKey& foreign : catalog_.table(table).foreign_keys) {
        const auto parent = catalog_.find_table(foreign.parent_table);
        // What is referred to is unique there, and so a row.
        if (parent && std::ranges::find(told_by, names_of(table, foreign.columns)) != told_by.end()) {
          open.emplace_back(*parent, Key{});
        }
      }
    }
    return all;
  }

 private:
  Columns values_of_view(const Table& view) {
    Columns found;
    const Words words(view.sql);
    const bool unknown = view.sql.empty();
    for (TableId id = 0; id < catalog_.tables().size(); ++id) {
      const Table& table = catalog_.table(id);
      if (&table == &view || !(unknown || words.has(table.name))) continue;
      if (table.kind == TableKind::View) {
        const Columns below = values(id);
        found.insert(below.begin(), below.end());
        continue;
      }
      for (ColumnIndex column = 0; column < table.columns.size(); ++column) {
        const ColumnPolicy policy = policy_.of({id, column});
        if (policy != ColumnPolicy::AggregateOnly && policy != ColumnPolicy::Hidden) continue;
        // What a generated column is computed from may stand in its text alone.
        const bool named = unknown || words.all_columns || words.has(table.columns[column].name) ||
                           names_generated(table, words);
        if (named) found.emplace(id, column);
      }
    }
    return found;
  }

  static bool names_generated(const Table& table, const Words& words) {
    return std::ranges::any_of(table.columns, [&](const Column& column) {
      return column.generated != Generated::No && words.has(column.name);
    });
  }

  Key key_of(TableId id) const {
    Key key = key_columns(catalog_.table(id), policy_.group(id));
    for (std::string& name : key) name = folded(name);
    std::ranges::sort(key);
    return key;
  }
  Key names_of(TableId id, const std::vector<ColumnIndex>& columns) const {
    Key key;
    for (const ColumnIndex column : columns) key.push_back(folded(catalog_.table(id).columns[column].name));
    std::ranges::sort(key);
    return key;
  }
  // Each of them tells the rows of the table apart.
  std::vector<Key> own_keys(TableId id) const {
    const Table& table = catalog_.table(id);
    std::vector<Key> keys;
    if (!table.primary_key.empty()) keys.push_back(names_of(id, table.primary_key));
    for (const std::vector<ColumnIndex>& unique : table.unique_keys) keys.push_back(names_of(id, unique));
    return keys;
  }

  const Catalog& catalog_;
  const Policy& policy_;
  std::map<TableId, Columns> values_;
};

}  // namespace

HeldFamilies::HeldFamilies(const Catalog& catalog, const Policy& policy)
    : family_(catalog.tables().size()), shows_others_(catalog.tables().size(), false) {
  std::iota(family_.begin(), family_.end(), TableId{0});
  if (!sets_minimum(policy)) return;
  const auto join = [&](TableId a, TableId b) {
    const TableId from = std::max(family_[a], family_[b]);
    const TableId to = std::min(family_[a], family_[b]);
    std::ranges::replace(family_, from, to);
  };
  Reader reader(catalog, policy);
  std::map<std::pair<TableId, ColumnIndex>, TableId> holder;
  std::map<Entity, TableId> counts;
  for (TableId id = 0; id < catalog.tables().size(); ++id) {
    const Table& table = catalog.table(id);
    if (table.kind == TableKind::Virtual) continue;
    for (const auto& value : reader.values(id)) {
      const auto [known, is_new] = holder.emplace(value, id);
      if (!is_new) join(id, known->second);
    }
    bool held = false;
    for (ColumnIndex column = 0; column < table.columns.size(); ++column) held |= is_grouped(policy, {id, column});
    if (!held || key_columns(table, policy.group(id)).empty()) continue;
    for (const Entity& entity : reader.entities(id)) {
      const auto [known, is_new] = counts.emplace(entity, id);
      if (!is_new) join(id, known->second);
    }
  }
  for (TableId id = 0; id < family_.size(); ++id) {
    if (catalog.table(id).kind != TableKind::View) continue;
    shows_others_[id] = std::ranges::count(family_, family_[id]) > 1;
  }
}

}  // namespace pccsql
