// Masks against a vector of bools, at widths around the borders of words, in buffers of the caller's.
#include <algorithm>
#include <vector>

#include <gtest/gtest.h>

#include "mask/bitmask.h"
#include "mask/random_vocabulary.h"

namespace pccsql {
namespace {

constexpr size_t kWidths[] = {0, 1, 31, 32, 33, 63, 64, 65, 1000, 151936};

std::vector<bool> bits_of(ConstBitmask mask) {
  std::vector<bool> bits;
  for (size_t id = 0; id < mask.width(); ++id) bits.push_back(mask.test(id));
  return bits;
}

std::vector<bool> random_bits(Random& random, Bitmask mask) {
  mask.clear();
  std::vector<bool> bits(mask.width());
  for (size_t id = 0; id < bits.size(); ++id) {
    if (below(random, 3) != 0) continue;
    bits[id] = true;
    mask.set(id);
  }
  return bits;
}

TEST(Bitmask, CountsWords) {
  EXPECT_EQ(bitmask_words(0), 0u);
  EXPECT_EQ(bitmask_words(1), 1u);
  EXPECT_EQ(bitmask_words(32), 1u);
  EXPECT_EQ(bitmask_words(33), 2u);
  EXPECT_EQ(bitmask_words(151936), 4748u);
  EXPECT_EQ(bitmask_words(SIZE_MAX), SIZE_MAX / 32 + 1);
}

// The convention that engines expect, in numbers.
TEST(Bitmask, PutsTheLeastSignificantBitFirst) {
  std::vector<uint32_t> words(2);
  const Bitmask mask(words, 40);
  mask.set(0);
  mask.set(5);
  mask.set(31);
  mask.set(33);
  EXPECT_EQ(words, (std::vector<uint32_t>{0x80000021U, 0x2U}));
  mask.reset(5);
  EXPECT_EQ(words[0], 0x80000001U);
}

TEST(Bitmask, IsAVectorOfBools) {
  for (const size_t width : kWidths) {
    SCOPED_TRACE(width);
    Random random(width);
    BitmaskBuffer a(width);
    BitmaskBuffer b(width);
    EXPECT_EQ(a.view().count(), 0u);
    const auto bits = random_bits(random, a.view());
    const auto others = random_bits(random, b.view());
    EXPECT_EQ(bits_of(a.view()), bits);
    EXPECT_EQ(a.view().count(), static_cast<size_t>(std::count(bits.begin(), bits.end(), true)));
    std::vector<size_t> expected;
    std::vector<size_t> visited;
    for (size_t id = 0; id < width; ++id) {
      if (bits[id]) expected.push_back(id);
    }
    a.view().for_each([&visited](uint32_t id) { visited.push_back(id); });
    EXPECT_EQ(visited, expected);

    BitmaskBuffer c(width);
    c.view().copy_from(a.view());
    c.view() |= b.view();
    BitmaskBuffer d(width);
    d.view().copy_from(a.view());
    d.view() &= b.view();
    for (size_t id = 0; id < width; ++id) {
      ASSERT_EQ(c.view().test(id), bits[id] || others[id]);
      ASSERT_EQ(d.view().test(id), bits[id] && others[id]);
    }
    EXPECT_EQ(bits_of(b.view()), others);
  }
}

TEST(Bitmask, FillsToItsWidthAndNoFurther) {
  for (const size_t width : kWidths) {
    std::vector<uint32_t> words(bitmask_words(width) + 2, 0xDEADBEEFU);
    const Bitmask mask(words, width);
    mask.fill();
    EXPECT_EQ(mask.count(), width);
    EXPECT_FALSE(mask.test(width));
    EXPECT_FALSE(mask.test(width + 31));
    if (width % 32 != 0) {
      EXPECT_EQ(words[width / 32], (1U << (width % 32)) - 1);
    }
    mask.clear();
    EXPECT_EQ(mask.count(), 0u);
    EXPECT_EQ(words[words.size() - 1], 0xDEADBEEFU);  // the caller's, not ours
    EXPECT_EQ(words[words.size() - 2], 0xDEADBEEFU);
  }
}

TEST(Bitmask, DoesNotSeeBitsBeyondItsWidth) {
  std::vector<uint32_t> words{0xFFFFFFFFU, 0xFFFFFFFFU};
  const Bitmask mask(words, 35);
  EXPECT_EQ(mask.count(), 35u);
  size_t visited = 0;
  mask.for_each([&visited](uint32_t id) {
    EXPECT_LT(id, 35u);
    ++visited;
  });
  EXPECT_EQ(visited, 35u);
  EXPECT_FALSE(mask.test(35));
}

}  // namespace
}  // namespace pccsql
