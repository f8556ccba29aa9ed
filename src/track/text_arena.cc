#include "track/text_arena.h"

#include "base/text.h"

namespace pccsql::track {

TextArena::TextArena() : nodes_(1), slots_(kFewestSlots) {}

// Where the key is, or the free place where it belongs.
size_t TextArena::slot_of(uint64_t key) const {
  const size_t mask = slots_.size() - 1;
  uint64_t hash = (key + 1) * 0x9E3779B97F4A7C15u;
  size_t slot = (hash ^ hash >> 32) & mask;
  while (slots_[slot].child != kEmptyText && slots_[slot].key != key) slot = (slot + 1) & mask;
  return slot;
}

TextId TextArena::append(TextId text, uint8_t byte) {
  const uint64_t key = (uint64_t{text} << 8) | byte;
  if (const Slot& found = slots_[slot_of(key)]; found.child != kEmptyText) return found.child;
  const auto folded_byte = static_cast<uint8_t>(fold(static_cast<char>(byte)));
  const bool is_folded = folded_byte == byte && nodes_[text].folded == text;
  const TextId twin = is_folded ? 0 : append(nodes_[text].folded, folded_byte);
  const auto id = static_cast<TextId>(nodes_.size());
  nodes_.push_back({text, is_folded ? id : twin, nodes_[text].length + 1, byte});
  if (nodes_.size() * 2 > slots_.size()) {
    place_all(slots_.size() * 2);
  } else {
    slots_[slot_of(key)] = {key, id};
  }
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

std::vector<TextId> TextArena::keep_only(std::vector<char> held) {
  held[kEmptyText] = 1;
  // A text is made after its beginning and its twin.
  for (size_t id = nodes_.size(); id-- > 1;) {
    if (held[id] != 0) held[nodes_[id].parent] = held[nodes_[id].folded] = 1;
  }
  std::vector<TextId> renamed(nodes_.size(), kEmptyText);
  std::vector<Node> kept;
  for (size_t id = 0; id < nodes_.size(); ++id) {
    if (held[id] == 0) continue;
    renamed[id] = static_cast<TextId>(kept.size());
    Node node = nodes_[id];
    node.parent = renamed[node.parent];
    node.folded = renamed[node.folded];
    kept.push_back(node);
  }
  nodes_ = std::move(kept);
  size_t slots = kFewestSlots;
  while (nodes_.size() * 2 > slots) slots *= 2;
  place_all(slots);
  return renamed;
}

// In the order in which they were made, as truncate() wants it.
void TextArena::place_all(size_t slots) {
  std::vector<Slot>(slots).swap(slots_);
  for (size_t id = 1; id < nodes_.size(); ++id) {
    const uint64_t key = (uint64_t{nodes_[id].parent} << 8) | nodes_[id].byte;
    slots_[slot_of(key)] = {key, static_cast<TextId>(id)};
  }
}

void TextArena::truncate(size_t size) {
  // INVARIANT: dropping texts newest first leaves every probe sequence of an older one whole, because the older one was
  // placed before the newer one took its slot.
  for (; nodes_.size() > size; nodes_.pop_back()) {
    slots_[slot_of((uint64_t{nodes_.back().parent} << 8) | nodes_.back().byte)] = {};
  }
}

}  // namespace pccsql::track
