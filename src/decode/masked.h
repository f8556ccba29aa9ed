// MaskedDecoder: pcc and pcc-paper. One pass; at each step the most likely token that the mask admits.
//
// Where the mask leaves one token, it is taken without asking the model: no other tokenisation exists then. After the
// end the checker judges the text once more. For pcc the two judges must agree: if they do not, that is a fault, and
// the answer is Refuse. The paper's own mask promises less: what the checker calls unsafe is its failed terminal
// validation, a Refuse too; what only the database would refuse to prepare is a Failure.
#pragma once

#include <memory>

#include "decode/decoder.h"

namespace pccsql {

class MaskedRun;

class MaskedDecoder final : public Decoder {
 public:
  // PRE: method is Pcc or PccPaper.
  MaskedDecoder(Method method, Model& model, const DecodeSettings& settings)
      : Decoder(method, settings), model_(model), settings_(settings), vocabulary_(model.vocabulary()) {}

 protected:
  void decode(Subject& subject, const Question& question, const Listener& listener, Answer& answer) override;
  size_t tokens_in(std::string_view text) const override {
    const auto tokens = model_.tokenize(text, false);
    return tokens ? tokens->size() : Decoder::tokens_in(text);
  }

 private:
  // What becomes of an answer for which the policy blocked a name that the model wanted.
  void settle(Subject& subject, const Question& question, MaskedRun& run, const Listener& listener, Answer& answer);
  // Whether the mask lets this text be written, in whatever style.
  bool admits(Subject& subject, std::string_view sql);

  Model& model_;
  DecodeSettings settings_;
  VocabularyIndex vocabulary_;
  std::unique_ptr<Sequence> sequence_;  // made by the first question; what prompts share stays evaluated
};

}  // namespace pccsql
