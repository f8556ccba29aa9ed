// Decoder: a method, ready to answer questions with one model. Which text comes out is the method's; whether it is safe
// is said by the checker alone (Subject::judge).
//
// Nothing that goes wrong passes for an answer: a fault of the mask or of the judges is a Refuse, a fault of the model
// a Failure, each with its reason.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "decode/answer.h"
#include "decode/subject.h"
#include "model/chat.h"
#include "model/model.h"

namespace pccsql {

struct Question {
  std::string text;
  std::optional<std::string> evidence;
};

// pcc: what becomes of a question for which the policy blocked a name that the model wanted.
enum class Blocked : uint8_t {
  Part,    // an answer without it, where it would only have filled an output; else a refusal
  Refuse,  // a refusal
  Answer,  // whatever the model writes instead: the paper's setting
};
std::string_view to_string(Blocked blocked);  // "part", "refuse", "answer"
std::optional<Blocked> parse_blocked(std::string_view text);

struct DecodeSettings {
  size_t max_tokens = 512;    // of one generation, its end included
  size_t schema_tokens = 4000;  // that the schema may take in the prompt; of a larger one a part is chosen
  size_t retries = 3;         // retry: attempts after the first
  std::optional<Memory> memory;  // what all engines that it makes may keep together; nothing: what each would by itself
  bool allow_refuse = false;  // pcc: the model may answer REFUSE instead of a query
  Blocked blocked = Blocked::Part;
  bool mask_alone = false;    // pcc: always the likeliest token that the mask admits, as hosts that have nothing but the mask
  bool lookahead = true;      // pcc: off, to see what it adds: a name is not held against the FROM that must supply it
  bool trace = false;         // fill Answer::trace

  float recurrence_penalty = 0.7F;  // itergen: what logits of tokens already tried are multiplied by
  size_t itergen_iterations = 20;   // itergen: names that it stops at
  bool itergen_names_only = false;  // itergen: checks whether a name exists, not what it is used for
};

// Who watches a generation.
struct Listener {
  std::function<void(std::string_view piece)> on_text;  // as it is written; a piece need not be whole UTF-8
  std::function<void(size_t bytes)> on_discard;         // so many bytes of what was written are taken back
  // pcc, pcc-paper: a name that the model wanted next and the mask did not let it write, when that is first seen.
  std::function<void(const BlockedName& name)> on_blocked;
  const std::atomic<bool>* stop = nullptr;              // becomes true: the generation ends soon, as a Failure
};

// Used by one thread at a time.
class Decoder {
 public:
  Decoder(Method method, const DecodeSettings& settings)
      : method_(method), schema_tokens_(settings.schema_tokens) {}
  virtual ~Decoder() = default;
  Decoder(const Decoder&) = delete;
  Decoder& operator=(const Decoder&) = delete;

  Method method() const { return method_; }
  Answer answer(Subject& subject, const Question& question, const Listener& listener = {});

 protected:
  // The question as it is asked, which the answer tells.
  const PromptText& prompt_for(Subject& subject, const Question& question, Answer& answer) const;
  // As the model counts; without a tokenizer a guess on the high side.
  virtual size_t tokens_in(std::string_view text) const { return text.size() / 2 + 1; }

  // Fills an answer that is a Failure so far.
  virtual void decode(Subject& subject, const Question& question, const Listener& listener, Answer& answer) = 0;

 private:
  const Method method_;
  const size_t schema_tokens_;
};

// Any method. PRE: the model outlives the decoder.
std::unique_ptr<Decoder> make_decoder(Method method, Model& model, const DecodeSettings& settings = {});
// A method that needs no logits; any other is an Error that says so.
Result<std::unique_ptr<Decoder>> make_decoder(Method method, ChatModel& model, const DecodeSettings& settings = {});

}  // namespace pccsql
