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

std::optional<std::vector<TokenId>> StoredMask::few() const {
  if (base != nullptr || !words.empty()) return std::nullopt;
  std::vector<TokenId> all = tokens;
  for (const StoredMask* part : shared) {
    const auto its = part->few();
    if (!its) return std::nullopt;
    all.insert(all.end(), its->begin(), its->end());
  }
  std::ranges::sort(all);
  all.erase(std::unique(all.begin(), all.end()), all.end());
  if (without != nullptr) std::erase_if(all, [&](TokenId id) { return std::ranges::find(*without, id) != without->end(); });
  return all;
}

bool StoredMask::is_nothing() const {
  size_t most = tokens.size();
  for (const StoredMask* part : shared) most += part->tokens.size();
  if (without != nullptr && most > without->size()) return false;
  const auto left = few();
  return left && left->empty();
}

void StoredMask::add_to(Bitmask mask) const {
  uint32_t* const to = mask.words().data();
  if (base != nullptr) {
    const auto from = base->view().words();
    for (size_t i = 0; i < from.size(); ++i) to[i] |= from[i];
  }
  for (const StoredMask* part : shared) part->add_to(mask);
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
  for (const StoredMask* part : shared) part->add_to(mask);
  for (const TokenId id : tokens) to[id / 32] |= uint32_t{1} << (id % 32);
  if (without == nullptr) return;
  for (const TokenId id : *without) to[id / 32] &= ~(uint32_t{1} << (id % 32));
}

void MaskDraft::copy(const StoredMask& part) {
  for (const StoredMask* shared : part.shared) share(*shared);
  for (size_t i = 0; i < part.words.size(); ++i) {
    for (uint32_t left = part.words[i]; left != 0; left &= left - 1) {
      set(static_cast<TokenId>(i * 32 + static_cast<size_t>(std::countr_zero(left))));
    }
  }
  for (const TokenId id : part.tokens) set(id);
}

StoredMask MaskDraft::take(const BitmaskBuffer* base) {
  StoredMask made;
  made.base = base;
  made.shared.assign(shared_.begin(), shared_.end());
  shared_.clear();
  const auto words = bits_.view().words();
  if (list_.size() > words.size()) {
    made.words.assign(words.begin(), words.end());
    bits_.view().clear();
  } else {
    for (const TokenId id : list_) words[id / 32] = 0;
    made.tokens.assign(list_.begin(), list_.end());
  }
  list_.clear();
  made.empty = made.tokens.empty() && made.words.empty() && made.shared.empty() && base == nullptr;
  return made;
}

namespace {

std::vector<std::unique_ptr<MaskDraft>>& drafts_of_thread() {
  thread_local std::vector<std::unique_ptr<MaskDraft>> drafts;
  return drafts;
}

}  // namespace

DraftLease::DraftLease(size_t width) {
  auto& kept = drafts_of_thread();
  while (!kept.empty() && draft_ == nullptr) {
    if (kept.back()->width() == width) draft_ = std::move(kept.back());
    kept.pop_back();
  }
  if (draft_ == nullptr) draft_ = std::make_unique<MaskDraft>(width);
}

DraftLease::~DraftLease() {
  constexpr size_t kMost = 4;
  auto& kept = drafts_of_thread();
  if (draft_->is_clean() && kept.size() < kMost) kept.push_back(std::move(draft_));
}

}  // namespace pccsql
