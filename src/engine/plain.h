// Plain characters: those that stay inside free text, whatever they stand after, and neither end it nor mean something.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "mask/trie.h"
#include "track/tracker.h"

namespace pccsql {

// Whether the token only writes plain characters of this kind of text, beginning at a whole one; the last may lack bytes.
bool is_plain(track::FreeText kind, std::string_view bytes);

// How many bytes the last character of well-formed UTF-8 lacks.
uint8_t owed_at_end(std::string_view text);

// What is known of each node's subtree, the node's own byte included.
class TrieShape {
 public:
  explicit TrieShape(const Trie& trie);
  size_t bytes() const { return plain_.capacity() + height_.capacity() * sizeof(uint16_t); }

  // What each token of the subtree adds from the node on is plain in this kind of text, and shorter than `room`.
  bool is_plain(size_t node, track::FreeText kind, uint32_t room) const {
    return (plain_[node] >> static_cast<unsigned>(kind) & 1U) != 0 && height_[node] < room;
  }

 private:
  std::vector<uint8_t> plain_;  // a bit per kind
  std::vector<uint16_t> height_;
};

}  // namespace pccsql
