#include "decode/common.h"

namespace pccsql {

std::vector<Message> messages_of(const PromptText& text) {
  return {{Speaker::System, text.system}, {Speaker::User, text.user}};
}

void refuse(Answer& answer, Cause cause, std::string reason) {
  answer.outcome = Answer::Outcome::Refuse;
  answer.sql.reset();
  answer.uses.clear();
  answer.run.reset();
  answer.cause = cause;
  answer.reason = std::move(reason);
}

void fail(Answer& answer, Cause cause, std::string reason) {
  answer.outcome = Answer::Outcome::Failure;
  answer.cause = cause;
  answer.reason = std::move(reason);
}

void fail(Answer& answer, const Error& error, const Listener& listener) {
  answer.stopped = is_stopped(listener);
  answer.sql.reset();
  answer.uses.clear();
  answer.violations.clear();
  if (answer.stopped) return fail(answer, Cause::Stopped, "the generation was stopped");
  fail(answer, Cause::ModelError, "the model failed: " + error.to_string());
}

Cause cause_of(const Refusal& refusal) {
  switch (refusal.cause) {
    case RefusalCause::ByChoice:
      return Cause::RefusedByModel;
    case RefusalCause::NothingToAsk:
      return Cause::RefusedByMask;
    case RefusalCause::Budget:
      return Cause::Budget;
    case RefusalCause::Fault:
      break;
  }
  return Cause::Fault;
}

bool is_stopped(const Listener& listener) {
  return listener.stop != nullptr && listener.stop->load(std::memory_order_relaxed);
}

Result<size_t> begin_question(Model& model, std::unique_ptr<Sequence>& sequence, const PromptText& text) {
  if (!sequence) {
    auto made = model.new_sequence();
    if (!made) return made.error();
    sequence = std::move(*made);
  }
  const std::vector<Message> messages = messages_of(text);
  const auto prompt = model.chat_prompt(messages, text.stable_bytes);
  if (!prompt) return prompt.error();
  if (const auto set = sequence->set_prompt(*prompt); !set) return set.error();
  const size_t used = sequence->length();
  const size_t room = model.context_size();
  return room > used ? room - used : 0;
}

}  // namespace pccsql
