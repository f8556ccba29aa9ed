#include "mask/trie.h"

#include <algorithm>
#include <iterator>
#include <string_view>

namespace pccsql {
namespace {

// The first eight bytes as a number settle most comparisons without a look at the piece.
struct Headed {
  uint64_t head = 0;
  TokenId id = 0;
};

// A piece shorter than eight bytes is filled up with 0, which no byte precedes: unequal heads order as the pieces do.
uint64_t head_of(std::string_view bytes) {
  uint64_t head = 0;
  for (size_t i = 0; i < sizeof head; ++i) head = head << 8 | (i < bytes.size() ? static_cast<uint8_t>(bytes[i]) : 0U);
  return head;
}

size_t shared_prefix(std::string_view a, std::string_view b) {
  const auto [end, other] = std::ranges::mismatch(a, b);
  return static_cast<size_t>(end - a.begin());
}

}  // namespace

Trie::Trie(const Vocabulary& vocabulary) {
  std::vector<Headed> entries;
  entries.reserve(vocabulary.size());
  for (TokenId id = 0; id < vocabulary.size(); ++id) {
    if (vocabulary.is_text(id)) entries.push_back({head_of(vocabulary.bytes(id)), id});
  }
  std::ranges::sort(entries, [&vocabulary](const Headed& a, const Headed& b) {
    if (a.head != b.head) return a.head < b.head;
    const int order = vocabulary.bytes(a.id).compare(vocabulary.bytes(b.id));
    return order != 0 ? order < 0 : a.id < b.id;
  });

  token_ids_.reserve(entries.size());
  for (const Headed& entry : entries) token_ids_.push_back(entry.id);
  build([&vocabulary](size_t, TokenId id) { return vocabulary.bytes(id); });
}

Trie::Trie(std::vector<Entry> entries) {
  std::ranges::sort(entries, [](const Entry& a, const Entry& b) {
    const int order = a.bytes.compare(b.bytes);
    return order != 0 ? order < 0 : a.id < b.id;
  });
  for (const Entry& entry : entries) token_ids_.push_back(entry.id);
  build([&entries](size_t at, TokenId) { return entries[at].bytes; });
}

Trie::Trie(const Vocabulary& vocabulary, const Trie& whole, const std::function<bool(TokenId)>& keep) {
  std::ranges::copy_if(whole.token_ids_, std::back_inserter(token_ids_), keep);
  build([&vocabulary](size_t, TokenId id) { return vocabulary.bytes(id); });
}

template <typename BytesOf>
void Trie::build(const BytesOf& bytes_of) {
  nodes_.reserve(2 * token_ids_.size() + 1);
  std::vector<uint32_t> open;  // the nodes from the root to the last one
  const auto close_to = [&](size_t depth) {
    for (; open.size() > depth; open.pop_back()) nodes_[open.back()].after = static_cast<uint32_t>(nodes_.size());
  };
  std::string_view before;
  for (uint32_t at = 0; at < token_ids_.size(); ++at) {
    const std::string_view bytes = bytes_of(at, token_ids_[at]);
    close_to(shared_prefix(before, bytes));
    for (size_t i = open.size(); i < bytes.size(); ++i) {
      open.push_back(static_cast<uint32_t>(nodes_.size()));
      nodes_.push_back({0, at, static_cast<uint16_t>(i + 1), static_cast<uint8_t>(bytes[i])});
    }
    before = bytes;
  }
  close_to(0);
  const auto end = static_cast<uint32_t>(nodes_.size());
  nodes_.push_back({end, static_cast<uint32_t>(token_ids_.size()), 1, 0});
}

}  // namespace pccsql
