// The two spellings in which vocabulary files write bytes as text, and how to undo them.
//
// Byte-level BPE (GPT-2, Qwen, Llama 3) writes each byte as one visible character: a blank is `Ġ`. SentencePiece
// (Llama 2, Mistral, Gemma) writes text as it is, but a blank as `▁`, and lone bytes as `<0x0A>`.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace pccsql {

// The bytes of a byte-level spelling, or nothing where a character is not of that alphabet.
std::optional<std::string> undo_byte_level(std::string_view spelling);
std::string write_byte_level(std::string_view bytes);

// `text` with each `mark` a blank again.
std::string undo_blank_mark(std::string_view text, std::string_view mark);

// The byte that `<0xNN>` stands for, or nothing where the spelling is another.
std::optional<uint8_t> undo_byte_token(std::string_view spelling);

}  // namespace pccsql
