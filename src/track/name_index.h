// NameIndex: where in a list a name stands, with its qualifier. A few are looked through; of many, those of a wide table, each
// is found by its hash, so that a list of thousands is not gone through once for each of its names.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "base/names.h"

namespace pccsql::track {

class NameIndex {
 public:
  // The number that the name was noted with.
  std::optional<size_t> find(NameId qualifier, NameId name) const {
    if (count_ <= kFew) {
      for (size_t i = 0; i < count_; ++i) {
        if (few_[i].is(qualifier, name)) return few_[i].number;
      }
      return std::nullopt;
    }
    for (size_t at = slot(qualifier, name); many_[at].used; at = (at + 1) & (many_.size() - 1)) {
      if (many_[at].is(qualifier, name)) return many_[at].number;
    }
    return std::nullopt;
  }
  // A name is noted once.
  void note(NameId qualifier, NameId name, size_t number) {
    const Entry entry{qualifier, name, static_cast<uint32_t>(number), true};
    ++count_;
    if (count_ <= kFew) {
      few_[count_ - 1] = entry;
      return;
    }
    if (2 * count_ > many_.size()) grow();
    put(entry);
  }

 private:
  static constexpr size_t kFew = 16;
  struct Entry {
    NameId qualifier = kNoName, name = kNoName;
    uint32_t number = 0;
    bool used = false;
    bool is(NameId q, NameId n) const { return name == n && qualifier == q; }
  };
  size_t slot(NameId qualifier, NameId name) const {
    const uint64_t hash = (uint64_t{qualifier} << 32 | name) * 0x9e3779b97f4a7c15u;
    return static_cast<size_t>(hash >> 32) & (many_.size() - 1);
  }
  void put(const Entry& entry) {
    size_t at = slot(entry.qualifier, entry.name);
    while (many_[at].used) at = (at + 1) & (many_.size() - 1);
    many_[at] = entry;
  }
  void grow() {
    std::vector<Entry> old(few_.begin(), few_.end());
    if (!many_.empty()) old.swap(many_);
    many_.assign(std::max<size_t>(8 * kFew, 2 * old.size()), {});
    for (const Entry& entry : old) {
      if (entry.used) put(entry);
    }
  }

  size_t count_ = 0;
  std::array<Entry, kFew> few_;
  std::vector<Entry> many_;  // a power of two
};

}  // namespace pccsql::track
