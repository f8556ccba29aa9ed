// ScriptedModel: a model without weights, whose logits are written down beforehand. With it every method of decoding
// can be tested: on what a model would say, on what no sane model says, and on a model that breaks at any of its calls.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "model/chat.h"
#include "model/model.h"

namespace pccsql {

// What a script sees when it is asked for logits.
struct Scene {
  size_t call = 0;          // which prompt of the model this is, from 0
  std::string_view prompt;  // as text
  std::string_view text;    // written after it
};

// Writes the logits, which come as zeros; a pure function of the scene, so that rollback and repetition see the same.
using Script = std::function<void(const Scene& scene, std::span<float> logits)>;

// PRE: `vocabulary` outlives the script. Wants to write texts[call], the last text for all calls beyond, and then to
// end. Among tokens that go on in that text the longest has the highest logit. Where the text so far is another one, it
// wants to end.
Script script_of(const Vocabulary& vocabulary, std::vector<std::string> texts);

struct ScriptedOptions {
  size_t context_size = 4096;
  size_t padding = 0;  // logits beyond the vocabulary; they are higher than any other, and must not matter
};

class ScriptedModel : public Model {
 public:
  ScriptedModel(Vocabulary vocabulary, Script script, ScriptedOptions options = {});
  // script_of() these texts.
  ScriptedModel(Vocabulary vocabulary, std::vector<std::string> texts, ScriptedOptions options = {});
  ~ScriptedModel() override;
  ScriptedModel(const ScriptedModel&) = delete;
  ScriptedModel& operator=(const ScriptedModel&) = delete;

  // The n-th call that can fail (from 1, counted over the model and all its sequences) gives an Error, as do all after
  // it; 0: none does.
  void fail_from_call(size_t n) { fail_from_ = n; }
  size_t fallible_calls() const { return calls_; }

  const std::string& name() const override { return name_; }
  Result<std::string> hash() const override;
  std::string about() const override { return "a script, no weights"; }
  const Vocabulary& vocabulary() const override { return vocabulary_; }
  size_t logits_width() const override { return vocabulary_.size() + options_.padding; }
  size_t context_size() const override { return options_.context_size; }
  // Longest piece first.
  Result<std::vector<TokenId>> tokenize(std::string_view text, bool parse_special) const override;
  Result<std::string> chat_text(std::span<const Message> messages) const override;
  Result<std::vector<TokenId>> chat_tokens(std::span<const Message> messages) const override;
  Result<std::unique_ptr<Sequence>> new_sequence() override;
  Result<Done> evaluate(std::span<Sequence* const> sequences) override;
  void stop_on(const std::atomic<bool>* stop) override { stop_ = stop; }

 private:
  class Impl;
  std::optional<Error> fault() const;  // counts a call; the Error it must end with

  std::string name_ = "scripted";
  Vocabulary vocabulary_;
  Script script_;
  ScriptedOptions options_;
  std::vector<TokenId> by_bytes_;  // all text, by its bytes
  size_t longest_piece_ = 0;
  const std::atomic<bool>* stop_ = nullptr;
  size_t prompts_ = 0;
  size_t fail_from_ = 0;
  mutable std::atomic<size_t> calls_ = 0;  // const functions may be called by several threads
};

// A chat that answers call i with texts[i], the last for all calls beyond, and remembers what it was asked.
class ScriptedChat : public ChatModel {
 public:
  explicit ScriptedChat(std::vector<std::string> texts) : texts_(std::move(texts)) {}

  // As ScriptedModel's.
  void fail_from_call(size_t n) { fail_from_ = n; }
  const std::vector<std::vector<Message>>& asked() const { return asked_; }

  const std::string& name() const override { return name_; }
  Result<Completion> complete(std::span<const Message> messages, const CompletionOptions& options) override;
  void stop_on(const std::atomic<bool>* stop) override { stop_ = stop; }

 private:
  std::string name_ = "scripted chat";
  std::vector<std::string> texts_;
  std::vector<std::vector<Message>> asked_;
  const std::atomic<bool>* stop_ = nullptr;
  size_t fail_from_ = 0;
};

}  // namespace pccsql
