// ChatDecoder: direct, retry and verify, which take a model's text as it comes.
//
// direct: one generation. retry: where the checker finds a violation, in a query that runs or not, the question is asked again with the last output
// and what was wrong with it, in place of earlier feedback, up to N times; the last output stands. Text without one
// that is no answer either (no query, an unknown name) does not ask again. verify: the model is asked whether its own query keeps
// the policies; anything but a permit is a Refuse.
#pragma once

#include <memory>

#include "decode/decoder.h"

namespace pccsql {

class ChatDecoder final : public Decoder {
 public:
  // PRE: method is Direct, Retry or Verify; the model outlives this.
  ChatDecoder(Method method, ChatModel& model, const DecodeSettings& settings)
      : Decoder(method, settings), model_(model), settings_(settings) {}
  // With a chat of its own.
  ChatDecoder(Method method, std::unique_ptr<ChatModel> model, const DecodeSettings& settings)
      : Decoder(method, settings), owned_(std::move(model)), model_(*owned_), settings_(settings) {}

 protected:
  void decode(Subject& subject, const Question& question, const Listener& listener, Answer& answer) override;
  size_t tokens_in(std::string_view text) const override { return model_.tokens_in(text).value_or(Decoder::tokens_in(text)); }

 private:
  // What the model wrote; nothing: the answer says why.
  std::optional<std::string> ask(const PromptText& prompt, const Listener& listener, Answer& answer);
  void judge(std::string_view output, Subject& subject, Answer& answer) const;
  void verify(Subject& subject, const Listener& listener, Answer& answer);

  std::unique_ptr<ChatModel> owned_;
  ChatModel& model_;
  DecodeSettings settings_;
};

}  // namespace pccsql
