// Free text: inside a string literal or a new name nearly every token may follow, and the same ones each time.
//
// Plain tokens are those that stay inside, whatever they stand after: whole characters, none that could end the text or
// mean something in it. They are one mask, made once for a vocabulary. Only the other tokens are left to be walked with
// the tracker. Tokens near the literal's last byte are not plain: how much room there is decides which mask may be used.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <mutex>

#include "engine/plain.h"
#include "mask/bitmask.h"
#include "mask/trie.h"
#include "mask/vocabulary.h"
#include "track/tracker.h"

namespace pccsql {

struct FreeTextParts {
  BitmaskBuffer plain;
  Trie rest;
  TrieShape shape;     // of `rest`
  Trie rest_of_words;  // of those, letters and digits alone
  TrieShape words_shape;
};

class FreeTexts {
 public:
  // Keeps references to both.
  FreeTexts(const Vocabulary& vocabulary, const Trie& trie);

  // For a place with room for `room` more bytes, at a whole character. nullptr: everything must be walked. What serves
  // where there is much room is made with this; the rest on first use. Any thread may ask.
  const FreeTextParts* find(track::FreeText kind, uint32_t room) const;

 private:
  // Few plain tokens are long, so that most masks serve until little room is left.
  static constexpr std::array<uint32_t, 3> kLengths{16, 32, UINT32_MAX};
  static constexpr size_t kKinds = 3;
  struct Slot {
    std::once_flag once;
    std::unique_ptr<const FreeTextParts> parts;
  };
  const FreeTextParts& made(size_t kind, size_t length) const;

  const Vocabulary& vocabulary_;
  const Trie& trie_;
  std::array<uint32_t, kKinds> longest_{};
  mutable std::array<std::array<Slot, kLengths.size()>, kKinds> slots_;
};

}  // namespace pccsql
