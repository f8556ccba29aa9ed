#include "suite/suite.h"

#include <array>
#include <filesystem>
#include <set>

#include "base/file.h"
#include "base/json.h"
#include "policy/policy_file.h"
#include "schema/pg_catalog.h"
#include "schema/reader.h"

namespace pccsql {
namespace {

ColumnPolicy most_common(const Table& table, TableId id, const Policy& policy) {
  std::array<size_t, kColumnPolicies.size()> count{};
  for (ColumnIndex column = 0; column < table.columns.size(); ++column) {
    ++count[static_cast<size_t>(policy.of({id, column}))];
  }
  size_t best = 0;
  for (size_t i = 1; i < count.size(); ++i) {
    if (count[i] > count[best]) best = i;
  }
  return kColumnPolicies[best];
}

Json header_of(const Suite& suite) {
  Json settings = Json::object();
  if (suite.settings) {
    settings = {{"p", suite.settings->p}, {"p_relax", suite.settings->p_relax}, {"seed", suite.settings->seed}};
  }
  Json header{{"suite", suite.name},
              {"version", kSuiteVersion},
              {"profile", to_string(suite.profile)},
              {"settings", std::move(settings)},
              {"questions", suite.questions.size()},
              {"execution", suite.execution},
              {"data", suite.data}};
  if (!suite.schemas.empty()) {
    Json schemas = Json::object();
    for (size_t i = 0; i < suite.catalogs.size(); ++i) schemas[suite.catalogs[i].name()] = suite.schemas[i];
    header["schemas"] = std::move(schemas);
    return header;
  }
  Json databases = Json::array();
  for (const Catalog& catalog : suite.catalogs) databases.push_back(*parsed_json(to_tables_json(catalog)));
  header["databases"] = std::move(databases);
  return header;
}

// Reads one file. Every function gives an empty text, or what is wrong with the line at hand.
class SuiteReader {
 public:
  explicit SuiteReader(const std::string& path) : path_(path) {}

  std::string header(const Json& json) {
    if (!json.contains("suite") || !json["suite"].is_string() || !json.contains("version")) {
      return "is not a suite: the first line has no `suite` and `version`; `pccsql suite build` writes such files";
    }
    if (!json["version"].is_number_unsigned() || json["version"] != kSuiteVersion) {
      return "is a suite of version " + dumped(json["version"]) + "; this program reads version " +
             std::to_string(kSuiteVersion) + ": build it again with `pccsql suite build`";
    }
    suite_.name = json["suite"];
    const std::string profile = json.value("profile", "");
    if (profile != "paper" && profile != "strict") return "`profile` is paper or strict";
    suite_.profile = profile == "paper" ? Profile::Paper : Profile::Strict;
    if (!json.contains("execution") || !json["execution"].is_boolean()) return "`execution` is true or false";
    suite_.execution = json["execution"];
    if (!json.contains("data") || !json["data"].is_string()) return "`data` is missing or is not a text";
    suite_.data = json["data"];
    if (!json.contains("questions") || !json["questions"].is_number_unsigned()) {
      return "`questions` is missing or is not a number";
    }
    expected_ = json["questions"];
    return settings(json);
  }

  std::string question(const Json& json) {
    SuiteQuestion question;
    for (const auto& [name, into] :
         {std::pair{"id", &question.id}, std::pair{"db_id", &question.db_id}, std::pair{"db_path", &question.db_path},
          std::pair{"question", &question.question}, std::pair{"gold_sql", &question.gold_sql}}) {
      if (!json.contains(name) || !json[name].is_string()) {
        return "`" + std::string(name) + "` is missing or is not a text";
      }
      *into = json[name];
    }
    if (json.contains("evidence") && !json["evidence"].is_null()) {
      if (!json["evidence"].is_string()) return "`evidence` is a text or null";
      question.evidence = json["evidence"];
    }
    const Json label = json.value("gold_label", Json());
    if (label != "sql" && label != "refuse") return "`gold_label` is sql or refuse";
    question.gold_label = label == "sql" ? GoldLabel::Sql : GoldLabel::Refuse;
    const auto catalog = catalog_of_.find(question.db_id);
    if (catalog == catalog_of_.end()) return "the database `" + question.db_id + "` is not in the first line";
    question.catalog = catalog->second;
    if (!ids_.insert(question.id).second) return "question `" + question.id + "` comes twice";
    if (!json.contains("policy") || !json["policy"].is_object()) return "`policy` is missing or is not an object";
    const std::string text = dumped(json["policy"]);
    const auto [known, added] = policy_of_.try_emplace({question.catalog, text}, suite_.policies.size());
    if (added) {
      auto policy = parse_policy_yaml(text, suite_.catalogs[question.catalog]);
      if (!policy) return "`policy`: " + policy.error().message;
      suite_.policies.push_back({question.catalog, text, *std::move(policy)});
    }
    question.policy = known->second;
    suite_.questions.push_back(std::move(question));
    return "";
  }

  Result<Suite> finish() {
    if (suite_.questions.size() != expected_) {
      return Error{"is not whole: it has " + std::to_string(suite_.questions.size()) +
                       " questions, its first line says " + std::to_string(expected_),
                   path_,
                   {}};
    }
    return std::move(suite_);
  }

 private:
  std::string settings(const Json& json) {
    const Json settings = json.value("settings", Json());
    if (!settings.is_object()) return "`settings` is missing or is not an object";
    if (!settings.empty()) {
      for (const char* name : {"p", "p_relax", "seed"}) {
        if (!settings.contains(name) || !settings[name].is_number()) {
          return "`settings`: `" + std::string(name) + "` is missing or is not a number";
        }
      }
      suite_.settings = Disturbance{settings["p"], settings["p_relax"], settings["seed"]};
    }
    if (json.contains("schemas")) return schemas(json["schemas"]);
    const Json databases = json.value("databases", Json());
    auto catalogs = parse_tables_json(dumped(databases), path_);
    if (!catalogs) return "`databases`: " + catalogs.error().message;
    for (Catalog& catalog : *catalogs) {
      catalog_of_.emplace(catalog.name(), suite_.catalogs.size());
      suite_.catalogs.push_back(std::move(catalog));
    }
    return "";
  }

  std::string schemas(const Json& json) {
    if (!json.is_object() || json.empty()) return "`schemas` is an object: for each database the text that makes it";
    if (suite_.profile != Profile::Strict) return "a suite on PostgreSQL is of the profile `strict`";
    for (const auto& [name, ddl] : json.items()) {
      if (!ddl.is_string()) return "`schemas`: `" + name + "` is no text";
      auto catalog = read_pg_dump(ddl.get<std::string>(), "", "public", name);
      if (!catalog) return "`schemas`: `" + name + "`: " + catalog.error().message;
      catalog_of_.emplace(name, suite_.catalogs.size());
      suite_.catalogs.push_back(*std::move(catalog));
      suite_.schemas.push_back(ddl);
    }
    return "";
  }

  const std::string& path_;
  Suite suite_;
  size_t expected_ = 0;
  std::map<std::string, size_t> catalog_of_;
  std::map<std::pair<size_t, std::string>, size_t> policy_of_;
  std::set<std::string> ids_;
};

}  // namespace

std::string database_file(const Suite& suite, const SuiteQuestion& question, const std::optional<std::string>& data) {
  if (question.db_path.empty() || is_pg_address(question.db_path)) return question.db_path;
  return (std::filesystem::path(data.value_or(suite.data)) / question.db_path).string();
}

std::string policy_json(const Catalog& catalog, const Policy& policy) {
  Json tables = Json::object();
  for (TableId id = 0; id < catalog.tables().size(); ++id) {
    const Table& table = catalog.table(id);
    if (policy.all_hidden(id)) continue;
    const ColumnPolicy usual = most_common(table, id, policy);
    Json columns{{"*", to_string(usual)}};
    for (ColumnIndex column = 0; column < table.columns.size(); ++column) {
      const ColumnPolicy one = policy.of({id, column});
      if (one != usual) columns[table.columns[column].name] = to_string(one);
    }
    tables[table.name] = std::move(columns);
  }
  return dumped({{"version", 1}, {"default", "Hidden"}, {"tables", std::move(tables)}});
}

std::string to_text(const Suite& suite) {
  std::vector<Json> policies;
  for (const SuitePolicy& policy : suite.policies) policies.push_back(*parsed_json(policy.text));
  std::string text = dumped(header_of(suite)) + "\n";
  for (const SuiteQuestion& question : suite.questions) {
    text += dumped({{"id", question.id},
                    {"db_id", question.db_id},
                    {"db_path", question.db_path},
                    {"question", question.question},
                    {"evidence", question.evidence ? Json(*question.evidence) : Json(nullptr)},
                    {"gold_sql", question.gold_sql},
                    {"gold_label", to_string(question.gold_label)},
                    {"policy", policies[question.policy]}}) +
            "\n";
  }
  return text;
}

Result<Suite> parse_suite(std::string_view text, const std::string& path) {
  SuiteReader reader(path);
  uint32_t line_number = 0;
  while (!text.empty()) {
    const size_t end = text.find('\n');
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    ++line_number;
    const auto json = parsed_json(line);
    std::string problem = "is not a line of a suite: no JSON object, or a damaged one";
    if (json && json->is_object()) problem = line_number == 1 ? reader.header(*json) : reader.question(*json);
    if (!problem.empty()) return Error{problem, path, {line_number, 1}};
  }
  if (line_number == 0) return Error{"is empty; a suite has a first line that names it", path, {}};
  return reader.finish();
}

Result<Suite> read_suite(const std::string& path) {
  const auto text = read_file(path);
  if (!text) return text.error();
  return parse_suite(*text, path);
}

SuiteStatistics statistics_of(const Suite& suite, const std::function<void(size_t)>& done) {
  std::vector<GoldCounter> counters;
  counters.reserve(suite.catalogs.size());
  for (const Catalog& catalog : suite.catalogs) counters.emplace_back(catalog, suite.profile);
  SuiteStatistics statistics;
  for (size_t i = 0; i < suite.questions.size(); ++i) {
    const SuiteQuestion& question = suite.questions[i];
    counters[question.catalog].add(question.gold_sql, suite.policies[question.policy].policy, question.gold_label,
                                   statistics);
    if (done) done(i + 1);
  }
  return statistics;
}

}  // namespace pccsql
