// The walk admits exactly what trying every token alone would: bit by bit, for several recognizers and vocabularies.
#include <gtest/gtest.h>

#include "mask/bitmask.h"
#include "mask/builtin_vocabulary.h"
#include "mask/random_vocabulary.h"
#include "mask/recognizers.h"
#include "mask/trie.h"

namespace pccsql {
namespace {

constexpr size_t kPadding = 77;  // logits beyond the vocabulary

template <typename Recognizer>
bool takes(Recognizer& recognizer, std::string_view bytes) {
  size_t taken = 0;
  while (taken < bytes.size() && recognizer.push(static_cast<uint8_t>(bytes[taken]))) ++taken;
  bool admitted = taken == bytes.size();
  if constexpr (requires { recognizer.accepts(); }) admitted = admitted && recognizer.accepts();
  if (taken > 0) recognizer.pop(taken);
  return admitted;
}

// The rule of admission, written out again: text of its own, and taken to its end.
template <typename Recognizer>
bool admissible(const Vocabulary& vocabulary, TokenId id, Recognizer& recognizer) {
  if (id >= vocabulary.size() || vocabulary.bytes(id).empty()) return false;
  if (vocabulary.kind(id) == TokenKind::Special || vocabulary.kind(id) == TokenKind::Unused) return false;
  for (const TokenId end : vocabulary.end_of_text()) {
    if (end == id) return false;
  }
  return takes(recognizer, vocabulary.bytes(id));
}

// Returns how many were admitted.
template <typename Recognizer>
size_t expect_brute_force(const Vocabulary& vocabulary, const Trie& trie, Recognizer recognizer) {
  BitmaskBuffer mask(vocabulary.size() + kPadding);
  walk(trie, recognizer, mask.view());
  EXPECT_EQ(recognizer.depth(), 0u) << "the walk left the recognizer elsewhere";
  size_t admitted = 0;
  for (TokenId id = 0; id < mask.view().width(); ++id) {
    const bool expected = admissible(vocabulary, id, recognizer);
    admitted += expected ? 1 : 0;
    EXPECT_EQ(mask.view().test(id), expected) << "token " << id;
  }
  return admitted;
}

void expect_all(const Vocabulary& vocabulary, Random& random) {
  const Trie trie(vocabulary);
  expect_brute_force(vocabulary, trie, WordList({"SELECT name", "SELECT salary", " FROM", " FROM emp", "salary"}));
  expect_brute_force(vocabulary, trie, WordList({"SELECT name", "SELECT salary"}, "SEL"));
  expect_brute_force(vocabulary, trie, WordList({"abba", "a", "bab", "((a)b", ")"}));
  expect_brute_force(vocabulary, trie, WordList({}));
  for (const int open : {0, 1, 4, 5}) expect_brute_force(vocabulary, trie, Balanced(open));
  expect_brute_force(vocabulary, trie, Utf8());
  expect_brute_force(vocabulary, trie, Digits());
  for (const size_t percent_dead : {0, 5, 30, 80, 100}) {
    expect_brute_force(vocabulary, trie, RandomAutomaton(random, percent_dead));
  }
}

TEST(Walk, IsBruteForceOnTheBuiltinVocabulary) {
  Random random(1);
  const Vocabulary vocabulary = builtin_vocabulary();
  expect_all(vocabulary, random);
  // That something is admitted and something is not, so that the comparison compares.
  const Trie trie(vocabulary);
  EXPECT_EQ(expect_brute_force(vocabulary, trie, WordList({"SELECT name"})), 3u);  // S, SEL, SELECT
  EXPECT_GT(expect_brute_force(vocabulary, trie, Digits()), 12u);
  EXPECT_GT(expect_brute_force(vocabulary, trie, Utf8()), 400u);
}

TEST(Walk, IsBruteForceOnRandomBytes) {
  for (uint64_t seed = 0; seed < 4; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    expect_all(random_vocabulary(random, 5000), random);
  }
}

// Few letters make deep tries, with tokens at most of their nodes.
TEST(Walk, IsBruteForceOnSharedPrefixes) {
  for (const std::string_view alphabet : {"ab", "()a", "0123456789x", "\xC3\xA9\xE5\x90\x8D"}) {
    SCOPED_TRACE(alphabet);
    Random random(alphabet.size());
    expect_all(random_vocabulary(random, 5000, alphabet), random);
  }
}

TEST(Walk, IsBruteForceOnTinyVocabularies) {
  for (uint64_t seed = 0; seed < 300; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    expect_all(random_vocabulary(random, 1 + below(random, 12), "ab("), random);
  }
}

// A recognizer that takes everything, and counts what it is asked.
struct Everything : States<int> {
  Everything() : States(0) {}
  bool push(uint8_t) {
    ++pushes;
    enter(0);
    return true;
  }
  size_t pushes = 0;
};

TEST(Walk, AdmitsAllTextAndNothingElse) {
  Random random(7);
  const Vocabulary vocabulary = random_vocabulary(random, 5000);
  const Trie trie(vocabulary);
  Everything everything;
  BitmaskBuffer mask(vocabulary.size() + kPadding);
  walk(trie, everything, mask.view());
  EXPECT_EQ(everything.pushes, trie.size());  // each node once
  size_t text = 0;
  for (TokenId id = 0; id < vocabulary.size(); ++id) {
    text += vocabulary.is_text(id) ? 1 : 0;
    EXPECT_EQ(mask.view().test(id), vocabulary.is_text(id)) << id;
  }
  EXPECT_EQ(mask.view().count(), text);
  EXPECT_GT(text, 3000u);
  EXPECT_LT(text, 5000u);
}

TEST(Walk, SkipsWhatCannotBeEntered) {
  struct Nothing : States<int> {
    Nothing() : States(0) {}
    bool push(uint8_t) {
      ++pushes;
      return false;
    }
    size_t pushes = 0;
  } nothing;
  const Vocabulary vocabulary = builtin_vocabulary();
  BitmaskBuffer mask(vocabulary.size());
  walk(Trie(vocabulary), nothing, mask.view());
  EXPECT_EQ(nothing.pushes, 256u);  // the first bytes, and none below them
  EXPECT_EQ(mask.view().count(), 0u);
}

TEST(Walk, KeepsBitsThatAreSet) {
  const Vocabulary vocabulary = builtin_vocabulary();
  BitmaskBuffer mask(vocabulary.size());
  const TokenId end = vocabulary.end_of_text()[0];
  mask.view().set(end);
  mask.view().set('x');
  Digits digits;
  walk(Trie(vocabulary), digits, mask.view());
  EXPECT_TRUE(mask.view().test(end));
  EXPECT_TRUE(mask.view().test('x'));
  EXPECT_TRUE(mask.view().test('7'));
  EXPECT_FALSE(mask.view().test('y'));
}

}  // namespace
}  // namespace pccsql
