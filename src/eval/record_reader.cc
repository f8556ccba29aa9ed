// Reads runs back. A file that a person or another program has touched must not pass for a run: every field is asked
// for by its name and kind, and a line without one is an Error that says which.
#include <algorithm>
#include <set>

#include "base/file.h"
#include "eval/json.h"
#include "eval/record.h"

namespace pccsql {
namespace {

// Reads the fields of one line. The first that is missing or of another kind is kept; what is read after it is empty.
class Fields {
 public:
  Fields(const Json& json, std::string* problem) : json_(json), problem_(*problem) {}

  std::string text(const char* name) const { return get<std::string>(name, "a text", &Json::is_string); }
  uint64_t number(const char* name) const { return get<uint64_t>(name, "a whole number", &Json::is_number_unsigned); }
  bool truth(const char* name) const { return get<bool>(name, "true or false", &Json::is_boolean); }
  std::optional<std::string> optional_text(const char* name) const {
    return is_null(name) ? std::nullopt : std::optional(text(name));
  }
  std::optional<bool> optional_truth(const char* name) const {
    return is_null(name) ? std::nullopt : std::optional(truth(name));
  }
  std::optional<uint64_t> optional_number(const char* name) const {
    return is_null(name) ? std::nullopt : std::optional(number(name));
  }
  Fields object(const char* name) const { return {child(name, "an object", &Json::is_object), &problem_}; }
  // Calls `read(Fields)` for each object of a list.
  template <typename Read>
  void each(const char* name, const Read& read) const {
    for (const Json& one : child(name, "a list", &Json::is_array)) {
      if (!one.is_object()) complain(name, "a list of objects");
      read(Fields(one.is_object() ? one : empty(), &problem_));
    }
  }
  std::vector<std::string> texts(const char* name) const {
    std::vector<std::string> all;
    for (const Json& one : child(name, "a list", &Json::is_array)) {
      if (!one.is_string()) complain(name, "a list of texts");
      all.push_back(one.is_string() ? one.get<std::string>() : std::string());
    }
    return all;
  }
  std::vector<uint64_t> numbers(const char* name) const {
    std::vector<uint64_t> all;
    for (const Json& one : child(name, "a list", &Json::is_array)) {
      if (!one.is_number_unsigned()) complain(name, "a list of whole numbers");
      all.push_back(one.is_number_unsigned() ? one.get<uint64_t>() : 0);
    }
    return all;
  }
  std::vector<std::vector<Value>> rows(const char* name) const {
    std::vector<std::vector<Value>> all;
    for (const Json& row : child(name, "a list", &Json::is_array)) {
      if (!row.is_array()) complain(name, "a list of lists");
      std::vector<Value>& values = all.emplace_back();
      for (const Json& value : row.is_array() ? row : empty()) values.push_back(value_of(value));
    }
    return all;
  }
  std::vector<RunSetting> settings(const char* name) const {
    std::vector<RunSetting> all;
    for (const auto& [key, value] : child(name, "an object", &Json::is_object).items()) {
      all.push_back({key, dumped(value)});
    }
    return all;
  }
  bool has(const char* name) const { return json_.contains(name); }

  void complain(const char* name, const std::string& kind) const {
    if (problem_.empty()) problem_ = "`" + std::string(name) + "` is missing or is not " + kind;
  }

 private:
  using Is = bool (Json::*)() const noexcept;

  static const Json& empty() {
    static const Json nothing = Json::object();
    return nothing;
  }
  bool is_null(const char* name) const { return json_.contains(name) && json_.at(name).is_null(); }
  const Json& child(const char* name, const char* kind, Is is) const {
    const auto found = json_.find(name);
    if (found != json_.end() && ((*found).*is)()) return *found;
    complain(name, kind);
    return empty();
  }
  template <typename T>
  T get(const char* name, const char* kind, Is is) const {
    const auto found = json_.find(name);
    if (found != json_.end() && ((*found).*is)()) return found->get<T>();
    complain(name, kind);
    return T();
  }

  const Json& json_;
  std::string& problem_;
};

template <typename Enum, typename All, typename Name>
Enum one_of(const Fields& fields, const char* field, const All& all, const Name& name) {
  const std::string text = fields.text(field);
  for (const Enum value : all) {
    if (text == name(value)) return value;
  }
  fields.complain(field, "one that is known");
  return Enum{};
}

Outcome outcome_of(const Fields& fields) {
  constexpr Outcome kAll[] = {Outcome::SafeSql, Outcome::UnsafeSql, Outcome::Refuse, Outcome::Failure};
  return one_of<Outcome>(fields, "outcome", kAll, outcome_name);
}

Role role_of(const Fields& fields) {
  return one_of<Role>(fields, "role", kRoles, [](Role role) { return to_string(role); });
}

ColumnPolicy policy_of(const Fields& fields) {
  const auto policy = parse_column_policy(fields.text("policy"));
  if (!policy) fields.complain("policy", "one that is known");
  return policy.value_or(ColumnPolicy::Hidden);
}

void read_counts(const Fields& counts, Work& work) {
  work.calls = counts.number("calls");
  work.prompt_tokens = counts.number("prompt_tokens");
  work.generated_tokens = counts.number("generated_tokens");
  work.discarded_tokens = counts.number("discarded_tokens");
}

void read_reuse(const Fields& reuse, Work& work) {
  work.cached_prompt_tokens = reuse.number("cached_prompt_tokens");
  work.forward_passes = reuse.number("forward_passes");
}

RunHeader read_header(const Fields& fields) {
  RunHeader header;
  const Fields suite = fields.object("suite");
  header.suite = {suite.text("name"),    static_cast<int>(suite.number("version")),
                  suite.text("profile"), suite.settings("settings"),
                  suite.text("sha256"),  suite.text("path")};
  header.method = fields.text("method");
  const Fields model = fields.object("model");
  header.model = {model.text("name"), model.text("file"), model.text("sha256"), model.text("adapter")};
  header.settings = fields.settings("settings");
  header.questions = fields.number("questions");
  header.version = fields.text("version");
  const Fields machine = fields.object("machine");
  header.machine = {machine.text("cpu"), static_cast<uint32_t>(machine.number("cores")), machine.text("model"),
                    machine.text("os")};
  header.started = fields.text("started");
  return header;
}

PromptRecord read_prompt(const Fields& fields) {
  PromptRecord prompt;
  prompt.sha256 = fields.text("prompt");
  fields.each("messages", [&prompt](const Fields& message) {
    constexpr Speaker kAll[] = {Speaker::System, Speaker::User, Speaker::Assistant};
    const Speaker speaker = one_of<Speaker>(message, "role", kAll, [](Speaker one) { return to_string(one); });
    prompt.messages.push_back({speaker, message.text("content")});
  });
  return prompt;
}

void read_answer(const Fields& fields, QuestionRecord& question) {
  question.outcome = outcome_of(fields);
  question.cause = fields.text("cause");
  question.reason = fields.text("reason");
  question.sql = fields.optional_text("sql");
  question.output = fields.text("output");
  question.withheld = fields.optional_text("withheld");
  fields.each("attempts", [&question](const Fields& attempt) {
    AttemptRecord made;
    made.output = attempt.text("output");
    made.outcome = outcome_of(attempt);
    read_counts(attempt.object("counts"), made.work);
    question.attempts.push_back(std::move(made));
  });
  fields.each("uses", [&question](const Fields& use) {
    question.uses.push_back(
        {use.text("table"), use.text("column"), role_of(use), policy_of(use), use.truth("permitted")});
  });
  fields.each("violations", [&question](const Fields& violation) {
    const bool whole_table = !violation.optional_text("role");
    question.violations.push_back({violation.text("column"), policy_of(violation),
                                   whole_table ? std::optional<Role>() : std::optional(role_of(violation))});
  });
  fields.each("blocked", [&question](const Fields& name) {
    question.blocked.push_back({name.text("name"), name.text("role"), name.text("why"), name.truth("by_policy")});
  });
  if (!fields.has("kind")) {  // a run of a program that knew no kinds of answers: each was all or nothing
    question.kind = question.outcome == Outcome::SafeSql                                             ? AnswerKind::Answered
                    : question.outcome == Outcome::Failure || question.cause == to_string(Cause::Fault) ? AnswerKind::Failed
                                                                                                     : AnswerKind::Refused;
    return;
  }
  constexpr AnswerKind kKinds[] = {AnswerKind::Answered, AnswerKind::Partial, AnswerKind::Refused, AnswerKind::Failed};
  question.kind = one_of<AnswerKind>(fields, "kind", kKinds, [](AnswerKind kind) { return to_string(kind); });
  fields.each("withheld_uses", [&question](const Fields& use) {
    const auto role = use.optional_text("role") ? std::optional(role_of(use)) : std::optional<Role>();
    question.withheld_uses.push_back(
        {use.text("name"), use.text("use"), role, policy_of(use), use.truth("output"), {}, {}});
  });
  question.draft = fields.optional_text("draft");
  if (fields.has("shared_uses")) {
    const Fields uses = fields.object("shared_uses");
    question.shared_uses = {uses.number("shared"), uses.number("answer"), uses.number("gold")};
  }
  question.repeats = fields.truth("repeats");
}

void read_rows(const Fields& fields, QuestionRecord& question) {
  question.columns = fields.texts("columns");
  question.rows = fields.rows("rows");
  question.row_count = fields.optional_number("row_count");
  const Fields accuracy = fields.object("accuracy");
  question.accuracy = {accuracy.optional_truth("multiset"), accuracy.optional_truth("set"),
                       accuracy.optional_truth("all_instances")};
  question.empty_answer = fields.text("empty_answer");
  question.leaked_before_refuse = fields.truth("leaked_before_refuse");
}

void read_costs(const Fields& fields, QuestionRecord& question) {
  Counts& counts = question.counts;
  const Fields counted = fields.object("counts");
  read_counts(counted, counts.work);
  counts.forced_tokens = counted.number("forced_tokens");
  if (counted.has("draft_tokens")) counts.draft_tokens = counted.number("draft_tokens");
  counts.iterations = counted.number("iterations");
  const Fields reuse = fields.object("reuse");
  read_reuse(reuse, counts.work);
  const Fields times = fields.object("times");
  counts.mask_ns = times.number("mask_ns");
  question.mask_ns_each = times.numbers("mask_ns_each");
  counts.choice_ns = times.number("choice_ns");
  counts.work.model_ns = times.number("model_ns");
  question.execution_ns = times.number("execution_ns");
  counts.total_ns = times.number("total_ns");
  if (question.attempts.empty()) return;
  size_t attempt = 0;
  reuse.each("attempts", [&](const Fields& one) {
    if (attempt < question.attempts.size()) read_reuse(one, question.attempts[attempt++].work);
  });
  const std::vector<uint64_t> model_ns = times.numbers("attempts_model_ns");
  for (size_t i = 0; i < std::min(model_ns.size(), question.attempts.size()); ++i) {
    question.attempts[i].work.model_ns = model_ns[i];
  }
}

QuestionRecord read_question(const Fields& fields) {
  QuestionRecord question;
  question.id = fields.text("id");
  question.db_id = fields.text("db_id");
  question.db_path = fields.text("db_path");
  question.question = fields.text("question");
  question.evidence = fields.optional_text("evidence");
  constexpr GoldLabel kLabels[] = {GoldLabel::Sql, GoldLabel::Refuse};
  question.gold_label =
      one_of<GoldLabel>(fields, "gold_label", kLabels, [](GoldLabel label) { return to_string(label); });
  question.gold_sql = fields.text("gold_sql");
  question.policy_sha256 = fields.text("policy_sha256");
  question.prompt = fields.text("prompt");
  question.asked = fields.text("asked");
  read_answer(fields, question);
  read_rows(fields, question);
  read_costs(fields, question);
  return question;
}

}  // namespace

Result<RunFile> parse_run(std::string_view text, const std::string& path) {
  RunFile run;
  run.path = path;
  std::set<std::string> ids;
  uint32_t line_number = 0;
  const auto wrong = [&](const std::string& message) { return Error{message, path, {line_number, 1}}; };
  while (run.whole_bytes < text.size()) {
    const std::string_view rest = text.substr(run.whole_bytes);
    const size_t end = rest.find('\n');
    if (end == std::string_view::npos) break;
    ++line_number;
    const auto json = parsed_json(rest.substr(0, end));
    if (!json || !json->is_object()) return wrong("is not a line of a run: no JSON object, or a damaged one");
    std::string problem;
    const Fields fields(*json, &problem);
    if (line_number == 1) {
      if (!fields.has("pccsql_run")) {
        return wrong("is not a run: the first line has no `pccsql_run`; `pccsql eval run` writes such files");
      }
      const uint64_t version = fields.number("pccsql_run");
      if (problem.empty() && version != kRunVersion) {
        return wrong("is a run of version " + std::to_string(version) + "; this program reads version " +
                     std::to_string(kRunVersion));
      }
      run.header = read_header(fields);
    } else if (fields.has("messages")) {
      PromptRecord prompt = read_prompt(fields);
      run.prompts.emplace(prompt.sha256, std::move(prompt));
    } else {
      run.questions.push_back(read_question(fields));
      const QuestionRecord& question = run.questions.back();
      if (problem.empty() && !ids.insert(question.id).second) problem = "question `" + question.id + "` comes twice";
      if (problem.empty() && !run.prompts.contains(question.prompt)) {
        problem = "question `" + question.id + "` names a prompt that no line before it tells";
      }
    }
    if (!problem.empty()) return wrong(problem);
    run.whole_bytes += end + 1;
  }
  run.torn = run.whole_bytes < text.size();
  if (line_number == 0) {
    return Error{
        text.empty() ? "is empty; a run has a header line" : "has no whole line; a run has a header line", path, {}};
  }
  if (run.questions.size() > run.header.questions) {
    return Error{"has " + std::to_string(run.questions.size()) + " questions, its header says " +
                     std::to_string(run.header.questions),
                 path,
                 {}};
  }
  return run;
}

Result<RunFile> read_run(const std::string& path) {
  const auto text = read_file(path);
  if (!text) return text.error();
  return parse_run(*text, path);
}

}  // namespace pccsql
