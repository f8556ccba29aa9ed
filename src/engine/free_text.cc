#include "engine/free_text.h"

#include <algorithm>

namespace pccsql {

using track::FreeText;

FreeTexts::FreeTexts(const Vocabulary& vocabulary, const Trie& trie) : vocabulary_(vocabulary), trie_(trie) {
  for (TokenId id = 0; id < vocabulary.size(); ++id) {
    if (!vocabulary.is_text(id)) continue;
    for (size_t kind = 0; kind < kKinds; ++kind) {
      const std::string_view bytes = vocabulary.bytes(id);
      if (bytes.size() <= longest_[kind] || !is_plain(static_cast<FreeText>(kind + 1), bytes)) continue;
      longest_[kind] = static_cast<uint32_t>(bytes.size());
    }
  }
  for (size_t kind = 0; kind < kKinds; ++kind) made(kind, kLengths.size() - 1);
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
    Trie words(vocabulary_, rest, [&](TokenId id) {
      const std::string_view bytes = vocabulary_.bytes(id);
      return std::ranges::all_of(bytes, [](char c) { return is_word_byte(static_cast<uint8_t>(c)); });
    });
    TrieShape shape(rest), words_shape(words);
    slot.parts = std::make_unique<const FreeTextParts>(
        FreeTextParts{std::move(plain), std::move(rest), std::move(shape), std::move(words), std::move(words_shape)});
  });
  return *slot.parts;
}

}  // namespace pccsql
