// From names to bits, and from the index of the tables to the items that could supply them.
#include "track/supply_question.h"

#include <algorithm>
#include <bit>

namespace pccsql::track {

namespace {

constexpr size_t kHashed = 8;  // names; fewer are looked through

}  // namespace

template <size_t Words>
size_t Asked<Words>::find_bit(NameId name) const {
  if (Words == 1 || names.size() <= kHashed) {
    for (size_t i = 0; i < names.size(); ++i) {
      if (names[i] == name) return i;
    }
    return Mask::kMost;
  }
  size_t at = name * size_t{0x9e3779b1} % bits_.size();
  for (; bits_[at] != 0; at = (at + 1) % bits_.size()) {
    if (names[bits_[at] - 1] == name) return bits_[at] - 1;
  }
  return Mask::kMost;
}

template <size_t Words>
size_t Asked<Words>::bit_of(NameId name) {
  if (const size_t known = find_bit(name); known < Mask::kMost || names.size() == Mask::kMost) return known;
  names.push_back(name);
  if (Words == 1 || names.size() <= kHashed) return names.size() - 1;
  const auto note = [&](size_t bit) {
    size_t at = names[bit] * size_t{0x9e3779b1} % bits_.size();
    while (bits_[at] != 0) at = (at + 1) % bits_.size();
    bits_[at] = static_cast<uint32_t>(bit + 1);
  };
  if (names.size() == kHashed + 1) {
    bits_.assign(2 * Mask::kMost, 0);
    for (size_t bit = 0; bit < names.size(); ++bit) note(bit);
  } else {
    note(names.size() - 1);
  }
  return names.size() - 1;
}

template <size_t Words>
size_t Asked<Words>::find_qualifier(NameId name) const {
  if (name == kNoName) return qualifiers.size();
  for (size_t i = 0; i < qualifiers.size(); ++i) {
    if (qualifiers[i].name == name) return i;
  }
  return qualifiers.size();
}

template <size_t Words>
bool Asked<Words>::add(const Sources& sources, const SupplyQuestion& question, const Obligation& obligation,
                       bool is_passed) {
  const bool named = obligation.name != kNoName;
  const size_t bit = named ? bit_of(obligation.name) : 0;
  if (bit == Mask::kMost) return false;
  Mask* columns = is_passed ? &passed : &plain;
  RoleMasks<Words>* asked_roles = &roles;
  if (obligation.qualifier != kNoName) {
    const size_t index = find_qualifier(obligation.qualifier);
    if (index == Mask::kMost) return false;
    if (index == qualifiers.size()) {
      Qualifier<Words>& made = qualifiers.emplace_back();
      made.name = obligation.qualifier;
      made.source = sources.find(obligation.qualifier);
      for (const Source* cte : question.ctes) {
        if (cte->name == obligation.qualifier) made.source = cte;
      }
      made.is_source = made.source != nullptr;
    }
    Qualifier<Words>& qualifier = qualifiers[index];
    columns = is_passed ? &qualifier.passed : &qualifier.columns;
    asked_roles = &qualifier.roles;
    qualifier.star |= !named && !is_passed;
  }
  if (!named) return true;
  columns->set(bit);
  if (is_passed) return true;
  for (size_t role = 0; role < asked_roles->size(); ++role) {
    if ((obligation.roles >> role & 1) != 0) (*asked_roles)[role].set(bit);
  }
  return true;
}

template <size_t Words>
bool Asked<Words>::read(const Sources& sources, const SupplyQuestion& question) {
  names.clear();
  qualifiers.clear();
  plain = passed = rowids = {};
  roles = {};
  star = question.star;
  star_role = question.star_role;
  barred = question.barred;
  barred_views = question.barred_views;
  bool expands = false;
  if (question.pending.size() > Mask::kMost) return false;
  for (const Obligation& obligation : question.pending) {
    if (!add(sources, question, obligation, false)) return false;
    expands |= obligation.name == kNoName;
  }
  for (const Obligation& obligation : question.passed) {
    if (!add(sources, question, obligation, true)) return false;
  }
  for (const NameId rowid : question.rowids) {
    if (const size_t bit = find_bit(rowid); bit < Mask::kMost) rowids.set(bit);
  }
  if (!expands) return true;
  for (const FromItem& item : question.present) {
    for (const NameId name : item.merged) {
      if (bit_of(name) == Mask::kMost) return false;
    }
  }
  return true;
}

template <size_t Words>
Bits<Words> Asked<Words>::mask_of(std::span<const NameId> wanted) const {
  Mask mask;
  for (const NameId name : wanted) {
    if (const size_t bit = find_bit(name); bit < Mask::kMost) mask.set(bit);
  }
  return mask;
}

template <size_t Words>
bool Asked<Words>::expands(const Source& source) const {
  return source.expands_to(star_role) && (source.view_bit & barred_views) == 0 && std::none_of(barred.begin(), barred.end(), [&](NameId name) {
           const Source::Column* column = source.find(name);
           return column != nullptr && !column->hidden;
         });
}

template <size_t Words>
Held<Words> Asked<Words>::held_by(const Source& source) const {
  Held<Words> held;
  held.source = &source;
  for (size_t i = 0; i < names.size(); ++i) {
    if (const Source::Column* column = source.find(names[i])) held.note(i, column->permitted);
  }
  note_rowids(held);
  return held;
}

template <size_t Words>
void Asked<Words>::note_rowids(Held<Words>& held) const {
  const Source::Column* const column = held.source->rowid_column();
  if (column == nullptr) return;
  held.rowids = rowids & ~held.hold;
  for (const size_t bit : held.rowids) held.allow(bit, column->permitted);
}

template <size_t Words>
uint32_t Supplies<Words>::item_of(const Sources& sources, uint32_t table) {
  const uint32_t known = known_item(table);
  if (known != kNoItem) return known;
  const auto item = static_cast<uint32_t>(items.size());
  table_item_[table] = epoch_ << 32 | item;
  items.emplace_back().source = &sources.all()[table];
  return item;
}

template <size_t Words>
void Supplies<Words>::prepare(const Asked<Words>& asked, const Sources& sources, const SupplyQuestion& question,
                              const Mask& uncovered, const Mask& open) {
  items.clear();
  alive.clear();
  has_free = false;
  if (uncovered.none() && open.none()) return;
  own_item.assign(asked.qualifiers.size(), kNoItem);
  epoch_ = (epoch_ + 1) & 0xffffffff;
  if (epoch_ == 0 || table_item_.size() < sources.all().size()) {
    table_item_.assign(std::max(table_item_.size(), sources.all().size()), 0);
    epoch_ = 1;
  }
  const Mask collected = collect(asked, sources, static_cast<bool>(question.can_pass), uncovered, open);
  complete(asked, sources, Mask::below(asked.names.size()) & ~collected);
  if (asked.rowids.any()) {
    for (Held<Words>& item : items) asked.note_rowids(item);
  }

  for (const Source* cte : question.ctes) {
    const size_t index = asked.find_qualifier(cte->name);
    if (index < asked.qualifiers.size()) own_item[index] = static_cast<uint32_t>(items.size());
    items.push_back(asked.held_by(*cte));
    has_free |= items.back().hold.none() && cte->tables == 1 && asked.expands(*cte);
  }
  bool free_wanted = false;
  for (const size_t index : open) {
    const Qualifier<Words>& qualifier = asked.qualifiers[index];
    free_wanted |= qualifier.star && !qualifier.is_source;
    if (qualifier.is_source && own_item[index] != kNoItem && !asked.may_stand(items[own_item[index]])) {
      own_item[index] = kNoItem;
    }
  }
  if (free_wanted && !has_free) add_public(asked, sources);
  for (uint32_t i = 0; i < items.size(); ++i) {
    size_t width = items[i].source->columns.size();
    if (!question.present.empty()) width -= items[i].hold.count();  // they may be merged
    if (width <= question.widest && asked.may_stand(items[i])) alive.push_back(i);
  }
  constexpr size_t kMany = 24;
  if (alive.size() > kMany && asked.barred.empty()) keep_different();
}

// Makes items of the tables that hold a name to be supplied; gives the names whose holders all were looked at.
template <size_t Words>
Bits<Words> Supplies<Words>::collect(const Asked<Words>& asked, const Sources& sources, bool may_pass,
                                     const Mask& uncovered, const Mask& open) {
  Mask wanted = uncovered;
  Mask named;  // behind a qualifier
  for (const size_t index : open) {
    const Qualifier<Words>& qualifier = asked.qualifiers[index];
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
    Mask rarest;
    for (const size_t bit : qualifier.columns) {
      const bool rowid = asked.rowids.test(bit);
      const size_t count = sources.holders(asked.names[bit]).size() + (rowid ? sources.with_rowid().size() : 0);
      if (count >= fewest) continue;
      fewest = count;
      rarest = Mask::one(bit);
    }
    named |= rarest;
  }
  wanted |= named;
  for (const size_t bit : wanted) {
    const auto holders = sources.holders(asked.names[bit]);
    const auto roles = sources.holder_roles(asked.names[bit]);
    for (size_t i = 0; i < holders.size(); ++i) items[item_of(sources, holders[i])].note(bit, roles[i]);
    if (!named.test(bit) || !asked.rowids.test(bit)) continue;
    for (const uint32_t table : sources.with_rowid()) item_of(sources, table);
  }
  return wanted;
}

// What the items made so far hold of the other names; makes no new ones.
template <size_t Words>
void Supplies<Words>::complete(const Asked<Words>& asked, const Sources& sources, const Mask& missing) {
  for (const size_t bit : missing) {
    const auto holders = sources.holders(asked.names[bit]);
    if (holders.size() > 4 * items.size()) {
      for (Held<Words>& item : items) {
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
template <size_t Words>
void Supplies<Words>::add_public(const Asked<Words>& asked, const Sources& sources) {
  for (const uint32_t table : sources.expanding_to(asked.star_role)) {
    if (known_item(table) != kNoItem) {
      has_free |= items[known_item(table)].hold.none() && asked.expands(sources.all()[table]);
      continue;
    }
    if (has_free) return;
    if (!asked.expands(sources.all()[table])) continue;
    Held<Words> held = asked.held_by(sources.all()[table]);
    has_free = held.hold.none();
    items.push_back(held);
  }
}

// Items that hold and permit the same are the same to the search.
template <size_t Words>
void Supplies<Words>::keep_different() {
  const size_t size = std::bit_ceil(2 * alive.size());
  buckets_.assign(size, kNoItem);
  const auto same = [](const Held<Words>& a, const Held<Words>& b) {
    return a.hold == b.hold && a.rowids == b.rowids && a.permit == b.permit &&
           a.source->all_public == b.source->all_public && a.source->all_tested == b.source->all_tested &&
           a.source->tables == b.source->tables;
  };
  size_t kept = 0;
  for (const uint32_t item : alive) {
    const Held<Words>& held = items[item];
    uint64_t hash = held.hold.hash() ^ held.rowids.hash() * 3;
    for (const Mask& mask : held.permit) hash = (hash ^ mask.hash()) * 0x9e3779b97f4a7c15u;
    size_t bucket = hash >> 32 & (size - 1);
    while (buckets_[bucket] != kNoItem && !same(items[buckets_[bucket]], held)) bucket = (bucket + 1) & (size - 1);
    if (buckets_[bucket] != kNoItem) continue;
    buckets_[bucket] = item;
    alive[kept++] = item;
  }
  alive.resize(kept);
}

template struct Asked<1>;
template struct Asked<kWide>;
template struct Asked<kWidest>;
template class Supplies<1>;
template class Supplies<kWide>;
template class Supplies<kWidest>;

}  // namespace pccsql::track
