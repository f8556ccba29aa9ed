// Chooser: which of the admitted tokens a random or hostile model takes.
//
// A uniform draw over a vocabulary would write gibberish inside the first literal and never leave it. So tokens are
// sorted into groups by what they begin (a blank, a keyword, a name of the schema, another word, a number, a quote,
// punctuation, the end), and into classes inside a group; a group is drawn first, then a class, then a token.
#pragma once

#include <array>
#include <cstdint>
#include <random>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <pccsql/vocabulary.h>

#include "mask/bitmask.h"
#include "policy/policy.h"
#include "schema/catalog.h"
#include "track/lexical.h"

namespace pccsql {

enum class WalkLogits { Uniform, Adversarial };

enum class TokenGroup : uint8_t { Blank, Keyword, Name, Word, Number, Quote, Punctuation, End };
inline constexpr size_t kTokenGroups = 8;

// What can be said of each token of a vocabulary beside one catalogue.
class TokenClasses {
 public:
  TokenClasses(const Vocabulary& vocabulary, const Catalog& catalog);

  struct Class {
    TokenGroup group = TokenGroup::Word;
    uint8_t within = 0;  // by the first character that is no blank; for a keyword, which
    uint8_t ends = 0;    // bits of what it holds: see Ends
  };
  // What a token holds that ends an open lexeme.
  enum Ends : uint8_t { Apostrophe = 1, DoubleQuote = 2, Backtick = 4, Bracket = 8, NoWord = 16, NoDigit = 32 };
  const Class& of(TokenId id) const { return classes_[id]; }
  const Vocabulary& vocabulary() const { return vocabulary_; }

 private:
  const Vocabulary& vocabulary_;
  std::vector<Class> classes_;
};

class Chooser {
 public:
  // PRE: all outlive it.
  Chooser(const TokenClasses& classes, const Catalog& catalog, const Policy& policy, WalkLogits logits);

  // A new text begins.
  void start(std::mt19937_64& random);
  // PRE: the mask admits something.
  TokenId choose(ConstBitmask mask, std::mt19937_64& random);
  void wrote(std::string_view bytes);

 private:
  TokenId choose_by_class(std::mt19937_64& random);
  // Leaves in open_ those tokens that get closest to a restricted name; all, where none gets closer than another.
  void keep_closest();
  size_t closeness(std::string_view piece) const;
  uint8_t what_ends_the_lexeme() const;

  const TokenClasses& classes_;
  WalkLogits logits_;
  std::vector<std::pair<std::string, std::string>> restricted_;  // (column, table), folded
  // Per text: how readily it ends, what it aims at, and where it stands.
  unsigned end_weight_ = 1;
  std::array<std::array<uint16_t, 256>, kTokenGroups> tastes_{};  // for each class of a group
  std::vector<std::string> columns_;
  std::vector<std::string> tables_;
  track::TextArena texts_;
  track::LexState lexical_;
  std::string word_;           // the open name, folded
  std::vector<TokenId> open_;  // what the choice is between
};

}  // namespace pccsql
