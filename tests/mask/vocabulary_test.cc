// Vocabularies: the bytes and kinds that were given, what may be text, and widths of logits.
#include <algorithm>
#include <array>

#include <gtest/gtest.h>

#include "mask/random_vocabulary.h"
#include "mask/vocabulary.h"

namespace pccsql {
namespace {

std::string message(const Result<Vocabulary>& made) { return made ? "(no error)" : made.error().message; }

TEST(Vocabulary, KeepsPieces) {
  Random random(3);
  const auto pieces = random_pieces(random, 2000);
  const auto vocabulary = Vocabulary::make(pieces, std::array{TokenId{7}});
  ASSERT_TRUE(vocabulary);
  ASSERT_EQ(vocabulary->size(), pieces.size());
  for (TokenId id = 0; id < pieces.size(); ++id) {
    EXPECT_EQ(vocabulary->bytes(id), pieces[id].bytes);
    EXPECT_EQ(vocabulary->kind(id), pieces[id].kind);
  }
}

TEST(Vocabulary, SaysWhatIsText) {
  const std::vector<Piece> pieces{
      {"a", TokenKind::Normal},     {"\xFF", TokenKind::Byte},    {"<s>", TokenKind::Special},
      {"<gap>", TokenKind::Unused}, {"", TokenKind::Normal},      {"", TokenKind::Byte},
      {"stop", TokenKind::Normal},  {"</s>", TokenKind::Special}, {std::string(1, '\0'), TokenKind::Normal}};
  const auto vocabulary = Vocabulary::make(pieces, std::array{TokenId{7}, TokenId{6}, TokenId{7}});
  ASSERT_TRUE(vocabulary);
  std::vector<TokenId> text;
  for (TokenId id = 0; id < 20; ++id) {
    if (vocabulary->is_text(id)) text.push_back(id);
  }
  EXPECT_EQ(text, (std::vector<TokenId>{0, 1, 8}));
  EXPECT_TRUE(std::ranges::equal(vocabulary->end_of_text(), std::array{TokenId{6}, TokenId{7}}));
  EXPECT_TRUE(vocabulary->is_end_of_text(6));
  EXPECT_FALSE(vocabulary->is_end_of_text(0));
  EXPECT_FALSE(vocabulary->is_end_of_text(99));
  EXPECT_FALSE(vocabulary->is_text(UINT32_MAX));
}

TEST(Vocabulary, MustBeAbleToEnd) {
  const std::vector<Piece> pieces{{"a", TokenKind::Normal}};
  EXPECT_EQ(message(Vocabulary::make(pieces, {})),
            "the vocabulary has no end-of-text token, so that no text could end; name one");
  EXPECT_EQ(message(Vocabulary::make(pieces, std::array{TokenId{1}})),
            "there is no token 1 to end the text; the vocabulary has 1 tokens, counted from 0");
  EXPECT_FALSE(Vocabulary::make({}, std::array{TokenId{0}}));
}

TEST(Vocabulary, BoundsThePieces) {
  std::vector<Piece> pieces{{std::string(Vocabulary::kLongestPiece, 'x'), TokenKind::Normal}};
  EXPECT_TRUE(Vocabulary::make(pieces, std::array{TokenId{0}}));
  pieces[0].bytes += 'x';
  EXPECT_EQ(message(Vocabulary::make(pieces, std::array{TokenId{0}})),
            "token 0 has 65536 bytes; at most 65535 are read");
}

TEST(Vocabulary, FitsLogitsAsWideAsItselfOrWider) {
  const std::vector<Piece> pieces(100, {"a", TokenKind::Normal});
  const auto vocabulary = Vocabulary::make(pieces, std::array{TokenId{99}});
  ASSERT_TRUE(vocabulary);
  EXPECT_EQ(*vocabulary->mask_words(100), 4u);
  EXPECT_EQ(*vocabulary->mask_words(129), 5u);
  const auto narrow = vocabulary->mask_words(99);
  ASSERT_FALSE(narrow);
  EXPECT_EQ(narrow.error().message, "the model has 99 logits, the vocabulary 100 tokens: they do not belong together");
  EXPECT_FALSE(vocabulary->mask_words(0));
}

}  // namespace
}  // namespace pccsql
