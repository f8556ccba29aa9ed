// Bits: a set of small numbers, as many words long as it takes. With one word it is an integer to the compiler.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

namespace pccsql::track {

template <size_t Words>
class Bits {
 public:
  static constexpr size_t kMost = 64 * Words;

  static constexpr Bits one(size_t bit) {
    Bits bits;
    bits.set(bit);
    return bits;
  }
  static constexpr Bits below(size_t count) {
    Bits bits;
    for (size_t i = 0; i < Words; ++i) {
      const size_t first = 64 * i;
      if (count >= first + 64) {
        bits.words_[i] = ~uint64_t{0};
      } else if (count > first) {
        bits.words_[i] = (uint64_t{1} << (count - first)) - 1;
      }
    }
    return bits;
  }
  static constexpr Bits all() { return ~Bits(); }

  constexpr void set(size_t bit) { words_[bit / 64] |= uint64_t{1} << bit % 64; }
  constexpr void set(size_t bit, bool value) { words_[bit / 64] |= uint64_t{value} << bit % 64; }
  constexpr void clear(size_t bit) { words_[bit / 64] &= ~(uint64_t{1} << bit % 64); }
  constexpr bool test(size_t bit) const { return (words_[bit / 64] >> bit % 64 & 1) != 0; }
  constexpr bool any() const {
    uint64_t some = 0;
    for (const uint64_t word : words_) some |= word;
    return some != 0;
  }
  constexpr bool none() const { return !any(); }
  constexpr size_t count() const {
    int count = 0;
    for (const uint64_t word : words_) count += std::popcount(word);
    return static_cast<size_t>(count);
  }
  // The lowest of them; kMost where there is none.
  constexpr size_t first() const {
    for (size_t i = 0; i < Words; ++i) {
      if (words_[i] != 0) return 64 * i + static_cast<size_t>(std::countr_zero(words_[i]));
    }
    return kMost;
  }
  constexpr uint64_t hash() const {
    uint64_t hash = 0;
    for (const uint64_t word : words_) hash = (hash ^ word) * 0x9e3779b97f4a7c15u;
    return hash;
  }

  constexpr Bits& operator&=(const Bits& other) {
    for (size_t i = 0; i < Words; ++i) words_[i] &= other.words_[i];
    return *this;
  }
  constexpr Bits& operator|=(const Bits& other) {
    for (size_t i = 0; i < Words; ++i) words_[i] |= other.words_[i];
    return *this;
  }
  friend constexpr Bits operator&(Bits a, const Bits& b) { return a &= b; }
  friend constexpr Bits operator|(Bits a, const Bits& b) { return a |= b; }
  constexpr Bits operator~() const {
    Bits bits;
    for (size_t i = 0; i < Words; ++i) bits.words_[i] = ~words_[i];
    return bits;
  }
  friend constexpr bool operator==(const Bits&, const Bits&) = default;

  // The numbers in it, lowest first.
  class Iterator {
   public:
    constexpr Iterator(const Bits& bits, size_t at) : bits_(bits), at_(at), word_(at < Words ? bits.words_[at] : 0) {
      skip();
    }
    constexpr size_t operator*() const { return 64 * at_ + static_cast<size_t>(std::countr_zero(word_)); }
    constexpr Iterator& operator++() {
      word_ &= word_ - 1;
      skip();
      return *this;
    }
    friend constexpr bool operator==(const Iterator& a, const Iterator& b) {
      return a.at_ == b.at_ && a.word_ == b.word_;
    }

   private:
    constexpr void skip() {
      while (word_ == 0 && at_ < Words) {
        if (++at_ < Words) word_ = bits_.words_[at_];
      }
    }
    const Bits& bits_;
    size_t at_;
    uint64_t word_;
  };
  constexpr Iterator begin() const { return {*this, 0}; }
  constexpr Iterator end() const { return {*this, Words}; }

 private:
  std::array<uint64_t, Words> words_{};
};

}  // namespace pccsql::track
