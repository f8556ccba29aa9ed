// The built-in vocabulary has what tests of masks need: every byte, SQL, shared bytes, and ids that are no text.
#include <map>

#include <gtest/gtest.h>

#include "mask/builtin_vocabulary.h"

namespace pccsql {
namespace {

TEST(BuiltinVocabulary, WritesEveryByte) {
  const Vocabulary vocabulary = builtin_vocabulary();
  for (unsigned byte = 0; byte < 256; ++byte) {
    EXPECT_EQ(vocabulary.bytes(byte), std::string(1, static_cast<char>(byte)));
    EXPECT_TRUE(vocabulary.is_text(byte));
  }
}

TEST(BuiltinVocabulary, HasThePiecesOfSql) {
  const Vocabulary vocabulary = builtin_vocabulary();
  std::map<std::string_view, int> times;
  for (TokenId id = 0; id < vocabulary.size(); ++id) {
    if (vocabulary.is_text(id)) ++times[vocabulary.bytes(id)];
  }
  for (const char* piece : {" SELECT", " FROM", "from", "name", ", ", "_id", "COUNT(", " = '", "😀", "\xF0\x9F"}) {
    EXPECT_GE(times[piece], 1) << piece;
  }
  int shared = 0;
  for (const auto& [piece, count] : times) shared += count > 1 ? 1 : 0;
  EXPECT_GE(shared, 5);
  EXPECT_GE(vocabulary.size(), 700u);
}

TEST(BuiltinVocabulary, HasIdsThatAreNoText) {
  const Vocabulary vocabulary = builtin_vocabulary();
  std::map<TokenKind, int> kinds;
  int empty = 0;
  for (TokenId id = 0; id < vocabulary.size(); ++id) {
    ++kinds[vocabulary.kind(id)];
    empty += vocabulary.bytes(id).empty() ? 1 : 0;
  }
  EXPECT_EQ(kinds[TokenKind::Special], 4);
  EXPECT_EQ(kinds[TokenKind::Unused], 1);
  EXPECT_EQ(empty, 1);
  ASSERT_EQ(vocabulary.end_of_text().size(), 1u);
  EXPECT_EQ(vocabulary.bytes(vocabulary.end_of_text()[0]), "<|endoftext|>");
}

}  // namespace
}  // namespace pccsql
