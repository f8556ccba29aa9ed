// Gold: the questions, the queries that answer them and the schemas of a benchmark, from a user's own copy of Spider or
// BIRD. Nothing of it is shipped; the folder is the one that the benchmark's authors release.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "schema/catalog.h"

namespace pccsql {

struct GoldQuery {
  std::string db_id;
  std::string question;
  std::string sql;
  std::optional<std::string> evidence = {};  // BIRD's hint; nothing where it is empty
};

// One list of questions: a JSON array of objects with `db_id`, `question` and `query` (Spider) or `SQL` (BIRD).
Result<std::vector<GoldQuery>> read_gold(const std::string& path);

enum class Split { Dev, Train };

struct GoldData {
  std::string name;  // "spider", "bird"
  // The databases of both splits, as tables.json tells them. Checkers keep references into it: do not add to it.
  std::vector<Catalog> catalogs;
  std::vector<GoldQuery> dev;
  std::vector<GoldQuery> train;  // Spider: train_spider.json, then train_others.json

  const std::vector<GoldQuery>& queries(Split split) const { return split == Split::Dev ? dev : train; }
  // Index into `catalogs`.
  std::optional<size_t> find_catalog(std::string_view db_id) const;
  // Where the database's SQLite file is, if the copy has it.
  std::optional<std::string> database_path(std::string_view db_id) const;

  std::vector<std::string> database_folders;  // each holds `<db_id>/<db_id>.sqlite` or `<db_id>.sqlite`
};

// `folder` holds dev.json, train_spider.json, train_others.json, tables.json and database/.
Result<GoldData> read_spider(const std::string& folder);

// `folder` holds dev/dev.json, dev/dev_tables.json, dev/dev_databases/ and the same three of train/.
Result<GoldData> read_bird(const std::string& folder);

}  // namespace pccsql
