// Cutting text into tokens: the vocabulary that `--vocab` names, and the ways in which it can spell a query.
//
// A GGUF file brings the model's own tokenizer, whose cut is the canonical one. A tokenizer.json and the built-in
// vocabulary bring pieces only: there the longest piece that leaves the rest spellable is taken each time, and the
// output says so. Random cuts take any piece that fits, from a seed.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <pccsql/vocabulary.h>

#include "base/result.h"
#include "model/llama/llama_vocabulary.h"

namespace pccsql {

struct Cut {
  std::vector<TokenId> tokens;
  uint32_t lead = 0;       // bytes that the tokens write before the text: the blank of SentencePiece
  bool canonical = false;  // the model's own; otherwise longest pieces, or random ones
};

class Tokens {
 public:
  // `builtin`, a GGUF file (told by its first bytes), or else a tokenizer.json.
  static Result<Tokens> load(const std::string& name);
  explicit Tokens(Vocabulary vocabulary) : index_(std::move(vocabulary)) {}

  const Vocabulary& vocabulary() const { return index_.vocabulary(); }
  const VocabularyIndex& index() const { return index_; }
  // Whose cut the canonical one is, in words.
  std::string how() const;

  // Nothing where the vocabulary cannot spell the text.
  std::optional<Cut> canonical(std::string_view text) const;
  std::optional<Cut> random(std::string_view text, std::mt19937_64& random) const;

 private:
  // The tokens that a text can go on with at `begin`, one per length, shortest first.
  void pieces_at(std::string_view text, size_t begin, std::vector<TokenId>& out) const;
  // For each place whether the rest of the text can be spelled from there.
  std::vector<bool> spellable(std::string_view text) const;
  template <typename Choose>
  std::optional<Cut> cut(std::string_view text, Choose&& choose) const;

  VocabularyIndex index_;
  std::shared_ptr<const LlamaVocabulary> llama_;
};

}  // namespace pccsql
