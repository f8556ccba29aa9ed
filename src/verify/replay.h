// Replay: queries that are known, put through the mask token by token, and what must come of each.
//
// A query that check calls safe must be admitted whole: each of its tokens by the mask, and the end of the text after
// the last. Any other must be stopped somewhere. A safe one that is stopped is excused only by a documented bound of the
// decoder: a setting that lifts the bound lets it through, or a detector finds the construct at the refused token.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include <pccsql/engine.h>

#include "verify/tokens.h"
#include "verify/mask_world.h"
#include "base/span.h"
#include "check/check.h"

namespace pccsql {

struct Stop {
  size_t token = 0;    // which of the tokens was refused; their number: the end of the text was
  Span bytes;          // of that token in the query; empty at its end
  uint32_t byte = 0;   // the first byte that could not follow
  std::string reason;  // why, as far as the matcher can tell
};

// One tokenisation of one query.
struct Attempt {
  std::vector<TokenId> tokens;
  std::optional<Stop> stop;           // nothing: admitted whole
  bool contradiction = false;         // the mask and accept_token said different things
  std::vector<uint64_t> nanoseconds;  // of each mask
};

// Why a query could not go on with its byte at `byte`. PRE: `before` has taken what stands before it.
std::string why_stopped(Matcher& before, std::string_view sql, uint32_t byte);

// `width`: of the logits. PRE: no less than the vocabulary's size.
Attempt replay(const Engine& engine, const Cut& cut, std::string_view sql, size_t width);

enum class ReplayOutcome : uint8_t {
  Admitted,    // safe, and every attempt was admitted whole
  Bound,       // safe, and every attempt that was stopped is excused by a bound
  Refused,     // safe, and stopped: a failure
  Stopped,     // not safe, and every attempt was stopped
  LetThrough,  // not safe, and admitted to its end: a failure
  Unread,      // no query to replay
};
std::string_view to_string(ReplayOutcome outcome);

struct Replayed {
  size_t line = 0;
  std::string id = "null";  // JSON
  std::string sql;
  Verdict verdict = Verdict::Error;
  std::string reason;        // why it is not safe; for Unread, what is wrong
  std::vector<Span> places;  // what the reason is about: names that may not stand where they stand
  ReplayOutcome outcome = ReplayOutcome::Unread;
  std::string bound;              // of Bound
  std::vector<Attempt> attempts;  // the canonical tokenisation first, then random ones
  size_t shown = 0;               // the attempt that decided the outcome
};

// Where queries that are not safe were stopped, against the places that check's reason is about: before all of them, at
// one, or after the first without being at any.
enum class Place : uint8_t { Before, At, After };
std::string_view to_string(Place place);
Place place_of(const Replayed& query);

class Replayer {
 public:
  Replayer(const Tokens& tokens, size_t width, size_t random_cuts, uint64_t seed)
      : tokens_(tokens), width_(width), random_cuts_(random_cuts), random_(seed) {}

  // Judges and replays; `result` has line and id already.
  void run(MaskWorld& world, std::string_view sql, Replayed& result);

 private:
  std::string excuse(MaskWorld& world, const Cut& cut, std::string_view sql, const Stop& stop) const;

  const Tokens& tokens_;
  size_t width_;
  size_t random_cuts_;
  std::mt19937_64 random_;
};

struct ReplayTotals {
  std::array<size_t, 6> outcomes{};  // by ReplayOutcome
  std::array<size_t, 4> verdicts{};
  std::array<size_t, 3> places{};        // by Place, of Stopped
  std::map<std::string, size_t> bounds;  // of Bound
  size_t attempts = 0;
  size_t contradictions = 0;
  std::vector<uint64_t> nanoseconds;

  void add(const Replayed& query);
  size_t count(ReplayOutcome outcome) const { return outcomes[static_cast<size_t>(outcome)]; }
  bool fine() const { return count(ReplayOutcome::Refused) == 0 && count(ReplayOutcome::LetThrough) == 0 && contradictions == 0; }
};

}  // namespace pccsql
