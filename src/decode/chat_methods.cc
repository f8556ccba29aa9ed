#include "decode/chat_methods.h"

#include "base/text.h"
#include "decode/common.h"
#include "prompt/output.h"

namespace pccsql {

std::optional<std::string> ChatDecoder::ask(const PromptText& prompt, const Listener& listener, Answer& answer) {
  if (is_stopped(listener)) {
    fail(answer, Error{"stopped", {}, {}}, listener);
    return std::nullopt;
  }
  const std::vector<Message> messages = messages_of(prompt);
  CompletionOptions options;
  options.max_tokens = settings_.max_tokens;
  options.stable_bytes = prompt.stable_bytes;
  options.on_text = listener.on_text;
  auto completion = model_.complete(messages, options);
  if (!completion) {
    fail(answer, completion.error(), listener);
    return std::nullopt;
  }
  answer.counts.work += completion->work;
  if (settings_.trace) {
    TraceStep step;
    step.kind = TraceStep::Kind::Output;
    step.text = prompt.user;
    step.token = completion->text;
    answer.trace.push_back(std::move(step));
  }
  return std::move(completion->text);
}

void ChatDecoder::judge(std::string_view output, Subject& subject, Answer& answer) const {
  const std::string sql = sql_of_output(output);
  answer.violations.clear();
  if (is_refusal(sql)) return refuse(answer, Cause::RefusedByModel, "the model chose to refuse");
  subject.judge(sql, answer);
  if (sql.empty()) {
    answer.sql.reset();
    fail(answer, Cause::Empty, "the model wrote nothing");
  }
}

void ChatDecoder::verify(Subject& subject, const Listener& listener, Answer& answer) {
  Listener silent;  // what the verifier writes is no query
  silent.stop = listener.stop;
  const auto decision = ask(subject.prompts().verify(subject.catalog(), subject.policy(), *answer.sql), silent, answer);
  if (!decision || permits(*decision)) return;  // a verifier that failed has made the answer a Failure
  answer.withheld = std::move(answer.sql);
  refuse(answer, Cause::RefusedByVerifier, "the model's own verification denied its query");
}

void ChatDecoder::decode(Subject& subject, const Question& question, const Listener& listener, Answer& answer) {
  const StopFlag stop(model_, listener);
  const PromptText first = prompt_for(subject, question, answer);
  Work before;
  const auto ask_and_judge = [&](const PromptText& prompt) {
    auto output = ask(prompt, listener, answer);
    if (!output) return false;
    judge(*output, subject, answer);
    answer.output = *std::move(output);
    if (method() == Method::Retry) {
      answer.attempts.push_back({answer.output, answer.outcome, answer.counts.work - before});
      before = answer.counts.work;
    }
    return true;
  };
  if (!ask_and_judge(first)) return;
  if (method() == Method::Verify && answer.sql) verify(subject, listener, answer);
  if (method() != Method::Retry) return;

  while (answer.sql && !answer.violations.empty() && answer.counts.iterations < settings_.retries) {
    ++answer.counts.iterations;
    if (listener.on_discard) listener.on_discard(answer.output.size());
    if (!ask_and_judge(subject.prompts().retry(first, trimmed(answer.output), answer.violations))) return;
  }
}

}  // namespace pccsql
