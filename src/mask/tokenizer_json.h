// Vocabularies from HuggingFace's `tokenizer.json`: what each id writes, and nothing of how text is cut into tokens.
//
// Two kinds are read: byte-level BPE, and SentencePiece (BPE or Unigram with `▁` for a blank). Others, WordPiece among
// them, do not say which bytes a piece writes, and are an Error. Special added tokens are never text. Where it is not
// certain what a reader of the model's output would see for an added token (a `▁` in it, say), it is not text either.
// What a decoder does to the text as a whole, such as dropping its first blank, is not the pieces' matter.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <variant>

#include "base/result.h"
#include "mask/vocabulary.h"

namespace pccsql {

using TokenName = std::variant<TokenId, std::string>;  // a token by its id, or as the file spells it

// `end_of_text`: the tokens that end a text; if none is given, those special tokens that have a usual name for it
// (`<|endoftext|>`, `<|im_end|>`, `</s>`, …). Finding none is an Error.
Result<Vocabulary> read_tokenizer_json(const std::string& path, std::span<const TokenName> end_of_text = {});

// The same from text; `file` is for messages.
Result<Vocabulary> parse_tokenizer_json(std::string_view text, std::span<const TokenName> end_of_text = {},
                                        const std::string& file = "");

}  // namespace pccsql
