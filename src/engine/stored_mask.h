// StoredMask: the tokens that may come after a prefix, in the form that is smallest to keep and quick to write out.
//
// Most masks are parts that many share, found out once for a vocabulary, and a list of tokens beside them. Inside free text
// nearly all are admitted, and the mask is one that all such places share, with a list on top. What is neither is kept bit by bit.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "mask/bitmask.h"
#include "mask/vocabulary.h"

namespace pccsql {

struct StoredMask {
  // Shared, outlives all that refer to it; nullptr: none.
  const BitmaskBuffer* base = nullptr;
  std::vector<const StoredMask*> shared;  // likewise
  std::vector<TokenId> tokens;  // admitted beside these, each once
  std::vector<uint32_t> words;  // instead of `tokens`, where these would take more room
  const std::vector<TokenId>* without = nullptr;  // shared: not admitted after all, whatever else says so
  bool empty = true;            // admits nothing at all

  // `mask`: what is admitted beside the base.
  static StoredMask of(ConstBitmask mask, const BitmaskBuffer* base);

  size_t bytes() const {
    return sizeof *this + tokens.capacity() * sizeof(TokenId) + words.capacity() * sizeof(uint32_t) +
           shared.capacity() * sizeof(const StoredMask*);
  }
  // All that is admitted, ascending, where it is a few tokens; nothing, where it is more.
  std::optional<std::vector<TokenId>> few() const;
  // Whether nothing is left of it; quick where `without` is short.
  bool is_nothing() const;
  // Adds to `mask`. PRE: as below, and `without` is nullptr.
  void add_to(Bitmask mask) const;
  // Overwrites all of `mask`. PRE: it is as wide as the vocabulary or wider.
  void write_to(Bitmask mask) const;
};

// A mask while it is being made: bits to ask, and a list of what is set, so that few tokens cost no look at all bits.
class MaskDraft {
 public:
  explicit MaskDraft(size_t width) : bits_(width) {}

  void set(TokenId id) {
    uint32_t& word = bits_.view().words()[id / 32];
    const uint32_t bit = uint32_t{1} << (id % 32);
    if ((word & bit) != 0) return;
    word |= bit;
    if (list_.size() <= bits_.view().words().size()) list_.push_back(id);
  }
  bool test(TokenId id) const { return bits_.view().test(id); }
  // `part` outlives whatever comes of this.
  void share(const StoredMask& part) {
    if (!part.empty) shared_.push_back(&part);
  }
  void copy(const StoredMask& part);
  bool is_clean() const { return list_.empty() && shared_.empty(); }
  // As a mask beside `base`; nothing is set afterwards.
  StoredMask take(const BitmaskBuffer* base);
  size_t width() const { return bits_.view().width(); }

 private:
  BitmaskBuffer bits_;
  std::vector<TokenId> list_;  // of the bits that are set; of no use once it is longer than they are
  std::vector<const StoredMask*> shared_;
};

// A draft of this width that nothing is set in, of those that the thread keeps. It goes back when it was taken from; one that something
// is left in is thrown away.
class DraftLease {
 public:
  explicit DraftLease(size_t width);
  ~DraftLease();
  DraftLease(const DraftLease&) = delete;
  DraftLease& operator=(const DraftLease&) = delete;
  MaskDraft& operator*() const { return *draft_; }
  MaskDraft* operator->() const { return draft_.get(); }

 private:
  std::unique_ptr<MaskDraft> draft_;
};

}  // namespace pccsql
