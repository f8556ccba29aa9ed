#include "verify/mask_world.h"

#include <algorithm>
#include <utility>

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

}  // namespace pccsql
