#include "eval/record.h"

#include "eval/json.h"

namespace pccsql {
namespace {

Json json_of(const std::vector<RunSetting>& settings) {
  Json json = Json::object();
  for (const RunSetting& setting : settings) json[setting.name] = parsed_json(setting.value).value_or(Json(nullptr));
  return json;
}

template <typename T>
Json json_of(const std::optional<T>& value) {
  return value ? Json(*value) : Json(nullptr);
}

// What is the same each time the run is made.
Json counts_of(const Work& work) {
  return {{"calls", work.calls},
          {"prompt_tokens", work.prompt_tokens},
          {"generated_tokens", work.generated_tokens},
          {"discarded_tokens", work.discarded_tokens}};
}

Json reuse_of(const Work& work) {
  return {{"cached_prompt_tokens", work.cached_prompt_tokens}, {"forward_passes", work.forward_passes}};
}

Json attempts_of(const QuestionRecord& question) {
  Json attempts = Json::array();
  for (const AttemptRecord& attempt : question.attempts) {
    attempts.push_back(
        {{"output", attempt.output}, {"outcome", outcome_name(attempt.outcome)}, {"counts", counts_of(attempt.work)}});
  }
  return attempts;
}

void add_answer(const QuestionRecord& question, Json& json) {
  json["outcome"] = outcome_name(question.outcome);
  json["cause"] = question.cause;
  json["reason"] = question.reason;
  json["sql"] = json_of(question.sql);
  json["output"] = question.output;
  json["withheld"] = json_of(question.withheld);
  json["attempts"] = attempts_of(question);
  json["uses"] = Json::array();
  for (const UseRecord& use : question.uses) {
    json["uses"].push_back({{"table", use.table},
                            {"column", use.column},
                            {"role", to_string(use.role)},
                            {"policy", to_string(use.policy)},
                            {"permitted", use.permitted}});
  }
  json["violations"] = Json::array();
  for (const Violation& violation : question.violations) {
    json["violations"].push_back({{"column", violation.column},
                                  {"policy", to_string(violation.policy)},
                                  {"role", violation.role ? Json(to_string(*violation.role)) : Json(nullptr)}});
  }
  json["blocked"] = Json::array();
  for (const BlockedName& name : question.blocked) {
    json["blocked"].push_back(
        {{"name", name.name}, {"role", name.role}, {"why", name.why}, {"by_policy", name.by_policy}});
  }
  json["kind"] = to_string(question.kind);
  json["withheld_uses"] = Json::array();
  for (const WithheldUse& use : question.withheld_uses) {
    json["withheld_uses"].push_back({{"name", use.name},
                                     {"use", use.use},
                                     {"role", use.role ? Json(to_string(*use.role)) : Json(nullptr)},
                                     {"policy", to_string(use.policy)},
                                     {"output", use.output}});
  }
  json["draft"] = json_of(question.draft);
  if (const auto& uses = question.shared_uses) {
    json["shared_uses"] = {{"shared", uses->shared}, {"answer", uses->answer}, {"gold", uses->gold}};
  }
  json["repeats"] = question.repeats;
}

void add_rows(const QuestionRecord& question, Json& json) {
  json["columns"] = question.columns;
  json["rows"] = Json::array();
  for (const std::vector<Value>& row : question.rows) {
    Json values = Json::array();
    for (const Value& value : row) values.push_back(json_of(value));
    json["rows"].push_back(std::move(values));
  }
  json["row_count"] = json_of(question.row_count);
  json["accuracy"] = {{"multiset", json_of(question.accuracy.multiset)},
                      {"set", json_of(question.accuracy.set)},
                      {"all_instances", json_of(question.accuracy.all_instances)}};
  json["empty_answer"] = question.empty_answer;
  json["leaked_before_refuse"] = question.leaked_before_refuse;
}

void add_costs(const QuestionRecord& question, Json& json) {
  const Counts& counts = question.counts;
  json["counts"] = counts_of(counts.work);
  json["counts"]["forced_tokens"] = counts.forced_tokens;
  json["counts"]["draft_tokens"] = counts.draft_tokens;
  json["counts"]["iterations"] = counts.iterations;
  json["reuse"] = reuse_of(counts.work);
  json["times"] = {
      {"mask_ns", counts.mask_ns},        {"mask_ns_each", question.mask_ns_each}, {"choice_ns", counts.choice_ns},
      {"model_ns", counts.work.model_ns}, {"execution_ns", question.execution_ns}, {"total_ns", counts.total_ns}};
  Json attempts = Json::array();
  Json attempts_reuse = Json::array();
  for (const AttemptRecord& attempt : question.attempts) {
    attempts.push_back(attempt.work.model_ns);
    attempts_reuse.push_back(reuse_of(attempt.work));
  }
  if (question.attempts.empty()) return;
  json["reuse"]["attempts"] = std::move(attempts_reuse);
  json["times"]["attempts_model_ns"] = std::move(attempts);
}

}  // namespace

std::string_view outcome_name(Outcome outcome) {
  switch (outcome) {
    case Outcome::SafeSql:
      return "safe_sql";
    case Outcome::UnsafeSql:
      return "unsafe_sql";
    case Outcome::Refuse:
      return "refuse";
    case Outcome::Failure:
      break;
  }
  return "failure";
}

std::optional<std::string> RunHeader::setting(std::string_view name) const {
  for (const RunSetting& one : settings) {
    if (one.name == name) return one.value;
  }
  return std::nullopt;
}

std::string to_line(const RunHeader& header) {
  const Json json{{"pccsql_run", kRunVersion},
                  {"suite",
                   {{"name", header.suite.name},
                    {"version", header.suite.version},
                    {"profile", header.suite.profile},
                    {"settings", json_of(header.suite.settings)},
                    {"sha256", header.suite.sha256},
                    {"path", header.suite.path}}},
                  {"method", header.method},
                  {"model",
                   {{"name", header.model.name},
                    {"file", header.model.file},
                    {"sha256", header.model.sha256},
                    {"adapter", header.model.adapter}}},
                  {"settings", json_of(header.settings)},
                  {"questions", header.questions},
                  {"version", header.version},
                  {"machine",
                   {{"cpu", header.machine.cpu},
                    {"cores", header.machine.cores},
                    {"model", header.machine.model},
                    {"os", header.machine.os}}},
                  {"started", header.started}};
  return dumped(json) + "\n";
}

std::string to_line(const PromptRecord& prompt) {
  Json json{{"prompt", prompt.sha256}, {"messages", Json::array()}};
  for (const Message& message : prompt.messages) {
    json["messages"].push_back({{"role", to_string(message.speaker)}, {"content", message.text}});
  }
  return dumped(json) + "\n";
}

std::string to_line(const QuestionRecord& question) {
  Json json{{"id", question.id},
            {"db_id", question.db_id},
            {"db_path", question.db_path},
            {"question", question.question},
            {"evidence", json_of(question.evidence)},
            {"gold_label", to_string(question.gold_label)},
            {"gold_sql", question.gold_sql},
            {"policy_sha256", question.policy_sha256},
            {"prompt", question.prompt},
            {"asked", question.asked}};
  add_answer(question, json);
  add_rows(question, json);
  add_costs(question, json);
  return dumped(json) + "\n";
}

std::vector<std::string> differences(const RunHeader& a, const RunHeader& b) {
  std::vector<std::string> found;
  const auto compare = [&found](const std::string& name, const std::string& x, const std::string& y) {
    if (x != y) found.push_back("`" + name + "`: " + (x.empty() ? "none" : x) + ", " + (y.empty() ? "none" : y));
  };
  const auto compare_all = [&](const std::string& before, const std::vector<RunSetting>& x,
                               const std::vector<RunSetting>& y) {
    const auto value = [](const std::vector<RunSetting>& all, const std::string& name) {
      for (const RunSetting& one : all) {
        if (one.name == name) return one.value;
      }
      return std::string();
    };
    for (const RunSetting& one : x) compare(before + one.name, one.value, value(y, one.name));
    for (const RunSetting& one : y) {
      if (value(x, one.name).empty()) compare(before + one.name, "", one.value);
    }
  };
  compare("suite.name", a.suite.name, b.suite.name);
  compare("suite.version", std::to_string(a.suite.version), std::to_string(b.suite.version));
  compare("suite.profile", a.suite.profile, b.suite.profile);
  compare_all("suite.", a.suite.settings, b.suite.settings);
  compare("suite.sha256", a.suite.sha256, b.suite.sha256);
  compare("method", a.method, b.method);
  compare("model.name", a.model.name, b.model.name);
  compare("model.sha256", a.model.sha256, b.model.sha256);
  compare("model.adapter", a.model.adapter, b.model.adapter);
  compare_all("", a.settings, b.settings);
  compare("questions", std::to_string(a.questions), std::to_string(b.questions));
  compare("version", a.version, b.version);
  return found;
}

}  // namespace pccsql
