// Supply: can some FROM still make every name that was written before it resolve, unambiguously and permitted?
//
// SELECT comes before FROM, so a column named there is an obligation: (qualifier, name, roles). A set of them can be
// discharged when tables exist that together hold each plain name exactly once (or merge it by USING), give each
// qualifier a table with all of its columns, and permit every role asked. Looking at each name alone is not enough, and
// looking at all sets of tables is too much; the search here takes qualifiers first, then plain names, fewest candidates
// first, and a table that is taken rules out those that would make a covered name ambiguous. The answer comes with a
// witness: a FROM that does it.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "base/names.h"
#include "policy/policy.h"
#include "schema/catalog.h"

namespace pccsql::track {

using RoleSet = uint8_t;  // one bit per Role
constexpr RoleSet role_bit(Role role) { return static_cast<RoleSet>(1u << static_cast<unsigned>(role)); }
inline constexpr RoleSet kEveryRole =
    role_bit(Role::Sel) | role_bit(Role::Join) | role_bit(Role::Where) | role_bit(Role::Agg);

struct Obligation {
  NameId qualifier = kNoName;  // kNoName: a plain name
  NameId name = kNoName;       // kNoName with a qualifier: `q.*`
  RoleSet roles = 0;           // all must be permitted
  friend bool operator==(const Obligation&, const Obligation&) = default;
};

// What a FROM can hold: a table, a closed CTE, a closed derived table. Columns of the last two may be used in every role.
struct Source {
  struct Column {
    NameId name = kNoName;  // kNoName: an output without a name
    RoleSet permitted = 0;
    bool hidden = false;  // can be named, is not part of `*`
  };
  NameId name = kNoName;   // kNoName: a derived table
  bool nameable = true;    // a virtual table, or under strict one that is all Hidden, is not
  bool all_public = true;  // `*` may expand it
  bool all_tested = true;  // likewise, where what it lists is only compared
  bool closed = false;     // a table, and no column of it may be used for anything
  uint16_t tables = 1;     // that the database counts for it
  std::vector<Column> columns;
  uint64_t view_bit = 0;   // of a view that may show what is held to a minimum group elsewhere; the last is shared
  std::optional<TableId> table;
  std::optional<ColumnIndex> rowid;                  // the column that `rowid` stands for
  std::vector<std::pair<NameId, uint32_t>> by_name;  // sorted; of repeated names the first column

  void index();  // fills by_name; to be called once columns are there
  const Column* find(NameId name) const;
  // Whether a `*` that uses columns in this role, Sel or Where, may expand it.
  bool expands_to(Role role) const { return role == Role::Where ? all_tested : all_public; }
  const Column* rowid_column() const { return rowid ? &columns[*rowid] : nullptr; }
};

// The tables of a catalogue under a policy, in the catalogue's order, and which of them hold a name. Compiled once.
class Sources {
 public:
  // `most_tables`: of a SELECT. Views count for what they merge into one, in proportion to it, so that as many as fit
  // never come to more than the database takes.
  Sources(const Catalog& catalog, const Policy& policy, Profile profile, uint16_t most_tables);

  const std::vector<Source>& all() const { return sources_; }
  const Source* find(NameId table) const;
  // The nameable tables that hold a column of this name.
  std::span<const uint32_t> holders(NameId column) const;
  // Parallel to holders(): what each of them permits that column to be used for.
  std::span<const RoleSet> holder_roles(NameId column) const;
  // The nameable tables that `*` may expand.
  std::span<const uint32_t> all_public() const { return all_public_; }
  std::span<const uint32_t> expanding_to(Role role) const { return role == Role::Where ? all_tested_ : all_public_; }
  // The nameable tables of which `rowid` is a column.
  std::span<const uint32_t> with_rowid() const { return with_rowid_; }

 private:
  std::vector<Source> sources_;
  std::vector<uint32_t> holders_;       // those of a name lie side by side
  std::vector<RoleSet> holder_roles_;   // parallel to holders_
  std::vector<uint32_t> first_holder_;  // by NameId of the catalogue, and one past the last
  std::vector<uint32_t> all_public_;
  std::vector<uint32_t> all_tested_;
  std::vector<uint32_t> with_rowid_;
  std::vector<uint32_t> table_of_name_;
};

// An item that FROM already has.
struct FromItem {
  const Source* source = nullptr;
  NameId name = kNoName;       // its alias, or the table's own name; kNoName: a derived table without one
  bool name_open = false;      // the last item only: an alias may still come. `name` is what it is without one
  bool merge_open = false;     // the last item only: USING may still come, or more names in it
  std::vector<NameId> merged;  // names that USING or NATURAL merges with what stands left of it
};

// An item that could come.
struct FromChoice {
  const Source* source = nullptr;  // nullptr: a derived table whose outputs are `outputs`
  NameId alias = kNoName;          // kNoName: under its own name, a derived table under none
  bool fresh = false;              // its own name cannot be used: it takes an alias that nothing mentions
  std::vector<NameId> merged;      // joined by USING on these
  std::vector<NameId> outputs;
};

struct Witness {
  NameId open_name = kNoName;       // the alias that the open item must take; kNoName: none
  bool open_fresh = false;          // it must take an alias, one that nothing mentions
  std::vector<NameId> open_merged;  // what USING must merge after the open item
  std::vector<FromChoice> from;     // what comes after the items already there
  std::vector<Obligation> passed;   // left to an enclosing SELECT
  size_t nodes = 0;                 // of the search
};

struct SupplyQuestion {
  // Every name that this FROM must settle, each (qualifier, name) once, roles united: those of the select list, those
  // that a nested SELECT left to this one, and those in ON (which the items present already hold).
  std::span<const Obligation> pending;
  // Names that were already bound outward (in ON, say): no item that comes may hold them.
  std::span<const Obligation> passed;
  std::span<const FromItem> present;
  std::span<const Source* const> ctes;  // closed CTEs that can be named here
  // Names that, behind a qualifier, stand for a column of their own: `rowid` and its kin. An item of the qualifier's name
  // settles them, also one that has none; without a qualifier they are columns of tables that are called so.
  std::span<const NameId> rowids;
  bool star = false;               // `*` was written: only items that it may expand and derived tables may come
  Role star_role = Role::Sel;      // of what it and `q.*` expand to; or Where
  bool derived_names = false;      // a derived table may supply what nothing else does
  std::span<const NameId> barred;  // names that what `*` and `q.*` expand must not hold
  uint64_t barred_views = 0;       // by Source::view_bit: no item may be one of these
  size_t widest = ~size_t{0};      // columns that an item may have
  size_t room = ~size_t{0};        // tables that all items together may count
  bool may_merge = true;           // by USING
  size_t merges = ~size_t{0};      // names that USING may still merge, those of the open item counted
  size_t most_nodes = 4096;        // steps of the search, after which it gives up
  // Whether the enclosing SELECTs could take all of these together; empty: nothing encloses. It is asked about pending
  // obligations only, may call discharge() itself, and must say yes to every subset of a set that it says yes to.
  std::function<bool(std::span<const Obligation>)> can_pass;
  // FROM was written, or will have to be: where no name asks for an item, a table that disturbs none comes, or, if there
  // is none, a derived table without a named output. `star` implies it.
  bool item_needed = false;
};

// A way to discharge everything, or nothing. Gives up (nothing) after `most_nodes` steps: sound, because an older witness
// remains. Likewise with more than `kMostOwed` pending or different names.
inline constexpr size_t kWide = 8, kWidest = 32;  // words of 64 names, where one is not enough
inline constexpr size_t kMostOwed = 64 * kWidest;
std::optional<Witness> discharge(const Sources& sources, const SupplyQuestion& question);

}  // namespace pccsql::track
