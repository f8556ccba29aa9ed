// TextArena: byte strings as small integers, made by appending one byte at a time.
//
// Equal strings have equal ids, so a state that holds one copies, compares and rolls back as an integer. Every string also
// knows its case-folded twin, because names fold and the text that was written does not.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
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

 private:
  struct Node {
    TextId parent = 0;
    TextId folded = 0;
    uint32_t length = 0;
    uint8_t byte = 0;
  };
  std::vector<Node> nodes_;
  std::unordered_map<uint64_t, TextId> children_;  // (parent, byte) -> child
};

}  // namespace pccsql::track
