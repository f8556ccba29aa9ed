#include "track/text_arena.h"

#include "base/text.h"

namespace pccsql::track {

TextArena::TextArena() : nodes_(1) {}

TextId TextArena::append(TextId text, uint8_t byte) {
  const uint64_t key = (uint64_t{text} << 8) | byte;
  if (const auto found = children_.find(key); found != children_.end()) return found->second;
  const auto folded_byte = static_cast<uint8_t>(fold(static_cast<char>(byte)));
  const bool is_folded = folded_byte == byte && nodes_[text].folded == text;
  const TextId twin = is_folded ? 0 : append(nodes_[text].folded, folded_byte);
  const auto id = static_cast<TextId>(nodes_.size());
  nodes_.push_back({text, is_folded ? id : twin, nodes_[text].length + 1, byte});
  children_.emplace(key, id);
  return id;
}

TextId TextArena::intern(std::string_view text) {
  TextId id = kEmptyText;
  for (const char c : text) id = append(id, static_cast<uint8_t>(c));
  return id;
}

std::string TextArena::str(TextId text) const {
  std::string out(nodes_[text].length, '\0');
  for (size_t i = out.size(); i-- > 0; text = nodes_[text].parent) out[i] = static_cast<char>(nodes_[text].byte);
  return out;
}

}  // namespace pccsql::track
