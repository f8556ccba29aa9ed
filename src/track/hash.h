// Hasher: 128 bits of what a state's future depends on, so that caches can be shared without comparing states.
//
// Two independent multiply-and-fold lanes over 64-bit words. Keys are never taken from an adversary's choice of bits: names
// enter as hashes of their text.
#pragma once

#include <cstdint>
#include <string_view>

#include "track/tracker.h"

namespace pccsql::track {

class Hasher {
 public:
  void add(uint64_t word) {
    high_ = fold(high_ ^ word, 0x9E3779B97F4A7C15u);
    low_ = fold(low_ + word, 0xD6E8FEB86659FD93u);
  }
  void add(std::string_view text) {
    for (const char c : text) add(static_cast<unsigned char>(c));
    add(text.size() + 0x100);
  }
  Key key() const { return {high_, low_}; }

 private:
  static uint64_t fold(uint64_t a, uint64_t b) {
    const auto wide = static_cast<unsigned __int128>(a ^ 0xA0761D6478BD642Fu) * b;
    return static_cast<uint64_t>(wide) ^ static_cast<uint64_t>(wide >> 64) ^ a * b;
  }
  uint64_t high_ = 0x243F6A8885A308D3u;
  uint64_t low_ = 0x13198A2E03707344u;
};

}  // namespace pccsql::track
