// The tables of a catalogue as sources of names: what each column permits, and which tables hold a name.
#include <algorithm>
#include <optional>
#include <utility>

#include "policy/held_families.h"
#include "track/supply.h"
#include "track/tracker.h"

namespace pccsql::track {
namespace {

constexpr uint32_t kNoTable = ~0u;

RoleSet permitted_roles(ColumnPolicy policy) {
  RoleSet roles = 0;
  for (const Role role : kRoles) {
    if (permitted(policy, role)) roles |= role_bit(role);
  }
  return roles;
}

}  // namespace

void Source::index() {
  by_name.clear();
  for (uint32_t i = 0; i < columns.size(); ++i) {
    if (columns[i].name != kNoName) by_name.emplace_back(columns[i].name, i);
  }
  std::sort(by_name.begin(), by_name.end());
  const auto same = [](const auto& a, const auto& b) { return a.first == b.first; };
  by_name.erase(std::unique(by_name.begin(), by_name.end(), same), by_name.end());
}

const Source::Column* Source::find(NameId wanted) const {
  const auto before = [](const auto& entry, NameId id) { return entry.first < id; };
  const auto found = std::lower_bound(by_name.begin(), by_name.end(), wanted, before);
  return found != by_name.end() && found->first == wanted ? &columns[found->second] : nullptr;
}

Sources::Sources(const Catalog& catalog, const Policy& policy, Profile profile, uint16_t most_tables)
    : first_holder_(catalog.names().size() + 1), table_of_name_(catalog.names().size(), kNoTable) {
  std::optional<HeldFamilies> families;
  if (profile == Profile::Strict && sets_minimum(policy)) families.emplace(catalog, policy);
  int views = 0;
  for (TableId id = 0; id < catalog.tables().size(); ++id) {
    const Table& table = catalog.table(id);
    Source source;
    source.name = table.id;
    source.table = id;
    source.rowid = table.integer_primary_key;
    if (families && families->shows_others(id)) source.view_bit = uint64_t{1} << std::min(views++, 63);
    source.tables = static_cast<uint16_t>((table.merged_tables * most_tables + kMostTables - 1) / kMostTables);
    // Of two tables with one name only the first can be meant.
    const bool first_of_name = table_of_name_[table.id] == kNoTable;
    if (first_of_name) table_of_name_[table.id] = id;
    const ViewBodies& bodies = catalog.view_bodies();
    const bool mergeable = table.kind == TableKind::View && bodies.union_all && bodies.outer_join;
    source.nameable = first_of_name && table.kind != TableKind::Virtual && !mergeable && source.tables <= most_tables &&
                      !(profile == Profile::Strict && policy.all_hidden(id));
    for (ColumnIndex i = 0; i < table.columns.size(); ++i) {
      const RoleSet roles = permitted_roles(policy.of({id, i}));
      source.columns.push_back({table.columns[i].id, roles, table.columns[i].hidden});
      source.all_public &= table.columns[i].hidden || roles == kEveryRole;
      source.all_tested &= table.columns[i].hidden || (roles & role_bit(Role::Where)) != 0;
    }
    source.closed = std::ranges::all_of(source.columns, [](const auto& column) { return column.permitted == 0; });
    source.index();
    if (source.nameable && source.all_public) all_public_.push_back(id);
    if (source.nameable && source.all_tested) all_tested_.push_back(id);
    if (source.nameable && source.rowid) with_rowid_.push_back(id);
    sources_.push_back(std::move(source));
  }

  const auto each_column = [&](const auto& visit) {
    for (uint32_t id = 0; id < sources_.size(); ++id) {
      if (!sources_[id].nameable) continue;
      for (const auto& [name, column] : sources_[id].by_name) visit(name, id, sources_[id].columns[column].permitted);
    }
  };
  each_column([&](NameId name, uint32_t, RoleSet) { ++first_holder_[name + 1]; });
  for (size_t name = 1; name < first_holder_.size(); ++name) first_holder_[name] += first_holder_[name - 1];
  holders_.resize(first_holder_.back());
  holder_roles_.resize(first_holder_.back());
  std::vector<uint32_t> next = first_holder_;
  each_column([&](NameId name, uint32_t id, RoleSet roles) {
    holders_[next[name]] = id;
    holder_roles_[next[name]++] = roles;
  });
}

const Source* Sources::find(NameId table) const {
  if (table >= table_of_name_.size() || table_of_name_[table] == kNoTable) return nullptr;
  return &sources_[table_of_name_[table]];
}

std::span<const uint32_t> Sources::holders(NameId column) const {
  if (column + size_t{1} >= first_holder_.size()) return {};
  return std::span(holders_).subspan(first_holder_[column], first_holder_[column + 1] - first_holder_[column]);
}

std::span<const RoleSet> Sources::holder_roles(NameId column) const {
  if (column + size_t{1} >= first_holder_.size()) return {};
  return std::span(holder_roles_).subspan(first_holder_[column], first_holder_[column + 1] - first_holder_[column]);
}

}  // namespace pccsql::track
