// MaskWorlds: a MaskWorld for each database and policy that a run comes to, so that each is compiled once.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include <pccsql/engine.h>

#include "apps/options.h"
#include "apps/source.h"
#include "verify/mask_world.h"

namespace pccsql {

// The Engine's settings that the options ask for.
Settings mask_settings(const Options& options);

class MaskWorlds {
 public:
  // PRE: `source` outlives it.
  MaskWorlds(const Source& source, VocabularyIndex vocabulary, Settings settings, std::optional<std::string> db);

  // The world of a database, with the policy that goes with it or the one that a line brought (`policy`, YAML).
  Result<MaskWorld*> get(const std::optional<std::string>& db_id, const std::optional<std::string>& policy = {});
  Result<MaskWorld*> get(const Catalog& catalog, const std::optional<std::string>& policy = {});

 private:
  const Source& source_;
  VocabularyIndex vocabulary_;
  Settings settings_;
  std::optional<std::string> db_;
  struct Seat {
    const Catalog* catalog;
    std::unordered_map<std::string, std::unique_ptr<MaskWorld>> worlds;  // by `=` and the policy's text; "": the file's
  };
  std::vector<Seat> seats_;
};

}  // namespace pccsql
