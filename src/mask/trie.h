// Trie: all pieces that may be admitted as text, by their bytes, in one flat array.
//
// Nodes stand in depth-first order, children by ascending byte, so that a walk is one loop forwards: descending is the
// next node, and skipping a subtree is one assignment. The tokens of a subtree are one range, too.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string_view>
#include <vector>

#include "mask/bitmask.h"
#include "mask/vocabulary.h"

namespace pccsql {

// Letters, digits, `_`, `$` and everything beyond ASCII: what words and numbers are made of.
inline bool is_word_byte(uint8_t byte) {
  return (byte >= '0' && byte <= '9') || (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') || byte == '_' ||
         byte == '$' || byte >= 0x80;
}

class Trie {
 public:
  struct Node {
    uint32_t after = 0;   // the node after this one's subtree
    uint32_t tokens = 0;  // where the tokens that end here begin; they end where those of the next node begin
    uint16_t depth = 0;   // bytes from the root to here, this one's own included: 1 for a first byte
    uint8_t byte = 0;
  };

  explicit Trie(const Vocabulary& vocabulary);
  // Of the tokens of `whole`, a trie over the same vocabulary, those that `keep` takes.
  Trie(const Vocabulary& vocabulary, const Trie& whole, const std::function<bool(TokenId)>& keep);
  // Over any bytes that stand for a token; they need not be its own.
  struct Entry {
    std::string_view bytes;  // not empty
    TokenId id = 0;
  };
  explicit Trie(std::vector<Entry> entries);

  size_t size() const { return nodes_.size() - 1; }
  size_t bytes() const { return nodes_.capacity() * sizeof(Node) + token_ids_.capacity() * sizeof(TokenId); }

  // PRE of all below: node < size(). INVARIANT: node(size()) exists, has depth 1 and closes the last range of tokens.
  const Node& node(size_t i) const { return nodes_[i]; }
  // Several ids can write the same bytes; ascending.
  std::span<const TokenId> tokens_at(size_t i) const { return tokens(nodes_[i].tokens, nodes_[i + 1].tokens); }
  // All tokens that begin with the bytes that lead to this node.
  std::span<const TokenId> tokens_below(size_t i) const {
    return tokens(nodes_[i].tokens, nodes_[nodes_[i].after].tokens);
  }

 private:
  std::span<const TokenId> tokens(uint32_t begin, uint32_t end) const {
    return std::span(token_ids_).subspan(begin, end - begin);
  }

  template <typename BytesOf>
  void build(const BytesOf& bytes_of);

  std::vector<Node> nodes_;
  std::vector<TokenId> token_ids_;  // by their bytes
};

// Admits every token whose bytes the recognizer takes; sets bits, clears none. A recognizer has
//   bool push(uint8_t byte)   takes the byte, or returns false and stays as it was
//   void pop(size_t count)    undoes the last `count` bytes taken
//   bool accepts()            whether a token may end here; without it, it may end anywhere
// and stands, after the walk, where it stood before. PRE: the mask is as wide as the vocabulary or wider.
template <typename Recognizer>
void walk(const Trie& trie, Recognizer& recognizer, Bitmask mask) {
  const size_t size = trie.size();
  size_t depth = 0;  // bytes that the recognizer has taken
  for (size_t i = 0; i < size;) {
    const Trie::Node& node = trie.node(i);
    if (depth >= node.depth) {
      recognizer.pop(depth - node.depth + 1U);
      depth = node.depth - 1U;
    }
    if (!recognizer.push(node.byte)) {
      i = node.after;
      continue;
    }
    ++depth;
    const auto tokens = trie.tokens_at(i);
    if (!tokens.empty()) {
      bool may_end = true;
      if constexpr (requires { recognizer.accepts(); }) may_end = recognizer.accepts();
      if (may_end) {
        for (const TokenId id : tokens) mask.set(id);
      }
    }
    ++i;
  }
  if (depth > 0) recognizer.pop(depth);
}

}  // namespace pccsql
