// Which tracker the settings ask for, over which catalogue and policy.
#include "engine/engine_impl.h"
#include "paper/tracker.h"
#include "schema/rules.h"
#include "track/sql_tracker.h"
#include "track/world.h"

namespace pccsql {
namespace {

track::TrackSettings track_settings(const Settings& settings) {
  track::TrackSettings made;
  made.language = settings.language == Settings::Language::Full ? Language::Full : Language::Fragment;
  made.profile = settings.profile == Settings::Profile::Strict ? Profile::Strict : Profile::Paper;
  made.lookahead = settings.lookahead;
  made.derived_names = settings.derived_names;
  made.aliases = settings.aliases == Settings::Aliases::Short ? track::Aliases::Short : track::Aliases::Any;
  made.style = settings.style == Settings::Style::Any ? track::Style::Any : track::Style::Canonical;
  return made;
}

}  // namespace

Ground make_ground(Catalog catalog, Policy policy, const Settings& settings) {
  Ground ground;
  ground.catalog = std::make_shared<const Catalog>(std::move(catalog));
  ground.policy = std::make_shared<const Policy>(std::move(policy));
  const track::TrackSettings asked = track_settings(settings);
  const auto world = track::World::make(*ground.catalog, *ground.policy, asked);
  if (!world->anything_to_ask()) ground.nothing_to_ask = "the policy leaves no table that could be asked for";
  if (settings.algorithm == Settings::Algorithm::Paper) {
    ground.make_tracker = [catalog = ground.catalog, policy = ground.policy, asked] {
      return std::make_unique<paper::PaperTracker>(*catalog, *policy, asked);
    };
    ground.stopped = [](track::Tracker& tracker, track::PrefixId prefix) {
      return static_cast<paper::PaperTracker&>(tracker).refusal(prefix);
    };
  } else {
    // The world refers to the catalogue and the policy, so each tracker's maker keeps all three.
    ground.make_tracker = [catalog = ground.catalog, policy = ground.policy, world] {
      return std::make_unique<track::SqlTracker>(*world);
    };
  }
  return ground;
}

Result<Engine> make_engine(Catalog catalog, Policy policy, VocabularyIndex vocabulary, const Settings& settings) {
  if (const Rules& rules = rules_of(catalog); !rules.mask) {
    return Error{"the mask writes SQLite's dialect alone; on " + std::string(rules.name) + " queries are judged, with `pccsql check`", "", {}};
  }
  for (size_t i = 0; settings.refusal && i < kRefuseWord.size(); ++i) {
    if (vocabulary.impl().greedy_tokens(kRefuseWord.substr(i))) continue;
    return Error{"the vocabulary cannot write `" + std::string(kRefuseWord) + "`; do not let the model refuse", "", {}};
  }
  Ground ground = make_ground(std::move(catalog), std::move(policy), settings);
  return Engine(std::make_shared<Engine::Impl>(std::move(ground), std::move(vocabulary), settings));
}

}  // namespace pccsql
