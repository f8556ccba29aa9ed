// A question to the search in bits: one per different column name, whether it is asked plain or behind a qualifier.
// Everything here is made for one word of bits, which is enough for what people write, and for more.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "track/bits.h"
#include "track/supply.h"

namespace pccsql::track {

template <size_t Words>
using RoleMasks = std::array<Bits<Words>, 4>;  // by Role
inline constexpr auto kJoin = static_cast<size_t>(Role::Join);

// What an item holds of the names in question, and what it permits them to be used for.
template <size_t Words>
struct Held {
  using Mask = Bits<Words>;
  const Source* source = nullptr;
  Mask hold;
  Mask rowids;  // what it is asked for behind its name alone
  RoleMasks<Words> permit{};

  void note(size_t bit, RoleSet roles) {
    hold.set(bit);
    allow(bit, roles);
  }
  void allow(size_t bit, RoleSet roles) {
    for (size_t role = 0; role < permit.size(); ++role) permit[role].set(bit, (roles >> role & 1) != 0);
  }
  // What `q.c` can mean of it, if it is called q.
  Mask named() const { return hold | rowids; }
  // Whether what it holds of the names that are wanted may be used as wanted.
  bool permits(const RoleMasks<Words>& wanted) const { return (forbidden(wanted) & hold).none(); }
  bool permits_named(const RoleMasks<Words>& wanted) const { return (forbidden(wanted) & named()).none(); }

 private:
  Mask forbidden(const RoleMasks<Words>& wanted) const {
    Mask forbidden;
    for (size_t role = 0; role < permit.size(); ++role) forbidden |= wanted[role] & ~permit[role];
    return forbidden;
  }
};

template <size_t Words>
struct Qualifier {
  NameId name = kNoName;
  bool star = false;       // `q.*`
  bool is_source = false;  // it is the name of a table or CTE, and means that one
  const Source* source = nullptr;
  Bits<Words> columns;
  Bits<Words> passed;  // already bound outward
  RoleMasks<Words> roles{};
};

template <size_t Words>
struct Asked {
  using Mask = Bits<Words>;
  std::vector<NameId> names;
  Mask plain;
  Mask passed;  // plain names already bound outward
  Mask rowids;  // those of the names that are `rowid` or its kin
  RoleMasks<Words> roles{};
  std::vector<Qualifier<Words>> qualifiers;
  bool star = false;
  Role star_role = Role::Sel;
  std::span<const NameId> barred;
  uint64_t barred_views = 0;

  // False: there are more names than bits.
  bool read(const Sources& sources, const SupplyQuestion& question);
  size_t find_qualifier(NameId name) const;  // qualifiers.size(): none
  Mask mask_of(std::span<const NameId> wanted) const;
  Held<Words> held_by(const Source& source) const;
  void note_rowids(Held<Words>& held) const;  // once `hold` is complete
  // Whether an item of the qualifier's name may stand beside what was bound outward.
  bool captures(const Held<Words>& held, const Mask& bound_outward) const {
    return (bound_outward & (held.hold | rowids)).any();
  }
  // Whether such an item may be in this FROM at all, whatever it is called and whatever else is there.
  bool may_stand(const Held<Words>& held) const {
    return held.source->nameable && (held.source->view_bit & barred_views) == 0 && (!star || expands(*held.source)) &&
           (held.hold & passed).none() && held.permits(roles);
  }
  // Whether `*` or `q.*` may expand it.
  bool expands(const Source& source) const;

 private:
  size_t find_bit(NameId name) const;  // kMost: it has none
  size_t bit_of(NameId name);          // likewise, after it got one if there was one left
  bool add(const Sources& sources, const SupplyQuestion& question, const Obligation& obligation, bool is_passed);

  std::vector<uint32_t> bits_;  // of the names, by where their hash puts them, counted from 1; with one word unused
};

inline constexpr uint32_t kNoItem = ~0u;

// The items that could come: tables that hold a wanted name, the CTEs, the tables that are qualifiers.
template <size_t Words>
class Supplies {
 public:
  using Mask = Bits<Words>;
  std::vector<Held<Words>> items;
  std::vector<uint32_t> alive;     // those that may stand in this FROM; of equal ones, where there are many, one
  std::vector<uint32_t> own_item;  // by qualifier: the item of the table or CTE that it names
  bool has_free = false;           // for `q.*`: an item that holds none of the names is among them

  void prepare(const Asked<Words>& asked, const Sources& sources, const SupplyQuestion& question, const Mask& uncovered,
               const Mask& open);

 private:
  uint32_t item_of(const Sources& sources, uint32_t table);
  uint32_t known_item(uint32_t table) const {
    return table_item_[table] >> 32 == epoch_ ? static_cast<uint32_t>(table_item_[table]) : kNoItem;
  }
  Mask collect(const Asked<Words>& asked, const Sources& sources, bool may_pass, const Mask& uncovered,
               const Mask& open);
  void complete(const Asked<Words>& asked, const Sources& sources, const Mask& missing);
  void add_public(const Asked<Words>& asked, const Sources& sources);
  void keep_different();

  std::vector<uint64_t> table_item_;  // by table: the epoch it was set in, and its item
  uint64_t epoch_ = 0;
  std::vector<uint32_t> buckets_;
};

}  // namespace pccsql::track
