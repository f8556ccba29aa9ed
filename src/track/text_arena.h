// TextArena: byte strings as small integers, made by appending one byte at a time.
//
// Equal strings have equal ids, so a state that holds one copies, compares and rolls back as an integer. Every string also
// knows its case-folded twin, because names fold and the text that was written does not.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace pccsql::track {

using TextId = uint32_t;
inline constexpr TextId kEmptyText = 0;

class TextArena {
 public:
  TextArena();

  TextId append(TextId text, uint8_t byte);
  TextId intern(std::string_view text);
  TextId folded(TextId text) const { return nodes_[text].folded; }
  uint32_t length(TextId text) const { return nodes_[text].length; }
  std::string str(TextId text) const;
  size_t size() const { return nodes_.size(); }
  // Forgets every text made after there were `size`.
  void truncate(size_t size);
  size_t bytes() const { return nodes_.capacity() * sizeof(Node) + slots_.capacity() * sizeof(Slot); }
  // Forgets every text but those for which `held` (one for each id) is not 0, their beginnings and their twins. Gives the new id of
  // each text that stays, by its old one.
  std::vector<TextId> keep_only(std::vector<char> held);

 private:
  struct Node {
    TextId parent = 0;
    TextId folded = 0;
    uint32_t length = 0;
    uint8_t byte = 0;
  };
  std::vector<Node> nodes_;
  // (parent, byte) -> child: open addressing over a power of two, because a walk over a vocabulary asks it at every byte.
  struct Slot {
    uint64_t key = 0;
    TextId child = kEmptyText;  // kEmptyText: free; it is nobody's child
  };
  size_t slot_of(uint64_t key) const;
  void place_all(size_t slots);
  static constexpr size_t kFewestSlots = 1024;
  std::vector<Slot> slots_;
};

}  // namespace pccsql::track
