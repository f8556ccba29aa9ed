// A walk over the trie that does not look into what is free anyway.
//
// Where a prefix stands in free text, all tokens of a subtree that has nothing but plain characters are admitted at once,
// without asking the tracker for each. After `FROM singer` that is most of the vocabulary: any word may be an alias.
#pragma once

#include <cstdint>
#include <vector>

#include "engine/plain.h"
#include "mask/bitmask.h"
#include "mask/trie.h"

namespace pccsql {

// As walk() in mask/trie.h. The recognizer also has
//   FreeText free_text()                what kind of text it stands in
//   uint32_t room()                     how many bytes more that may have
//   bool admits_plain(FreeText kind)    whether every plain token may follow that keeps within the room
// `owed`: how many bytes the character lacks that it stands in.
template <typename Recognizer>
void free_walk(const Trie& trie, const TrieShape& shape, Recognizer& recognizer, uint8_t owed, Bitmask mask) {
  using track::FreeText;
  struct Place {
    FreeText kind = FreeText::None;
    uint32_t room = 0;
    uint8_t owed = 0;  // bytes that the character lacks
    enum : uint8_t { Unknown, Yes, No } bulk = Unknown;
  };
  const auto owed_after = [](uint8_t before, uint8_t byte) -> uint8_t {
    if (before > 0) return static_cast<uint8_t>(before - 1);
    return byte >= 0xF0 ? 3 : byte >= 0xE0 ? 2 : byte >= 0xC0 ? 1 : 0;
  };
  const auto place = [&recognizer](uint8_t lacks) {
    Place made;
    made.owed = lacks;
    if (lacks > 0) return made;
    made.kind = recognizer.free_text();
    if (made.kind != FreeText::None) made.room = recognizer.room();
    return made;
  };
  std::vector<Place> path{place(owed)};  // one for each byte that the recognizer has taken, and one before them
  const size_t size = trie.size();
  for (size_t i = 0; i < size;) {
    const Trie::Node& node = trie.node(i);
    if (path.size() > node.depth) {
      recognizer.pop(path.size() - node.depth);
      path.resize(node.depth);
    }
    Place& here = path.back();
    if (here.kind != FreeText::None && here.bulk != Place::No && shape.is_plain(i, here.kind, here.room)) {
      if (here.bulk == Place::Unknown) here.bulk = recognizer.admits_plain(here.kind) ? Place::Yes : Place::No;
      if (here.bulk == Place::Yes) {
        for (const TokenId id : trie.tokens_below(i)) mask.set(id);
        i = node.after;
        continue;
      }
    }
    if (!recognizer.push(node.byte)) {
      i = node.after;
      continue;
    }
    const auto tokens = trie.tokens_at(i);
    if (!tokens.empty() && recognizer.accepts()) {
      for (const TokenId id : tokens) mask.set(id);
    }
    path.push_back(place(owed_after(here.owed, node.byte)));
    ++i;
  }
  if (path.size() > 1) recognizer.pop(path.size() - 1);
}

}  // namespace pccsql
