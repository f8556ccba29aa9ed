#include "engine/free_text.h"

#include <algorithm>

#include "base/text.h"

namespace pccsql {

using track::FreeText;

bool is_plain(FreeText kind, std::string_view bytes) {
  const auto plain = [kind](char c) {
    const auto byte = static_cast<uint8_t>(c);
    const bool word = (fold(c) >= 'a' && fold(c) <= 'z') || (c >= '0' && c <= '9') || c == '_';
    switch (kind) {
      case FreeText::None: return false;
      case FreeText::NewName: return word;
      case FreeText::Quoted: return word || c == ' ';
      case FreeText::String: break;
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

FreeTexts::FreeTexts(const Vocabulary& vocabulary, const Trie& trie) : vocabulary_(vocabulary), trie_(trie) {
  for (TokenId id = 0; id < vocabulary.size(); ++id) {
    if (!vocabulary.is_text(id)) continue;
    for (size_t kind = 0; kind < kKinds; ++kind) {
      const std::string_view bytes = vocabulary.bytes(id);
      if (bytes.size() <= longest_[kind] || !is_plain(static_cast<FreeText>(kind + 1), bytes)) continue;
      longest_[kind] = static_cast<uint32_t>(bytes.size());
    }
  }
}

const FreeTextParts* FreeTexts::find(FreeText kind, uint32_t room) const {
  if (kind == FreeText::None) return nullptr;
  const size_t index = static_cast<size_t>(kind) - 1;
  for (size_t length = kLengths.size(); length-- > 0;) {
    // Strictly less: at its last byte a name can be one that must not stand there.
    if (std::min(kLengths[length], longest_[index]) < room) return &made(index, length);
  }
  return nullptr;
}

const FreeTextParts& FreeTexts::made(size_t kind, size_t length) const {
  Slot& slot = slots_[kind][length];
  std::call_once(slot.once, [&] {
    BitmaskBuffer plain(vocabulary_.size());
    const auto stays = [&](TokenId id) {
      const std::string_view bytes = vocabulary_.bytes(id);
      return bytes.size() <= kLengths[length] && is_plain(static_cast<FreeText>(kind + 1), bytes);
    };
    for (TokenId id = 0; id < vocabulary_.size(); ++id) {
      if (vocabulary_.is_text(id) && stays(id)) plain.view().set(id);
    }
    Trie rest(vocabulary_, trie_, [&](TokenId id) { return !plain.view().test(id); });
    slot.parts = std::make_unique<const FreeTextParts>(
        FreeTextParts{std::move(plain), std::min(kLengths[length], longest_[kind]), std::move(rest)});
  });
  return *slot.parts;
}

}  // namespace pccsql
