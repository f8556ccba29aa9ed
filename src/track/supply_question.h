// A question to the search in bits: one per different column name, whether it is asked plain or behind a qualifier.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "track/supply.h"

namespace pccsql::track {

using Mask = uint64_t;
using RoleMasks = std::array<Mask, 4>;  // by Role
inline constexpr size_t kMostNames = 64;
inline constexpr auto kJoin = static_cast<size_t>(Role::Join);

// What an item holds of the names in question, and what it permits them to be used for.
struct Held {
  const Source* source = nullptr;
  Mask hold = 0;
  Mask rowids = 0;  // what it is asked for behind its name alone
  RoleMasks permit{};

  void note(size_t bit, RoleSet roles) {
    hold |= Mask{1} << bit;
    allow(bit, roles);
  }
  void allow(size_t bit, RoleSet roles) {
    for (size_t role = 0; role < permit.size(); ++role) permit[role] |= Mask{roles >> role & 1u} << bit;
  }
  // What `q.c` can mean of it, if it is called q.
  Mask named() const { return hold | rowids; }
  // Whether what it holds of the names that are wanted may be used as wanted.
  bool permits(const RoleMasks& wanted) const {
    Mask forbidden = 0;
    for (size_t role = 0; role < permit.size(); ++role) forbidden |= wanted[role] & ~permit[role];
    return (forbidden & hold) == 0;
  }
  bool permits_named(const RoleMasks& wanted) const {
    Mask forbidden = 0;
    for (size_t role = 0; role < permit.size(); ++role) forbidden |= wanted[role] & ~permit[role];
    return (forbidden & named()) == 0;
  }
};

struct Qualifier {
  NameId name = kNoName;
  bool star = false;       // `q.*`
  bool is_source = false;  // it is the name of a table or CTE, and means that one
  const Source* source = nullptr;
  Mask columns = 0;
  Mask passed = 0;  // already bound outward
  RoleMasks roles{};
};

struct Asked {
  std::array<NameId, kMostNames> names;
  size_t name_count = 0;
  Mask plain = 0;
  Mask passed = 0;  // plain names already bound outward
  Mask rowids = 0;  // those of the names that are `rowid` or its kin
  RoleMasks roles{};
  std::array<Qualifier, kMostNames> qualifiers;
  size_t qualifier_count = 0;
  bool star = false;
  Role star_role = Role::Sel;
  std::span<const NameId> barred;

  // False: there are more names than bits.
  bool read(const Sources& sources, const SupplyQuestion& question);
  size_t find_qualifier(NameId name) const;  // qualifier_count: none
  Mask mask_of(std::span<const NameId> wanted) const;
  Held held_by(const Source& source) const;
  void note_rowids(Held& held) const;  // once `hold` is complete
  // Whether an item of the qualifier's name may stand beside what was bound outward.
  bool captures(const Held& held, Mask bound_outward) const { return (bound_outward & (held.hold | rowids)) != 0; }
  // Whether such an item may be in this FROM at all, whatever it is called and whatever else is there.
  bool may_stand(const Held& held) const {
    return held.source->nameable && (!star || expands(*held.source)) && (held.hold & passed) == 0 &&
           held.permits(roles);
  }
  // Whether `*` or `q.*` may expand it.
  bool expands(const Source& source) const;

 private:
  size_t bit_of(NameId name);
  bool add(const Sources& sources, const SupplyQuestion& question, const Obligation& obligation, bool is_passed);
};

inline constexpr uint32_t kNoItem = ~0u;

// The items that could come: tables that hold a wanted name, the CTEs, the tables that are qualifiers.
class Supplies {
 public:
  std::vector<Held> items;
  std::vector<uint32_t> alive;  // those that may stand in this FROM; of equal ones, where there are many, one
  std::array<uint32_t, kMostNames> own_item;  // by qualifier: the item of the table or CTE that it names
  bool has_free = false;                      // for `q.*`: an item that holds none of the names is among them

  void prepare(const Asked& asked, const Sources& sources, const SupplyQuestion& question, Mask uncovered, Mask open);

 private:
  uint32_t item_of(const Sources& sources, uint32_t table);
  uint32_t known_item(uint32_t table) const {
    return table_item_[table] >> 32 == epoch_ ? static_cast<uint32_t>(table_item_[table]) : kNoItem;
  }
  Mask collect(const Asked& asked, const Sources& sources, bool may_pass, Mask uncovered, Mask open);
  void complete(const Asked& asked, const Sources& sources, Mask missing);
  void add_public(const Asked& asked, const Sources& sources);
  void keep_different();

  std::vector<uint64_t> table_item_;  // by table: the epoch it was set in, and its item
  uint64_t epoch_ = 0;
  std::vector<uint32_t> buckets_;
};

}  // namespace pccsql::track
