#include "model/chat.h"

#include <utility>

namespace pccsql {

Result<Completion> GreedyChat::complete(std::span<const Message> messages, const CompletionOptions& options) {
  if (!sequence_) {
    auto sequence = model_.new_sequence();
    if (!sequence) return sequence.error();
    sequence_ = *std::move(sequence);
  }
  const Work before = sequence_->work();
  const auto prompt = model_.chat_prompt(messages, options.stable_bytes);
  if (!prompt) return prompt.error();
  if (auto set = sequence_->set_prompt(*prompt); !set) return set.error();

  const Vocabulary& vocabulary = model_.vocabulary();
  Completion completion;
  for (size_t count = 0; count < options.max_tokens; ++count) {
    const auto logits = sequence_->logits();
    if (!logits) return logits.error();
    const TokenId token = greedy_choice(*logits, vocabulary);
    if (vocabulary.is_end_of_text(token)) {
      completion.finished = true;
      break;
    }
    if (sequence_->length() == model_.context_size()) break;
    if (auto appended = sequence_->append(token); !appended) return appended.error();
    const std::string text = text_of(std::span(&token, 1), vocabulary);
    completion.text += text;
    if (options.on_text && !text.empty()) options.on_text(text);
  }
  completion.work = sequence_->work() - before;
  return completion;
}

}  // namespace pccsql
