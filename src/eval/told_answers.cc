#include "eval/told_answers.h"

#include <utility>

#include "base/json.h"
#include "decode/common.h"
#include "prompt/output.h"
#include "prompt/prompts.h"
#include "suite/suite.h"

namespace pccsql {
namespace {

class ToldDecoder final : public Decoder {
 public:
  ToldDecoder(Method method, ToldAnswers& answers, const DecodeSettings& settings)
      : Decoder(method, settings), answers_(answers), max_tokens_(settings.max_tokens) {}

 protected:
  void decode(Subject& subject, const Question& question, const Listener& listener, Answer& answer) override {
    const PromptText& prompt = prompt_for(subject, question, answer);
    const Json request = {{"db_id", subject.catalog().name()},
                          {"policy", policy_json(subject.catalog(), subject.policy())},
                          {"system", prompt.system},
                          {"user", prompt.user},
                          {"question", question.text},
                          {"evidence", question.evidence ? Json(*question.evidence) : Json(nullptr)},
                          {"max_tokens", max_tokens_}};
    const auto line = answers_.ask(dumped(request), listener.stop);
    if (!line) {  // the run ends here, and goes on with this question another time
      answer.stopped = true;
      return fail(answer, Cause::Stopped, line.error().message);
    }
    const std::optional<Json> told = parsed_json(*line);
    if (!told) return fail(answer, Cause::ModelError, "the answer is no JSON");
    answer.counts.work.calls = count(*told, "calls", 1);
    answer.counts.work.prompt_tokens = count(*told, "prompt_tokens", 0);
    answer.counts.work.generated_tokens = count(*told, "generated_tokens", 0);
    if (const auto why = text(*told, "error")) return fail(answer, Cause::ModelError, "the model failed: " + *why);
    if (const auto why = text(*told, "refused")) return refuse(answer, Cause::RefusedByMask, *why);
    auto output = text(*told, "text");
    if (!output) return fail(answer, Cause::ModelError, "the answer has none of `text`, `refused` and `error`");
    judge(*output, subject, answer);
    answer.output = *std::move(output);
  }

 private:
  static std::optional<std::string> text(const Json& told, const char* name) {
    const auto found = told.find(name);
    if (found == told.end() || !found->is_string()) return std::nullopt;
    return found->get<std::string>();
  }
  static uint64_t count(const Json& told, const char* name, uint64_t otherwise) {
    const auto found = told.find(name);
    return found == told.end() || !found->is_number_unsigned() ? otherwise : found->get<uint64_t>();
  }

  void judge(const std::string& output, Subject& subject, Answer& answer) const {
    const std::string sql = method() == Method::Pcc ? output : sql_of_output(output);
    if (is_refusal(sql)) return refuse(answer, Cause::RefusedByModel, "the model chose to refuse");
    subject.judge(sql, answer);
    if (sql.empty()) {
      answer.sql.reset();
      return fail(answer, Cause::Empty, "the model wrote nothing");
    }
    if (method() != Method::Pcc || answer.outcome == Answer::Outcome::SafeSql) return;
    refuse(answer, Cause::RefusedByCheck, "withheld: " + answer.reason);
    answer.withheld = sql;
  }

  ToldAnswers& answers_;
  const size_t max_tokens_;
};

}  // namespace

Result<std::string> ToldAnswers::ask(const std::string& request, const std::atomic<bool>* stop) {
  std::unique_lock lock(mutex_);
  if (over_) return *over_;
  const uint64_t number = next_++;
  answers_.emplace(number, std::nullopt);
  out_ << "{\"n\": " << number << ", " << request.substr(1) << std::endl;
  while (!answers_[number]) {
    if (over_) return *over_;
    if (stop != nullptr && stop->load(std::memory_order_relaxed)) return Error{"stopped", {}, {}};
    if (reading_) {
      came_.wait(lock);
      continue;
    }
    // Whoever waits and finds nobody reading reads for all.
    over_ = read_one(lock);
    came_.notify_all();
  }
  std::string line = *std::move(answers_[number]);
  answers_.erase(number);
  return line;
}

std::optional<Error> ToldAnswers::read_one(std::unique_lock<std::mutex>& lock) {
  reading_ = true;
  lock.unlock();
  std::string line;
  const bool got = static_cast<bool>(std::getline(in_, line));
  lock.lock();
  reading_ = false;
  if (!got) return Error{"no more answers came", {}, {}};
  const std::optional<Json> told = parsed_json(line);
  const auto number = told && told->is_object() ? told->find("n") : Json::const_iterator();
  if (!told || !told->is_object() || number == told->end() || !number->is_number_unsigned()) {
    return Error{"an answer is an object with the number `n` of its question", {}, {}};
  }
  const auto asked = answers_.find(number->get<uint64_t>());
  if (asked == answers_.end() || asked->second) return Error{"an answer came to a question that is not open", {}, {}};
  asked->second = std::move(line);
  return std::nullopt;
}

Result<std::unique_ptr<Decoder>> make_told_decoder(Method method, ToldAnswers& answers,
                                                   const DecodeSettings& settings) {
  if (method != Method::Direct && method != Method::Pcc) {
    return Error{"answers from outside are `direct` or `pcc`, not `" + std::string(to_string(method)) + "`", {}, {}};
  }
  return std::unique_ptr<Decoder>(std::make_unique<ToldDecoder>(method, answers, settings));
}

}  // namespace pccsql
