#include "mask/vocabulary.h"

#include <algorithm>

#include "mask/bitmask.h"

namespace pccsql {

Result<Vocabulary> Vocabulary::make(std::span<const Piece> pieces, std::span<const TokenId> end_of_text) {
  if (pieces.size() > kMostTokens) {
    return Error{"a vocabulary of " + std::to_string(pieces.size()) + " tokens is too large; at most " +
                     std::to_string(kMostTokens) + " are read",
                 "",
                 {}};
  }
  if (end_of_text.empty()) {
    return Error{"the vocabulary has no end-of-text token, so that no text could end; name one", "", {}};
  }
  Vocabulary made;
  size_t total = 0;
  for (size_t id = 0; id < pieces.size(); ++id) {
    const size_t length = pieces[id].bytes.size();
    if (length > kLongestPiece) {
      return Error{"token " + std::to_string(id) + " has " + std::to_string(length) + " bytes; at most " +
                       std::to_string(kLongestPiece) + " are read",
                   "",
                   {}};
    }
    total += length;
  }
  if (total > UINT32_MAX / 2) {
    return Error{"the pieces have " + std::to_string(total) + " bytes in all; at most 2 GiB are read", "", {}};
  }
  made.pool_.reserve(total);
  made.offsets_.reserve(pieces.size() + 1);
  made.kinds_.reserve(pieces.size());
  for (const Piece& piece : pieces) {
    made.offsets_.push_back(static_cast<uint32_t>(made.pool_.size()));
    made.kinds_.push_back(piece.kind);
    made.pool_ += piece.bytes;
  }
  made.offsets_.push_back(static_cast<uint32_t>(made.pool_.size()));
  made.end_of_text_.assign(end_of_text.begin(), end_of_text.end());
  std::vector<TokenId>& ends = made.end_of_text_;
  std::sort(ends.begin(), ends.end());
  ends.erase(std::unique(ends.begin(), ends.end()), ends.end());
  if (ends.back() >= pieces.size()) {
    return Error{"there is no token " + std::to_string(ends.back()) + " to end the text; the vocabulary has " +
                     std::to_string(pieces.size()) + " tokens, counted from 0",
                 "",
                 {}};
  }
  return made;
}

bool Vocabulary::is_text(TokenId id) const {
  if (id >= size() || bytes(id).empty()) return false;
  const bool writes = kinds_[id] == TokenKind::Normal || kinds_[id] == TokenKind::Byte;
  return writes && !is_end_of_text(id);
}

bool Vocabulary::is_end_of_text(TokenId id) const { return std::ranges::binary_search(end_of_text_, id); }

Result<size_t> Vocabulary::mask_words(size_t logits_width) const {
  if (logits_width < size()) {
    return Error{"the model has " + std::to_string(logits_width) + " logits, the vocabulary " + std::to_string(size()) +
                     " tokens: they do not belong together",
                 "",
                 {}};
  }
  return bitmask_words(logits_width);
}

}  // namespace pccsql
