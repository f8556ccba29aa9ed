// Equality: what equal keys, old prefixes and forgotten ones must have in common. Collected over walks of several trackers
// that were made from one world.
#pragma once

#include <array>
#include <bitset>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "track/tracker.h"

namespace pccsql::attack {

using namespace track;

// What can be seen of a prefix without going further than one byte.
struct Sight {
  std::bitset<256> admitted;
  bool may_end = false;
  std::optional<size_t> completion;  // its length
  FreeText free_text = FreeText::None;
  uint32_t room = 0;
  friend bool operator==(const Sight&, const Sight&) = default;
};

Sight look(Tracker& tracker, PrefixId prefix);
std::string difference(const Sight& a, const Sight& b);

class EqualKeys {
 public:
  // Notes a prefix of a tracker; "" or how it differs from what was seen under the same key.
  std::string note(Tracker& tracker, PrefixId prefix, const std::string& text);

  size_t keys() const { return seen_.size(); }
  size_t met_again() const { return met_again_; }             // notes of a key that was there
  size_t other_texts() const { return other_texts_.size(); }  // of these, those of another text
  // Pairs of different texts under one key.
  const std::vector<std::pair<std::string, std::string>>& twins() const { return other_texts_; }

 private:
  struct Seen {
    Sight sight;
    std::string text;
  };
  std::map<std::pair<uint64_t, uint64_t>, Seen> seen_;
  size_t met_again_ = 0;
  std::vector<std::pair<std::string, std::string>> other_texts_;
};

// Two texts under one key go on with the same bytes: the keys must stay equal, both refused or both not.
std::string ask_twins(Tracker& tracker, const std::string& a, const std::string& b, const std::string& rest);

// The key after `text`, pushed in one go and pushed with marks set, ways taken and forgotten in between.
std::string ask_histories(Tracker& straight, Tracker& crooked, const std::string& text, uint64_t seed);

// From prefixes kept on the way, the rest of the text is pushed again after the whole, and another text, were pushed.
std::string ask_rollback(Tracker& tracker, const std::string& text, const std::string& other);

}  // namespace pccsql::attack
