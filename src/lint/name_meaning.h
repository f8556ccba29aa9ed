// What a name says: which of the meanings of name_words.txt its parts have. The file tells how words are written, and
// what counts as the head of a name.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace pccsql {

// The sections of name_words.txt, in its order.
enum class Meaning : uint8_t {
  Contact, Home, Birth, Identity, Account, Secret, Body, Health, Family, Belief, Conduct, Tracking, Image, Text, Ambivalent,
  Pay, Money, Score, Count, Physique,
  PersonName, Name, Role,
  Place, Category, Kind, Description, Time, Flag,
  Subject, Staff, Figure, Sensitive, Thing, NotAboutPeople,
  Key
};
inline constexpr size_t kMeanings = static_cast<size_t>(Meaning::Key) + 1;

// "a way to reach somebody"
std::string_view described(Meaning meaning);

class NameReading {
 public:
  bool says(Meaning meaning) const { return !at(meaning).word.empty(); }
  bool head_says(Meaning meaning) const { return at(meaning).head; }  // the head of the name has it
  bool whole_says(Meaning meaning) const { return at(meaning).whole; }  // nothing else stands in the name
  std::string_view word(Meaning meaning) const { return at(meaning).word; }  // of the name, by which it says so

 private:
  friend class NameWords;
  struct Match {
    std::string word;
    bool head = false;
    bool whole = false;
  };
  const Match& at(Meaning meaning) const { return matches_[static_cast<size_t>(meaning)]; }
  std::array<Match, kMeanings> matches_;
};

NameReading read_name(std::string_view identifier);

// The text of name_words.txt.
std::string_view name_words_text();

}  // namespace pccsql
