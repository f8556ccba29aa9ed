// What masks need of a vocabulary, computed once: the trie over its pieces, and how many tokens a text takes at most.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <string_view>

#include <pccsql/vocabulary.h>

#include "engine/free_text.h"
#include "mask/trie.h"

namespace pccsql {

struct VocabularyIndex::Impl {
  explicit Impl(Vocabulary given);

  Vocabulary vocabulary;
  Trie trie;
  TrieShape shape;
  FreeTexts free_texts;
  // Three parts of the trie: letters and digits alone; the same after blanks; everything else.
  struct Part {
    Part(const Vocabulary& all, const Trie& whole, const std::function<bool(TokenId)>& keep)
        : trie(all, whole, keep), shape(all, trie) {}
    Trie trie;
    TrieShape shape;
  };
  Part words, blank_words, others;
  std::array<uint32_t, 256> first_nodes{};  // the trie's node for each first byte, or trie.size()
  // Every byte that occurs in UTF-8 is a token, so that any text has at most as many tokens as bytes.
  bool spells_any_text = false;

  // Tokens of the cut that takes the longest piece each time: an upper bound on what `text` needs. Nothing, where that
  // cut comes to a byte that no piece begins with.
  std::optional<uint32_t> greedy_tokens(std::string_view text) const;
};

}  // namespace pccsql
