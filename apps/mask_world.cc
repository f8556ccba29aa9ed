#include "apps/mask_world.h"

#include <algorithm>
#include <utility>

#include "apps/option_kinds.h"
#include "engine/engine_impl.h"
#include "schema/reader.h"

namespace pccsql {
namespace {

CheckSettings check_settings(const Settings& settings) {
  CheckSettings made;
  if (settings.profile == Settings::Profile::Paper) made.profile = Profile::Paper;
  if (settings.language == Settings::Language::Fragment) made.language = Language::Fragment;
  return made;
}

}  // namespace

Settings mask_settings(const Options& options) {
  const MaskOptions& mask = options.mask;
  Settings settings;
  if (options.settings.language == Language::Fragment) settings.language = Settings::Language::Fragment;
  if (options.settings.profile == Profile::Paper) settings.profile = Settings::Profile::Paper;
  if (mask.aliases == track::Aliases::Any) settings.aliases = Settings::Aliases::Any;
  if (mask.style == track::Style::Canonical) settings.style = Settings::Style::Canonical;
  if (mask.algorithm == MaskAlgorithm::Paper) settings.algorithm = Settings::Algorithm::Paper;
  settings.lookahead = !mask.no_lookahead;
  settings.derived_names = mask.derived_names;
  settings.token_budget = static_cast<uint32_t>(std::min<uint64_t>(mask.budget.value_or(0), UINT32_MAX));
  settings.memory_bytes = memory_bytes(mask.memory_mb);
  return settings;
}

std::string database_setup(const Catalog& catalog) {
  const bool complete = std::ranges::all_of(
      catalog.tables(), [](const Table& table) { return !table.sql.empty() || table.kind == TableKind::Virtual; });
  if (!complete) return to_ddl(catalog);
  std::string sql;
  for (const TableKind kind : {TableKind::Table, TableKind::View}) {
    for (const Table& table : catalog.tables()) {
      if (table.kind == kind) sql += table.sql + ";\n";
    }
  }
  return sql;
}

MaskWorld::MaskWorld(const Catalog& catalog, Policy policy, Policy masked_by, VocabularyIndex vocabulary, Engine engine,
                     std::optional<std::string> db)
    : catalog_(catalog),
      policy_(std::move(policy)),
      masked_by_(std::move(masked_by)),
      vocabulary_(std::move(vocabulary)),
      engine_(std::move(engine)),
      db_(std::move(db)),
      checker_(catalog, check_settings(engine_.settings())) {}

Result<std::unique_ptr<MaskWorld>> MaskWorld::make(const Catalog& catalog, Policy policy, VocabularyIndex vocabulary,
                                                   const Settings& settings, const std::optional<std::string>& db,
                                                   const std::optional<Policy>& masked_by) {
  Policy masks = masked_by.value_or(policy);
  auto engine = make_engine(catalog, masks, vocabulary, settings);
  if (!engine) return engine.error();
  return std::unique_ptr<MaskWorld>(
      new MaskWorld(catalog, std::move(policy), std::move(masks), std::move(vocabulary), std::move(*engine), db));
}

Result<Database*> MaskWorld::database() {
  if (!database_) {
    auto opened = db_ ? Database::open(*db_) : Database::in_memory(database_setup(catalog_));
    if (!opened) return opened.error();
    database_ = std::move(*opened);
  }
  return &*database_;
}

Result<const Engine*> MaskWorld::opened(Opened what) {
  std::optional<Engine>& engine = opened_[what];
  if (!engine) {
    Settings settings = engine_.settings();
    if ((what & DerivedNames) != 0) settings.derived_names = true;
    if ((what & AnyAlias) != 0) settings.aliases = Settings::Aliases::Any;
    auto made = make_engine(catalog_, masked_by_, vocabulary_, settings);
    if (!made) return made.error();
    engine = std::move(*made);
  }
  return &*engine;
}

MaskWorlds::MaskWorlds(const Source& source, VocabularyIndex vocabulary, Settings settings,
                       std::optional<std::string> db)
    : source_(source), vocabulary_(std::move(vocabulary)), settings_(settings), db_(std::move(db)) {
  if (!settings_.memory) settings_.memory = Memory(settings_.memory_bytes);  // all databases together
}

Result<MaskWorld*> MaskWorlds::get(const std::optional<std::string>& db_id, const std::optional<std::string>& policy) {
  auto catalog = source_.catalog(db_id);
  if (!catalog) return catalog.error();
  return get(**catalog, policy);
}

Result<MaskWorld*> MaskWorlds::get(const Catalog& catalog, const std::optional<std::string>& policy) {
  constexpr size_t kKept = 16;  // a run in which every line brings a policy of its own must not fill the memory
  auto seat = std::ranges::find(seats_, &catalog, &Seat::catalog);
  if (seat == seats_.end()) seat = seats_.insert(seats_.end(), Seat{&catalog, {}});
  const std::string key = policy ? "=" + *policy : "";
  if (const auto known = seat->worlds.find(key); known != seat->worlds.end()) return known->second.get();
  auto read = policy ? source_.policy(catalog, *policy) : source_.policy(catalog);
  if (!read) return Error{(policy ? "the line's policy: " : "") + read.error().to_string(), {}, {0, 0}};
  auto world = MaskWorld::make(catalog, std::move(*read), vocabulary_, settings_, db_);
  if (!world) return world.error();
  if (seat->worlds.size() >= kKept) seat->worlds.clear();
  return (seat->worlds[key] = std::move(*world)).get();
}

}  // namespace pccsql
