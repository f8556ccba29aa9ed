// For every derived column a list of needs: if the column is used in role r, these columns are used in those roles.
// Needs do not depend on policies. Judging them is then a fixed point: a derived column that gives something away
// counts, for whatever is computed from it, as no more permitted than what it gives away.
#include "lint/derived.h"

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <utility>

#include "base/text.h"
#include "check/check.h"
#include "exec/database.h"
#include "lint/body.h"
#include "schema/reader.h"

namespace pccsql {
namespace {

using RoleSet = uint8_t;  // bit by Role
constexpr RoleSet bit(Role role) { return static_cast<RoleSet>(1u << static_cast<unsigned>(role)); }

struct Need {
  std::optional<ColumnIndex> column;  // of the derived table; none: whichever is asked for
  ColumnRef base;
  std::array<RoleSet, 4> when{};  // by the role that the derived column is used in
};

// The role stays what it is, however the derived column is used: the argument of an AVG, a WHERE.
void always(Need& need, Role role) {
  for (RoleSet& roles : need.when) roles |= bit(role);
}

// The value is passed on: it is used as the derived column is.
void passed_on(Need& need) {
  for (const Role role : kRoles) need.when[static_cast<size_t>(role)] |= bit(role);
}

bool within(Span inner, Span outer) { return inner.begin >= outer.begin && inner.end <= outer.end; }

class Finder {
 public:
  Finder(const Catalog& catalog, const Policy& policy)
      : catalog_(catalog), stated_(policy), effective_(policy), checker_(catalog) {}

  std::vector<GivenAway> find() {
    for (size_t t = 0; t < catalog_.tables().size(); ++t) read_table(static_cast<TableId>(t));
    while (spread()) {
    }
    std::map<Place, GivenAway> found;
    for (const auto& [place, columns] : direct_) {
      Columns roots;
      for (const ColumnRef column : columns) add_roots(column, roots);
      found[place].columns.assign(roots.begin(), roots.end());
    }
    for (const Derived& derived : derived_) add_hidden_tables(derived, found);
    std::vector<GivenAway> list;
    for (auto& [place, entry] : found) {
      entry.table = place.first;
      if (place.second != kRows) entry.column = static_cast<ColumnIndex>(place.second);
      list.push_back(std::move(entry));
    }
    return list;
  }

 private:
  struct Before {
    bool operator()(ColumnRef a, ColumnRef b) const {
      return std::pair(a.table, a.column) < std::pair(b.table, b.column);
    }
  };
  using Columns = std::set<ColumnRef, Before>;
  using Place = std::pair<TableId, int64_t>;  // a derived column, or kRows of its table
  static constexpr int64_t kRows = -1;        // sorts before every column

  struct Derived {
    TableId table = 0;
    std::vector<Need> needs;
    std::vector<TableId> tables;  // that the rows come from
  };

  void read_table(TableId id) {
    const Table& table = catalog_.table(id);
    Derived derived;
    derived.table = id;
    if (table.kind == TableKind::View) {
      std::vector<ColumnIndex> columns(table.columns.size());
      for (size_t i = 0; i < columns.size(); ++i) columns[i] = static_cast<ColumnIndex>(i);
      read_body(view_body(table.sql), columns, derived);
    } else {
      for (size_t i = 0; i < table.columns.size(); ++i) {
        if (table.columns[i].generated == Generated::No) continue;
        const std::optional<std::string> expression = generated_expression(table.sql, table.columns[i].name);
        if (!expression) continue;
        read_body("SELECT (" + *expression + ") FROM " + quoted_identifier(table.name), {static_cast<ColumnIndex>(i)},
                  derived);
        derived.tables.clear();
      }
    }
    if (!derived.needs.empty() || !derived.tables.empty()) derived_.push_back(std::move(derived));
  }

  // What the columns `columns`, the output of `body`, need.
  void read_body(std::string_view body, const std::vector<ColumnIndex>& columns, Derived& derived) {
    const Analysis analysis = checker_.analyze(body);
    derived.tables.clear();
    for (const NamedTable& mention : analysis.tables) {
      const bool known = std::find(derived.tables.begin(), derived.tables.end(), mention.table) != derived.tables.end();
      if (!known) derived.tables.push_back(mention.table);
    }
    const std::vector<Branch> selects = branches(body);
    const auto items = assign_items(selects, columns, analysis.uses);
    for (const Occurrence& use : analysis.uses) {
      Need need;
      need.base = use.column;
      const Item* item = nullptr;
      if (items) {
        if (const auto found = items->find(key_of(use)); found != items->end()) item = &found->second;
      }
      if (item) {
        need.column = item->column;
        describe_item(body, use, item->span, stated_.of({derived.table, item->column}), need);
      } else if (use.role == Role::Sel && (!items || depth_at(body, use.span.begin) > 0)) {
        passed_on(need);  // through a derived table or CTE, to columns that cannot be told from here
      } else {
        always(need, use.role);
      }
      derived.needs.push_back(need);
    }
    if (analysis.verdict != Verdict::Safe) add_reads(body, columns, derived);
  }

  struct Item {
    ColumnIndex column = 0;
    Span span;
  };
  // A star is one place that stands for many columns; its uses are told apart by what they use.
  using Key = std::tuple<uint32_t, uint32_t, TableId, ColumnIndex>;
  static Key key_of(const Occurrence& use) {
    return {use.span.begin, use.span.end, use.column.table, use.column.column};
  }

  // Which output column each use in a select list belongs to. Nothing when that cannot be told.
  std::optional<std::map<Key, Item>> assign_items(const std::vector<Branch>& selects,
                                                  const std::vector<ColumnIndex>& columns,
                                                  const std::vector<Occurrence>& uses) const {
    if (selects.empty()) return std::nullopt;
    std::map<Key, Item> places;
    for (const Branch& branch : selects) {
      size_t column = 0;
      for (const Span item : branch.items) {
        bool star = false;
        for (const Occurrence& use : uses) {
          if (!within(use.span, item)) continue;
          if (column >= columns.size()) return std::nullopt;
          places[key_of(use)] = {columns[column], item};
          if (use.star && use.span == item) {
            star = true;
            ++column;
          }
        }
        if (!star) ++column;
      }
      if (column != columns.size()) return std::nullopt;
    }
    return places;
  }

  // A use inside the select item of a derived column with this policy.
  void describe_item(std::string_view body, const Occurrence& use, Span item, ColumnPolicy policy, Need& need) {
    if (use.role != Role::Sel || use.minmax || has_word(body, item, "OVER")) {
      always(need, use.role);
      return;
    }
    passed_on(need);
    RoleSet& aggregated = need.when[static_cast<size_t>(Role::Agg)];
    // Only where nothing but aggregation is permitted does it matter what of an argument is a predicate.
    if (policy == ColumnPolicy::AggregateOnly && !use.star) aggregated = roles_in_sum(body, use, item);
  }

  // The roles of this use if the item were the argument of SUM.
  RoleSet roles_in_sum(std::string_view body, const Occurrence& use, Span item) {
    constexpr std::string_view kSum = "SUM(";
    const auto shift = static_cast<uint32_t>(kSum.size());
    const std::string wrapped = std::string(body.substr(0, item.begin)) + std::string(kSum) +
                                std::string(item.of(body)) + ")" + std::string(body.substr(item.end));
    const Analysis analysis = checker_.analyze(wrapped);
    RoleSet roles = 0;
    for (const Occurrence& other : analysis.uses) {
      if (other.column == use.column && other.span == Span{use.span.begin + shift, use.span.end + shift})
        roles |= bit(other.role);
    }
    return analysis.verdict == Verdict::Safe && roles != 0 ? roles : bit(Role::Sel);
  }

  // For a body that is outside the judge's language: what SQLite says that it reads, for all columns alike.
  void add_reads(std::string_view body, const std::vector<ColumnIndex>& columns, Derived& derived) {
    if (!database_) {
      std::string views;
      for (const Table& table : catalog_.tables()) {
        if (table.kind == TableKind::View) views += table.sql + ";\n";
      }
      Result<Database> made = Database::in_memory(to_ddl(catalog_) + views);
      if (!made) made = Database::in_memory(to_ddl(catalog_));
      if (!made) return;
      database_ = *std::move(made);
    }
    for (const auto& [table, column] : database_->prepare(body).reads) {
      const std::optional<ColumnRef> base = catalog_.find_column(table, column);
      if (!base) continue;
      Need need;
      need.base = *base;
      if (columns.size() == 1) need.column = columns[0];
      passed_on(need);
      derived.needs.push_back(need);
    }
  }

  bool gives_away(ColumnPolicy derived, const Need& need) const {
    for (const Role role : kRoles) {
      if (!permitted(derived, role)) continue;
      for (const Role used : kRoles) {
        if ((need.when[static_cast<size_t>(role)] & bit(used)) && !permitted(effective_.of(need.base), used))
          return true;
      }
    }
    return false;
  }

  // One round; false when nothing new came of it. Ends, because policies only shrink and sets only grow.
  bool spread() {
    bool changed = false;
    for (const Derived& derived : derived_) {
      const size_t width = catalog_.table(derived.table).columns.size();
      for (const Need& need : derived.needs) {
        const size_t first = need.column ? *need.column : 0;
        const size_t end = need.column ? *need.column + 1 : width;
        for (size_t column = first; column < end; ++column) {
          const ColumnRef here{derived.table, static_cast<ColumnIndex>(column)};
          if (!gives_away(stated_.of(here), need)) continue;
          const ColumnPolicy shrunk = intersection(effective_.of(here), effective_.of(need.base));
          if (shrunk != effective_.of(here)) changed = true;
          effective_.set(here, shrunk);
          const Place place{derived.table, need.column ? static_cast<int64_t>(*need.column) : kRows};
          if (direct_[place].insert(need.base).second) changed = true;
        }
      }
    }
    return changed;
  }

  // The column itself, or, where it is derived and gives others away, those. Views and generated columns never go round
  // in circles, so this ends.
  void add_roots(ColumnRef column, Columns& roots) const {
    bool any = false;
    for (const int64_t part : {kRows, static_cast<int64_t>(column.column)}) {
      const auto found = direct_.find({column.table, part});
      if (found == direct_.end()) continue;
      any = true;
      for (const ColumnRef further : found->second) add_roots(further, roots);
    }
    if (!any) roots.insert(column);
  }

  // A table all of whose columns are Hidden cannot be named, and a view would count its rows.
  void add_hidden_tables(const Derived& derived, std::map<Place, GivenAway>& found) const {
    if (stated_.all_hidden(derived.table)) return;
    for (const TableId table : derived.tables) {
      if (!stated_.all_hidden(table)) continue;
      bool named = false;
      for (const auto& [place, columns] : direct_) {
        named = named ||
                (place.first == derived.table &&
                 std::any_of(columns.begin(), columns.end(), [&](ColumnRef column) { return column.table == table; }));
      }
      if (!named) found[{derived.table, kRows}].tables.push_back(table);
    }
  }

  const Catalog& catalog_;
  const Policy& stated_;
  Policy effective_;
  SqliteChecker checker_;
  std::optional<Database> database_;
  std::vector<Derived> derived_;
  std::map<Place, Columns> direct_;  // what each gives away itself, not through another
};

}  // namespace

std::vector<GivenAway> find_given_away(const Catalog& catalog, const Policy& policy) {
  return Finder(catalog, policy).find();
}
}  // namespace pccsql
