// World: every gold query of Spider and BIRD with its database, judge and SQLite beside it, made once per program.
//
// The database is the real one where the data hold it, else an empty one made from tables.json; the catalogue is read
// from the same source, so that judge and SQLite speak of the same schema.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "check/check.h"
#include "exec/database.h"
#include "policy/policy.h"
#include "schema/catalog.h"
#include "suite/gold.h"

namespace pccsql {

struct GoldDatabase {
  Catalog catalog;
  Database sqlite;
  bool real = false;
  Policy all_public;
  SqliteChecker checker;  // profile strict; refers to `catalog`

  GoldDatabase(Catalog catalog_in, Database sqlite_in, bool real_in)
      : catalog(std::move(catalog_in)),
        sqlite(std::move(sqlite_in)),
        real(real_in),
        all_public(catalog, ColumnPolicy::Public),
        checker(catalog) {}
  GoldDatabase(GoldDatabase&&) = delete;  // `checker` would be left with the old catalogue
};

struct GoldCase {
  const GoldQuery* query = nullptr;
  size_t index = 0;  // within the split
  GoldDatabase* database = nullptr;
};

struct GoldSplit {
  std::string name;  // "spider-dev", ...
  std::vector<GoldCase> cases;
};

struct World {
  GoldData spider;
  GoldData bird;
  std::vector<std::unique_ptr<GoldDatabase>> databases;
  std::vector<GoldSplit> splits;  // spider-dev, spider-train, bird-dev, bird-train
};

// The world over the data at hand, made at the first call; null without data. A broken copy is reported as a failure.
World* world();

// The message without what is quoted from a query or a schema, which must not get into the repository.
std::string without_names(std::string_view message);

}  // namespace pccsql
