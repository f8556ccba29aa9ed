// From names to bits, and from the index of the tables to the items that could supply them.
#include "track/supply_question.h"

#include <algorithm>
#include <bit>

namespace pccsql::track {

size_t Asked::bit_of(NameId name) {
  for (size_t i = 0; i < name_count; ++i) {
    if (names[i] == name) return i;
  }
  if (name_count == kMostNames) return kMostNames;
  names[name_count] = name;
  return name_count++;
}

size_t Asked::find_qualifier(NameId name) const {
  if (name == kNoName) return qualifier_count;
  for (size_t i = 0; i < qualifier_count; ++i) {
    if (qualifiers[i].name == name) return i;
  }
  return qualifier_count;
}

bool Asked::add(const Sources& sources, const SupplyQuestion& question, const Obligation& obligation, bool is_passed) {
  Mask mask = 0;
  if (obligation.name != kNoName) {
    const size_t bit = bit_of(obligation.name);
    if (bit == kMostNames) return false;
    mask = Mask{1} << bit;
  }
  Mask* columns = is_passed ? &passed : &plain;
  RoleMasks* asked_roles = &roles;
  if (obligation.qualifier != kNoName) {
    const size_t index = find_qualifier(obligation.qualifier);
    if (index == kMostNames) return false;
    Qualifier& qualifier = qualifiers[index];
    if (index == qualifier_count) {
      ++qualifier_count;
      qualifier = {};
      qualifier.name = obligation.qualifier;
      qualifier.source = sources.find(obligation.qualifier);
      for (const Source* cte : question.ctes) {
        if (cte->name == obligation.qualifier) qualifier.source = cte;
      }
      qualifier.is_source = qualifier.source != nullptr;
    }
    columns = is_passed ? &qualifier.passed : &qualifier.columns;
    asked_roles = &qualifier.roles;
    qualifier.star |= mask == 0 && !is_passed;
  }
  *columns |= mask;
  if (is_passed) return true;
  for (size_t role = 0; role < asked_roles->size(); ++role) {
    if ((obligation.roles >> role & 1) != 0) (*asked_roles)[role] |= mask;
  }
  return true;
}

bool Asked::read(const Sources& sources, const SupplyQuestion& question) {
  name_count = qualifier_count = 0;
  plain = passed = rowids = 0;
  roles = {};
  star = question.star;
  star_role = question.star_role;
  barred = question.barred;
  bool expands = false;
  if (question.pending.size() > kMostNames) return false;
  for (const Obligation& obligation : question.pending) {
    if (!add(sources, question, obligation, false)) return false;
    expands |= obligation.name == kNoName;
  }
  for (const Obligation& obligation : question.passed) {
    if (!add(sources, question, obligation, true)) return false;
  }
  for (size_t i = 0; i < name_count; ++i) {
    for (const NameId rowid : question.rowids) rowids |= Mask{names[i] == rowid} << i;
  }
  if (!expands) return true;
  for (const FromItem& item : question.present) {
    for (const NameId name : item.merged) {
      if (bit_of(name) == kMostNames) return false;
    }
  }
  return true;
}

Mask Asked::mask_of(std::span<const NameId> wanted) const {
  Mask mask = 0;
  for (const NameId name : wanted) {
    for (size_t i = 0; i < name_count; ++i) {
      if (names[i] == name) mask |= Mask{1} << i;
    }
  }
  return mask;
}

bool Asked::expands(const Source& source) const {
  return source.expands_to(star_role) && std::none_of(barred.begin(), barred.end(), [&](NameId name) {
           const Source::Column* column = source.find(name);
           return column != nullptr && !column->hidden;
         });
}

Held Asked::held_by(const Source& source) const {
  Held held;
  held.source = &source;
  for (size_t i = 0; i < name_count; ++i) {
    if (const Source::Column* column = source.find(names[i])) held.note(i, column->permitted);
  }
  note_rowids(held);
  return held;
}

void Asked::note_rowids(Held& held) const {
  const Source::Column* const column = held.source->rowid_column();
  if (column == nullptr) return;
  held.rowids = rowids & ~held.hold;
  for (Mask left = held.rowids; left != 0; left &= left - 1) {
    held.allow(static_cast<size_t>(std::countr_zero(left)), column->permitted);
  }
}

uint32_t Supplies::item_of(const Sources& sources, uint32_t table) {
  const uint32_t known = known_item(table);
  if (known != kNoItem) return known;
  const auto item = static_cast<uint32_t>(items.size());
  table_item_[table] = epoch_ << 32 | item;
  items.push_back({&sources.all()[table], 0, 0, {}});
  return item;
}

void Supplies::prepare(const Asked& asked, const Sources& sources, const SupplyQuestion& question, Mask uncovered,
                       Mask open) {
  items.clear();
  alive.clear();
  has_free = false;
  if (uncovered == 0 && open == 0) return;
  epoch_ = (epoch_ + 1) & 0xffffffff;
  if (epoch_ == 0 || table_item_.size() < sources.all().size()) {
    table_item_.assign(std::max(table_item_.size(), sources.all().size()), 0);
    epoch_ = 1;
  }
  const Mask collected = collect(asked, sources, static_cast<bool>(question.can_pass), uncovered, open);
  const Mask all = asked.name_count == 64 ? ~Mask{0} : (Mask{1} << asked.name_count) - 1;
  complete(asked, sources, all & ~collected);
  if (asked.rowids != 0) {
    for (Held& item : items) asked.note_rowids(item);
  }

  for (const Source* cte : question.ctes) {
    const size_t index = asked.find_qualifier(cte->name);
    if (index < asked.qualifier_count) own_item[index] = static_cast<uint32_t>(items.size());
    items.push_back(asked.held_by(*cte));
    has_free |= items.back().hold == 0 && cte->tables == 1 && asked.expands(*cte);
  }
  bool free_wanted = false;
  for (Mask left = open; left != 0; left &= left - 1) {
    const auto index = static_cast<size_t>(std::countr_zero(left));
    const Qualifier& qualifier = asked.qualifiers[index];
    free_wanted |= qualifier.star && !qualifier.is_source;
    if (qualifier.is_source && own_item[index] != kNoItem && !asked.may_stand(items[own_item[index]])) {
      own_item[index] = kNoItem;
    }
  }
  if (free_wanted && !has_free) add_public(asked, sources);
  for (uint32_t i = 0; i < items.size(); ++i) {
    size_t width = items[i].source->columns.size();
    if (!question.present.empty()) width -= static_cast<size_t>(std::popcount(items[i].hold));  // they may be merged
    if (width <= question.widest && asked.may_stand(items[i])) alive.push_back(i);
  }
  constexpr size_t kMany = 24;
  if (alive.size() > kMany && asked.barred.empty()) keep_different();
}

// Makes items of the tables that hold a name to be supplied; gives the names whose holders all were looked at.
Mask Supplies::collect(const Asked& asked, const Sources& sources, bool may_pass, Mask uncovered, Mask open) {
  Mask wanted = uncovered;
  Mask named = 0;  // behind a qualifier
  for (Mask left = open; left != 0; left &= left - 1) {
    const auto index = static_cast<size_t>(std::countr_zero(left));
    const Qualifier& qualifier = asked.qualifiers[index];
    if (qualifier.is_source) {
      const bool table = qualifier.source->table.has_value() && qualifier.source->nameable;
      own_item[index] =
          table ? item_of(sources, static_cast<uint32_t>(qualifier.source - sources.all().data())) : kNoItem;
      continue;
    }
    if (may_pass) {
      named |= qualifier.columns;
      continue;
    }
    // Nothing can be passed: it must hold all of the columns, so the holders of the rarest are enough.
    size_t fewest = ~size_t{0};
    Mask rarest = 0;
    for (Mask columns = qualifier.columns; columns != 0; columns &= columns - 1) {
      const auto bit = static_cast<size_t>(std::countr_zero(columns));
      const bool rowid = (asked.rowids >> bit & 1) != 0;
      const size_t count = sources.holders(asked.names[bit]).size() + (rowid ? sources.with_rowid().size() : 0);
      if (count >= fewest) continue;
      fewest = count;
      rarest = Mask{1} << bit;
    }
    named |= rarest;
  }
  wanted |= named;
  for (Mask left = wanted; left != 0; left &= left - 1) {
    const auto bit = static_cast<size_t>(std::countr_zero(left));
    const auto holders = sources.holders(asked.names[bit]);
    const auto roles = sources.holder_roles(asked.names[bit]);
    for (size_t i = 0; i < holders.size(); ++i) items[item_of(sources, holders[i])].note(bit, roles[i]);
    if (((named & asked.rowids) >> bit & 1) == 0) continue;
    for (const uint32_t table : sources.with_rowid()) item_of(sources, table);
  }
  return wanted;
}

// What the items made so far hold of the other names; makes no new ones.
void Supplies::complete(const Asked& asked, const Sources& sources, Mask missing) {
  for (; missing != 0; missing &= missing - 1) {
    const auto bit = static_cast<size_t>(std::countr_zero(missing));
    const auto holders = sources.holders(asked.names[bit]);
    if (holders.size() > 4 * items.size()) {
      for (Held& item : items) {
        if (const Source::Column* column = item.source->find(asked.names[bit])) item.note(bit, column->permitted);
      }
      continue;
    }
    const auto roles = sources.holder_roles(asked.names[bit]);
    for (size_t i = 0; i < holders.size(); ++i) {
      const uint32_t item = known_item(holders[i]);
      if (item != kNoItem) items[item].note(bit, roles[i]);
    }
  }
}

// For `q.*`: one that holds none of the names is as good as any; only where all hold some does it matter which.
void Supplies::add_public(const Asked& asked, const Sources& sources) {
  for (const uint32_t table : sources.expanding_to(asked.star_role)) {
    if (known_item(table) != kNoItem) {
      has_free |= items[known_item(table)].hold == 0 && asked.expands(sources.all()[table]);
      continue;
    }
    if (has_free) return;
    if (!asked.expands(sources.all()[table])) continue;
    Held held = asked.held_by(sources.all()[table]);
    has_free = held.hold == 0;
    items.push_back(held);
  }
}

// Items that hold and permit the same are the same to the search.
void Supplies::keep_different() {
  const size_t size = std::bit_ceil(2 * alive.size());
  buckets_.assign(size, kNoItem);
  const auto same = [](const Held& a, const Held& b) {
    return a.hold == b.hold && a.rowids == b.rowids && a.permit == b.permit &&
           a.source->all_public == b.source->all_public && a.source->all_tested == b.source->all_tested &&
           a.source->tables == b.source->tables;
  };
  size_t kept = 0;
  for (const uint32_t item : alive) {
    const Held& held = items[item];
    Mask hash = held.hold ^ held.rowids * 3;
    for (const Mask mask : held.permit) hash = (hash ^ mask) * 0x9e3779b97f4a7c15u;
    size_t bucket = hash >> 32 & (size - 1);
    while (buckets_[bucket] != kNoItem && !same(items[buckets_[bucket]], held)) bucket = (bucket + 1) & (size - 1);
    if (buckets_[bucket] != kNoItem) continue;
    buckets_[bucket] = item;
    alive[kept++] = item;
  }
  alive.resize(kept);
}

}  // namespace pccsql::track
