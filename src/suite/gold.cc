// Reads the benchmarks' JSON. A query whose database is not in tables.json is an error here, so that everything later
// may rely on finding it.
#include "suite/gold.h"

#include <filesystem>
#include <iterator>
#include <utility>

#include <nlohmann/json.hpp>

#include "base/file.h"
#include "schema/reader.h"

namespace pccsql {
namespace {

using nlohmann::json;

// The member as text, or an Error that says which entry of the file lacks it.
Result<std::string> text_member(const json& entry, const char* key, size_t index, const std::string& path) {
  const auto member = entry.find(key);
  if (member == entry.end() || !member->is_string()) {
    return Error{"entry " + std::to_string(index) + " has no text `" + key + "`", path, {}};
  }
  return member->get<std::string>();
}

Result<GoldQuery> gold_query(const json& entry, size_t index, const std::string& path) {
  if (!entry.is_object()) return Error{"entry " + std::to_string(index) + " is not an object", path, {}};
  auto db_id = text_member(entry, "db_id", index, path);
  if (!db_id) return db_id.error();
  auto question = text_member(entry, "question", index, path);
  if (!question) return question.error();
  auto sql = text_member(entry, entry.contains("SQL") ? "SQL" : "query", index, path);
  if (!sql) return sql.error();
  GoldQuery query{*std::move(db_id), *std::move(question), *std::move(sql)};
  const auto evidence = entry.find("evidence");
  if (evidence != entry.end() && evidence->is_string() && !evidence->get_ref<const std::string&>().empty()) {
    query.evidence = evidence->get<std::string>();
  }
  return query;
}

template <typename T>
void append(std::vector<T>& to, std::vector<T> more) {
  to.insert(to.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
}

// The files one after the other into one list.
template <typename T>
Result<std::vector<T>> read_all(const std::vector<std::string>& paths,
                                Result<std::vector<T>> (*read)(const std::string&)) {
  std::vector<T> all;
  for (const std::string& path : paths) {
    auto part = read(path);
    if (!part) return part.error();
    append(all, *std::move(part));
  }
  return all;
}

Result<GoldData> read_benchmark(std::string name, const std::vector<std::string>& tables,
                                const std::vector<std::string>& dev, const std::vector<std::string>& train,
                                std::vector<std::string> database_folders) {
  auto catalogs = read_all<Catalog>(tables, read_tables_json);
  if (!catalogs) return catalogs.error();
  auto dev_queries = read_all<GoldQuery>(dev, read_gold);
  if (!dev_queries) return dev_queries.error();
  auto train_queries = read_all<GoldQuery>(train, read_gold);
  if (!train_queries) return train_queries.error();

  GoldData data{std::move(name), *std::move(catalogs), *std::move(dev_queries), *std::move(train_queries),
                std::move(database_folders)};
  for (const Split split : {Split::Dev, Split::Train}) {
    for (const GoldQuery& query : data.queries(split)) {
      if (data.find_catalog(query.db_id)) continue;
      return Error{"the database `" + query.db_id + "` of a query is not described there", tables.front(), {}};
    }
  }
  return data;
}

}  // namespace

Result<std::vector<GoldQuery>> read_gold(const std::string& path) {
  auto text = read_file(path);
  if (!text) return text.error();
  const json root = json::parse(*text, nullptr, /*allow_exceptions=*/false);
  if (!root.is_array()) return Error{"not a JSON array of questions", path, {}};
  std::vector<GoldQuery> queries;
  queries.reserve(root.size());
  for (size_t i = 0; i < root.size(); ++i) {
    auto query = gold_query(root[i], i, path);
    if (!query) return query.error();
    queries.push_back(*std::move(query));
  }
  return queries;
}

std::optional<size_t> GoldData::find_catalog(std::string_view db_id) const {
  for (size_t i = 0; i < catalogs.size(); ++i) {
    if (catalogs[i].name() == db_id) return i;
  }
  return std::nullopt;
}

std::optional<std::string> GoldData::database_path(std::string_view db_id) const {
  for (const std::string& folder : database_folders) {
    const std::string file = std::string(db_id) + ".sqlite";
    for (const auto& path : {std::filesystem::path(folder) / db_id / file, std::filesystem::path(folder) / file}) {
      std::error_code ignored;
      if (std::filesystem::is_regular_file(path, ignored)) return path.string();
    }
  }
  return std::nullopt;
}

Result<GoldData> read_spider(const std::string& folder) {
  return read_benchmark("spider", {folder + "/tables.json"}, {folder + "/dev.json"},
                        {folder + "/train_spider.json", folder + "/train_others.json"}, {folder + "/database"});
}

Result<GoldData> read_bird(const std::string& folder) {
  return read_benchmark("bird", {folder + "/dev/dev_tables.json", folder + "/train/train_tables.json"},
                        {folder + "/dev/dev.json"}, {folder + "/train/train.json"},
                        {folder + "/dev/dev_databases", folder + "/train/train_databases"});
}

}  // namespace pccsql
