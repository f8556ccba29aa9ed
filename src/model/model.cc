#include "model/model.h"

#include <algorithm>
#include <array>
#include <limits>

namespace pccsql {

std::string_view to_string(Speaker speaker) {
  switch (speaker) {
    case Speaker::System:
      return "system";
    case Speaker::User:
      return "user";
    case Speaker::Assistant:
      break;
  }
  return "assistant";
}

Work& Work::operator+=(const Work& other) {
  calls += other.calls;
  prompt_tokens += other.prompt_tokens;
  cached_prompt_tokens += other.cached_prompt_tokens;
  generated_tokens += other.generated_tokens;
  discarded_tokens += other.discarded_tokens;
  forward_passes += other.forward_passes;
  model_ns += other.model_ns;
  return *this;
}

Work operator-(Work after, const Work& before) {
  after.calls -= before.calls;
  after.prompt_tokens -= before.prompt_tokens;
  after.cached_prompt_tokens -= before.cached_prompt_tokens;
  after.generated_tokens -= before.generated_tokens;
  after.discarded_tokens -= before.discarded_tokens;
  after.forward_passes -= before.forward_passes;
  after.model_ns -= before.model_ns;
  return after;
}

namespace {

size_t shared_length(std::span<const TokenId> a, std::span<const TokenId> b) {
  return static_cast<size_t>(std::ranges::mismatch(a, b).in1 - a.begin());
}

}  // namespace

// The last token of the stable text may reach into what follows it, and does so differently for different texts. So the
// boundary is where two continuations part that have nothing in common, a word and a space before a digit.
Result<Prompt> Model::chat_prompt(std::span<const Message> messages, size_t stable_bytes) const {
  auto tokens = chat_tokens(messages);
  if (!tokens) return tokens.error();
  Prompt prompt{*std::move(tokens), 0};
  if (messages.empty() || stable_bytes == 0) return prompt;
  std::vector<Message> others(messages.begin(), messages.end());
  const std::string stable = others.back().text.substr(0, stable_bytes);
  size_t shared = prompt.tokens.size();
  for (const char* continuation : {"word", " 7"}) {
    others.back().text = stable + continuation;
    const auto other = chat_tokens(others);
    if (!other) return other.error();
    shared = std::min(shared, shared_length(prompt.tokens, *other));
  }
  prompt.shared = shared;
  return prompt;
}

// First the highest, in lanes that a processor compares together, then where it stands: over a vocabulary of 150,000
// that is several times quicker than remembering the place all along.
TokenId greedy_choice(std::span<const float> logits, const Vocabulary& vocabulary) {
  const auto known = logits.first(std::min(logits.size(), vocabulary.size()));
  constexpr size_t kLanes = 16;
  std::array<float, kLanes> highest;
  highest.fill(-std::numeric_limits<float>::infinity());
  size_t at = 0;
  for (; at + kLanes <= known.size(); at += kLanes) {
    for (size_t lane = 0; lane < kLanes; ++lane) highest[lane] = std::max(highest[lane], known[at + lane]);
  }
  float most = *std::ranges::max_element(highest);
  for (; at < known.size(); ++at) most = std::max(most, known[at]);
  return static_cast<TokenId>(std::ranges::find(known, most) - known.begin());
}

std::string text_of(std::span<const TokenId> tokens, const Vocabulary& vocabulary) {
  std::string text;
  for (const TokenId token : tokens) {
    if (token < vocabulary.size() && vocabulary.is_text(token)) text += vocabulary.bytes(token);
  }
  return text;
}

}  // namespace pccsql
