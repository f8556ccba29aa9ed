// StoredMask: the tokens that may come after a prefix, in the form that is smallest to keep and quick to write out.
//
// Most masks admit few tokens, and are a list. Inside free text nearly all are admitted, and the mask is one that all
// such places share, with a list on top. What is neither is kept bit by bit.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "mask/bitmask.h"
#include "mask/vocabulary.h"

namespace pccsql {

struct StoredMask {
  // Shared, outlives all that refer to it; nullptr: none.
  const BitmaskBuffer* base = nullptr;
  std::vector<TokenId> tokens;  // admitted beside the base, ascending
  std::vector<uint32_t> words;  // instead of `tokens`, where these would take more room
  bool empty = true;            // admits nothing at all

  // `mask`: what is admitted beside the base.
  static StoredMask of(ConstBitmask mask, const BitmaskBuffer* base);

  size_t bytes() const { return sizeof *this + tokens.capacity() * sizeof(TokenId) + words.capacity() * sizeof(uint32_t); }
  size_t count() const;
  // Adds to `mask`. PRE: as below.
  void add_to(Bitmask mask) const;
  // Overwrites all of `mask`. PRE: it is as wide as the vocabulary or wider.
  void write_to(Bitmask mask) const;
};

}  // namespace pccsql
