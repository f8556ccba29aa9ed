#include "model/llama/gguf_vocabulary.h"

#include <vector>

namespace pccsql {
namespace {

TokenKind kind_for_masks(LlamaTokenKind kind) {
  switch (kind) {
    case LlamaTokenKind::Normal:
    case LlamaTokenKind::UserDefined:
      return TokenKind::Normal;
    case LlamaTokenKind::Byte:
      return TokenKind::Byte;
    case LlamaTokenKind::Control:
    case LlamaTokenKind::Unknown:
      return TokenKind::Special;
    case LlamaTokenKind::Unused:
      break;
  }
  return TokenKind::Unused;
}

}  // namespace

Result<Vocabulary> mask_vocabulary(const LlamaVocabulary& llama) {
  std::vector<Piece> pieces;
  std::vector<TokenId> end_of_text;
  pieces.reserve(static_cast<size_t>(llama.size()));
  for (int32_t id = 0; id < llama.size(); ++id) {
    const TokenKind kind = kind_for_masks(llama.kind(id));
    pieces.push_back({kind == TokenKind::Special ? llama.label(id) : llama.piece(id), kind});
    if (llama.ends_generation(id)) end_of_text.push_back(static_cast<TokenId>(id));
  }
  return Vocabulary::make(pieces, end_of_text);
}

Result<Vocabulary> read_gguf_vocabulary(const std::string& path) {
  const auto llama = LlamaVocabulary::load(path);
  if (!llama) return llama.error();
  auto vocabulary = mask_vocabulary(*llama);
  if (!vocabulary) return Error{vocabulary.error().message, path, {}};
  return vocabulary;
}

}  // namespace pccsql
