// What `mask replay` and `mask walk` print: text for a person, one JSON object for a program.
#pragma once

#include <string>
#include <vector>

#include "verify/replay.h"
#include "verify/walk.h"
#include "base/render.h"

namespace pccsql {

// What a run was made with.
struct MaskRun {
  std::string vocabulary;    // as it was named
  size_t tokens = 0;         // its size
  std::string tokenisation;  // how queries were cut
  uint64_t seed = 0;
  std::string settings;  // those that are not the usual ones, in words
};
std::string settings_in_words(const Settings& settings);

std::string replay_text(const MaskRun& run, const ReplayTotals& totals, const std::vector<Replayed>& queries,
                        const Vocabulary& vocabulary, const Style& style);
// `times`: with the nanoseconds of each step.
std::string replay_json(const MaskRun& run, const ReplayTotals& totals, const std::vector<Replayed>& queries,
                        const Vocabulary& vocabulary, bool times);

// `interrupted`: the walks are fewer than were asked for, because somebody did not want to wait.
std::string walk_text(const MaskRun& run, const WalkTotals& totals, bool interrupted, const Style& style);
std::string walk_json(const MaskRun& run, const WalkTotals& totals, bool interrupted);

}  // namespace pccsql
