// The rules, each a way by which a value is reached under a more permitted name. Derived columns have a file of their
// own (derived.cc); what is here needs no more than the catalogue's keys.
#include "lint/lint.h"

#include <algorithm>

#include "lint/derived.h"
#include "lint/families.h"
#include "schema/rules.h"

namespace pccsql {
namespace {

// "`t.a`, `t.b` and `t.c`"
std::string listed(const std::vector<std::string>& names) {
  std::string text;
  for (size_t i = 0; i < names.size(); ++i) {
    if (i > 0) text += i + 1 == names.size() ? " and " : ", ";
    text += names[i];
  }
  return text;
}

class Linter {
 public:
  Linter(const Catalog& catalog, const Policy& policy) : catalog_(catalog), policy_(policy) {}

  std::vector<Warning> run() {
    // Of a server's views it knows itself what they are made of (lint_pg.h); their texts are not in the catalogue.
    if (!rules_of(catalog_).server) warn_of_derived_columns();
    warn_of_rowids();
    warn_of_twins();
    warn_of_unique_keys();
    warn_of_indexes();
    warn_of_groups_of_one();
    std::stable_sort(found_.begin(), found_.end(), [](const Found& a, const Found& b) { return a.place < b.place; });
    std::vector<Warning> warnings;
    for (Found& found : found_) warnings.push_back(std::move(found.warning));
    return warnings;
  }

 private:
  struct Found {
    std::pair<TableId, int64_t> place;
    Warning warning;
  };

  std::string name(ColumnRef column) const {
    return "`" + catalog_.table(column.table).name + "." + catalog_.column(column).name + "`";
  }
  std::string is_policy(ColumnRef column) const { return "is " + std::string(to_string(policy_.of(column))); }
  // "`t.a`, which is Hidden" and "`t.a` (Hidden) and `t.b` (ConditionOnly)"
  std::string described(const std::vector<ColumnRef>& columns) const {
    if (columns.size() == 1) return name(columns[0]) + ", which " + is_policy(columns[0]);
    std::vector<std::string> parts;
    for (const ColumnRef column : columns) {
      parts.push_back(name(column) + " (" + std::string(to_string(policy_.of(column))) + ")");
    }
    return listed(parts);
  }

  void warn(Finding kind, ColumnRef column, std::string message) {
    warn(kind, std::vector<ColumnRef>{column}, std::move(message));
  }
  // PRE: the columns are of one table; the warning stands with the first.
  void warn(Finding kind, const std::vector<ColumnRef>& columns, std::string message) {
    const ColumnRef first = columns[0];
    Warning warning{kind, catalog_.table(first.table).name, catalog_.column(first).name, std::move(message), first.table, {}};
    for (const ColumnRef column : columns) warning.columns.push_back(column.column);
    found_.push_back({{first.table, first.column}, std::move(warning)});
  }

  template <typename Visit>
  void for_each_column(const Visit& visit) const {
    for (size_t t = 0; t < catalog_.tables().size(); ++t) {
      for (size_t c = 0; c < catalog_.tables()[t].columns.size(); ++c) {
        visit(ColumnRef{static_cast<TableId>(t), static_cast<ColumnIndex>(c)});
      }
    }
  }

  void warn_of_derived_columns() {
    for (const GivenAway& given : find_given_away(catalog_, policy_)) {
      const Table& table = catalog_.table(given.table);
      std::vector<std::string> sources;
      if (!given.columns.empty()) sources.push_back(described(given.columns));
      for (const TableId hidden : given.tables) {
        sources.push_back("table `" + catalog_.table(hidden).name + "`, all of whose columns are Hidden");
      }
      if (given.column) {
        const ColumnRef column{given.table, *given.column};
        const bool view = table.kind == TableKind::View;
        warn(view ? Finding::View : Finding::GeneratedColumn, column,
             std::string(view ? "view column " : "generated column ") + name(column) + " " + is_policy(column) +
                 ", but is computed from " + listed(sources));
      } else {
        found_.push_back(
            {{given.table, -1},
             {Finding::View, table.name, {}, "the rows of view `" + table.name + "` depend on " + listed(sources), given.table, {}}});
      }
    }
  }

  void warn_of_rowids() {
    for (size_t t = 0; t < catalog_.tables().size(); ++t) {
      const Table& table = catalog_.tables()[t];
      const auto id = static_cast<TableId>(t);
      if (!table.integer_primary_key || policy_.all_hidden(id)) continue;
      const ColumnRef column{id, *table.integer_primary_key};
      if (policy_.of(column) == ColumnPolicy::Public) continue;
      warn(Finding::Rowid, column,
           name(column) + " " + is_policy(column) +
               ", but it is the rowid: `rowid`, `oid` and `_rowid_` are other names of " +
               "it wherever this policy is not enforced, and rows that nothing orders come in its order");
    }
  }

  // Columns that foreign keys tie together, directly or in a chain, hold the same values.
  void warn_of_twins() {
    for (const std::vector<ColumnRef>& family : column_families(catalog_)) {
      for (const ColumnRef column : family) {
        std::vector<ColumnRef> freer;
        for (const ColumnRef other : family) {
          if (permits_more(policy_.of(other), policy_.of(column))) freer.push_back(other);
        }
        if (freer.empty()) continue;
        warn(Finding::Twin, column,
             name(column) + " " + is_policy(column) + ", but a foreign key ties it to the same values in " +
                 described(freer));
      }
    }
  }

  void warn_of_unique_keys() {
    for_each_column([&](ColumnRef column) {
      // Where groups have a least size, one of one row is left out.
      if (policy_.of(column) != ColumnPolicy::AggregateOnly || is_grouped(policy_, column)) return;
      const Table& table = catalog_.table(column.table);
      std::vector<std::vector<ColumnIndex>> keys = table.unique_keys;
      if (!table.primary_key.empty()) keys.insert(keys.begin(), table.primary_key);
      for (const std::vector<ColumnIndex>& key : keys) {
        std::vector<std::string> names;
        bool open = true;
        for (const ColumnIndex part : key) {
          names.push_back("`" + table.columns[part].name + "`");
          open = open && policy_.of({column.table, part}) == ColumnPolicy::Public;
        }
        if (!open) continue;
        warn(Finding::UniqueKey, column,
             name(column) + " is AggregateOnly, but the unique key " + listed(names) +
                 " is Public: grouped by it, every group is one row and its sum is the value");
        return;
      }
    });
  }

  // The runner sorts rows that no ORDER BY sorts; inside a query only SQLite says in which order they are gone through.
  void warn_of_indexes() {
    for (size_t t = 0; t < catalog_.tables().size(); ++t) {
      const auto id = static_cast<TableId>(t);
      if (policy_.all_hidden(id)) continue;
      const Table& table = catalog_.tables()[t];
      for (const Index& index : table.indexes) {
        std::vector<ColumnRef> restricted;
        for (const ColumnIndex column : index.columns) {
          if (policy_.of({id, column}) != ColumnPolicy::Public) restricted.push_back({id, column});
        }
        if (restricted.empty()) continue;
        const std::string which = index.constraint ? "a PRIMARY KEY or UNIQUE constraint of `" + table.name + "` keeps"
                                                   : "index `" + index.name + "` holds";
        warn(Finding::Index, restricted,
             which + (index.constraint ? " an index of " : " ") + described(restricted) +
                 ": what depends on the order of rows inside a query (LIMIT, ties, GROUP_CONCAT) can follow it; " +
                 (index.constraint ? "ask a copy of the table without the constraint, if that matters"
                                   : "drop the index in the database that is asked, if that matters"));
      }
    }
  }

  void warn_of_groups_of_one() {
    for (TableId id = 0; id < catalog_.tables().size(); ++id) {
      if (policy_.group(id).minimum > 1 || catalog_.table(id).kind == TableKind::Virtual) continue;
      std::vector<ColumnRef> columns;
      for (ColumnIndex c = 0; c < catalog_.table(id).columns.size(); ++c) {
        if (policy_.of({id, c}) == ColumnPolicy::AggregateOnly) columns.push_back({id, c});
      }
      if (columns.empty()) continue;
      std::vector<std::string> names;
      for (const ColumnRef column : columns) names.push_back(name(column));
      warn(Finding::NoMinGroup, columns,
           listed(names) + (columns.size() == 1 ? " is" : " are") +
               " AggregateOnly, and no `min_group` holds in `" + catalog_.table(id).name +
               "`: a sum over one row is that row's value");
    }
  }

  const Catalog& catalog_;
  const Policy& policy_;
  std::vector<Found> found_;
};

}  // namespace

std::vector<Warning> lint(const Catalog& catalog, const Policy& policy) { return Linter(catalog, policy).run(); }

}  // namespace pccsql
