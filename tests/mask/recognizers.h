// Toy recognizers, each a different reason for which a byte cannot come: a list of words, nesting, encoding, a class of
// characters, and an arbitrary automaton. All remember their past as a stack of states, one per byte taken.
#pragma once

#include <array>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "mask/random_vocabulary.h"

namespace pccsql {

// What the recognizers share: a stack of states, with the rule that what was not pushed cannot be popped.
template <typename State>
class States {
 public:
  explicit States(State first) : past_{first} {}
  const State& now() const { return past_.back(); }
  void enter(State state) { past_.push_back(std::move(state)); }
  void pop(size_t count) {
    if (count == 0 || count >= past_.size()) throw std::logic_error("popped what was not pushed");
    past_.resize(past_.size() - count, past_.front());
  }
  size_t depth() const { return past_.size() - 1; }

 private:
  std::vector<State> past_;
};

// Beginnings of the words; a token may end anywhere in one.
class WordList : public States<std::string> {
 public:
  explicit WordList(std::vector<std::string> words, std::string so_far = "")
      : States(std::move(so_far)), words_(std::move(words)) {}
  bool push(uint8_t byte) {
    const std::string longer = now() + static_cast<char>(byte);
    for (const std::string& word : words_) {
      if (!word.starts_with(longer)) continue;
      enter(longer);
      return true;
    }
    return false;
  }

 private:
  std::vector<std::string> words_;
};

// Any text whose parentheses open and close in order, five deep at most; a token must leave none open that it opened.
class Balanced : public States<int> {
 public:
  explicit Balanced(int open = 0) : States(open), first_(open) {}
  bool push(uint8_t byte) {
    const int open = now() + (byte == '(' ? 1 : byte == ')' ? -1 : 0);
    if (open < 0 || open > 5) return false;
    enter(open);
    return true;
  }
  bool accepts() const { return now() <= first_; }

 private:
  int first_;
};

// Well-formed UTF-8, characters cut anywhere.
class Utf8 : public States<std::string> {
 public:
  Utf8() : States("") {}
  bool push(uint8_t byte) {
    std::string character = now() + static_cast<char>(byte);
    if (!begins_character(character)) return false;
    enter(complete(character) ? "" : character);
    return true;
  }

 private:
  static size_t length(uint8_t lead) { return lead < 0x80 ? 1 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4; }
  static bool complete(const std::string& bytes) { return bytes.size() == length(static_cast<uint8_t>(bytes[0])); }
  static bool begins_character(const std::string& bytes) {
    const auto lead = static_cast<uint8_t>(bytes[0]);
    if (bytes.size() == 1) return lead < 0x80 || (lead >= 0xC2 && lead <= 0xF4);
    const auto last = static_cast<uint8_t>(bytes.back());
    if (bytes.size() > 2) return last >= 0x80 && last <= 0xBF;
    const uint8_t low = lead == 0xE0 ? 0xA0 : lead == 0xF0 ? 0x90 : 0x80;
    const uint8_t high = lead == 0xED ? 0x9F : lead == 0xF4 ? 0x8F : 0xBF;
    return last >= low && last <= high;
  }
};

class Digits : public States<int> {
 public:
  Digits() : States(0) {}
  bool push(uint8_t byte) {
    if (byte < '0' || byte > '9') return false;
    enter(0);
    return true;
  }
};

// A random automaton over bytes: most bytes lead somewhere, some states may end a token.
class RandomAutomaton : public States<uint8_t> {
 public:
  RandomAutomaton(Random& random, size_t percent_dead) : States(0) {
    for (auto& row : next_) {
      for (int& to : row) to = below(random, 100) < percent_dead ? -1 : static_cast<int>(below(random, kStates));
    }
    for (bool& ends : ends_) ends = below(random, 2) == 0;
  }
  bool push(uint8_t byte) {
    const int to = next_[now()][byte];
    if (to < 0) return false;
    enter(static_cast<uint8_t>(to));
    return true;
  }
  bool accepts() const { return ends_[now()]; }

 private:
  static constexpr size_t kStates = 12;
  std::array<std::array<int, 256>, kStates> next_{};
  std::array<bool, kStates> ends_{};
};

}  // namespace pccsql
