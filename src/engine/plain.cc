#include "engine/plain.h"

#include <algorithm>
#include <array>

#include "base/text.h"

namespace pccsql {
using track::FreeText;

bool is_plain(FreeText kind, std::string_view bytes) {
  const auto plain = [kind](char c) {
    const auto byte = static_cast<uint8_t>(c);
    const bool word = (fold(c) >= 'a' && fold(c) <= 'z') || (c >= '0' && c <= '9') || c == '_';
    switch (kind) {
      case FreeText::None:
        return false;
      case FreeText::NewName:
        return word;
      case FreeText::Quoted:
        return word || c == ' ';
      case FreeText::String:
        break;
    }
    return byte >= 0x20 && byte != 0x7F && c != '\'';
  };
  return !bytes.empty() && std::ranges::all_of(bytes, plain) && find_invalid_utf8(bytes) == std::string_view::npos;
}

bool ends_whole(std::string_view text) {
  size_t tail = 0;  // continuation bytes at the end
  while (tail < 3 && tail < text.size() && (static_cast<uint8_t>(text[text.size() - 1 - tail]) & 0xC0) == 0x80) ++tail;
  if (tail == text.size()) return tail == 0;
  const auto lead = static_cast<uint8_t>(text[text.size() - 1 - tail]);
  const size_t owed = lead >= 0xF0 ? 3 : lead >= 0xE0 ? 2 : lead >= 0xC0 ? 1 : 0;
  return tail >= owed;
}

namespace {

// Characters beyond ASCII are judged whole, which a byte alone cannot be.
std::array<uint8_t, 256> plain_bytes() {
  std::array<uint8_t, 256> kinds{};
  for (int byte = 0; byte < 0x80; ++byte) {
    const auto c = static_cast<char>(byte);
    for (const FreeText kind : {FreeText::String, FreeText::NewName, FreeText::Quoted}) {
      if (is_plain(kind, {&c, 1}))
        kinds[static_cast<size_t>(byte)] |= static_cast<uint8_t>(1U << static_cast<unsigned>(kind));
    }
  }
  return kinds;
}

}  // namespace

TrieShape::TrieShape(const Trie& trie) : plain_(trie.size()), height_(trie.size()) {
  static const std::array<uint8_t, 256> kinds = plain_bytes();
  for (size_t i = trie.size(); i-- > 0;) {
    plain_[i] = kinds[trie.node(i).byte];
    for (size_t child = i + 1; child < trie.node(i).after; child = trie.node(child).after) {
      plain_[i] &= plain_[child];
      height_[i] = std::max(height_[i], height_[child]);
    }
    ++height_[i];
  }
}

}  // namespace pccsql
