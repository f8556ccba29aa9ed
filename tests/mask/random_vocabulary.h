// Random vocabularies with everything that makes real ones awkward: pieces that share prefixes, ids that share bytes,
// pieces without bytes, special and unused ids anywhere among the others.
#pragma once

#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "mask/vocabulary.h"

namespace pccsql {

using Random = std::mt19937_64;

inline size_t below(Random& random, size_t bound) { return static_cast<size_t>(random() % bound); }

// Letters from `alphabet`; all 256 bytes if it is empty.
inline std::string random_bytes(Random& random, size_t length, std::string_view alphabet = "") {
  std::string bytes;
  for (size_t i = 0; i < length; ++i) {
    bytes += alphabet.empty() ? static_cast<char>(below(random, 256)) : alphabet[below(random, alphabet.size())];
  }
  return bytes;
}

inline std::vector<Piece> random_pieces(Random& random, size_t count, std::string_view alphabet = "") {
  std::vector<Piece> pieces;
  while (pieces.size() < count) {
    Piece piece;
    const size_t dice = below(random, 100);
    piece.kind = dice < 80   ? TokenKind::Normal
                 : dice < 88 ? TokenKind::Byte
                 : dice < 94 ? TokenKind::Special
                             : TokenKind::Unused;
    switch (pieces.empty() ? 5 : below(random, 8)) {
      case 0:
        piece.bytes = pieces[below(random, pieces.size())].bytes;
        break;   // the same again
      case 1: {  // the beginning of another
        const std::string& other = pieces[below(random, pieces.size())].bytes;
        piece.bytes = other.substr(0, below(random, other.size() + 1));
        break;
      }
      case 2:
      case 3:  // another, and more
        piece.bytes = pieces[below(random, pieces.size())].bytes + random_bytes(random, below(random, 4), alphabet);
        break;
      case 4:
        piece.bytes = random_bytes(random, below(random, 20), alphabet);
        break;
      default:
        piece.bytes = random_bytes(random, below(random, 6), alphabet);
    }
    if (piece.kind == TokenKind::Byte) piece.bytes = random_bytes(random, 1, alphabet);
    pieces.push_back(std::move(piece));
  }
  return pieces;
}

inline Vocabulary random_vocabulary(Random& random, size_t count, std::string_view alphabet = "") {
  const auto pieces = random_pieces(random, count, alphabet);
  const std::vector<TokenId> ends{static_cast<TokenId>(below(random, count)), static_cast<TokenId>(count - 1)};
  return *Vocabulary::make(pieces, ends);
}

}  // namespace pccsql
