// From messages to the tokens of a chat, by the model's own template.
//
// A template writes control tokens by their names, `<|im_end|>`, so its text must be read with them parsed. But a
// question that holds such a name must not be able to close its own turn. So names inside messages are broken up before
// the template sees them, and only those that are still whole afterwards, the template's, become control tokens.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "model/llama/llama_handle.h"
#include "model/model.h"

namespace pccsql {

class LlamaChat {
 public:
  // `name`: of a template that llama.cpp knows; empty: the model's own. An Error where that is not one that llama.cpp
  // can apply. PRE: `vocabulary` outlives this.
  static Result<LlamaChat> make(const llama_model* model, const LlamaVocabulary& vocabulary, const std::string& name);

  Result<std::string> text(std::span<const Message> messages) const;
  Result<std::vector<TokenId>> tokens(std::span<const Message> messages) const;

 private:
  struct Control {
    std::string name;
    int32_t id = 0;
  };

  explicit LlamaChat(const LlamaVocabulary& vocabulary) : vocabulary_(&vocabulary) {}
  const Control* control_at(std::string_view text) const;  // the longest whose name the text begins with
  bool holds_control(std::string_view text) const;
  Result<std::vector<int32_t>> tokens_of_broken(std::string_view text, const std::string& breaker) const;

  const LlamaVocabulary* vocabulary_;
  std::string template_;
  std::vector<Control> controls_;  // longest name first
};

}  // namespace pccsql
