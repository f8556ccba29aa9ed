// RankSet: which words of the World's dictionary, by rank, one bit each. Words that begin alike stand side by side, so
// whether any word goes on from what is written is whether a range of bits has one.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace pccsql::track {

using Rank = uint32_t;  // of a word in the dictionary
inline constexpr Rank kNoRank = UINT32_MAX;

class RankSet {
 public:
  void insert(Rank rank) {
    if (rank / 64 >= words_.size()) words_.resize(rank / 64 + 1);
    words_[rank / 64] |= uint64_t{1} << rank % 64;
  }
  void erase(Rank rank) {
    if (contains(rank)) words_[rank / 64] &= ~(uint64_t{1} << rank % 64);
  }
  bool contains(Rank rank) const {
    return rank / 64 < words_.size() && (words_[rank / 64] >> rank % 64 & 1) != 0;
  }
  RankSet& operator|=(const RankSet& other) {
    if (other.words_.size() > words_.size()) words_.resize(other.words_.size());
    for (size_t i = 0; i < other.words_.size(); ++i) words_[i] |= other.words_[i];
    return *this;
  }
  RankSet& operator&=(const RankSet& other) {
    if (words_.size() > other.words_.size()) words_.resize(other.words_.size());
    for (size_t i = 0; i < words_.size(); ++i) words_[i] &= other.words_[i];
    return *this;
  }
  RankSet& operator-=(const RankSet& other) {
    const size_t both = std::min(words_.size(), other.words_.size());
    for (size_t i = 0; i < both; ++i) words_[i] &= ~other.words_[i];
    return *this;
  }
  friend bool operator==(const RankSet& a, const RankSet& b) {
    const size_t both = std::min(a.words_.size(), b.words_.size());
    const auto none = [](uint64_t word) { return word == 0; };
    return std::equal(a.words_.begin(), a.words_.begin() + static_cast<ptrdiff_t>(both), b.words_.begin()) &&
           std::all_of(a.words_.begin() + static_cast<ptrdiff_t>(both), a.words_.end(), none) &&
           std::all_of(b.words_.begin() + static_cast<ptrdiff_t>(both), b.words_.end(), none);
  }

  // The least that is no less than `rank`; kNoRank if there is none.
  Rank next(Rank rank) const {
    size_t at = rank / 64;
    if (at >= words_.size()) return kNoRank;
    uint64_t word = words_[at] & ~uint64_t{0} << rank % 64;
    while (word == 0) {
      if (++at == words_.size()) return kNoRank;
      word = words_[at];
    }
    return static_cast<Rank>(64 * at + static_cast<size_t>(std::countr_zero(word)));
  }
  bool any_in(Rank first, Rank last) const { return next(first) < last; }

  // In order.
  class Iterator {
   public:
    Iterator(const RankSet& set, Rank at) : set_(&set), at_(at) {}
    Rank operator*() const { return at_; }
    Iterator& operator++() {
      at_ = set_->next(at_ + 1);
      return *this;
    }
    friend bool operator==(const Iterator& a, const Iterator& b) { return a.at_ == b.at_; }

   private:
    const RankSet* set_;
    Rank at_;
  };
  Iterator begin() const { return {*this, next(0)}; }
  Iterator end() const { return {*this, kNoRank}; }

  // The bits, without zeros at the end where they were inserted in any order but never erased.
  std::span<const uint64_t> words() const { return words_; }
  size_t bytes() const { return words_.capacity() * sizeof(uint64_t); }
  void drop_spare() { words_.shrink_to_fit(); }

 private:
  std::vector<uint64_t> words_;
};

}  // namespace pccsql::track
