// Bitmask: which token ids may come next, one bit per logit, as inference engines take it.
//
// 32-bit words, least significant bit first, 1 = allowed. Like std::span it only views words that somebody else owns,
// so that a mask can be filled in a caller's buffer; BitmaskBuffer owns its words.
#pragma once

#include <algorithm>
#include <bit>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>
#include <vector>

namespace pccsql {

constexpr size_t bitmask_words(size_t width) { return width / 32 + (width % 32 != 0 ? 1 : 0); }

template <typename Word>
class BasicBitmask {
  static_assert(std::is_same_v<std::remove_const_t<Word>, uint32_t>);

 public:
  // PRE: `words` has at least bitmask_words(width) words; those beyond are never touched. Bits of the last word that
  // lie beyond the width are never counted or visited, whatever the caller's buffer has there; clear() and fill() leave
  // them 0.
  BasicBitmask(std::span<Word> words, size_t width) : words_(words.first(bitmask_words(width))), width_(width) {}

  // A view that writes is also a view that reads.
  operator BasicBitmask<const uint32_t>() const { return {words_, width_}; }  // NOLINT(google-explicit-constructor)

  size_t width() const { return width_; }
  std::span<Word> words() const { return words_; }

  // False for ids beyond the width.
  bool test(size_t id) const { return id < width_ && (words_[id / 32] >> (id % 32) & 1U) != 0; }

  size_t count() const {
    size_t bits = 0;
    for (size_t i = 0; i < words_.size(); ++i) bits += static_cast<size_t>(std::popcount(inside(i)));
    return bits;
  }

  // Calls `visit(id)` for each allowed id, in ascending order.
  template <typename Visit>
  void for_each(Visit&& visit) const {
    for (size_t i = 0; i < words_.size(); ++i) {
      for (uint32_t word = inside(i); word != 0; word &= word - 1) {
        visit(static_cast<uint32_t>(i * 32 + static_cast<size_t>(std::countr_zero(word))));
      }
    }
  }

  // PRE of set and reset: id < width().
  void set(size_t id) const requires(!std::is_const_v<Word>) {
    assert(id < width_);
    words_[id / 32] |= uint32_t{1} << (id % 32);
  }
  void reset(size_t id) const requires(!std::is_const_v<Word>) {
    assert(id < width_);
    words_[id / 32] &= ~(uint32_t{1} << (id % 32));
  }
  void clear() const requires(!std::is_const_v<Word>) { std::ranges::fill(words_, 0U); }
  void fill() const requires(!std::is_const_v<Word>) {
    std::ranges::fill(words_, ~0U);
    if (!words_.empty()) words_.back() = inside(words_.size() - 1);
  }

  // PRE of the three: equal widths.
  void copy_from(BasicBitmask<const uint32_t> other) const requires(!std::is_const_v<Word>) {
    assert(width_ == other.width());
    std::ranges::copy(other.words(), words_.begin());
  }
  void operator|=(BasicBitmask<const uint32_t> other) const requires(!std::is_const_v<Word>) {
    assert(width_ == other.width());
    uint32_t* const to = words_.data();
    const uint32_t* const from = other.words().data();
    const size_t size = words_.size();
    for (size_t i = 0; i < size; ++i) to[i] |= from[i];
  }
  void operator&=(BasicBitmask<const uint32_t> other) const requires(!std::is_const_v<Word>) {
    assert(width_ == other.width());
    uint32_t* const to = words_.data();
    const uint32_t* const from = other.words().data();
    const size_t size = words_.size();
    for (size_t i = 0; i < size; ++i) to[i] &= from[i];
  }

 private:
  uint32_t inside(size_t word) const {
    const bool partial = word + 1 == words_.size() && width_ % 32 != 0;
    return partial ? words_[word] & ((uint32_t{1} << (width_ % 32)) - 1) : words_[word];
  }

  std::span<Word> words_;
  size_t width_ = 0;
};

using Bitmask = BasicBitmask<uint32_t>;
using ConstBitmask = BasicBitmask<const uint32_t>;

// Words of its own, all 0 at first.
class BitmaskBuffer {
 public:
  explicit BitmaskBuffer(size_t width) : words_(bitmask_words(width)), width_(width) {}

  Bitmask view() { return {words_, width_}; }
  ConstBitmask view() const { return {words_, width_}; }

 private:
  std::vector<uint32_t> words_;
  size_t width_ = 0;
};

}  // namespace pccsql
