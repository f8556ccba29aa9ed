// Names: identifiers as small integers, so that comparing two names is comparing two integers. Case is folded (SQLite), or
// every byte counts (PostgreSQL, where `"Name"` and `name` are two columns).
//
// A catalogue owns one table of names and freezes it; a query that brings names of its own (aliases) adds them on top
// and drops them again with truncate().
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace pccsql {

using NameId = uint32_t;
inline constexpr NameId kNoName = 0;  // also what find() gives for an unknown name

enum class NameCase : uint8_t { Folded, Exact };

class Names {
 public:
  explicit Names(NameCase name_case = NameCase::Folded);

  NameCase name_case() const { return case_; }
  NameId intern(std::string_view name);      // folds ASCII case, unless it is exact
  NameId find(std::string_view name) const;  // kNoName if it was never interned
  std::string_view text(NameId id) const { return {pool_.data() + entries_[id].begin, entries_[id].length}; }

  size_t size() const { return entries_.size(); }
  // Forgets every name interned after the table had `size` entries.
  void truncate(size_t size);
  size_t bytes() const {
    return pool_.capacity() + entries_.capacity() * sizeof(Entry) + slots_.capacity() * sizeof(NameId);
  }

 private:
  struct Entry {
    uint32_t begin = 0;
    uint32_t length = 0;
    uint64_t hash = 0;
  };
  size_t slot_of(std::string_view name, uint64_t hash) const;
  void grow();
  uint64_t hash_of(std::string_view name) const;

  NameCase case_;
  std::string pool_;  // spellings, folded where case is, one after the other
  std::vector<Entry> entries_;
  std::vector<NameId> slots_;  // open addressing, a power of two
};

}  // namespace pccsql
