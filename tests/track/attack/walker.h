// LexemeWalker: random generations, lexeme by lexeme, that try everything everywhere, and ask the oracle at every prefix.
//
// A step proposes lexemes (half of the time by class, half of the time what the grammar could read here and has read least
// so far) and takes the first whose bytes the tracker admits and after which it admits an end of the lexeme. On the way
// every prefix is asked, also inside lexemes now and then. When the walk is long enough the tracker's completion ends it.
#pragma once

#include <functional>
#include <random>
#include <string>
#include <vector>

#include "track/attack/coverage.h"
#include "track/attack/ground.h"
#include "track/attack/lexemes.h"
#include "track/attack/oracle.h"
#include "track/tracker.h"

namespace pccsql::attack {

struct WalkFailure {
  std::string text;
  std::string what;
};

class LexemeWalker {
 public:
  LexemeWalker(Ground& ground, Tracker& tracker, Coverage& coverage, uint64_t seed);

  // One generation of about this many lexemes; what went wrong, if anything did. It goes on after a complaint, so that one
  // mistake does not hide the next, but not after many.
  std::vector<WalkFailure> walk(int lexemes);
  // Called with every prefix that a walk takes, and its text.
  void on_prefix(std::function<void(PrefixId, const std::string&)> call) { on_prefix_ = std::move(call); }

  const Oracle& oracle() const { return oracle_; }
  uint64_t steps() const { return steps_; }
  uint64_t tries() const { return tries_; }
  uint64_t stuck() const { return stuck_; }  // walks ended because nothing proposed was admitted

 private:
  std::string proposal();
  std::string rare_proposal();
  bool can_end(PrefixId prefix);
  bool take(const std::string& lexeme);
  void ask(PrefixId prefix, const std::string& text);

  Ground& ground_;
  Tracker& tracker_;
  Coverage& coverage_;
  std::mt19937_64 random_;
  LexemeSource source_;
  Oracle oracle_;
  std::function<void(PrefixId, const std::string&)> on_prefix_;

  PrefixId prefix_ = kDead;
  std::string text_;
  std::vector<std::string> favourites_;  // lexemes that this walk tries often
  std::vector<WalkFailure> failures_;
  uint64_t steps_ = 0;
  uint64_t tries_ = 0;
  uint64_t stuck_ = 0;
};

}  // namespace pccsql::attack
