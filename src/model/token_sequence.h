// TokenSequence: the bookkeeping that is the same for every model. Which tokens there are, which of them have been
// evaluated, for which of them the logits are known, and what it all cost.
#pragma once

#include <span>
#include <vector>

#include "model/model.h"

namespace pccsql {

class TokenSequence : public Sequence {
 public:
  // `token_count`: ids are below it. `context_size`: how many tokens it can hold.
  TokenSequence(size_t token_count, size_t context_size) : token_count_(token_count), context_size_(context_size) {}

  using Sequence::append;
  Result<Done> set_prompt(const Prompt& prompt) override;
  Result<Done> append(std::span<const TokenId> tokens) override;
  void truncate(size_t length) override;

  std::span<const TokenId> tokens() const override { return tokens_; }
  size_t prompt_length() const override { return prompt_length_; }
  const Work& work() const override { return work_; }

  // INVARIANT: the state of the first evaluated() tokens is known, evaluated() <= length(), and logits, where they are
  // known, are those after the last of these.
  size_t evaluated() const { return evaluated_; }
  std::span<const TokenId> pending() const { return std::span<const TokenId>(tokens_).subspan(evaluated_); }
  bool logits_known() const { return logits_known_ && evaluated_ == tokens_.size(); }
  // Of the tokens evaluated, whether or not others have been appended since: truncate() can bring them back.
  bool logits_kept() const { return logits_known_; }
  size_t shared_prompt() const { return shared_; }

 protected:
  // The state of the first `length` tokens came from elsewhere than the network. PRE: evaluated() <= length < length().
  void found(size_t length);
  // A pass of the network took the next `count` pending tokens.
  void passed(size_t count, uint64_t ns);
  void logits_are_known() { logits_known_ = true; }
  // Nothing evaluated is left, whatever the network still holds.
  void forget();

 private:
  Result<Done> check(std::span<const TokenId> tokens) const;

  size_t token_count_;
  size_t context_size_;
  std::vector<TokenId> tokens_;
  size_t prompt_length_ = 0;
  size_t shared_ = 0;
  size_t evaluated_ = 0;
  bool logits_known_ = false;
  Work work_;
};

}  // namespace pccsql
