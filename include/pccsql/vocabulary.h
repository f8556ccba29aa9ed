// Vocabulary: what each token id of a model writes, as bytes, and whether it may be admitted as text at all.
//
// Whoever loads a vocabulary decides the kind of each id; from then on the rule is one function, is_text(). Ids that a
// model's logits have beyond the vocabulary (padding) are not text either.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <pccsql/result.h>

namespace pccsql {

using TokenId = uint32_t;

enum class TokenKind : uint8_t {
  Normal,
  Byte,     // one byte, for text that no other piece covers
  Special,  // control tokens: they steer the model and write nothing
  Unused,   // a gap in the ids, a reserved id, or a piece whose text is not certain
};

struct Piece {
  std::string bytes;
  TokenKind kind = TokenKind::Unused;
};

class Vocabulary {
 public:
  static constexpr size_t kMostTokens = size_t{1} << 24;  // a stray id must not claim gigabytes
  static constexpr size_t kLongestPiece = 0xFFFF;

  // `pieces` by id. At least one end-of-text id, each below pieces.size(), or an Error.
  static Result<Vocabulary> make(std::span<const Piece> pieces, std::span<const TokenId> end_of_text);

  size_t size() const { return kinds_.size(); }

  // PRE of the two: id < size(). The bytes of a Special id are its name.
  std::string_view bytes(TokenId id) const {
    return std::string_view(pool_).substr(offsets_[id], offsets_[id + 1] - offsets_[id]);
  }
  TokenKind kind(TokenId id) const { return kinds_[id]; }

  // Whether the id may be admitted for the bytes it writes. Never: special and unused ids, ids that write nothing, ids
  // that end the text, ids beyond the vocabulary.
  bool is_text(TokenId id) const;

  // Ascending, without repetition.
  std::span<const TokenId> end_of_text() const { return end_of_text_; }
  bool is_end_of_text(TokenId id) const;

  // The number of words of a mask for logits of this width, which may be larger than the vocabulary: the ids in excess
  // are never admitted. Fewer logits than tokens is an Error: vocabulary and model do not belong together.
  Result<size_t> mask_words(size_t logits_width) const;

 private:
  Vocabulary() = default;

  std::string pool_;  // all pieces, one after the other
  std::vector<uint32_t> offsets_;
  std::vector<TokenKind> kinds_;
  std::vector<TokenId> end_of_text_;
};

// The vocabulary of a model, from a GGUF file (where the library was built with llama.cpp) or from a HuggingFace
// `tokenizer.json`; which of the two it is, the file's content tells. `end_of_text`: the tokens that end a text, as a
// tokenizer.json spells them; if none is given, those with a usual name for it. A GGUF file knows its own.
Result<Vocabulary> read_vocabulary(const std::string& path, std::span<const std::string> end_of_text = {});

// A small vocabulary that needs no file: every byte, and the usual pieces of SQL.
Vocabulary builtin_vocabulary();

// A vocabulary made ready for masks: its pieces as a trie. For a large one this takes tens of milliseconds and some
// megabytes, so it is done once and shared by any number of Engines. A handle: copies share, and never change.
class VocabularyIndex {
 public:
  explicit VocabularyIndex(Vocabulary vocabulary);

  const Vocabulary& vocabulary() const;

  // Finds out beforehand what masks have in common whatever the schema, which else is found out as it is met. Takes some tenths of
  // a second, and no mask is another for it; any thread may call it, at any time.
  void prepare() const;

  struct Impl;
  const Impl& impl() const { return *impl_; }

 private:
  std::shared_ptr<const Impl> impl_;
};

}  // namespace pccsql
