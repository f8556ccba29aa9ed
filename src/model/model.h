// Model: a language model with logits, as decoding methods see it, wherever the weights are.
//
// A Model tokenises and knows its chat template; a Sequence is one text that it is reading. Several sequences may live
// at once. A sequence is written to freely (set_prompt, append, truncate) and costs nothing until logits() is asked
// for: only then are the tokens evaluated that have not been, all of them together. So a token after which nobody wants
// to know anything is never paid for, and tokens that were forced go through the network in one pass.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "mask/vocabulary.h"

namespace pccsql {

enum class Speaker : uint8_t { System, User, Assistant };

struct Message {
  Speaker speaker = Speaker::User;
  std::string text;
};

std::string_view to_string(Speaker speaker);  // "system", "user", "assistant"

// What has been asked of a model. Counts only grow; what one question cost is a difference of two.
struct Work {
  uint64_t calls = 0;                 // prompts given
  uint64_t prompt_tokens = 0;         // in all of them, also those that were not evaluated again
  uint64_t cached_prompt_tokens = 0;  // of these: had been evaluated before
  uint64_t generated_tokens = 0;      // appended
  uint64_t discarded_tokens = 0;      // of these: taken back by truncate()
  uint64_t forward_passes = 0;        // one for each call of the network that this sequence had a part in
  uint64_t model_ns = 0;              // a batch's time counts whole for each sequence in it

  Work& operator+=(const Work& other);
  friend Work operator-(Work after, const Work& before);
  friend bool operator==(const Work&, const Work&) = default;
};

// The tokens of a prompt. The first `shared` of them come again in other prompts (the rules and the schema, before the
// question): a model may keep their evaluated state beyond this run.
struct Prompt {
  std::vector<TokenId> tokens;
  size_t shared = 0;
};

// Must not outlive its model.
class Sequence {
 public:
  virtual ~Sequence() = default;

  // Begins anew with this prompt. Of what was evaluated before, the shared part is kept, if it is the same; nothing
  // else is, so that logits never depend on what was asked before. An Error where the prompt is empty, holds an id that
  // is none, or leaves no room in the context for a single token more: the sequence is then empty. Faults of the
  // network itself come from logits().
  virtual Result<Done> set_prompt(const Prompt& prompt) = 0;

  // An Error (an id that is none, the context is full) changes nothing.
  virtual Result<Done> append(std::span<const TokenId> tokens) = 0;
  Result<Done> append(TokenId token) { return append(std::span(&token, 1)); }

  // Whole tokens off the end. PRE: prompt_length() <= length <= this->length().
  virtual void truncate(size_t length) = 0;

  // After the last token: Model::logits_width() numbers, none of them NaN, good until this sequence changes or the
  // model evaluates another. After an Error nothing may be generated; the sequence may be begun anew.
  virtual Result<std::span<const float>> logits() = 0;

  virtual std::span<const TokenId> tokens() const = 0;  // prompt and all
  virtual size_t prompt_length() const = 0;
  size_t length() const { return tokens().size(); }

  virtual const Work& work() const = 0;
};

// A model and its sequences are used by one thread at a time (BatchedModel makes one for many); the functions that only
// look at it, tokenize() among them, by any.
class Model {
 public:
  virtual ~Model() = default;

  virtual const std::string& name() const = 0;  // for reports: the file's name, or what was asked for
  // The SHA-256 of the weights, in hex; for a model without weights, something that tells it from others. The first
  // call may read the whole file.
  virtual Result<std::string> hash() const = 0;

  // Of the adapter that the weights are used with; empty: none.
  virtual Result<std::string> adapter_hash() const { return std::string(); }

  // What runs, and on what, in one line for reports.
  virtual std::string about() const = 0;

  virtual const Vocabulary& vocabulary() const = 0;
  virtual size_t logits_width() const = 0;  // at least the vocabulary's size
  virtual size_t context_size() const = 0;  // tokens that one sequence can hold

  // The model's own tokenisation of a piece of text, without marks of its begin or end. With `parse_special`, the name
  // of a control token in the text becomes that token; never use it on text that comes from others.
  virtual Result<std::vector<TokenId>> tokenize(std::string_view text, bool parse_special) const = 0;

  // The messages in the model's chat template, the assistant's turn opened: for people to read.
  virtual Result<std::string> chat_text(std::span<const Message> messages) const = 0;
  // The same as tokens. Names of control tokens inside a message stay text.
  virtual Result<std::vector<TokenId>> chat_tokens(std::span<const Message> messages) const = 0;

  // An Error where the model can hold no more sequences at once. `this` must outlive the sequence.
  virtual Result<std::unique_ptr<Sequence>> new_sequence() = 0;

  // Evaluates what is pending in all of these in common batches: afterwards logits() of each costs nothing. PRE: all
  // are this model's, each once. An Error holds for all of them.
  virtual Result<Done> evaluate(std::span<Sequence* const> sequences) = 0;

  // While `*stop` is set, evaluation ends with an Error as soon as it can, and nothing is lost but that step. Null: no
  // such flag. PRE: the flag lives as long as the model, or until another is given.
  virtual void stop_on(const std::atomic<bool>* stop) = 0;

  // A prompt whose `shared` covers what does not change when the last message's text after `stable_bytes` does.
  Result<Prompt> chat_prompt(std::span<const Message> messages, size_t stable_bytes) const;
};

// The token with the highest logit, of equals the lowest id. Ids beyond `vocabulary` are padding and never chosen.
TokenId greedy_choice(std::span<const float> logits, const Vocabulary& vocabulary);

// What the tokens write: the bytes of text, nothing for control tokens.
std::string text_of(std::span<const TokenId> tokens, const Vocabulary& vocabulary);

}  // namespace pccsql
