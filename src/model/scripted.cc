#include "model/scripted.h"

#include <algorithm>
#include <chrono>
#include <limits>
#include <utility>

#include "model/token_sequence.h"

namespace pccsql {
namespace {

const Error kStopped{"stopped", "", {}};

}  // namespace

class ScriptedModel::Impl : public TokenSequence {
 public:
  explicit Impl(ScriptedModel& model) : TokenSequence(model.vocabulary().size(), model.context_size()), model_(model) {}

  using TokenSequence::append;
  Result<Done> set_prompt(const Prompt& prompt) override {
    if (auto fault = model_.fault()) return *fault;
    call_ = model_.prompts_++;
    return TokenSequence::set_prompt(prompt);
  }

  Result<Done> append(std::span<const TokenId> tokens) override {
    if (auto fault = model_.fault()) return *fault;
    return TokenSequence::append(tokens);
  }

  Result<std::span<const float>> logits() override {
    if (auto fault = model_.fault()) return *fault;
    if (auto done = evaluate(); !done) return done.error();
    return std::span<const float>(logits_);
  }

  Result<Done> evaluate() {
    if (tokens().empty()) return Error{"a sequence begins with a prompt", "", {}};
    if (logits_known()) return Done{};
    if (model_.stop_ != nullptr && *model_.stop_) return kStopped;
    const auto start = std::chrono::steady_clock::now();
    const std::string prompt = text_of(tokens().first(prompt_length()), model_.vocabulary_);
    const std::string text = text_of(tokens().subspan(prompt_length()), model_.vocabulary_);
    logits_.assign(model_.logits_width(), 0.0F);
    const size_t known = model_.vocabulary_.size();
    model_.script_({call_, prompt, text}, std::span(logits_).first(known));
    std::fill(logits_.begin() + static_cast<std::ptrdiff_t>(known), logits_.end(), std::numeric_limits<float>::max());
    const auto time = std::chrono::steady_clock::now() - start;
    passed(pending().size(), static_cast<uint64_t>(std::chrono::nanoseconds(time).count()));
    logits_are_known();
    return Done{};
  }

 private:
  ScriptedModel& model_;
  size_t call_ = 0;
  std::vector<float> logits_;
};

Script script_of(const Vocabulary& vocabulary, std::vector<std::string> texts) {
  return [&vocabulary, texts = std::move(texts)](const Scene& scene, std::span<float> logits) {
    std::string_view wanted;
    if (!texts.empty()) wanted = texts[std::min(scene.call, texts.size() - 1)];
    const bool on_track = wanted.starts_with(scene.text);
    if (!on_track || wanted.size() == scene.text.size()) {
      logits[vocabulary.end_of_text()[0]] = 1;
      return;
    }
    const std::string_view rest = wanted.substr(scene.text.size());
    for (TokenId id = 0; id < vocabulary.size(); ++id) {
      if (vocabulary.is_text(id) && rest.starts_with(vocabulary.bytes(id))) {
        logits[id] = 1 + static_cast<float>(vocabulary.bytes(id).size());
      }
    }
  };
}

ScriptedModel::ScriptedModel(Vocabulary vocabulary, Script script, ScriptedOptions options)
    : vocabulary_(std::move(vocabulary)), script_(std::move(script)), options_(options) {
  for (TokenId id = 0; id < vocabulary_.size(); ++id) {
    if (!vocabulary_.is_text(id)) continue;
    by_bytes_.push_back(id);
    longest_piece_ = std::max(longest_piece_, vocabulary_.bytes(id).size());
  }
  std::ranges::stable_sort(by_bytes_, {}, [this](TokenId id) { return vocabulary_.bytes(id); });
}

ScriptedModel::ScriptedModel(Vocabulary vocabulary, std::vector<std::string> texts, ScriptedOptions options)
    : ScriptedModel(std::move(vocabulary), Script(), options) {
  script_ = script_of(vocabulary_, std::move(texts));
}

ScriptedModel::~ScriptedModel() = default;

std::optional<Error> ScriptedModel::fault() const {
  const size_t call = ++calls_;
  if (fail_from_ == 0 || call < fail_from_) return std::nullopt;
  return Error{"the model failed at its call " + std::to_string(call) + ", as it was told to", "", {}};
}

Result<std::string> ScriptedModel::hash() const {
  if (auto fault = this->fault()) return *fault;
  return std::string("scripted");
}

Result<std::vector<TokenId>> ScriptedModel::tokenize(std::string_view text, bool parse_special) const {
  if (auto fault = this->fault()) return *fault;
  const auto bytes = [this](TokenId id) { return vocabulary_.bytes(id); };
  std::vector<TokenId> tokens;
  while (!text.empty()) {
    std::optional<TokenId> best;
    if (parse_special) {
      for (TokenId id = 0; id < vocabulary_.size() && !best; ++id) {
        if (vocabulary_.kind(id) == TokenKind::Special && !bytes(id).empty() && text.starts_with(bytes(id))) best = id;
      }
    }
    for (size_t length = std::min(text.size(), longest_piece_); length > 0 && !best; --length) {
      const auto found = std::ranges::lower_bound(by_bytes_, text.substr(0, length), {}, bytes);
      if (found != by_bytes_.end() && bytes(*found) == text.substr(0, length)) best = *found;
    }
    if (!best) return Error{"the vocabulary cannot write `" + std::string(text.substr(0, 1)) + "`", "", {}};
    tokens.push_back(*best);
    text.remove_prefix(bytes(*best).size());
  }
  return tokens;
}

Result<std::string> ScriptedModel::chat_text(std::span<const Message> messages) const {
  if (auto fault = this->fault()) return *fault;
  std::string text;
  for (const Message& message : messages) {
    text += "[" + std::string(to_string(message.speaker)) + "]\n" + message.text + "\n";
  }
  return text + "[assistant]\n";
}

Result<std::vector<TokenId>> ScriptedModel::chat_tokens(std::span<const Message> messages) const {
  const auto text = chat_text(messages);
  if (!text) return text.error();
  return tokenize(*text, false);
}

Result<std::unique_ptr<Sequence>> ScriptedModel::new_sequence() {
  if (auto fault = this->fault()) return *fault;
  return std::unique_ptr<Sequence>(std::make_unique<Impl>(*this));
}

Result<Done> ScriptedModel::evaluate(std::span<Sequence* const> sequences) {
  if (auto fault = this->fault()) return *fault;
  for (Sequence* sequence : sequences) {
    if (auto done = static_cast<Impl*>(sequence)->evaluate(); !done) return done;
  }
  return Done{};
}

Result<Completion> ScriptedChat::complete(std::span<const Message> messages, const CompletionOptions& options) {
  asked_.emplace_back(messages.begin(), messages.end());
  if (fail_from_ != 0 && asked_.size() >= fail_from_) {
    return Error{"the model failed at its call " + std::to_string(asked_.size()) + ", as it was told to", "", {}};
  }
  if (stop_ != nullptr && *stop_) return kStopped;
  Completion completion;
  completion.text = texts_.empty() ? "" : texts_[std::min(asked_.size(), texts_.size()) - 1];
  completion.finished = true;
  completion.work.calls = 1;
  if (options.on_text && !completion.text.empty()) options.on_text(completion.text);
  return completion;
}

}  // namespace pccsql
