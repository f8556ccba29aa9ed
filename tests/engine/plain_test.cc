// What counts as plain, in tokens and in whole subtrees of the trie.
#include "engine/plain.h"

#include <gtest/gtest.h>

#include "engine/free_text.h"
#include "engine/toy.h"

namespace pccsql {
namespace {

using track::FreeText;

constexpr FreeText kKinds[] = {FreeText::String, FreeText::NewName, FreeText::Quoted};

TEST(Plain, Characters) {
  EXPECT_TRUE(is_plain(FreeText::String, "a b;--\"%"));
  EXPECT_TRUE(is_plain(FreeText::String, "\xC3\xBC\xE5\x90\x8D"));
  EXPECT_FALSE(is_plain(FreeText::String, "it's"));
  EXPECT_TRUE(is_plain(FreeText::String, "a\n"));
  EXPECT_TRUE(is_plain(FreeText::String, "a\xE5\x90"));  // the rest of the character may follow
  EXPECT_FALSE(is_plain(FreeText::String, "\xE5z"));
  EXPECT_FALSE(is_plain(FreeText::String, "\x90z"));
  EXPECT_FALSE(is_plain(FreeText::String, ""));
  EXPECT_TRUE(is_plain(FreeText::NewName, "T1_\xC3\xBC"));
  EXPECT_FALSE(is_plain(FreeText::NewName, "a b"));
  EXPECT_TRUE(is_plain(FreeText::Quoted, "a b"));
  EXPECT_TRUE(is_plain(FreeText::Quoted, "(a)"));
  EXPECT_FALSE(is_plain(FreeText::Quoted, "a\"b"));
  EXPECT_FALSE(is_plain(FreeText::Quoted, "a`b"));
  EXPECT_FALSE(is_plain(FreeText::Quoted, "a]b"));
  EXPECT_FALSE(is_plain(FreeText::None, "a"));
}

TEST(Plain, EndsOfCharacters) {
  EXPECT_EQ(owed_at_end(""), 0);
  EXPECT_EQ(owed_at_end("a"), 0);
  EXPECT_EQ(owed_at_end("a\xC3"), 1);
  EXPECT_EQ(owed_at_end("a\xC3\xBC"), 0);
  EXPECT_EQ(owed_at_end("\xE5"), 2);
  EXPECT_EQ(owed_at_end("\xE5\x90"), 1);
  EXPECT_EQ(owed_at_end("\xE5\x90\x8D"), 0);
  EXPECT_EQ(owed_at_end("\xF0"), 3);
  EXPECT_EQ(owed_at_end("\xF0\x9F\x98"), 1);
  EXPECT_EQ(owed_at_end("\xF0\x9F\x98\x80"), 0);
}

TEST(Plain, SubtreesAreWhatTheirTokensAre) {
  const VocabularyIndex::Impl& index = builtin_index().impl();
  size_t plain = 0;
  for (size_t i = 0; i < index.trie.size(); ++i) {
    const size_t before = index.trie.node(i).depth - 1U;
    size_t longest = 0;
    for (const FreeText kind : kKinds) {
      bool all = true;
      for (const TokenId id : index.trie.tokens_below(i)) {
        const std::string_view added = index.vocabulary.bytes(id).substr(before);
        all = all && is_plain(kind, added);
        longest = std::max(longest, added.size());
      }
      EXPECT_EQ(index.shape.is_plain(i, kind, static_cast<uint32_t>(longest) + 1), all) << i;
      EXPECT_FALSE(index.shape.is_plain(i, kind, static_cast<uint32_t>(longest)));
      plain += all ? 1 : 0;
    }
  }
  EXPECT_GT(plain, 500u);
}

TEST(FreeTexts, PartsAreTheWholeVocabulary) {
  const VocabularyIndex::Impl& index = builtin_index().impl();
  EXPECT_EQ(index.free_texts.find(FreeText::None, 1000), nullptr);
  for (const FreeText kind : kKinds) {
    EXPECT_EQ(index.free_texts.find(kind, 1), nullptr);
    const FreeTextParts* parts = index.free_texts.find(kind, 1000);
    ASSERT_NE(parts, nullptr);
    EXPECT_EQ(index.free_texts.find(kind, 999), parts);
    BitmaskBuffer rest(index.vocabulary.size());
    for (size_t i = 0; i < parts->rest.size(); ++i) {
      for (const TokenId id : parts->rest.tokens_at(i)) rest.view().set(id);
    }
    for (TokenId id = 0; id < index.vocabulary.size(); ++id) {
      const bool text = index.vocabulary.is_text(id);
      EXPECT_EQ(parts->plain.view().test(id), text && is_plain(kind, index.vocabulary.bytes(id)));
      EXPECT_EQ(parts->plain.view().test(id) != rest.view().test(id), text);
    }
  }
}

}  // namespace
}  // namespace pccsql
