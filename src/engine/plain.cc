#include "engine/plain.h"

#include <algorithm>
#include <array>
#include <string>

#include "base/text.h"
#include "track/lexical.h"

namespace pccsql {
using track::FreeText;

namespace {

constexpr bool is_plain_byte(FreeText kind, uint8_t byte) {
  const auto c = static_cast<char>(byte);
  const bool word = ((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z')) || (c >= '0' && c <= '9') || c == '_' || byte >= 0x80;
  switch (kind) {
    case FreeText::None:
      return false;
    case FreeText::NewName:
      return word;
    case FreeText::Quoted:  // of whichever kind the quotes are
      return byte != 0 && c != '"' && c != '`' && c != ']';
    case FreeText::String:
      break;
  }
  return byte != 0 && c != '\'';
}

constexpr FreeText kKinds[] = {FreeText::String, FreeText::NewName, FreeText::Quoted};

// For each byte a bit for each kind that it is plain in; the other bits are set.
constexpr std::array<uint8_t, 256> kPlainKinds = [] {
  std::array<uint8_t, 256> kinds{};
  for (int byte = 0; byte < 256; ++byte) {
    kinds[static_cast<size_t>(byte)] = 0xFF;
    for (const FreeText kind : kKinds) {
      if (is_plain_byte(kind, static_cast<uint8_t>(byte))) continue;
      kinds[static_cast<size_t>(byte)] &= static_cast<uint8_t>(~(1U << static_cast<unsigned>(kind)));
    }
  }
  return kinds;
}();

// Whether it could be followed by something that makes it well-formed UTF-8.
bool begins_utf8(std::string_view bytes) {
  uint8_t state = 0;
  return std::ranges::all_of(bytes, [&](char c) { return track::utf8_step(state, static_cast<uint8_t>(c)); });
}

}  // namespace

bool is_plain(FreeText kind, std::string_view bytes) {
  uint8_t kinds = 0xFF, bits = 0;
  for (const char c : bytes) {
    kinds &= kPlainKinds[static_cast<uint8_t>(c)];
    bits |= static_cast<uint8_t>(c);
  }
  if (kind == FreeText::None || bytes.empty()) return false;
  return (kinds >> static_cast<unsigned>(kind) & 1U) != 0 && (bits < 0x80 || begins_utf8(bytes));
}

uint8_t owed_at_end(std::string_view text) {
  size_t tail = 0;  // continuation bytes at the end
  while (tail < 3 && tail < text.size() && (static_cast<uint8_t>(text[text.size() - 1 - tail]) & 0xC0) == 0x80) ++tail;
  if (tail == text.size()) return 0;
  const auto lead = static_cast<uint8_t>(text[text.size() - 1 - tail]);
  const size_t wanted = lead >= 0xF0 ? 3 : lead >= 0xE0 ? 2 : lead >= 0xC0 ? 1 : 0;
  return static_cast<uint8_t>(wanted > tail ? wanted - tail : 0);
}

TrieShape::TrieShape(const Trie& trie) : plain_(trie.size(), 0xFF), height_(trie.size(), 0) {
  std::vector<size_t> path;
  std::string bytes;
  for (size_t i = 0; i < trie.size(); ++i) {
    path.resize(trie.node(i).depth - 1U);
    path.push_back(i);
    bytes.resize(path.size() - 1);
    bytes += static_cast<char>(trie.node(i).byte);
    if (trie.tokens_at(i).empty()) continue;
    // What the token adds from each of its bytes on; from the last one backwards, so that each is looked at once.
    uint8_t kinds = 0xFF;
    size_t whole = bytes.size();  // where the last character begins that was looked at
    for (size_t at = bytes.size(); at-- > 0;) {
      const auto byte = static_cast<uint8_t>(bytes[at]);
      kinds &= kPlainKinds[byte];
      const bool begins = (byte & 0xC0) != 0x80;
      if (byte < 0x80 && at + 1 == whole) {
        whole = at;
      } else if (begins) {
        const std::string_view character = std::string_view(bytes).substr(at, whole - at);
        const bool last = whole == bytes.size();
        if (last ? !begins_utf8(character) : find_invalid_utf8(character) != std::string_view::npos) kinds = 0;
        whole = at;
      }
      plain_[path[at]] &= begins ? kinds : uint8_t{0};
      height_[path[at]] = std::max(height_[path[at]], static_cast<uint16_t>(bytes.size() - at));
    }
  }
}

}  // namespace pccsql
