#include "suite/build.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <tuple>

#include "base/file.h"
#include "base/json.h"
#include "policy/policy_file.h"
#include "schema/reader.h"

namespace pccsql {
namespace {

std::string absolute_path(const std::string& path) {
  std::error_code failed;
  const auto absolute = std::filesystem::absolute(path, failed);
  std::string text = (failed ? std::filesystem::path(path) : absolute).lexically_normal().string();
  while (text.size() > 1 && text.ends_with('/')) text.pop_back();
  return text;
}

// A question's database below `root`; elsewhere: absolute.
std::string path_below(const std::string& root, const std::string& path) {
  const std::string absolute = absolute_path(path);
  return absolute.starts_with(root + "/") ? absolute.substr(root.size() + 1) : absolute;
}

// Puts questions together; catalogues and policies come in as they are first used.
class Builder {
 public:
  Builder(std::string name, const BuildOptions& options, std::string id_prefix)
      : options_(options), id_prefix_(std::move(id_prefix)) {
    suite_.name = std::move(name);
    suite_.profile = options.profile;
    suite_.data = absolute_path(options.folder);
  }

  void add(const Catalog& catalog, const Policy& policy, size_t number, const GoldQuery& query, GoldLabel label,
           const std::optional<std::string>& database) {
    SuiteQuestion question;
    question.id = id_prefix_ + std::to_string(number);
    question.db_id = query.db_id;
    if (database) question.db_path = path_below(suite_.data, *database);
    question.question = query.question;
    question.evidence = query.evidence;
    question.gold_sql = query.sql;
    question.gold_label = label == GoldLabel::Refuse ? GoldLabel::Refuse : GoldLabel::Sql;
    const auto [entry, added] = catalog_of_.try_emplace(query.db_id, suite_.catalogs.size());
    if (added) suite_.catalogs.push_back(catalog);
    question.catalog = entry->second;
    std::string text = policy_json(catalog, policy);
    const auto [known, is_new] = policy_of_.try_emplace({question.catalog, text}, suite_.policies.size());
    if (is_new) suite_.policies.push_back({question.catalog, std::move(text), policy});
    question.policy = known->second;
    suite_.questions.push_back(std::move(question));
    if (options_.done) options_.done(suite_.questions.size());
  }

  Suite& suite() { return suite_; }

 private:
  const BuildOptions& options_;
  std::string id_prefix_;
  Suite suite_;
  std::map<std::string, size_t> catalog_of_;
  std::map<std::pair<size_t, std::string>, size_t> policy_of_;
};

Result<Suite> build_column_use(const std::string& name, Result<GoldData> read, const BuildOptions& options) {
  if (!read) return read.error();
  GoldData& data = *read;
  data.database_folders.insert(data.database_folders.end(), options.databases.begin(), options.databases.end());
  const std::vector<Policy> policies = column_policies(data, options.disturbance);
  const LabelledGold gold = label_gold(data, Split::Dev, policies, options.profile);
  Builder builder(name, options, data.name + "-dev-");
  builder.suite().settings = options.disturbance;
  for (size_t i = 0; i < data.dev.size(); ++i) {
    const size_t catalog = *data.find_catalog(data.dev[i].db_id);
    builder.add(data.catalogs[catalog], policies[catalog], i, data.dev[i], gold.labels[i],
                data.database_path(data.dev[i].db_id));
  }
  return std::move(builder.suite());
}

struct AclRecord {
  size_t number = 0;
  GoldQuery query;
  GoldLabel label = GoldLabel::Sql;
  std::string user;
  std::string grants;
};

Result<std::vector<AclRecord>> read_acl(const std::string& path) {
  const auto text = read_file(path);
  if (!text) return text.error();
  std::vector<AclRecord> records;
  std::string_view rest = *text;
  for (uint32_t line = 1; !rest.empty(); ++line) {
    const size_t end = rest.find('\n');
    const std::string_view one = rest.substr(0, end);
    rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
    const auto json = parsed_json(one);
    if (!json || !json->is_object()) return Error{"a record was expected: a JSON object", path, {line, 1}};
    AclRecord record;
    record.number = records.size();
    std::string label;
    for (const auto& [name, into] :
         {std::pair{"db_id", &record.query.db_id}, std::pair{"question", &record.query.question},
          std::pair{"query", &record.query.sql}, std::pair{"user", &record.user},
          std::pair{"access_policy_sql", &record.grants}, std::pair{"ground_truth_label", &label}}) {
      if (!json->contains(name) || !(*json)[name].is_string()) {
        return Error{"`" + std::string(name) + "` is missing or is not a text", path, {line, 1}};
      }
      *into = (*json)[name];
    }
    record.label = label.starts_with("ERROR") ? GoldLabel::Refuse : GoldLabel::Sql;
    records.push_back(std::move(record));
  }
  return records;
}

}  // namespace

Result<Suite> build_spider_cu(const BuildOptions& options) {
  return build_column_use("spider-cu", read_spider(options.folder), options);
}

Result<Suite> build_bird_cu(const BuildOptions& options) {
  return build_column_use("bird-cu", read_bird(options.folder), options);
}

Result<Suite> build_spider_acl(const BuildOptions& options) {
  const auto catalogs = read_tables_json(options.folder + "/tables.json");
  if (!catalogs) return catalogs.error();
  auto records = read_acl(options.acl);
  if (!records) return records.error();
  // Databases in the order in which the data first name them, then users, then the data's own order.
  std::map<std::string, size_t> order;
  for (const AclRecord& record : *records) order.try_emplace(record.query.db_id, order.size());
  std::ranges::stable_sort(*records, {}, [&order](const AclRecord& record) {
    return std::pair<size_t, const std::string&>(order.at(record.query.db_id), record.user);
  });

  Builder builder("spider-acl", options, "spider-acl-");
  builder.suite().execution = false;
  std::map<std::string, const Catalog*> catalog_of;
  for (const Catalog& catalog : *catalogs) catalog_of.emplace(catalog.name(), &catalog);
  std::map<std::tuple<std::string, std::string, std::string>, Policy> policies;
  for (const AclRecord& record : *records) {
    const std::string& db_id = record.query.db_id;
    const auto where = "record " + std::to_string(record.number + 1) + ": ";
    const auto catalog = catalog_of.find(db_id);
    if (catalog == catalog_of.end()) {
      return Error{
          where + "the database `" + db_id + "` is not in `" + options.folder + "/tables.json`", options.acl, {}};
    }
    auto policy = policies.find({db_id, record.user, record.grants});
    if (policy == policies.end()) {
      // The grants call the users of a database by its name: `<db_id>_User_1`.
      auto granted = parse_policy_grants(record.grants, *catalog->second, db_id + "_" + record.user);
      if (!granted) return Error{where + granted.error().message, options.acl, {}};
      policy = policies.emplace(std::tuple(db_id, record.user, record.grants), *std::move(granted)).first;
    }
    builder.add(*catalog->second, policy->second, record.number, record.query, record.label, std::nullopt);
  }
  return std::move(builder.suite());
}

}  // namespace pccsql
