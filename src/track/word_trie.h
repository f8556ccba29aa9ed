// WordTrie: the World's dictionary as a tree of bytes, folded. The words that begin with a path are a range of ranks.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "track/rank_set.h"

namespace pccsql::track {

class WordTrie {
 public:
  struct Node {
    Rank first = 0, last = 0;
    uint32_t child = 0, next = 0;  // the first child, the next sibling
    char byte = 0;
    bool ends_word = false;  // then `first` is the word that ends here
  };
  static constexpr uint32_t kNowhere = 0, kRoot = 1;

  // Words come sorted, the first with rank 0.
  void add(std::string_view word);

  const Node& node(uint32_t node) const { return nodes_[node]; }
  // PRE: `byte` is folded. kNowhere: no word goes on so.
  uint32_t child(uint32_t node, char byte) const {
    uint32_t child = nodes_[node].child;
    while (child != kNowhere && nodes_[child].byte != byte) child = nodes_[child].next;
    return child;
  }

 private:
  std::vector<Node> nodes_ = std::vector<Node>(2);
  std::vector<uint32_t> path_{kRoot};  // of the newest word
};

}  // namespace pccsql::track
