// The trie as an array: order, subtrees, tokens; and that it holds each piece of text once, and nothing else.
#include <algorithm>
#include <map>
#include <set>

#include <gtest/gtest.h>

#include "mask/builtin_vocabulary.h"
#include "mask/random_vocabulary.h"
#include "mask/trie.h"

namespace pccsql {
namespace {

Vocabulary of(const std::vector<std::string>& texts) {
  std::vector<Piece> pieces;
  for (const std::string& text : texts) pieces.push_back({text, TokenKind::Normal});
  pieces.push_back({"<end>", TokenKind::Special});
  const std::vector<TokenId> ends{static_cast<TokenId>(texts.size())};
  return *Vocabulary::make(pieces, ends);
}

// "a1 b2+0,3": byte, depth, tokens, in the order of the nodes.
std::string drawn(const Trie& trie) {
  std::string out;
  for (size_t i = 0; i < trie.size(); ++i) {
    out +=
        (i > 0 ? " " : "") + std::string(1, static_cast<char>(trie.node(i).byte)) + std::to_string(trie.node(i).depth);
    for (const TokenId id : trie.tokens_at(i)) out += "+" + std::to_string(id);
    out += ">" + std::to_string(trie.node(i).after);
  }
  return out;
}

TEST(Trie, StandsInDepthFirstOrder) {
  EXPECT_EQ(drawn(Trie(of({"b", "ab", "a", "abc", "ad", "ab"}))), "a1+2>4 b2+1+5>3 c3+3>3 d2+4>4 b1+0>5");
  EXPECT_EQ(drawn(Trie(of({"xyz"}))), "x1>3 y2>3 z3+0>3");
  EXPECT_EQ(drawn(Trie(of({}))), "");
  EXPECT_EQ(drawn(Trie(of({"", ""}))), "");
}

TEST(Trie, OrdersBytesAsUnsigned) {
  const Trie trie(of({"\xFF", "a", std::string(1, '\0'), std::string("a\0", 2), "\x80"}));
  std::vector<int> bytes;
  for (size_t i = 0; i < trie.size(); ++i) bytes.push_back(trie.node(i).byte);
  EXPECT_EQ(bytes, (std::vector<int>{0, 'a', 0, 0x80, 0xFF}));
}

// Pieces that agree in their first eight bytes, or are filled up with what the other has: the order by heads alone errs.
TEST(Trie, TellsLongPiecesApart) {
  EXPECT_EQ(drawn(Trie(of({"aaaaaaaab", "aaaaaaaaa", "aaaaaaaa"}))),
            "a1>10 a2>10 a3>10 a4>10 a5>10 a6>10 a7>10 a8+2>10 a9+1>9 b9+0>10");
  const std::string nuls(12, '\0');
  const Trie trie(of({nuls, nuls.substr(0, 3), nuls.substr(0, 9), nuls.substr(0, 1)}));
  ASSERT_EQ(trie.size(), 12u);
  EXPECT_EQ(trie.tokens_at(0)[0], 3u);
  EXPECT_EQ(trie.tokens_at(2)[0], 1u);
  EXPECT_EQ(trie.tokens_at(8)[0], 2u);
  EXPECT_EQ(trie.tokens_at(11)[0], 0u);
}

TEST(Trie, HoldsTheLongestPiece) {
  const std::string longest(Vocabulary::kLongestPiece, 'x');
  const Trie trie(of({longest, "x"}));
  ASSERT_EQ(trie.size(), longest.size());
  EXPECT_EQ(trie.node(trie.size() - 1).depth, longest.size());
  EXPECT_EQ(trie.tokens_at(trie.size() - 1)[0], 0u);
}

// Reads the array back: every property that the walk relies on, and the set of pieces.
void expect_sound(const Vocabulary& vocabulary) {
  const Trie trie(vocabulary);
  std::map<std::string, std::vector<TokenId>> expected;
  std::set<std::string> prefixes;
  for (TokenId id = 0; id < vocabulary.size(); ++id) {
    if (!vocabulary.is_text(id)) continue;
    const std::string bytes(vocabulary.bytes(id));
    expected[bytes].push_back(id);
    for (size_t length = 1; length <= bytes.size(); ++length) prefixes.insert(bytes.substr(0, length));
  }
  EXPECT_EQ(trie.size(), prefixes.size());
  std::map<std::string, std::vector<TokenId>> found;
  std::string path;
  std::string before;
  for (size_t i = 0; i < trie.size(); ++i) {
    const Trie::Node& node = trie.node(i);
    ASSERT_GE(node.depth, 1);
    ASSERT_LE(node.depth, path.size() + 1);
    path.resize(node.depth - 1U);
    path += static_cast<char>(node.byte);
    EXPECT_LT(before, path);  // depth-first and by byte is the order of the texts
    before = path;
    size_t after = i + 1;
    while (after < trie.size() && trie.node(after).depth > node.depth) ++after;
    ASSERT_EQ(node.after, after);
    if (const auto ids = trie.tokens_at(i); !ids.empty()) found[path].assign(ids.begin(), ids.end());
    size_t in_subtree = 0;
    for (size_t k = i; k < after; ++k) in_subtree += trie.tokens_at(k).size();
    ASSERT_EQ(trie.tokens_below(i).size(), in_subtree);
  }
  EXPECT_EQ(found, expected);
  EXPECT_EQ(trie.node(trie.size()).depth, 1);
}

TEST(Trie, HoldsTheBuiltinVocabulary) { expect_sound(builtin_vocabulary()); }

TEST(Trie, HoldsRandomVocabularies) {
  for (const std::string_view alphabet : {"", "ab", "abcdefgh"}) {
    for (const size_t count : {1, 2, 30, 3000}) {
      SCOPED_TRACE(std::string(alphabet) + " " + std::to_string(count));
      Random random(count);
      expect_sound(random_vocabulary(random, count, alphabet));
    }
  }
}

}  // namespace
}  // namespace pccsql
