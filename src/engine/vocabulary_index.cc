#include "engine/vocabulary_index.h"

#include <utility>

namespace pccsql {
namespace {

// The others are no part of UTF-8.
constexpr bool occurs_in_text(int byte) { return byte != 0 && byte != 0xC0 && byte != 0xC1 && byte <= 0xF4; }

// 0: letters and digits alone; 1: the same after blanks, or blanks alone; 2: anything else.
int part_of(std::string_view bytes) {
  const auto is_blank = [](char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\f' || c == '\r'; };
  const auto is_word = [](char c) {
    const auto byte = static_cast<uint8_t>(c);
    return (byte >= '0' && byte <= '9') || (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') ||
           byte == '_' || byte == '$' || byte >= 0x80;
  };
  size_t at = 0;
  while (at < bytes.size() && is_blank(bytes[at])) ++at;
  const int part = at == 0 ? 0 : 1;
  while (at < bytes.size() && is_word(bytes[at])) ++at;
  return at == bytes.size() ? part : 2;
}

}  // namespace

VocabularyIndex::Impl::Impl(Vocabulary given)
    : vocabulary(std::move(given)),
      trie(vocabulary),
      shape(vocabulary, trie),
      free_texts(vocabulary, trie),
      words(vocabulary, trie, [this](TokenId id) { return part_of(vocabulary.bytes(id)) == 0; }),
      blank_words(vocabulary, trie, [this](TokenId id) { return part_of(vocabulary.bytes(id)) == 1; }),
      others(vocabulary, trie, [this](TokenId id) { return part_of(vocabulary.bytes(id)) == 2; }) {
  const auto size = static_cast<uint32_t>(trie.size());
  first_nodes.fill(size);
  for (uint32_t i = 0; i < size; i = trie.node(i).after) first_nodes[trie.node(i).byte] = i;
  spells_any_text = true;
  for (int byte = 0; byte < 256; ++byte) {
    const uint32_t node = first_nodes[static_cast<size_t>(byte)];
    if (occurs_in_text(byte) && (node == size || trie.tokens_at(node).empty())) spells_any_text = false;
  }
}

std::optional<uint32_t> VocabularyIndex::Impl::greedy_tokens(std::string_view text) const {
  const auto size = static_cast<uint32_t>(trie.size());
  uint32_t count = 0;
  for (size_t at = 0; at < text.size(); ++count) {
    size_t longest = 0;
    uint32_t node = first_nodes[static_cast<uint8_t>(text[at])];
    for (size_t length = 1; node < size; ++length) {
      if (!trie.tokens_at(node).empty()) longest = length;
      if (at + length == text.size()) break;
      const auto wanted = static_cast<uint8_t>(text[at + length]);
      const uint32_t end = trie.node(node).after;
      uint32_t child = node + 1;
      while (child < end && trie.node(child).byte < wanted) child = trie.node(child).after;
      node = child < end && trie.node(child).byte == wanted ? child : size;
    }
    if (longest == 0) return std::nullopt;
    at += longest;
  }
  return count;
}

VocabularyIndex::VocabularyIndex(Vocabulary vocabulary) : impl_(std::make_shared<const Impl>(std::move(vocabulary))) {}

const Vocabulary& VocabularyIndex::vocabulary() const { return impl_->vocabulary; }

}  // namespace pccsql
