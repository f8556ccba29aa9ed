// MaskWorld: one database with its policy, as the mask and its judges see it: an Engine, a Checker, and SQLite itself.
//
// MaskWorlds keeps one for each database and policy that a run comes to, so that each is compiled once.
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include <pccsql/engine.h>

#include "apps/options.h"
#include "apps/source.h"
#include "check/check.h"
#include "exec/database.h"

namespace pccsql {

// The Engine's settings that the options ask for.
Settings mask_settings(const Options& options);

// SQL that makes an empty database with the catalogue's tables and views: their own CREATE statements where the source
// had them, else what can be written from the catalogue.
std::string database_setup(const Catalog& catalog);

class MaskWorld {
 public:
  // `db` names the database's file; without one, queries are prepared in an empty database of the same shape.
  // `masked_by`: the policy of the mask, where it shall be another than the one that queries are judged by: so it can be
  // seen that a wrong mask is noticed. PRE: `catalog` outlives it.
  static Result<std::unique_ptr<MaskWorld>> make(const Catalog& catalog, Policy policy, VocabularyIndex vocabulary,
                                                 const Settings& settings, const std::optional<std::string>& db = {},
                                                 const std::optional<Policy>& masked_by = {});

  const Catalog& catalog() const { return catalog_; }
  const Policy& policy() const { return policy_; }
  const Engine& engine() const { return engine_; }
  Checker& checker() { return checker_; }
  Judgement judge(std::string_view sql) { return checker_.check(sql, policy_); }
  Result<Database*> database();

  // The settings that lift a bound of the decoder; each Engine is compiled when it is first asked for.
  enum Opened : uint8_t { DerivedNames = 1, AnyAlias = 2, Both = 3 };
  Result<const Engine*> opened(Opened what);

 private:
  MaskWorld(const Catalog& catalog, Policy policy, Policy masked_by, VocabularyIndex vocabulary, Engine engine,
            std::optional<std::string> db);

  const Catalog& catalog_;
  Policy policy_;
  Policy masked_by_;
  VocabularyIndex vocabulary_;
  Engine engine_;
  std::optional<std::string> db_;
  Checker checker_;
  std::array<std::optional<Engine>, 4> opened_;
  std::optional<Database> database_;
};

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
