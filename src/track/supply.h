// Supply: can some FROM still make every name that was written before it resolve, unambiguously and permitted?
//
// SELECT comes before FROM, so a column named there is an obligation: (qualifier, name, roles). A set of them can be
// discharged when tables exist that together hold each plain name exactly once (or merge it by USING), give each
// qualifier a table with all of its columns, and permit every role asked. Looking at each name alone is not enough, and
// looking at all sets of tables is too much; the search here takes qualifiers first, then plain names, fewest candidates
// first, and a table that is taken rules out those that would make a covered name ambiguous. The answer comes with a witness:
// a FROM that does it.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "base/names.h"
#include "policy/policy.h"
#include "schema/catalog.h"

namespace pccsql::track {

using RoleSet = uint8_t;  // one bit per Role
constexpr RoleSet role_bit(Role role) { return static_cast<RoleSet>(1u << static_cast<unsigned>(role)); }

struct Obligation {
  NameId qualifier = kNoName;  // kNoName: a plain name
  NameId name = kNoName;
  RoleSet roles = 0;  // all must be permitted
};

// What a FROM can name: the catalogue's tables, then closed CTEs, whose columns may be used in every role.
class Sources {
 public:
  Sources(const Catalog& catalog, const Policy& policy, Profile profile);

  // A CTE with these output columns; gives its index.
  uint32_t add_cte(NameId name, std::vector<NameId> columns);

  struct Column {
    NameId name = kNoName;
    RoleSet permitted = 0;
  };
  struct Source {
    NameId name = kNoName;
    bool nameable = true;    // a virtual table, or under strict one that is all Hidden, is not
    bool all_public = true;  // `*` may expand it
    std::vector<Column> columns;

    const Column* find(NameId name) const;
  };
  const std::vector<Source>& all() const { return sources_; }
  std::optional<uint32_t> find(NameId name) const;

 private:
  std::vector<Source> sources_;
};

struct FromChoice {
  uint32_t source = 0;
  NameId alias = kNoName;      // kNoName: under its own name
  std::vector<NameId> merged;  // joined by USING on these
};

struct Witness {
  std::vector<FromChoice> from;  // what comes after the items already there
  std::vector<NameId> passed;    // plain names left to an enclosing SELECT
  size_t nodes = 0;              // of the search
};

struct SupplyQuestion {
  std::span<const Obligation> pending;
  std::span<const FromChoice> present;  // items that FROM already has
  bool star = false;                    // `*` was written: only all-Public items may come
  // Whether an enclosing SELECT could take a plain name; empty: there is none.
  std::function<bool(const Obligation&)> can_pass;
};

// A way to discharge everything, or nothing. Gives up (nothing) after `kMostNodes` steps: sound, because an older witness
// remains.
inline constexpr size_t kMostNodes = 4096;
std::optional<Witness> discharge(const Sources& sources, const SupplyQuestion& question);

}  // namespace pccsql::track
