// The tracker under attack, made from one world per ground.
#include "track/attack/ground.h"
#include "track/sql_tracker.h"
#include "track/world.h"

namespace pccsql::attack {

MakeTracker sql_trackers(const Ground& ground) {
  if (!ground.world) ground.world = World::make(ground.catalog(), ground.policy, ground.settings);
  return [&ground]() -> std::unique_ptr<Tracker> { return std::make_unique<SqlTracker>(*ground.world); };
}

}  // namespace pccsql::attack
