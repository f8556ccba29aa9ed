// Ground: where a tracker is attacked. A schema that SQLite holds too, a policy, settings, and the checker to match.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "check/check.h"
#include "exec/database.h"
#include "policy/policy.h"
#include "schema/catalog.h"
#include "track/tracker.h"

namespace pccsql::track {
class World;
}

namespace pccsql::attack {

using namespace track;

// A catalogue with an empty database of the same tables beside it. Shared by the grounds that stand on it.
struct Schema {
  std::string name;
  Catalog catalog;
  Database database;
};
using SchemaPtr = std::shared_ptr<Schema>;

SchemaPtr schema_of(std::string name, std::string_view ddl);
// Of a catalogue that no DDL was read for. Views are left out of the database, so there must be none.
SchemaPtr schema_of(const Catalog& catalog);

struct Ground {
  std::string name;
  SchemaPtr schema;
  Policy policy;
  TrackSettings settings;
  SqliteChecker checker;
  mutable std::shared_ptr<const World> world;  // made by the first sql_trackers(), and kept for its trackers

  Ground(std::string name_in, SchemaPtr schema_in, Policy policy_in, TrackSettings settings_in);
  const Catalog& catalog() const { return schema->catalog; }
};
using GroundPtr = std::unique_ptr<Ground>;

// Makes trackers over one ground, all from one world. The ground must outlive it, and them.
using MakeTracker = std::function<std::unique_ptr<Tracker>()>;
MakeTracker sql_trackers(const Ground& ground);

// "strict full", with what differs from the defaults after it.
std::string to_string(const TrackSettings& settings);

// Each column gets any of the four policies, with these weights.
Policy random_policy(const Catalog& catalog, std::mt19937_64& random, std::initializer_list<double> weights);

// The same, and in every table groups of at least so many.
Policy with_minimums(Policy policy, uint32_t minimum);

SchemaPtr demo_schema();
Policy demo_policy(const Catalog& catalog);
// Small schemas, each made to provoke: names that several tables hold, keywords and blanks as names, views, tables
// without rowid, generated columns, one column, one table.
std::vector<SchemaPtr> provoking_schemas();
// 2 to 6 tables over so few names that they collide often.
SchemaPtr random_schema(uint64_t seed);

// Every combination that a setting can have, one changed at a time from the four of profile and language.
std::vector<TrackSettings> many_settings();

// The grounds of a short run, and with a seed as many random ones as asked.
std::vector<GroundPtr> standing_grounds(uint16_t most_tables = kMostTables, int deepest = kDeepest);
GroundPtr random_ground(uint64_t seed);
// Tables of `columns` columns, of which some have the same names, beside small ones. Walks take them in long strides.
std::vector<GroundPtr> wide_grounds(int columns, uint64_t seed);

bool long_run();

}  // namespace pccsql::attack
