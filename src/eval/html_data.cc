// What the drill-down of the page shows, as JSON: questions once, and for each run its answers.
#include <map>

#include "base/json.h"
#include "eval/causes.h"
#include "eval/html_page.h"
#include "eval/json.h"

namespace pccsql {
namespace {

// JSON knows these characters only inside strings, where their escapes mean the same.
std::string without_markup(const std::string& json) {
  std::string out;
  out.reserve(json.size());
  for (size_t i = 0; i < json.size(); ++i) {
    const char c = json[i];
    if (c == '<') {
      out += "\\u003c";
    } else if (c == '>') {
      out += "\\u003e";
    } else if (c == '&') {
      out += "\\u0026";
    } else if (json.compare(i, 3, "\xE2\x80\xA8") == 0 || json.compare(i, 3, "\xE2\x80\xA9") == 0) {
      out += json[i + 2] == '\xA8' ? "\\u2028" : "\\u2029";
      i += 2;
    } else {
      out += c;
    }
  }
  return out;
}

Json optional_json(const std::optional<std::string>& text) { return text ? Json(*text) : Json(nullptr); }

Json answer_json(const QuestionRecord& question, size_t index) {
  const Work& work = question.counts.work;
  Json json{{"question", index},
            {"gold_label", to_string(question.gold_label)},
            {"outcome", outcome_name(question.outcome)},
            {"missed", miss_class(question).value_or("")},
            {"reason", question.reason},
            {"sql", optional_json(question.sql)},
            {"output", question.output},
            {"withheld", optional_json(question.withheld)},
            {"empty_answer", question.empty_answer},
            {"prompt", question.prompt},
            {"asked", question.asked},
            {"columns", question.columns},
            {"row_count", question.row_count ? Json(*question.row_count) : Json(nullptr)}};
  const bool compared = question.gold_label == GoldLabel::Sql && question.accuracy.multiset;
  json["right"] = compared ? Json(*question.accuracy.multiset) : Json(nullptr);
  json["attempts"] = Json::array();
  for (const AttemptRecord& attempt : question.attempts) {
    json["attempts"].push_back(Json::array({outcome_name(attempt.outcome), attempt.output}));
  }
  json["uses"] = Json::array();
  for (const UseRecord& use : question.uses) {
    json["uses"].push_back({{"column", use.table + "." + use.column},
                            {"role", to_string(use.role)},
                            {"policy", to_string(use.policy)},
                            {"permitted", use.permitted}});
  }
  json["blocked"] = Json::array();
  for (const BlockedName& name : question.blocked) {
    json["blocked"].push_back(Json::array({name.name, name.role, name.why}));
  }
  json["rows"] = Json::array();
  for (const std::vector<Value>& row : question.rows) {
    Json values = Json::array();
    for (const Value& value : row) values.push_back(json_of(value));
    json["rows"].push_back(std::move(values));
  }
  json["cost"] = {{"calls", work.calls},
                  {"prompt_tokens", work.prompt_tokens},
                  {"cached_prompt_tokens", work.cached_prompt_tokens},
                  {"generated_tokens", work.generated_tokens},
                  {"forced_tokens", question.counts.forced_tokens},
                  {"discarded_tokens", work.discarded_tokens},
                  {"mask_ns", question.counts.mask_ns},
                  {"total_ns", question.counts.total_ns}};
  return json;
}

}  // namespace

std::string script_json(const EvalReport& report) {
  Json json{{"prompts", Json::object()}, {"questions", Json::array()}, {"rows", Json::array()}};
  std::map<std::string, size_t> index_of;
  for (const ReportRow& row : report.rows) {
    for (const auto& [sha256, prompt] : row.run.prompts) {
      if (json["prompts"].contains(sha256)) continue;
      Json messages = Json::array();
      for (const Message& message : prompt.messages) {
        messages.push_back(Json::array({to_string(message.speaker), message.text}));
      }
      json["prompts"][sha256] = std::move(messages);
    }
    Json answers = Json::array();
    for (const QuestionRecord& question : row.run.questions) {
      const auto [at, fresh] = index_of.try_emplace(question.id, index_of.size());
      if (fresh) {
        json["questions"].push_back({{"id", question.id},
                                     {"db_id", question.db_id},
                                     {"question", question.question},
                                     {"evidence", optional_json(question.evidence)},
                                     {"gold_sql", question.gold_sql}});
      }
      answers.push_back(answer_json(question, at->second));
    }
    json["rows"].push_back({{"label", row.label}, {"answers", std::move(answers)}});
  }
  return without_markup(dumped(json));
}

}  // namespace pccsql
