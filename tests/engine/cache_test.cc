// Masks as they are kept: written out they are what was stored, and the cache stays within its bytes.
#include <gtest/gtest.h>

#include <random>

#include "engine/keyed_cache.h"
#include "engine/oracle.h"
#include "engine/toy.h"

namespace pccsql {
namespace {

TEST(StoredMask, IsTheMaskAgain) {
  std::mt19937 random(3);
  for (const size_t width : {1, 31, 32, 33, 1000, 20000}) {
    for (const int percent : {0, 1, 50, 100}) {
      for (const bool with_base : {false, true}) {
        BitmaskBuffer bits(width), base(width), expected(width);
        for (size_t id = 0; id < width; ++id) {
          if (static_cast<int>(random() % 100) < percent) bits.view().set(id);
          if (with_base && random() % 3 != 0) base.view().set(id);
        }
        expected.view() |= bits.view();
        expected.view() |= base.view();
        const StoredMask stored = StoredMask::of(bits.view(), with_base ? &base : nullptr);
        EXPECT_EQ(stored.empty, !with_base && bits.view().count() == 0);
        EXPECT_LE(stored.bytes(), sizeof stored + (bitmask_words(width) + 1) * 4);
        for (const size_t wider : {size_t{0}, size_t{1}, size_t{100}}) {
          BitmaskBuffer written(width + wider);
          written.view().fill();
          stored.write_to(written.view());
          std::vector<uint32_t> a, b;
          written.view().for_each([&](uint32_t id) { a.push_back(id); });
          expected.view().for_each([&](uint32_t id) { b.push_back(id); });
          ASSERT_EQ(a, b) << width << " " << percent;
        }
      }
    }
  }
}

std::shared_ptr<const StoredMask> some_mask(TokenId id) {
  auto mask = std::make_shared<StoredMask>();
  mask->tokens.assign(100, id);
  mask->empty = false;
  return mask;
}

TEST(MaskCache, FindsWhatWasPutThere) {
  MaskCache cache(Memory(1 << 20).budget());
  for (uint64_t i = 0; i < 100; ++i) cache.insert({i * 0x9E3779B97F4A7C15u, i}, some_mask(static_cast<TokenId>(i)));
  for (uint64_t i = 0; i < 100; ++i) {
    const auto found = cache.find({i * 0x9E3779B97F4A7C15u, i});
    ASSERT_TRUE(found);
    EXPECT_EQ(found->tokens[0], i);
    EXPECT_FALSE(cache.find({i * 0x9E3779B97F4A7C15u, i + 1}));
    EXPECT_FALSE(cache.find({i * 0x9E3779B97F4A7C15u + 1, i}));
  }
  cache.insert({0, 0}, some_mask(7));
  EXPECT_EQ(cache.find({0, 0})->tokens[0], 0u);  // the first one stays
  const auto statistics = cache.statistics();
  EXPECT_EQ(statistics.hits, 101u);
  EXPECT_EQ(statistics.misses, 200u);
  EXPECT_EQ(statistics.masks, 100u);
  EXPECT_EQ(statistics.evictions, 0u);
}

TEST(MaskCache, StaysWithinItsBytes) {
  constexpr size_t kBytes = 200'000;
  const Memory memory(kBytes);
  MaskCache cache(memory.budget());
  std::mt19937_64 random(11);
  const track::Key wanted{random(), random()};
  cache.insert(wanted, some_mask(1));
  size_t kept = 0, most = 0;
  for (int i = 0; i < 5000; ++i) {
    if (cache.find(wanted)) {
      ++kept;
    } else {
      cache.insert(wanted, some_mask(1));
    }
    cache.insert({random(), random()}, some_mask(2));
    most = std::max(most, cache.statistics().masks);
    ASSERT_LE(cache.statistics().bytes, kBytes);
    ASSERT_EQ(cache.statistics().bytes, memory.used_bytes());
    if (memory.budget()->is_spent()) memory.budget()->make_room();
  }
  EXPECT_GT(kept, 4990u);  // what is asked for all the time is not what goes
  EXPECT_GT(cache.statistics().evictions, 4000u);
  EXPECT_GT(most, 250u);
  MaskCache none(Memory(0).budget());
  none.insert(wanted, some_mask(1));
  EXPECT_FALSE(none.find(wanted));
}

TEST(MaskCache, SavesWork) {
  const Engine engine = toy_engine();
  for (int i = 0; i < 3; ++i) {
    Matcher matcher = engine.new_matcher();
    for (const char* piece : {"SELECT", " name", " FROM", " employee"}) {
      mask_of(matcher, engine.vocabulary().size());
      ASSERT_TRUE(matcher.accept_token(token(piece)));
    }
  }
  const auto statistics = engine.cache_statistics();
  EXPECT_EQ(statistics.misses, 4u);
  EXPECT_EQ(statistics.hits, 8u);
  EXPECT_EQ(statistics.masks, 4u);
}

}  // namespace
}  // namespace pccsql
