#include "track/attack/ground.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>

#include "base/file.h"
#include "policy/policy_file.h"
#include "schema/reader.h"

namespace pccsql::attack {
namespace {

// A ground that cannot be made would test nothing, so the program stops.
template <typename T>
T or_stop(Result<T> result) {
  if (result) return *std::move(result);
  std::fprintf(stderr, "%s\n", result.error().to_string().c_str());
  std::abort();
}

std::string demo_file(const char* name) { return or_stop(read_file(std::string(PCCSQL_ROOT "/examples/hr/") + name)); }

CheckSettings check_settings(const TrackSettings& settings) { return {settings.profile, settings.language}; }

constexpr std::string_view kShared =
    "CREATE TABLE t(id INTEGER PRIMARY KEY, a TEXT, b INT, c INT);"
    "CREATE TABLE u(id INTEGER PRIMARY KEY, a TEXT, d INT);"
    "CREATE TABLE v(id INT, b INT, d INT, e TEXT);";
constexpr std::string_view kOneColumn = "CREATE TABLE one(x INT); CREATE TABLE two(y INT);";
constexpr std::string_view kLonely = "CREATE TABLE t(a INT, b INT);";
constexpr std::string_view kOdd =
    "CREATE TABLE \"Order\"(\"group\" INT, \"Key\" INT, \"From\" TEXT, \"cast\" INT);"
    "CREATE TABLE \"two words\"(\"floor area\" REAL, \"it's\" TEXT, \"say \"\"x\"\"\" TEXT, \"a]b\" INT, a INT);"
    "CREATE TABLE \"left\"(\"filter\" INT, \"over\" INT, \"window\" INT, \"End\" INT, \"True\" INT);"
    "CREATE TABLE Count(Sum INT, \"exists\" INT, \"1st\" INT, \"é\" TEXT, \"naïve\" TEXT);";
constexpr std::string_view kRowids =
    "CREATE TABLE k(a INTEGER PRIMARY KEY, b TEXT, g INT GENERATED ALWAYS AS (a + 1) VIRTUAL);"
    "CREATE TABLE n(a INT, b TEXT, s INT GENERATED ALWAYS AS (a * 2) STORED);"
    "CREATE TABLE w(b TEXT PRIMARY KEY, f INT) WITHOUT ROWID;"
    "CREATE TABLE r(rowid TEXT, oid INT, f INT);"
    "CREATE VIEW kv AS SELECT a, b AS bee FROM k;"
    "CREATE VIEW kw AS SELECT k.a, w.f FROM k JOIN w ON k.b = w.b;";
constexpr std::string_view kAliases =
    "CREATE TABLE a(b INT, c INT); CREATE TABLE b(a INT, c INT); CREATE TABLE c(a INT, b INT, t1 INT);"
    "CREATE TABLE t1(x INT, a INT);";
constexpr std::string_view kPrefixes =
    "CREATE TABLE name(name TEXT, name_of TEXT, names TEXT); CREATE TABLE names(nam INT, name INT, na INT);"
    "CREATE TABLE na(select_it INT, sel INT, int_ INT, in_ INT);";

}  // namespace

SchemaPtr schema_of(std::string name, std::string_view ddl) {
  return std::make_shared<Schema>(
      Schema{std::move(name), or_stop(read_ddl_catalog(ddl)), or_stop(Database::in_memory(ddl))});
}

SchemaPtr schema_of(const Catalog& catalog) {
  return std::make_shared<Schema>(Schema{catalog.name(), catalog, or_stop(Database::in_memory(to_ddl(catalog)))});
}

Ground::Ground(std::string name_in, SchemaPtr schema_in, Policy policy_in, TrackSettings settings_in)
    : name(std::move(name_in)),
      schema(std::move(schema_in)),
      policy(std::move(policy_in)),
      settings(settings_in),
      checker(schema->catalog, check_settings(settings_in)) {}

std::string to_string(const TrackSettings& settings) {
  std::string text = settings.profile == Profile::Strict ? "strict" : "paper";
  text += settings.language == Language::Full ? " full" : " fragment";
  if (!settings.lookahead) text += " no-lookahead";
  if (settings.derived_names) text += " derived-names";
  if (settings.aliases == Aliases::Any) text += " any-alias";
  if (settings.style == Style::Canonical) text += " canonical";
  return text;
}

Policy random_policy(const Catalog& catalog, std::mt19937_64& random, std::initializer_list<double> weights) {
  Policy policy(catalog, ColumnPolicy::Public);
  std::discrete_distribution<size_t> any(weights);
  for (TableId t = 0; t < catalog.tables().size(); ++t) {
    for (ColumnIndex c = 0; c < catalog.table(t).columns.size(); ++c) policy.set({t, c}, kColumnPolicies[any(random)]);
  }
  return policy;
}

Policy with_minimums(Policy policy, uint32_t minimum) {
  for (TableId t = 0; t < policy.tables(); ++t) policy.set_group(t, {minimum, {}, {}});
  return policy;
}

SchemaPtr demo_schema() {
  static const SchemaPtr made = schema_of("hr", demo_file("schema.sql"));
  return made;
}

Policy demo_policy(const Catalog& catalog) { return or_stop(parse_policy_yaml(demo_file("policy.yaml"), catalog)); }

std::vector<SchemaPtr> provoking_schemas() {
  return {schema_of("shared", kShared),    schema_of("one-column", kOneColumn), schema_of("lonely", kLonely),
          schema_of("odd-names", kOdd),    schema_of("rowids", kRowids),        schema_of("aliases", kAliases),
          schema_of("prefixes", kPrefixes)};
}

SchemaPtr random_schema(uint64_t seed) {
  std::mt19937_64 random(seed);
  const char* tables[] = {"t", "u", "v", "w", "x", "order", "a b", "T1", "id", "names"};
  const char* columns[] = {"id", "a", "b", "c", "name", "t", "u", "key", "x y", "T1", "d"};
  const char* types[] = {"INT", "TEXT", "REAL", ""};
  std::string ddl;
  std::vector<std::string> left(std::begin(tables), std::end(tables));
  std::shuffle(left.begin(), left.end(), random);
  left.resize(2 + random() % 5);
  for (const std::string& table : left) {
    std::vector<std::string> names(std::begin(columns), std::end(columns));
    std::shuffle(names.begin(), names.end(), random);
    names.resize(1 + random() % 5);
    const uint64_t shape = random() % 4;  // 0: an INTEGER PRIMARY KEY, 1: without rowid
    ddl += "CREATE TABLE \"" + table + "\"(";
    for (size_t i = 0; i < names.size(); ++i) {
      ddl += (i == 0 ? "\"" : ", \"") + names[i] + "\" ";
      ddl += i == 0 && shape == 0 ? "INTEGER PRIMARY KEY" : types[random() % 4];
      if (i == 0 && shape == 1) ddl += " PRIMARY KEY";
    }
    ddl += shape == 1 ? ") WITHOUT ROWID;" : ");";
  }
  return schema_of("random-" + std::to_string(seed), ddl);
}

std::vector<TrackSettings> many_settings() {
  std::vector<TrackSettings> all;
  for (const Profile profile : {Profile::Strict, Profile::Paper}) {
    for (const Language language : {Language::Full, Language::Fragment}) {
      TrackSettings base;
      base.profile = profile;
      base.language = language;
      all.push_back(base);
      TrackSettings changed = base;
      changed.derived_names = true;
      all.push_back(changed);
      changed = base;
      changed.aliases = Aliases::Any;
      all.push_back(changed);
      changed = base;
      changed.lookahead = false;
      all.push_back(changed);
      changed = base;
      changed.style = Style::Canonical;
      all.push_back(changed);
    }
  }
  return all;
}

std::vector<GroundPtr> standing_grounds(uint16_t most_tables, int deepest) {
  std::vector<GroundPtr> grounds;
  const auto add = [&](const SchemaPtr& schema, Policy policy, const std::string& policy_name, TrackSettings settings) {
    settings.most_tables = most_tables;
    settings.deepest = deepest;
    const std::string name = schema->name + " / " + policy_name + " / " + to_string(settings);
    grounds.push_back(std::make_unique<Ground>(name, schema, std::move(policy), settings));
  };
  const auto settings = many_settings();
  for (const TrackSettings& each : settings) add(demo_schema(), demo_policy(demo_schema()->catalog), "demo", each);
  TrackSettings canonical;
  canonical.style = Style::Canonical;
  TrackSettings canonical_paper = canonical;
  canonical_paper.profile = Profile::Paper;
  std::mt19937_64 random(20240601);
  size_t turn = 0;
  for (const SchemaPtr& schema : provoking_schemas()) {
    add(schema, Policy(schema->catalog, ColumnPolicy::Public), "all Public", settings[0]);
    add(schema, random_policy(schema->catalog, random, {3, 1, 1, 1}), "mixed", settings[0]);
    add(schema, random_policy(schema->catalog, random, {1, 2, 2, 1}), "close", settings[turn++ % settings.size()]);
    add(schema, with_minimums(random_policy(schema->catalog, random, {2, 1, 3, 0}), 3), "minimum groups", settings[0]);
    Policy one_closed(schema->catalog, ColumnPolicy::Public);
    for (ColumnIndex c = 0; c < schema->catalog.table(0).columns.size(); ++c) {
      one_closed.set({0, c}, ColumnPolicy::Hidden);
    }
    add(schema, one_closed, "first table Hidden", settings[turn++ % settings.size()]);
    add(schema, random_policy(schema->catalog, random, {5, 1, 1, 1}), "open", canonical);
    // Under paper a table that is all Hidden can be named; in canonical style it stands alone.
    Policy half_closed(schema->catalog, ColumnPolicy::Public);
    for (TableId t = 0; t < schema->catalog.tables().size(); ++t) {
      for (ColumnIndex c = 0; c < schema->catalog.table(t).columns.size() && t % 3 != 1; ++c) {
        half_closed.set({t, c}, t % 3 == 0 || c % 2 == 0 ? ColumnPolicy::Hidden : ColumnPolicy::AggregateOnly);
      }
    }
    add(schema, half_closed, "tables Hidden", canonical_paper);
  }
  return grounds;
}

GroundPtr random_ground(uint64_t seed) {
  std::mt19937_64 random(seed ^ 0x9E3779B97F4A7C15u);
  const SchemaPtr schema = random_schema(seed);
  const auto settings = many_settings();
  const TrackSettings chosen = random() % 2 == 0 ? settings[0] : settings[random() % settings.size()];
  Policy policy = random() % 5 == 0 ? Policy(schema->catalog, ColumnPolicy::Public)
                                    : random_policy(schema->catalog, random, {4, 2, 1, 1});
  if (seed % 4 == 3) {
    policy = random_policy(schema->catalog, random, {3, 1, 3, 0});
    for (TableId t = 0; t < policy.tables(); ++t) policy.set_group(t, {1 + static_cast<uint32_t>(random() % 3), {}, {}});
  }
  const char* const kind = seed % 4 == 3 ? " / random minimum groups / " : " / random / ";
  return std::make_unique<Ground>(schema->name + kind + to_string(chosen), schema, std::move(policy), chosen);
}

std::vector<GroundPtr> wide_grounds(int columns, uint64_t seed) {
  std::mt19937_64 random(seed);
  const auto table = [](const char* name, int from, int to) {
    std::string ddl = std::string("CREATE TABLE ") + name + "(id INTEGER PRIMARY KEY";
    for (int i = from; i < to; ++i) ddl += ", c" + std::to_string(i);
    return ddl + ");";
  };
  const SchemaPtr schema = schema_of("wide-" + std::to_string(columns),
                                     table("w", 0, columns - 1) + table("twin", 0, columns - 1) +
                                         table("half", columns / 2, columns / 2 + columns - 1) + table("few", 0, 3));
  std::vector<GroundPtr> grounds;
  const auto add = [&](Policy policy, const char* policy_name, const TrackSettings& settings) {
    const std::string name = schema->name + " / " + policy_name + " / " + to_string(settings);
    grounds.push_back(std::make_unique<Ground>(name, schema, std::move(policy), settings));
  };
  const auto settings = many_settings();
  add(Policy(schema->catalog, ColumnPolicy::Public), "all Public", settings[0]);
  add(random_policy(schema->catalog, random, {4, 2, 1, 1}), "mixed", settings[0]);
  add(random_policy(schema->catalog, random, {6, 1, 1, 1}), "mixed", settings[random() % settings.size()]);
  return grounds;
}

bool long_run() {
  const char* value = std::getenv("PCCSQL_LONG");
  return value != nullptr && *value != '\0';
}

}  // namespace pccsql::attack
