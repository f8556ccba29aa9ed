#include "fuzz/track_target.h"

#include <memory>
#include <vector>

#include "track/attack/ground.h"
#include "track/attack/oracle.h"
#include "track/attack/replay.h"

namespace pccsql {
namespace {

using namespace attack;

// One ground with what its inputs need, made when the first byte first asks for it.
struct Arena {
  explicit Arena(GroundPtr made) : ground(std::move(made)), make(sql_trackers(*ground)) {}

  GroundPtr ground;
  MakeTracker make;
};

Arena& arena(uint8_t choice) {
  static const std::vector<GroundPtr> standing = standing_grounds();
  static std::vector<std::unique_ptr<Arena>> made(standing.size());
  const size_t index = choice % standing.size();
  if (!made[index]) {
    const Ground& model = *standing[index];
    made[index] =
        std::make_unique<Arena>(std::make_unique<Ground>(model.name, model.schema, model.policy, model.settings));
  }
  return *made[index];
}

}  // namespace

std::string track_fuzz_complaint(std::string_view input) {
  if (input.empty()) return "";
  Arena& here = arena(static_cast<uint8_t>(input[0]));
  const std::string sql(input.substr(1));
  const auto tracker = here.make();
  PrefixId prefix = tracker->start();
  std::string text;
  for (const char c : sql) {
    const PrefixId next = tracker->push(prefix, static_cast<uint8_t>(c));
    if (next == kDead) continue;
    prefix = next;
    text += c;
  }
  const std::string where = "[" + here.ground->name + "] ";
  const std::string wrong = Oracle(*here.ground, *tracker).ask_prefix(prefix, text);
  if (!wrong.empty()) return where + text + "\n  " + wrong;
  Replay replay(*here.ground, here.make, true);
  replay.text(sql);
  const auto& count = replay.count();
  // Canonical style has one way to write a query, and this may be another.
  const bool any_style = here.ground->settings.style == track::Style::Any;
  const bool refused = any_style && !count.wrongly_refused.empty();
  return count.wrongly_admitted.empty() && !refused ? "" : where + report(count, 1);
}

}  // namespace pccsql
