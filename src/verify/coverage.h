// Coverage: which ways through the grammar a set of queries has taken.
//
// Each query is parsed, and the tree is followed through the network again, so that what is counted are the edges
// themselves: every keyword, every call of a rule, at every place where the grammar writes it. Rules outside the
// language do not count, in the fragment neither what is beyond it; ways that the decoder leaves out on purpose are
// left out as well.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "syntax/grammar.h"
#include "syntax/parser.h"

namespace pccsql {

class Coverage {
 public:
  explicit Coverage(const Grammar& grammar, Language language = Language::Full);

  // False if the text does not parse; then nothing is counted.
  bool add(std::string_view sql);
  // What another one of the same grammar and language has counted.
  void add(const Coverage& other);

  struct Count {
    size_t hit = 0;
    size_t all = 0;
  };
  Count rules() const;
  Count edges() const;
  // Those never taken, as "rule: what would have been read after what"; each once.
  std::vector<std::string> missed() const;

 private:
  struct Place {
    StateId state = 0;
    uint32_t edge = 0;
  };
  void follow(uint32_t node);
  std::string what(const Edge& edge) const;
  std::string label(const Place& place) const;
  bool left_out(const Place& place) const;

  const Grammar& grammar_;
  Parser parser_;
  std::vector<Lexeme> lexemes_;
  std::vector<bool> inside_;          // by rule: some text of the language enters it
  std::vector<bool> open_;            // by edge: some text of the language takes it
  std::vector<uint32_t> first_edge_;  // by state, into open_ and taken_
  std::vector<uint64_t> entered_;     // by rule
  std::vector<uint64_t> taken_;       // by edge
};

}  // namespace pccsql
