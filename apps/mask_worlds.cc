#include "apps/mask_worlds.h"

#include <algorithm>
#include <utility>

#include "apps/option_kinds.h"

namespace pccsql {

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
