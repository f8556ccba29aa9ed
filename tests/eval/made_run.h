// Runs made by hand, for tests of what is computed from runs.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "eval/record.h"

namespace pccsql {

// A question with gold label SQL, 100 prompt tokens and 10 generated in one call; what differs is set by the test.
inline QuestionRecord made_question(const std::string& id, Outcome outcome, GoldLabel gold = GoldLabel::Sql) {
  QuestionRecord question;
  question.id = id;
  question.db_id = "shop";
  question.question = "how many items are there?";
  question.gold_label = gold;
  question.gold_sql = "SELECT COUNT(*) FROM item";
  question.prompt = "p0";
  question.asked = question.question;
  question.outcome = outcome;
  if (outcome == Outcome::SafeSql || outcome == Outcome::UnsafeSql) question.sql = "SELECT COUNT(*) FROM item";
  question.output = question.sql.value_or("REFUSE");
  question.counts.work.calls = 1;
  question.counts.work.prompt_tokens = 100;
  question.counts.work.generated_tokens = 10;
  return question;
}

inline QuestionRecord with_accuracy(QuestionRecord question, std::optional<bool> multiset, std::optional<bool> set,
                                    std::optional<bool> all_instances = std::nullopt) {
  question.accuracy = {multiset, set, all_instances};
  return question;
}

inline RunFile made_run(const std::string& method, std::vector<QuestionRecord> questions) {
  RunFile run;
  run.path = method + ".jsonl";
  run.header.suite = {"spider-cu", 1, "paper", {{"p", "0"}}, "5011fe", "spider-cu.jsonl"};
  run.header.method = method;
  run.header.model = {"tiny", "tiny.gguf", "abc", ""};
  run.header.settings = {{"max_tokens", "512"}, {"parallel", "1"}};
  run.header.questions = questions.size();
  run.header.version = "0.1.0";
  run.header.started = "2026-01-31T12:00:00Z";
  run.prompts["p0"] = {"p0", {{Speaker::System, "You write SQL."}, {Speaker::User, "Tables: item(id, name)\n"}}};
  run.questions = std::move(questions);
  return run;
}

// The run as a file's text.
inline std::string as_text(const RunFile& run) {
  std::string text = to_line(run.header);
  for (const auto& [sha256, prompt] : run.prompts) text += to_line(prompt);
  for (const QuestionRecord& question : run.questions) text += to_line(question);
  return text;
}

}  // namespace pccsql
