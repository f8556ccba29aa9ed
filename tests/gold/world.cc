// Makes the world: see the header.
#include "gold/world.h"

#include <filesystem>
#include <map>
#include <utility>

#include <gtest/gtest.h>

#include "benchmark_data.h"
#include "schema/reader.h"

namespace pccsql {
namespace {

// One Spider database is left out of most copies; a rebuilt one has the same tables and columns.
std::optional<std::string> path_of(const GoldData& data, const std::string& db_id, const std::string& folder) {
  auto path = data.database_path(db_id);
  if (!path) {
    const std::string rebuilt = folder + "/" + data.name + "/" + db_id + "_rebuilt/" + db_id + ".sqlite";
    if (std::filesystem::is_regular_file(rebuilt)) path = rebuilt;
  }
  return path;
}

Result<std::unique_ptr<GoldDatabase>> open(const GoldData& data, const std::string& db_id, const std::string& folder) {
  if (const auto path = path_of(data, db_id, folder)) {
    auto catalog = read_sqlite_catalog(*path);
    if (!catalog) return catalog.error();
    auto sqlite = Database::open(*path);
    if (!sqlite) return sqlite.error();
    return std::make_unique<GoldDatabase>(*std::move(catalog), *std::move(sqlite), true);
  }
  const Catalog& catalog = data.catalogs[data.find_catalog(db_id).value()];
  auto sqlite = Database::in_memory(to_ddl(catalog));
  if (!sqlite) return sqlite.error();
  return std::make_unique<GoldDatabase>(catalog, *std::move(sqlite), false);
}

Result<std::unique_ptr<World>> make_world(const std::string& folder) {
  auto spider = read_spider(folder + "/spider");
  if (!spider) return spider.error();
  auto bird = read_bird(folder + "/bird");
  if (!bird) return bird.error();
  auto made = std::make_unique<World>();
  made->spider = *std::move(spider);
  made->bird = *std::move(bird);
  for (const GoldData* data : {&made->spider, &made->bird}) {
    std::map<std::string, GoldDatabase*> opened;
    for (const Split split : {Split::Dev, Split::Train}) {
      GoldSplit cases{data->name + (split == Split::Dev ? "-dev" : "-train"), {}};
      for (const GoldQuery& query : data->queries(split)) {
        GoldDatabase*& database = opened[query.db_id];
        if (!database) {
          auto fresh = open(*data, query.db_id, folder);
          if (!fresh) return fresh.error();
          made->databases.push_back(*std::move(fresh));
          database = made->databases.back().get();
        }
        cases.cases.push_back({&query, cases.cases.size(), database});
      }
      made->splits.push_back(std::move(cases));
    }
  }
  return made;
}

}  // namespace

World* world() {
  static const std::unique_ptr<World> the_world = [] {
    std::unique_ptr<World> made;
    const auto folder = data_folder();
    if (!folder) return made;
    auto result = make_world(*folder);
    if (result) {
      made = *std::move(result);
    } else {
      ADD_FAILURE() << result.error().to_string();
    }
    return made;
  }();
  return the_world.get();
}

std::string without_names(std::string_view message) {
  // SQLite puts the name last ("no such column: x") or in double quotes, the judge in backticks.
  if (const size_t name = message.find(": "); message.starts_with("no such ") || message.starts_with("ambiguous ")) {
    return std::string(message.substr(0, name));
  }
  std::string kept;
  char quote = 0;
  for (const char c : message) {
    if (quote == 0) {
      kept += c;
      if (c == '"' || c == '`' || c == '\'') {
        quote = c;
        kept += "…";
      }
    } else if (c == quote) {
      kept += c;
      quote = 0;
    }
  }
  return kept;
}

}  // namespace pccsql
