// The vocabulary of a GGUF file, read by llama.cpp without the weights: what each token id adds to the text, which ids
// end a generation, and the tokenisation that the model itself was trained on.
//
// No llama.cpp type shows here: only the .cc files of this folder are compiled against it.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace pccsql {

enum class LlamaTokenKind : uint8_t {
  Normal,       // text
  Byte,         // one byte, of vocabularies that fall back to bytes (`<0x0A>`)
  UserDefined,  // text that was added to the vocabulary and is never split
  Control,      // a mark of the chat or of the end: stands for no text
  Unknown,      // stands for text that the vocabulary cannot write
  Unused,       // padding, or an id that stands for nothing
};

// Read only once loaded: one object may be used by many threads.
class LlamaVocabulary {
 public:
  // A missing or unreadable file, a directory, a file that is no GGUF, broken off or contradictory, one without a
  // vocabulary: an Error. The tensors of a whole model are not read, but must be there.
  static Result<LlamaVocabulary> load(const std::string& path);

  LlamaVocabulary(LlamaVocabulary&&) noexcept;
  LlamaVocabulary& operator=(LlamaVocabulary&&) noexcept;
  ~LlamaVocabulary();

  int32_t size() const;

  // `id` is below size() in all of these.
  LlamaTokenKind kind(int32_t id) const;
  // The bytes that the token adds to the text; not always whole UTF-8. Empty for Control, Unknown and Unused.
  const std::string& piece(int32_t id) const;
  // How the token is written for people: as piece(), and for Control and Unknown their mark, `<|im_end|>`.
  std::string label(int32_t id) const;
  bool ends_generation(int32_t id) const;

  bool adds_bos() const;  // a prompt begins with bos()
  int32_t bos() const;    // -1: none
  // SentencePiece kinds put a space before the text they are given: the pieces of tokenize("a") are then " a".
  bool prefixes_space() const;

  // The canonical tokenisation. `add_special`: with the begin and end marks that the model wants around a prompt.
  // `parse_special`: `<|im_end|>` in the text is that token; otherwise it is text like any other.
  Result<std::vector<int32_t>> tokenize(std::string_view text, bool add_special = false,
                                        bool parse_special = false) const;

  // The pieces, one after another; the space of prefixes_space() is taken off. An id that is not in the vocabulary adds
  // nothing. llama.cpp's own function is not used: it drops spaces before punctuation, and gives text nobody generated.
  std::string detokenize(std::span<const int32_t> tokens) const;

  struct Impl;  // for the files of this folder
  explicit LlamaVocabulary(std::unique_ptr<Impl> impl);

 private:
  std::unique_ptr<Impl> impl_;
};

}  // namespace pccsql
