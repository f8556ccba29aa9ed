#include "engine/stored_mask.h"

#include <algorithm>

namespace pccsql {

StoredMask StoredMask::of(ConstBitmask mask, const BitmaskBuffer* base) {
  StoredMask made;
  made.base = base;
  const size_t count = mask.count();
  made.empty = count == 0 && base == nullptr;
  if (count <= mask.words().size()) {
    made.tokens.reserve(count);
    mask.for_each([&](TokenId id) { made.tokens.push_back(id); });
  } else {
    made.words.assign(mask.words().begin(), mask.words().end());
  }
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
