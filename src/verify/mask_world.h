// MaskWorld: one database with its policy, as the mask and its judges see it: an Engine, a SqliteChecker, and SQLite itself.
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include <pccsql/engine.h>

#include "check/check.h"
#include "exec/database.h"

namespace pccsql {

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
  SqliteChecker& checker() { return checker_; }
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
  SqliteChecker checker_;
  std::array<std::optional<Engine>, 4> opened_;
  std::optional<Database> database_;
};

}  // namespace pccsql
