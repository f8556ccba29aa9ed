// A small random world and a question to the search for a FROM: three tables, a policy, sometimes a CTE, sometimes an
// enclosing SELECT with a FROM of its own, items that FROM has already, names that stand before it; and all of that as SQL.
#pragma once

#include <algorithm>
#include <cstddef>
#include <deque>
#include <map>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "check/check.h"
#include "schema/reader.h"
#include "track/supply.h"
#include "track/tracker.h"

namespace pccsql::track {

using Texts = std::vector<std::string>;

inline constexpr RoleSet kSelRole = role_bit(Role::Sel);
inline constexpr RoleSet kWhereRole = role_bit(Role::Where);
inline constexpr RoleSet kJoinRole = role_bit(Role::Join);
inline constexpr RoleSet kAggRole = role_bit(Role::Agg);

inline bool has(const Texts& list, const std::string& text) {
  return std::find(list.begin(), list.end(), text) != list.end();
}

inline std::string joined(const Texts& list, const char* between) {
  std::string all;
  for (const std::string& text : list) all += (all.empty() ? "" : between) + text;
  return all;
}

// A name written before FROM. Where and Join come from a nested SELECT without a FROM that could bind it.
struct Written {
  std::string qualifier;
  std::string name;  // `*` for q.*
  RoleSet roles = 0;

  std::string text() const {
    const std::string reference = qualifier.empty() ? name : qualifier + "." + name;
    switch (roles) {
      case kSelRole:
        return reference;
      case kWhereRole:
        return "(SELECT 1 WHERE " + reference + " = 1)";
      case kJoinRole:
        return "(SELECT 1 FROM (SELECT 1) JOIN (SELECT 1) ON " + reference + " = 1)";
      case kAggRole:
        return "COUNT(" + reference + ")";
      default:
        return "COUNT(" + reference + " = 1)";
    }
  }
};

struct Item {
  const Source* source = nullptr;
  std::string text;  // `t`, or `(SELECT 1 AS a)`
  std::string own;   // its name without an alias; empty: a derived table
  Texts columns;
  std::string alias;
  Texts merged;
  bool natural = false;
  std::string on;

  const std::string& name() const { return alias.empty() ? own : alias; }
};

inline std::string from_text(const std::vector<Item>& from) {
  std::string sql;
  for (const Item& item : from) {
    sql += sql.empty() ? " FROM " : item.natural ? " NATURAL JOIN " : " JOIN ";
    sql += item.text + (item.alias.empty() ? "" : " AS " + item.alias);
    if (!item.natural && !item.merged.empty()) sql += " USING (" + joined(item.merged, ", ") + ")";
    if (!item.on.empty()) sql += " ON " + item.on;
  }
  return sql;
}

struct Round {
  explicit Round(uint64_t seed) : random(seed) {
    make_catalog();
    make_cte();
    if (below(2) == 0) make_outer();
    make_present();
    make_written();
  }

  std::optional<Witness> ask(bool derived_names) {
    std::vector<FromItem> from;
    for (size_t i = 0; i < present.size(); ++i) {
      const bool last = i + 1 == present.size();
      FromItem item{present[i].source, id(present[i].name()), last && name_open, last && merge_open, {}};
      for (const std::string& name : present[i].merged) item.merged.push_back(id(name));
      from.push_back(item);
    }
    std::vector<const Source*> ctes;
    if (cte) ctes.push_back(cte->source);
    SupplyQuestion question;
    question.pending = pending;
    question.passed = passed;
    question.present = from;
    question.ctes = ctes;
    const NameId rowid = id("rowid");
    question.rowids = std::span(&rowid, 1);
    question.star = star;
    question.star_role = compared ? Role::Where : Role::Sel;
    question.derived_names = derived_names;
    if (!outer.empty()) {
      question.can_pass = [this](std::span<const Obligation> all) {
        return std::all_of(all.begin(), all.end(), [this](const Obligation& o) { return outer_takes(o); });
      };
    }
    return discharge(*sources, question);
  }

  std::vector<Item> written_out(const Witness& witness) {
    std::vector<Item> from = present;
    if (witness.open_name != kNoName) from.back().alias = names.text(witness.open_name);
    if (witness.open_fresh) from.back().alias = "z8";
    for (const NameId name : witness.open_merged) from.back().merged.emplace_back(names.text(name));
    for (const FromChoice& choice : witness.from) {
      Item item;
      if (choice.source == nullptr) {
        for (const NameId name : choice.outputs) item.columns.emplace_back(names.text(name));
        item = derived(item.columns);
      } else {
        item = *std::find_if(items.begin(), items.end(), [&](const Item& i) { return i.source == choice.source; });
      }
      item.alias = choice.fresh ? "z" + std::to_string(from.size()) : std::string(names.text(choice.alias));
      for (const NameId name : choice.merged) item.merged.emplace_back(names.text(name));
      from.push_back(item);
    }
    return from;
  }

  // Whether the FROM leaves to the outside just what the witness says.
  bool passes_what_it_says(const Witness& witness, const std::vector<Item>& from) {
    for (const Obligation& wanted : pending) {
      const auto holds = [&](const Item& item) {
        // Whoever has the name settles what its rowid is.
        const std::string name(names.text(wanted.name));
        return (wanted.qualifier == kNoName || item.name() == names.text(wanted.qualifier)) &&
               (wanted.name == kNoName || name == "rowid" || has(item.columns, name));
      };
      const bool here = std::any_of(from.begin(), from.end(), holds);
      const bool said = std::find(witness.passed.begin(), witness.passed.end(), wanted) != witness.passed.end();
      if (here == said) return false;
    }
    return true;
  }

  bool is_safe(const std::string& sql) { return checker->check(sql, *policy).verdict == Verdict::Safe; }
  std::string query(const std::vector<Item>& from) const {
    Texts list;
    for (const Written& w : written) list.push_back(w.text());
    if (star) list.push_back("*");
    if (list.empty()) list.push_back("1");
    const std::string select = "SELECT " + joined(list, ", ") + from_text(from);
    const char* const exists = compared ? " WHERE EXISTS (" : " WHERE 1 = EXISTS (";
    return with() + (outer.empty() ? select : "SELECT 1" + from_text(outer) + exists + select + ")");
  }
  std::string shown() const {
    std::string labels;
    for (TableId t = 0; t < catalog->tables().size(); ++t) {
      for (ColumnIndex c = 0; c < catalog->table(t).columns.size(); ++c) {
        labels += catalog->table(t).name + "." + catalog->table(t).columns[c].name + " " +
                  std::string(to_string(policy->of({t, c}))) + "; ";
      }
    }
    return labels + "\n" + query(present) + (name_open ? " [alias open]" : "") + (merge_open ? " [merge open]" : "");
  }

  size_t below(size_t n) { return static_cast<size_t>(random() % n); }
  NameId id(const std::string& name) { return name.empty() ? kNoName : names.intern(name); }
  std::string with() const { return cte ? "WITH w AS " + cte->on + " " : ""; }
  Texts some_columns() {
    Texts columns;
    for (const char* column : {"a", "b", "c", "d"}) {
      if (below(2) == 0) columns.push_back(column);
    }
    return columns.empty() ? Texts{"a"} : columns;
  }

  void make_catalog() {
    std::string ddl;
    for (const char* table : {"t", "u", "v"}) {
      Texts columns = some_columns();
      if (below(2) == 0) columns[0] += " INTEGER PRIMARY KEY";
      ddl += "CREATE TABLE " + std::string(table) + "(" + joined(columns, ", ") + ");";
    }
    catalog.emplace(*read_ddl_catalog(ddl));
    names = catalog->names();
    policy.emplace(*catalog, ColumnPolicy::Public);
    const size_t strictness = below(3);
    for (TableId t = 0; t < catalog->tables().size(); ++t) {
      for (ColumnIndex c = 0; c < catalog->table(t).columns.size(); ++c) {
        if (strictness > 0 && below(3) == 0) policy->set({t, c}, kColumnPolicies[below(4)]);
      }
    }
    sources.emplace(*catalog, *policy, Profile::Strict, kMostTables);
    checker.emplace(*catalog);
    for (const Source& source : sources->all()) {
      Item item;
      item.source = &source;
      item.text = item.own = names.text(source.name);
      for (const Source::Column& column : source.columns) item.columns.emplace_back(names.text(column.name));
      items.push_back(item);
    }
  }

  Item derived(const Texts& columns) {
    Item item;
    Texts list;
    Source source;
    for (const std::string& column : columns) {
      list.push_back("1 AS " + column);
      source.columns.push_back({id(column), kEveryRole});
    }
    source.index();
    made.push_back(source);
    item.source = &made.back();
    item.text = "(SELECT " + (list.empty() ? "1" : joined(list, ", ")) + ")";
    item.columns = columns;
    return item;
  }
  void make_cte() {
    if (below(3) > 0) return;
    Item item = derived(some_columns());
    made.back().name = id("w");
    item.on = item.text;  // its body; no item of a FROM that has one
    item.text = item.own = "w";
    cte = item;
    item.on.clear();
    items.push_back(item);
  }

  Item some_item() {
    Item item = below(6) == 0 ? derived(some_columns()) : items[below(items.size())];
    const char* aliases[] = {"", "", "t1", "t2", "t", "u", "z7"};
    item.alias = aliases[below(7)];
    return item;
  }
  bool stands(const std::vector<Item>& from) { return is_safe(with() + "SELECT 1" + from_text(from)); }

  void make_outer() {
    for (size_t n = 1 + below(2); outer.size() < n;) {
      outer.push_back(some_item());
      if (below(3) == 0) {  // with a column that no table has
        const std::string alias = outer.back().alias;
        outer.back() = derived({"e", below(2) == 0 ? "a" : "b"});
        outer.back().alias = alias;
      }
      if (!stands(outer)) outer.pop_back();
      if (below(8) == 0) break;
    }
  }
  bool outer_takes(const Obligation& wanted) {
    for (const Role role : kRoles) {
      if ((wanted.roles & role_bit(role)) == 0) continue;
      const Written probe{std::string(names.text(wanted.qualifier)), std::string(names.text(wanted.name)),
                          role_bit(role)};
      const std::string sql =
          with() + "SELECT 1" + from_text(outer) + " WHERE 1 = EXISTS (SELECT " + probe.text() + ")";
      const auto [known, is_new] = outer_answers.try_emplace(sql, false);
      if (is_new) known->second = is_safe(sql);
      if (!known->second) return false;
    }
    return true;
  }

  Texts mergeable(const std::vector<Item>& from, size_t item) const {
    Texts common;
    for (const std::string& column : from[item].columns) {
      const auto holds = [&](const Item& left) { return has(left.columns, column); };
      if (std::any_of(from.begin(), from.begin() + static_cast<std::ptrdiff_t>(item), holds)) common.push_back(column);
    }
    return common;
  }

  void make_present() {
    const size_t count = std::min<size_t>(below(4), 2);
    for (size_t tries = 0; present.size() < count && tries < 10; ++tries) {
      Item item = some_item();
      present.push_back(item);
      if (present.size() > 1) {
        const Texts common = mergeable(present, present.size() - 1);
        if (below(4) == 0) {
          present.back().natural = true;
          present.back().merged = common;
        } else {
          for (const std::string& name : common) {
            if (below(4) == 0) present.back().merged.push_back(name);
          }
        }
      }
      const bool open = present.size() == count && item.alias.empty() && below(2) == 0;
      std::vector<Item> named = present;
      if (open) named.back().alias = "z9";
      if (!stands(named)) {
        present.pop_back();
        continue;
      }
      name_open = open;
    }
    if (present.size() < count) name_open = false;
    if (present.empty()) return;
    const bool joined_freely = present.size() > 1 && present.back().merged.empty() && !present.back().natural;
    merge_open = joined_freely && below(3) > 0;
    if (joined_freely && !merge_open && !name_open) make_on();
  }

  // A condition whose name is bound by the items that are there, or else outward.
  void make_on() {
    const Written w = some_name(kJoinRole);
    if (w.name == "*") return;
    present.back().on = (w.qualifier.empty() ? "" : w.qualifier + ".") + w.name + " = 1";
    const auto holds = [&](const Item& item) {
      return (w.name == "rowid" || has(item.columns, w.name)) && (w.qualifier.empty() || item.name() == w.qualifier);
    };
    const bool here = std::any_of(present.begin(), present.end(), holds);
    const Obligation obligation{id(w.qualifier), id(w.name), kJoinRole};
    const bool valid = here ? stands(present) : !outer.empty() && outer_takes(obligation);
    if (!valid) return present.back().on.clear();
    (here ? pending : passed).push_back(obligation);
  }

  Written some_name(RoleSet roles) {
    const char* qualifiers[] = {"", "", "", "t1", "t2", "t", "u", "w"};
    const char* columns[] = {"a", "b", "c", "d", "e"};
    const char* qualifier = name_open && below(4) == 0 ? "t1" : qualifiers[below(8)];
    const bool all = *qualifier != '\0' && below(4) == 0;
    if (*qualifier != '\0' && !all && below(4) == 0) return {qualifier, "rowid", roles};
    return {qualifier, all ? "*" : columns[below(outer.empty() ? 4 : 5)], all ? kSelRole : roles};
  }

  void make_written() {
    star = below(8) == 0;
    compared = !outer.empty() && below(2) == 0;
    const RoleSet roles[] = {kSelRole, kSelRole, kWhereRole, kJoinRole, kAggRole, kAggRole | kWhereRole};
    for (size_t i = 0, n = below(3) + 1; i < n; ++i) {
      const Written w = some_name(roles[below(outer.empty() ? 6 : 4)]);
      written.push_back(w);
      const RoleSet listed = compared && w.roles == kSelRole ? kWhereRole : w.roles;
      const Obligation added{id(w.qualifier), w.name == "*" ? kNoName : id(w.name), listed};
      const auto same = [&](const Obligation& o) { return o.qualifier == added.qualifier && o.name == added.name; };
      const auto known = std::find_if(pending.begin(), pending.end(), same);
      if (known == pending.end()) {
        pending.push_back(added);
      } else {
        known->roles |= added.roles;
      }
    }
  }

  std::mt19937_64 random;
  std::optional<Catalog> catalog;
  Names names;
  std::optional<Policy> policy;
  std::optional<Sources> sources;
  std::optional<SqliteChecker> checker;
  std::deque<Source> made;
  std::vector<Item> items;  // what a FROM can name
  std::optional<Item> cte;
  std::vector<Item> outer;
  std::map<std::string, bool> outer_answers;
  std::vector<Item> present;
  bool name_open = false;
  bool merge_open = false;
  bool star = false;
  bool compared = false;  // what is listed is tested, not shown
  std::vector<Written> written;
  std::vector<Obligation> pending;
  std::vector<Obligation> passed;
};

}  // namespace pccsql::track
