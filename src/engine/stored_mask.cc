#include "engine/stored_mask.h"

#include <algorithm>
#include <bit>

namespace pccsql {

StoredMask StoredMask::of(ConstBitmask mask, const BitmaskBuffer* base) {
  StoredMask made;
  made.base = base;
  const auto words = mask.words();
  thread_local std::vector<TokenId> found;
  found.resize(words.size() + 32);
  size_t count = 0;
  for (size_t i = 0; i < words.size() && count <= words.size();) {
    constexpr size_t kBlock = 16;  // most are empty
    if (i % kBlock == 0 && i + kBlock <= words.size()) {
      uint32_t any = 0;
      for (size_t k = 0; k < kBlock; ++k) any |= words[i + k];
      if (any == 0) {
        i += kBlock;
        continue;
      }
    }
    for (uint32_t left = words[i]; left != 0; left &= left - 1) {
      found[count++] = static_cast<TokenId>(i * 32 + static_cast<size_t>(std::countr_zero(left)));
    }
    ++i;
  }
  if (count > words.size()) {
    made.words.assign(words.begin(), words.end());
  } else {
    made.tokens.assign(found.begin(), found.begin() + static_cast<ptrdiff_t>(count));
  }
  made.empty = made.tokens.empty() && made.words.empty() && base == nullptr;
  return made;
}

size_t StoredMask::count() const {
  if (base == nullptr && words.empty()) return tokens.size();
  BitmaskBuffer all((base == nullptr ? words.size() : base->view().words().size()) * 32);
  write_to(all.view());
  return all.view().count();
}

void StoredMask::add_to(Bitmask mask) const {
  uint32_t* const to = mask.words().data();
  if (base != nullptr) {
    const auto from = base->view().words();
    for (size_t i = 0; i < from.size(); ++i) to[i] |= from[i];
  }
  for (size_t i = 0; i < words.size(); ++i) to[i] |= words[i];
  for (const TokenId id : tokens) to[id / 32] |= uint32_t{1} << (id % 32);
}

void StoredMask::write_to(Bitmask mask) const {
  uint32_t* const to = mask.words().data();
  uint32_t* const end = to + mask.words().size();
  uint32_t* rest = to;
  if (base != nullptr) {
    rest = std::ranges::copy(base->view().words(), rest).out;
  } else if (!words.empty()) {
    rest = std::ranges::copy(words, rest).out;
  }
  std::fill(rest, end, 0U);
  if (base != nullptr) {
    for (size_t i = 0; i < words.size(); ++i) to[i] |= words[i];
  }
  for (const TokenId id : tokens) to[id / 32] |= uint32_t{1} << (id % 32);
}

}  // namespace pccsql
