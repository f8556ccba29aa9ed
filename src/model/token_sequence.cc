#include "model/token_sequence.h"

#include <algorithm>
#include <string>

namespace pccsql {

Result<Done> TokenSequence::check(std::span<const TokenId> tokens) const {
  for (const TokenId token : tokens) {
    if (token >= token_count_) {
      return Error{
          "there is no token " + std::to_string(token) + "; the model has " + std::to_string(token_count_) + " of them",
          "",
          {}};
    }
  }
  return Done{};
}

Result<Done> TokenSequence::set_prompt(const Prompt& prompt) {
  const auto refuse = [this](Error error) {
    tokens_.clear();
    prompt_length_ = shared_ = 0;
    forget();
    return error;
  };
  if (prompt.tokens.empty()) return refuse(Error{"the prompt is empty", "", {}});
  if (auto checked = check(prompt.tokens); !checked) return refuse(checked.error());
  if (prompt.tokens.size() >= context_size_) {
    return refuse(Error{"the prompt has " + std::to_string(prompt.tokens.size()) +
                            " tokens and does not fit the context of " + std::to_string(context_size_) +
                            "; a context of more than " + std::to_string(prompt.tokens.size()) + " tokens is needed",
                        "",
                        {}});
  }
  const size_t shared = std::min(prompt.shared, prompt.tokens.size());
  const bool same =
      shared == shared_ && shared <= evaluated_ &&
      std::equal(prompt.tokens.begin(), prompt.tokens.begin() + static_cast<std::ptrdiff_t>(shared), tokens_.begin());
  // Of the last token the logits are wanted, and they come with evaluating it.
  const size_t kept = same ? std::min(shared, prompt.tokens.size() - 1) : 0;
  evaluated_ = kept;
  logits_known_ = false;
  tokens_ = prompt.tokens;
  prompt_length_ = tokens_.size();
  shared_ = shared;
  ++work_.calls;
  work_.prompt_tokens += prompt_length_;
  work_.cached_prompt_tokens += evaluated_;
  return Done{};
}

Result<Done> TokenSequence::append(std::span<const TokenId> tokens) {
  if (tokens_.empty()) return Error{"a sequence begins with a prompt", "", {}};
  if (auto checked = check(tokens); !checked) return checked;
  if (tokens.size() > context_size_ - tokens_.size()) {
    return Error{"the context of " + std::to_string(context_size_) + " tokens is full; " +
                     std::to_string(tokens_.size() + tokens.size()) + " are needed",
                 "",
                 {}};
  }
  tokens_.insert(tokens_.end(), tokens.begin(), tokens.end());
  work_.generated_tokens += tokens.size();
  return Done{};
}

void TokenSequence::truncate(size_t length) {
  length = std::clamp(length, prompt_length_, tokens_.size());
  work_.discarded_tokens += tokens_.size() - length;
  tokens_.resize(length);
  if (evaluated_ <= length) return;
  evaluated_ = length - 1;  // so that the logits come again
  logits_known_ = false;
}

void TokenSequence::found(size_t length) {
  work_.cached_prompt_tokens += length - evaluated_;
  evaluated_ = length;
  logits_known_ = false;
}

void TokenSequence::passed(size_t count, uint64_t ns) {
  evaluated_ += count;
  logits_known_ = false;
  ++work_.forward_passes;
  work_.model_ns += ns;
}

void TokenSequence::forget() {
  evaluated_ = 0;
  logits_known_ = false;
}

}  // namespace pccsql
