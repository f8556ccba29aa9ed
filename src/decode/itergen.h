// IterGenDecoder: generation with rollback, as IterGen does it, with a check of roles and policies at each name.
//
// Text goes forward by the grammar alone until a column or table name has ended; the name is checked; if it fails, the
// text goes back to the token in which the name begins, and the logits of tokens that were tried there before are
// multiplied by the recurrence penalty. Each name that it stops at is an iteration; when there are no more, the text so
// far is the output. The grammar is asked about other tokens only when the one that was chosen does not parse. What was
// rolled back is counted as work. At the end the checker judges, and a violation becomes a Refuse.
#pragma once

#include <memory>

#include "decode/decoder.h"

namespace pccsql {

class IterGenDecoder final : public Decoder {
 public:
  // PRE: the model outlives this.
  IterGenDecoder(Model& model, const DecodeSettings& settings)
      : Decoder(Method::IterGen, settings), model_(model), settings_(settings), vocabulary_(model.vocabulary()) {}

 protected:
  void decode(Subject& subject, const Question& question, const Listener& listener, Answer& answer) override;
  size_t tokens_in(std::string_view text) const override {
    const auto tokens = model_.tokenize(text, false);
    return tokens ? tokens->size() : Decoder::tokens_in(text);
  }

 private:
  class Run;

  Model& model_;
  DecodeSettings settings_;
  VocabularyIndex vocabulary_;
  std::unique_ptr<Sequence> sequence_;
};

}  // namespace pccsql
