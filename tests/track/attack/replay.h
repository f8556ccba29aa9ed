// Replay: whole texts pushed byte by byte, and what the checker says held against what the tracker did.
//
// A safe text must be admitted to its end, unless a bound of the decoder excuses it: one that can be seen in the text
// (verify/bounds.h), or one that a setting lifts, which is seen by asking a tracker with that setting. Any other text
// must not be admitted to its end.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "track/attack/ground.h"
#include "track/tracker.h"

namespace pccsql::attack {

struct Miss {
  std::string ground;
  std::string text;
  size_t at = 0;  // the byte refused; the text's length: it was admitted but may not end
  std::string what;
};

class Replay {
 public:
  // Tries a tracker that `make` makes. With `ask_settings`, what it stops is tried again with settings that lift bounds.
  Replay(Ground& ground, const MakeTracker& make, bool ask_settings);

  // Also the uses are compared, of texts that are admitted.
  void text(const std::string& sql);

  struct Count {
    uint64_t safe = 0;
    uint64_t admitted = 0;
    uint64_t stopped = 0;                     // of the others
    std::map<std::string, uint64_t> excused;  // by bound
    std::vector<Miss> wrongly_refused;
    std::vector<Miss> wrongly_admitted;
    void add(const Count& other);
  };
  const Count& count() const { return count_; }

 private:
  // The name of the bound that excuses stopping at that byte; "" if none does.
  std::string excuse(const std::string& sql, size_t at);

  struct Opened {
    GroundPtr ground;
    std::unique_ptr<Tracker> tracker;
  };
  Ground& ground_;
  std::unique_ptr<Tracker> tracker_;
  bool ask_settings_;
  std::vector<Opened> opened_;  // by verify::setting_bounds(), made when first asked
  Count count_;
};

// Figures, and the first failures, those refused grouped by the lexeme at which they stop.
std::string report(const Replay::Count& count, size_t most);

}  // namespace pccsql::attack
