// ChatModel: messages in, text out. All that the methods need which do not look at logits, so that a model behind a
// chat endpoint will do for them as well as one whose weights are here.
#pragma once

#include <atomic>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/result.h"
#include "model/model.h"

namespace pccsql {

struct CompletionOptions {
  size_t max_tokens = 512;
  size_t stable_bytes = 0;  // of the last message: what comes again in other prompts (Model::chat_prompt)
  std::function<void(std::string_view)> on_text;  // each piece as it is written; a piece need not be whole UTF-8
};

struct Completion {
  std::string text;
  bool finished = false;  // false: cut off at max_tokens, or by the end of the context
  Work work;              // what an endpoint does not tell stays 0
};

class ChatModel {
 public:
  virtual ~ChatModel() = default;

  virtual const std::string& name() const = 0;
  // The most likely answer, as far as the model can give it: one call, no sampling. `messages` is not empty.
  virtual Result<Completion> complete(std::span<const Message> messages, const CompletionOptions& options) = 0;
  // As Model::stop_on.
  virtual void stop_on(const std::atomic<bool>* stop) = 0;

  // How many tokens a text is; nothing where an endpoint does not tell.
  virtual std::optional<size_t> tokens_in(std::string_view) const { return std::nullopt; }
};

// Greedy decoding of a Model: always greedy_choice(). Calls share what their prompts begin with.
class GreedyChat : public ChatModel {
 public:
  // PRE: `model` outlives this.
  explicit GreedyChat(Model& model) : model_(model) {}

  const std::string& name() const override { return model_.name(); }
  Result<Completion> complete(std::span<const Message> messages, const CompletionOptions& options) override;
  void stop_on(const std::atomic<bool>* stop) override { model_.stop_on(stop); }
  std::optional<size_t> tokens_in(std::string_view text) const override {
    const auto tokens = model_.tokenize(text, false);
    return tokens ? std::optional(tokens->size()) : std::nullopt;
  }

 private:
  Model& model_;
  std::unique_ptr<Sequence> sequence_;  // made by the first call
};

}  // namespace pccsql
