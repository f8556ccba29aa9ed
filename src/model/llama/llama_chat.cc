#include "model/llama/llama_chat.h"

#include <algorithm>
#include <exception>
#include <utility>

#include "model/llama/llama_log.h"

namespace pccsql {
namespace {

std::string known_templates() {
  std::vector<const char*> names(static_cast<size_t>(llama_chat_builtin_templates(nullptr, 0)));
  llama_chat_builtin_templates(names.data(), names.size());
  std::string list;
  for (const char* name : names) list += (list.empty() ? "`" : ", `") + std::string(name) + "`";
  return list;
}

void erase_all(std::string& text, const std::string& part) {
  for (size_t at = text.find(part); at != std::string::npos; at = text.find(part, at)) text.erase(at, part.size());
}

}  // namespace

Result<LlamaChat> LlamaChat::make(const llama_model* model, const LlamaVocabulary& vocabulary,
                                  const std::string& name) {
  LlamaChat chat(vocabulary);
  if (!name.empty()) {
    chat.template_ = name;
  } else if (const char* own = llama_model_chat_template(model, nullptr); own != nullptr) {
    chat.template_ = own;
  } else {
    return Error{"has no chat template; name one that fits it, of " + known_templates(), "", {}};
  }
  for (int32_t id = 0; id < vocabulary.size(); ++id) {
    if (vocabulary.kind(id) != LlamaTokenKind::Control) continue;
    std::string label = vocabulary.label(id);
    if (label.size() > 1) chat.controls_.push_back({std::move(label), id});
  }
  std::ranges::stable_sort(chat.controls_, std::ranges::greater(), [](const Control& one) { return one.name.size(); });
  const Message probe{Speaker::User, "x"};
  if (auto text = chat.text(std::span(&probe, 1)); !text) {
    const std::string what = name.empty() ? "has a chat template that llama.cpp cannot apply"
                                          : "cannot be used with the chat template `" + name + "`, which is not known";
    return Error{what + "; name one that fits the model, of " + known_templates(), "", {}};
  }
  return chat;
}

Result<std::string> LlamaChat::text(std::span<const Message> messages) const {
  std::vector<std::string> speakers;
  std::vector<llama_chat_message> chat;
  size_t bytes = 256;
  speakers.reserve(messages.size());
  for (const Message& message : messages) {
    if (message.text.find('\0') != std::string::npos) return Error{"a message holds a NUL byte", "", {}};
    speakers.emplace_back(to_string(message.speaker));
    chat.push_back({speakers.back().c_str(), message.text.c_str()});
    bytes += 2 * message.text.size() + 64;
  }
  const LlamaErrors errors;
  try {
    std::string text(bytes, '\0');
    const auto apply = [&] {
      return llama_chat_apply_template(template_.c_str(), chat.data(), chat.size(), true, text.data(),
                                       static_cast<int32_t>(text.size()));
    };
    int32_t length = apply();
    if (length > static_cast<int32_t>(text.size())) {
      text.resize(static_cast<size_t>(length));
      length = apply();
    }
    if (length < 0) return Error{"the chat template of the model cannot be applied", "", {}};
    text.resize(static_cast<size_t>(length));
    return text;
  } catch (const std::exception& problem) {
    return Error{std::string("the chat template of the model cannot be applied: ") + problem.what(), "", {}};
  }
}

const LlamaChat::Control* LlamaChat::control_at(std::string_view text) const {
  for (const Control& control : controls_) {
    if (text.starts_with(control.name)) return &control;
  }
  return nullptr;
}

bool LlamaChat::holds_control(std::string_view text) const {
  return std::ranges::any_of(controls_,
                             [&](const Control& one) { return text.find(one.name) != std::string_view::npos; });
}

// Between two control tokens text is tokenised in one piece, as llama.cpp does it, once the breakers are out again.
Result<std::vector<int32_t>> LlamaChat::tokens_of_broken(std::string_view text, const std::string& breaker) const {
  std::vector<int32_t> tokens;
  std::string piece;
  const auto flush = [&]() -> Result<Done> {
    erase_all(piece, breaker);
    if (piece.empty()) return Done{};
    const auto some = vocabulary_->tokenize(piece, false, false);
    if (!some) return some.error();
    tokens.insert(tokens.end(), some->begin(), some->end());
    piece.clear();
    return Done{};
  };
  for (size_t at = 0; at < text.size();) {
    const Control* control = control_at(text.substr(at));
    if (control == nullptr) {
      piece += text[at++];
      continue;
    }
    if (auto done = flush(); !done) return done.error();
    tokens.push_back(control->id);
    at += control->name.size();
  }
  if (auto done = flush(); !done) return done.error();
  return tokens;
}

Result<std::vector<TokenId>> LlamaChat::tokens(std::span<const Message> messages) const {
  Result<std::vector<int32_t>> tokens = std::vector<int32_t>();
  if (std::ranges::none_of(messages, [&](const Message& one) { return holds_control(one.text); })) {
    const auto whole = text(messages);
    if (!whole) return whole.error();
    tokens = vocabulary_->tokenize(*whole, false, true);
  } else {
    std::string breaker = "\x1f";
    const auto occurs = [&] {
      return std::ranges::any_of(messages,
                                 [&](const Message& one) { return one.text.find(breaker) != std::string::npos; });
    };
    while (occurs()) breaker += '\x1f';
    std::vector<Message> broken(messages.begin(), messages.end());
    for (Message& message : broken) {
      for (size_t at = 0; at < message.text.size(); ++at) {
        if (control_at(std::string_view(message.text).substr(at)) != nullptr) message.text.insert(at + 1, breaker);
      }
    }
    const auto whole = text(broken);
    if (!whole) return whole.error();
    tokens = tokens_of_broken(*whole, breaker);
  }
  if (!tokens) return tokens.error();
  std::vector<TokenId> ids(tokens->begin(), tokens->end());
  if (vocabulary_->adds_bos() && (ids.empty() || ids[0] != static_cast<TokenId>(vocabulary_->bos()))) {
    ids.insert(ids.begin(), static_cast<TokenId>(vocabulary_->bos()));
  }
  return ids;
}

}  // namespace pccsql
