#include "decode/decoder.h"

#include "decode/chat_methods.h"
#include "decode/common.h"
#include "decode/itergen.h"
#include "decode/masked.h"

namespace pccsql {

std::string_view to_string(Blocked blocked) {
  switch (blocked) {
    case Blocked::Part:
      return "part";
    case Blocked::Refuse:
      return "refuse";
    case Blocked::Answer:
      break;
  }
  return "answer";
}

std::optional<Blocked> parse_blocked(std::string_view text) {
  for (const Blocked blocked : {Blocked::Part, Blocked::Refuse, Blocked::Answer}) {
    if (text == to_string(blocked)) return blocked;
  }
  return std::nullopt;
}

const PromptText& Decoder::prompt_for(Subject& subject, const Question& question, Answer& answer) const {
  const TokenCount count = [this](std::string_view text) { return tokens_in(text); };
  answer.prompt = subject.prompt(question.text, question.evidence, schema_tokens_, count, answer.left_out);
  return answer.prompt;
}

Answer Decoder::answer(Subject& subject, const Question& question, const Listener& listener) {
  Answer answer;
  answer.method = method_;
  uint64_t time = 0;
  {
    const Stopwatch watch(time);
    decode(subject, question, listener, answer);
  }
  answer.counts.total_ns = time;
  return answer;
}

std::unique_ptr<Decoder> make_decoder(Method method, Model& model, const DecodeSettings& settings) {
  switch (method) {
    case Method::Direct:
    case Method::Retry:
    case Method::Verify:
      return std::make_unique<ChatDecoder>(method, std::make_unique<GreedyChat>(model), settings);
    case Method::IterGen:
      return std::make_unique<IterGenDecoder>(model, settings);
    case Method::Pcc:
    case Method::PccPaper:
      break;
  }
  return std::make_unique<MaskedDecoder>(method, model, settings);
}

Result<std::unique_ptr<Decoder>> make_decoder(Method method, ChatModel& model, const DecodeSettings& settings) {
  if (!needs_logits(method)) {
    return std::unique_ptr<Decoder>(std::make_unique<ChatDecoder>(method, model, settings));
  }
  return Error{"`" + std::string(to_string(method)) + "` looks at every token's logits, which `" + model.name() +
                   "` does not give; use a model whose weights are here, or one of `direct`, `retry`, `verify`",
               {},
               {}};
}

}  // namespace pccsql
