// Walks: random generations under the mask, and what must hold of each.
//
// Uniform walks choose the kind of the next lexeme before the token, so that they go everywhere and do not sit inside
// literals. Adversarial ones always take the admitted token that gets closest to the name of a restricted column. Each
// has a budget of its own, from the shortest possible up. A finished text must be safe to the checker, must be prepared
// by SQLite, and must use for the checker just the columns that the tracker saw used. A walk is fixed by its seed.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <optional>
#include <random>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "verify/chooser.h"
#include "verify/coverage.h"
#include "verify/mask_world.h"

namespace pccsql {

enum class WalkEnd : uint8_t {
  Good,
  Violation,    // check does not call it safe
  Unprepared,   // SQLite refuses to prepare it
  OtherUses,    // tracker and checker see different uses
  DeadEnd,      // refused, though nobody chose that
  Unfinished,   // longer than its budget
  NothingToAsk  // the policy or the budget leaves no query: refused before the first token
};
std::string_view to_string(WalkEnd end);

struct Walk {
  uint64_t seed = 0;
  uint32_t budget = 0;
  size_t tokens = 0;
  WalkEnd end = WalkEnd::Good;
  std::string text;    // what was written, also where it was refused later
  std::string detail;  // what is wrong with it
  std::vector<uint64_t> nanoseconds;
};

class Walker {
 public:
  // `longest`: of a budget. PRE: `world` outlives it; `width` is no less than the vocabulary's size.
  Walker(MaskWorld& world, const TokenClasses& classes, WalkLogits logits, uint32_t longest, size_t width);

  Walk walk(uint64_t seed);
  // Called at each state of a walk, with the mask that was filled there. It must leave the matcher as it was.
  using Watcher = std::function<void(Matcher&, ConstBitmask)>;
  void watch(Watcher watcher) { watcher_ = std::move(watcher); }
  // The fewest tokens in which the mask lets a query be written; 0 where it lets none.
  uint32_t shortest() const { return shortest_; }

 private:
  void judge(Walk& walk, Matcher& matcher);

  MaskWorld& world_;
  Chooser chooser_;
  uint32_t longest_;
  uint32_t shortest_ = 0;
  size_t width_;
  Watcher watcher_;
};

struct WalkTotals {
  explicit WalkTotals(Language language) : coverage(sql_grammar(), language) {}

  std::array<size_t, 7> ends{};  // by WalkEnd
  size_t walks = 0;
  size_t tokens = 0;
  Coverage coverage;
  std::vector<uint64_t> nanoseconds;
  std::optional<Walk> first_bad;
  std::string first_bad_database;

  void add(Walk walk, const std::string& database);
  size_t count(WalkEnd end) const { return ends[static_cast<size_t>(end)]; }
  bool fine() const { return !first_bad; }
};

}  // namespace pccsql
