// Oracle: what must hold of every prefix that a tracker has let through, asked of the checker and of SQLite.
//
// Each question answers "" when all is well, else what was wrong.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "track/attack/ground.h"
#include "track/tracker.h"

namespace pccsql::attack {

// Pushes a text; kDead as soon as a byte is refused. `refused_at`: which byte that was.
PrefixId push_all(Tracker& tracker, PrefixId prefix, std::string_view text, size_t* refused_at = nullptr);

class Oracle {
 public:
  Oracle(Ground& ground, Tracker& tracker) : ground_(ground), tracker_(tracker) {}

  // The prefix can be finished: its completion is admitted byte by byte, gets shorter with every byte, is no longer than
  // the bounds in bytes and in tokens say, and what comes of it is a finished text as below.
  std::string ask_prefix(PrefixId prefix, const std::string& text);
  // A text that may end is safe, prepares, and uses what the tracker says.
  std::string ask_finished(PrefixId end, const std::string& text);

  uint64_t prefixes() const { return prefixes_; }
  uint64_t finished() const { return finished_; }
  uint64_t dead_ends() const { return dead_ends_; }  // without look-ahead only

 private:
  std::string ask_completion(PrefixId prefix, const std::string& text);
  std::string ask_uses(PrefixId end, const Judgement& judgement);

  Ground& ground_;
  Tracker& tracker_;
  uint64_t prefixes_ = 0;
  uint64_t finished_ = 0;
  uint64_t dead_ends_ = 0;
};

}  // namespace pccsql::attack
