#include "track/supply.h"

#include <algorithm>
#include <utility>

namespace pccsql::track {
namespace {

constexpr RoleSet kEveryRole = role_bit(Role::Sel) | role_bit(Role::Join) | role_bit(Role::Where) | role_bit(Role::Agg);

RoleSet permitted_roles(ColumnPolicy policy) {
  RoleSet roles = 0;
  for (const Role role : kRoles) {
    if (permitted(policy, role)) roles |= role_bit(role);
  }
  return roles;
}

// Plain names with all their roles, qualifiers with all their columns.
struct Demand {
  std::vector<Obligation> plain;
  struct Qualifier {
    NameId name;
    std::vector<Obligation> columns;
  };
  std::vector<Qualifier> qualifiers;
};

void add_roles(std::vector<Obligation>& list, const Obligation& wanted) {
  for (Obligation& known : list) {
    if (known.name == wanted.name) {
      known.roles |= wanted.roles;
      return;
    }
  }
  list.push_back(wanted);
}

Demand demand_of(std::span<const Obligation> pending) {
  Demand demand;
  for (const Obligation& obligation : pending) {
    if (obligation.qualifier == kNoName) {
      add_roles(demand.plain, obligation);
      continue;
    }
    auto found = std::find_if(demand.qualifiers.begin(), demand.qualifiers.end(),
                              [&](const Demand::Qualifier& q) { return q.name == obligation.qualifier; });
    if (found == demand.qualifiers.end()) {
      demand.qualifiers.push_back({obligation.qualifier, {}});
      found = demand.qualifiers.end() - 1;
    }
    add_roles(found->columns, obligation);
  }
  return demand;
}

class Search {
 public:
  Search(const Sources& sources, const SupplyQuestion& question)
      : sources_(sources), question_(question), demand_(demand_of(question.pending)) {}

  std::optional<Witness> run() {
    covered_.assign(demand_.plain.size(), 0);
    for (const FromChoice& item : question_.present) {
      if (!is_live(item.source)) return std::nullopt;
      const std::optional<std::vector<NameId>> merged = merges_needed(item.source);
      if (!merged) return std::nullopt;
      // What is already written must merge what collides; a name that it does not merge is ambiguous.
      for (const NameId name : *merged) {
        if (std::find(item.merged.begin(), item.merged.end(), name) == item.merged.end()) return std::nullopt;
      }
      cover(item.source, 1);
      settle_qualifier(item);
    }
    std::vector<size_t> open;
    for (size_t i = 0; i < demand_.qualifiers.size(); ++i) {
      if (!settled_[i]) open.push_back(i);
    }
    if (present_conflict_ || !search(open)) return std::nullopt;
    return std::move(witness_);
  }

 private:
  // A table that binds a plain name to a column that is not permitted for it may never join.
  bool is_live(uint32_t id) const {
    const Sources::Source& source = sources_.all()[id];
    if (!source.nameable || (question_.star && !source.all_public)) return false;
    for (size_t i = 0; i < demand_.plain.size(); ++i) {
      const Sources::Column* column = source.find(demand_.plain[i].name);
      if (column == nullptr) continue;
      if ((column->permitted & demand_.plain[i].roles) != demand_.plain[i].roles) return false;
      if (is_passed(i)) return false;  // it would capture a name that was left to the outside
    }
    return true;
  }
  bool is_passed(size_t plain) const {
    const NameId name = demand_.plain[plain].name;
    return std::find(witness_.passed.begin(), witness_.passed.end(), name) != witness_.passed.end();
  }

  // The plain names that taking this table would repeat and USING must merge; nothing if one of them cannot be.
  std::optional<std::vector<NameId>> merges_needed(uint32_t id) const {
    std::vector<NameId> merged;
    for (size_t i = 0; i < demand_.plain.size(); ++i) {
      if (covered_[i] == 0) continue;
      const Sources::Column* column = sources_.all()[id].find(demand_.plain[i].name);
      if (column == nullptr) continue;
      if ((column->permitted & role_bit(Role::Join)) == 0 || !joinable_[i]) return std::nullopt;
      merged.push_back(demand_.plain[i].name);
    }
    return merged;
  }

  void cover(uint32_t id, int by) {
    for (size_t i = 0; i < demand_.plain.size(); ++i) {
      const Sources::Column* column = sources_.all()[id].find(demand_.plain[i].name);
      if (column == nullptr) continue;
      covered_[i] += by;
      joins_[i] += (column->permitted & role_bit(Role::Join)) != 0 ? by : 0;
      joinable_[i] = joins_[i] == covered_[i];
    }
  }

  bool supplies(uint32_t id, const Demand::Qualifier& qualifier) const {
    for (const Obligation& wanted : qualifier.columns) {
      const Sources::Column* column = sources_.all()[id].find(wanted.name);
      if (column == nullptr || (column->permitted & wanted.roles) != wanted.roles) return false;
    }
    return true;
  }

  void settle_qualifier(const FromChoice& item) {
    const NameId name = item.alias != kNoName ? item.alias : sources_.all()[item.source].name;
    for (size_t i = 0; i < demand_.qualifiers.size(); ++i) {
      if (demand_.qualifiers[i].name != name) continue;
      settled_[i] = true;
      present_conflict_ |= !supplies(item.source, demand_.qualifiers[i]);
    }
  }

  // A qualifier that is a table's name means that table; any other is an alias, which every table can take.
  std::vector<uint32_t> candidates_of(const Demand::Qualifier& qualifier) const {
    std::vector<uint32_t> found;
    const std::optional<uint32_t> own = sources_.find(qualifier.name);
    for (uint32_t id = 0; id < sources_.all().size(); ++id) {
      if (own && *own != id) continue;
      if (supplies(id, qualifier) && is_live(id) && merges_needed(id)) found.push_back(id);
    }
    return found;
  }

  std::vector<uint32_t> candidates_of(const Obligation& plain) const {
    std::vector<uint32_t> found;
    for (uint32_t id = 0; id < sources_.all().size(); ++id) {
      if (sources_.all()[id].find(plain.name) == nullptr || is_named(id)) continue;
      if (is_live(id) && merges_needed(id)) found.push_back(id);
    }
    return found;
  }
  // Whether FROM has an item under this table's own name: a second one would need an alias, and brings nothing new.
  bool is_named(uint32_t id) const {
    const auto own = [&](const FromChoice& item) { return item.source == id && item.alias == kNoName; };
    return std::any_of(question_.present.begin(), question_.present.end(), own) ||
           std::any_of(witness_.from.begin(), witness_.from.end(), own);
  }

  bool take(uint32_t id, NameId alias, const std::function<bool()>& rest) {
    witness_.from.push_back({id, alias, *merges_needed(id)});
    cover(id, 1);
    if (rest()) return true;
    cover(id, -1);
    witness_.from.pop_back();
    return false;
  }

  bool search(std::vector<size_t> open) {
    if (++witness_.nodes > kMostNodes) return false;
    if (!open.empty()) {
      size_t best = 0;
      std::vector<uint32_t> fewest;
      for (size_t i = 0; i < open.size(); ++i) {
        std::vector<uint32_t> candidates = candidates_of(demand_.qualifiers[open[i]]);
        if (i == 0 || candidates.size() < fewest.size()) {
          best = i;
          fewest = std::move(candidates);
        }
      }
      const Demand::Qualifier& qualifier = demand_.qualifiers[open[best]];
      open.erase(open.begin() + static_cast<std::ptrdiff_t>(best));
      const bool own_name = sources_.find(qualifier.name).has_value();
      for (const uint32_t id : fewest) {
        if (take(id, own_name ? kNoName : qualifier.name, [&] { return search(open); })) return true;
      }
      return false;
    }
    size_t best = demand_.plain.size();
    std::vector<uint32_t> fewest;
    bool best_passes = false;
    for (size_t i = 0; i < demand_.plain.size(); ++i) {
      if (covered_[i] > 0 || is_passed(i)) continue;
      std::vector<uint32_t> candidates = candidates_of(demand_.plain[i]);
      const bool passes = question_.can_pass && question_.can_pass(demand_.plain[i]);
      if (candidates.empty() && !passes) return false;
      if (best == demand_.plain.size() || candidates.size() + passes < fewest.size() + best_passes) {
        best = i;
        fewest = std::move(candidates);
        best_passes = passes;
      }
    }
    if (best == demand_.plain.size()) return true;
    for (const uint32_t id : fewest) {
      if (take(id, kNoName, [&] { return search({}); })) return true;
    }
    if (!best_passes) return false;
    witness_.passed.push_back(demand_.plain[best].name);
    if (search({})) return true;
    witness_.passed.pop_back();
    return false;
  }

  const Sources& sources_;
  const SupplyQuestion& question_;
  const Demand demand_;
  Witness witness_;
  std::vector<int> covered_;                                         // per plain name: items that hold it
  std::vector<int> joins_ = std::vector<int>(demand_.plain.size());  // of those, the ones that permit Join
  std::vector<char> joinable_ = std::vector<char>(demand_.plain.size(), 1);
  std::vector<char> settled_ = std::vector<char>(demand_.qualifiers.size());  // by an item that is already there
  bool present_conflict_ = false;
};

}  // namespace

Sources::Sources(const Catalog& catalog, const Policy& policy, Profile profile) {
  for (TableId id = 0; id < catalog.tables().size(); ++id) {
    const Table& table = catalog.table(id);
    Source source;
    source.name = table.id;
    source.nameable = table.kind != TableKind::Virtual && !(profile == Profile::Strict && policy.all_hidden(id));
    for (ColumnIndex i = 0; i < table.columns.size(); ++i) {
      const RoleSet roles = permitted_roles(policy.of({id, i}));
      source.columns.push_back({table.columns[i].id, roles});
      source.all_public &= table.columns[i].hidden || roles == kEveryRole;
    }
    sources_.push_back(std::move(source));
  }
}

uint32_t Sources::add_cte(NameId name, std::vector<NameId> columns) {
  Source source;
  source.name = name;
  for (const NameId column : columns) source.columns.push_back({column, kEveryRole});
  sources_.push_back(std::move(source));
  return static_cast<uint32_t>(sources_.size() - 1);
}

const Sources::Column* Sources::Source::find(NameId wanted) const {
  for (const Column& column : columns) {
    if (column.name == wanted && wanted != kNoName) return &column;
  }
  return nullptr;
}

std::optional<uint32_t> Sources::find(NameId name) const {
  for (uint32_t id = 0; id < sources_.size(); ++id) {
    if (sources_[id].name == name && name != kNoName) return id;
  }
  return std::nullopt;
}

std::optional<Witness> discharge(const Sources& sources, const SupplyQuestion& question) {
  return Search(sources, question).run();
}

}  // namespace pccsql::track
