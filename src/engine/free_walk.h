// A walk over the trie that does not look into what is free anyway.
//
// Where a prefix stands in free text, all tokens of a subtree that has nothing but plain characters are admitted at once,
// without asking the tracker for each. After `FROM singer` that is most of the vocabulary: any word may be an alias.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "engine/plain.h"
#include "mask/bitmask.h"
#include "mask/trie.h"

namespace pccsql {

// As walk() in mask/trie.h. The recognizer also has
//   FreeText free_text()                what kind of text it stands in
//   uint32_t room()                     how many bytes more that may have
//   bool admits_plain(FreeText kind)    whether every plain token may follow that keeps within the room
//   bool judges_alike()                 whether none may, otherwise
// `owed`: how many bytes the character lacks that it stands in. Only the subtrees of the nodes from `first` to before `last`,
// which are siblings, are walked; the recognizer stands before them.
template <typename Recognizer, typename Mask>
void free_walk(const Trie& trie, const TrieShape& shape, size_t first, size_t last, Recognizer& recognizer,
               uint8_t owed, Mask&& mask) {
  if (first >= last) return;
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
  const size_t above = trie.node(first).depth - 1U;
  for (size_t i = first; i < last;) {
    const Trie::Node& node = trie.node(i);
    const size_t depth = node.depth - above;
    if (path.size() > depth) {
      recognizer.pop(path.size() - depth);
      path.resize(depth);
    }
    Place& here = path.back();
    if (here.kind != FreeText::None && shape.is_plain(i, here.kind, here.room)) {
      if (here.bulk == Place::Unknown) here.bulk = recognizer.admits_plain(here.kind) ? Place::Yes : Place::No;
      if (here.bulk == Place::Yes) {
        for (const TokenId id : trie.tokens_below(i)) mask.set(id);
      }
      if (here.bulk == Place::Yes || recognizer.judges_alike()) {
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

template <typename Recognizer, typename Mask>
void free_walk(const Trie& trie, const TrieShape& shape, Recognizer& recognizer, uint8_t owed, Mask&& mask) {
  free_walk(trie, shape, 0, trie.size(), recognizer, owed, std::forward<Mask>(mask));
}

}  // namespace pccsql
