// Plain characters: those that stay inside free text, whatever they stand after, and neither end it nor mean something.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "mask/trie.h"
#include "track/tracker.h"

namespace pccsql {

// Whether the token only writes plain characters of this kind of text, beginning and ending at whole ones.
bool is_plain(track::FreeText kind, std::string_view bytes);

// Whether `text` does not end inside a character.
bool ends_whole(std::string_view text);

// What is known of each node's subtree, the node's own byte included.
class TrieShape {
 public:
  explicit TrieShape(const Trie& trie);

  // All of its bytes are plain in this kind of text, and it has at most `room` - 1 levels.
  bool is_plain(size_t node, track::FreeText kind, uint32_t room) const {
    return (plain_[node] >> static_cast<unsigned>(kind) & 1U) != 0 && height_[node] < room;
  }

 private:
  std::vector<uint8_t> plain_;  // a bit per kind
  std::vector<uint16_t> height_;
};

}  // namespace pccsql
