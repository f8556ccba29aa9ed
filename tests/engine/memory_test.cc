// What is kept stays within the bytes that the settings allow, whatever the schema; masks do not depend on it.
#include <gtest/gtest.h>
#include <malloc.h>

#include <algorithm>

#include "engine/demo.h"
#include "engine/engine_impl.h"
#include "engine/oracle.h"
#include "engine/toy.h"
#include "benchmark_data.h"

namespace pccsql {
namespace {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool kMeasures = false;  // sanitizers have allocators of their own
#else
constexpr bool kMeasures = true;
#endif

size_t allocated() {
  const struct mallinfo2 now = mallinfo2();
  return now.uordblks + now.hblkhd;
}

// Tables of `each` columns, some of whose names occur in several tables.
Catalog wide_catalog(size_t columns, size_t each) {
  std::vector<Table> tables;
  for (size_t i = 0; i * each < columns; ++i) {
    Table table;
    table.name = "table_" + std::to_string(i);
    for (size_t c = 0; c < each; ++c) {
      Column column;
      column.name = c < 2 ? "shared_" + std::to_string(c) : "col_" + std::to_string(i) + "_" + std::to_string(c);
      column.type = "TEXT";
      table.columns.push_back(std::move(column));
    }
    tables.push_back(std::move(table));
  }
  return Catalog(std::move(tables), "wide");
}

Engine wide_engine(size_t columns, size_t each, size_t bytes) {
  const Catalog catalog = wide_catalog(columns, each);
  Settings settings;
  settings.memory_bytes = bytes;
  return *make_engine(catalog, Policy(catalog, ColumnPolicy::Public), builtin_index(), settings);
}

// One generation of at most `most` tokens, each chosen at random from the mask.
void generate(const Engine& engine, std::mt19937& random, int most) {
  const size_t width = engine.vocabulary().size();
  Matcher matcher = engine.new_matcher();
  for (int i = 0; i < most && !matcher.is_terminated(); ++i) {
    ASSERT_TRUE(matcher.accept_token(choose(mask_of(matcher, width), engine.vocabulary(), random)));
    ASSERT_FALSE(matcher.is_refused()) << matcher.refusal()->reason;
  }
}

struct Shape {
  size_t columns, each;
  int generations, tokens;
  size_t megabytes;
};

class LongRun : public testing::TestWithParam<Shape> {};

// What malloc has given out grows by no more than half as much again as was set, and no more than is counted.
TEST_P(LongRun, StaysWithinItsBytes) {
  if (!kMeasures) GTEST_SKIP() << "sanitizers have allocators of their own";
  const size_t bytes = GetParam().megabytes << 20;
  const Engine engine = wide_engine(GetParam().columns, GetParam().each, bytes);
  std::mt19937 random(5);
  generate(engine, random, 5);
  const size_t before = allocated() - engine.memory_statistics().used;
  size_t spent = 0;
  for (int i = 0; i < GetParam().generations; ++i) {
    generate(engine, random, GetParam().tokens);
    const auto memory = engine.memory_statistics();
    const size_t now = allocated();
    const size_t grown = now > before ? now - before : 0;
    ASSERT_LE(memory.used, bytes);
    ASSERT_LE(grown, bytes + bytes / 2 + (1 << 20));
    ASSERT_LE(grown, memory.used + memory.used / 4 + (1 << 20)) << memory.used;
    ASSERT_EQ(memory.used, memory.masks + memory.parts + memory.needs + memory.idle_trackers);
    ASSERT_EQ(memory.generations, 0u);
    spent = std::max(spent, memory.used);
  }
  EXPECT_GT(spent, bytes / 2);  // otherwise nothing was shown
  EXPECT_GT(engine.cache_statistics().evictions, 0u);
}

INSTANTIATE_TEST_SUITE_P(Schemas, LongRun,
                         testing::Values(Shape{10, 10, 150, 120, 3}, Shape{420, 20, 150, 120, 3},
                                         Shape{10000, 100, 40, 60, 1}));

// With a vocabulary as models have it. What is made once for a vocabulary is there before anything is measured.
TEST(LongRun, OfALargeVocabulary) {
  if (!kMeasures) GTEST_SKIP() << "sanitizers have allocators of their own";
  const auto data = data_folder();
  if (!data) GTEST_SKIP() << kNoData;
  const auto vocabulary = read_vocabulary(*data + "/vocab/ggml-vocab-qwen2.gguf");
  if (!vocabulary) GTEST_SKIP() << vocabulary.error().to_string();
  const VocabularyIndex index(*vocabulary);
  constexpr size_t kBytes = size_t{8} << 20;
  const auto run = [&](const Engine& engine, unsigned seed) {
    std::mt19937 random(seed);
    for (int i = 0; i < 6; ++i) generate(engine, random, 40);
  };
  const Catalog catalog = wide_catalog(420, 20);
  const Policy open(catalog, ColumnPolicy::Public);
  Settings settings;
  settings.memory_bytes = 0;
  run(*make_engine(catalog, open, index, settings), 1);
  settings.memory_bytes = kBytes;
  const Engine engine = *make_engine(catalog, open, index, settings);
  const size_t before = allocated();
  for (unsigned seed = 1; seed < 4; ++seed) {
    run(engine, seed);
    const size_t now = allocated();
    EXPECT_LE(now > before ? now - before : 0, kBytes + kBytes / 2 + (1 << 20));
    EXPECT_LE(engine.memory_statistics().used, kBytes);
  }
}

// Masks are the same bit by bit, whatever is kept: under budgets of tokens, after steps back, in forks.
TEST(Memory, MasksDoNotDependOnIt) {
  constexpr size_t kSizes[] = {size_t{64} << 20, size_t{1} << 20, 0};
  for (const Settings::Style style : {Settings::Style::Any, Settings::Style::Canonical}) {
    for (const bool wide : {false, true}) {
      std::vector<Engine> engines;
      for (const size_t bytes : kSizes) {
        Settings settings;
        settings.style = style;
        settings.memory_bytes = bytes;
        const Catalog catalog = wide_catalog(420, 20);
        engines.push_back(wide ? *make_engine(catalog, Policy(catalog, ColumnPolicy::Public), builtin_index(), settings)
                               : demo_engine(builtin_index(), settings));
      }
      const Vocabulary& vocabulary = engines[0].vocabulary();
      std::mt19937 random(17);
      for (int generation = 0; generation < (wide ? 6 : 12); ++generation) {
        std::vector<std::vector<Matcher>> all(1);
        for (const Engine& engine : engines) all[0].push_back(engine.new_matcher(generation % 3 == 0 ? 60 : 0));
        for (int i = 0; i < 80 && !all.empty(); ++i) {
          const size_t at = random() % all.size();
          auto& same = all[at];
          const auto mask = mask_of(same[0], vocabulary.size());
          for (size_t k = 1; k < same.size(); ++k) {
            ASSERT_EQ(mask_of(same[k], vocabulary.size()), mask) << kSizes[k] << " " << same[0].text();
          }
          const TokenId id = choose(mask, vocabulary, random);
          for (Matcher& matcher : same) ASSERT_TRUE(matcher.accept_token(id)) << matcher.text();
          if (same[0].is_terminated()) {
            ASSERT_EQ(same[0].sql(), same[2].sql());
            all.erase(all.begin() + static_cast<std::ptrdiff_t>(at));
          } else if (random() % 6 == 0) {
            const size_t back = 1 + random() % 3;
            for (Matcher& matcher : same) matcher.rollback(std::min(back, matcher.steps()));
          } else if (random() % 12 == 0 && all.size() < 3) {
            std::vector<Matcher> forked;
            for (Matcher& matcher : same) forked.push_back(matcher.fork());
            all.push_back(std::move(forked));
          }
        }
      }
      EXPECT_EQ(engines[2].memory_statistics().masks, 0u);
      EXPECT_GT(engines[0].memory_statistics().masks, 0u);
    }
  }
}

TEST(Memory, EnginesCanShareIt) {
  Settings settings;
  constexpr size_t kBytes = size_t{256} << 10;
  settings.memory = Memory(kBytes);
  const Engine one = demo_engine(builtin_index(), settings), other = demo_engine(builtin_index(), settings);
  std::mt19937 random(3);
  for (int i = 0; i < 20; ++i) {
    generate(i % 2 == 0 ? one : other, random, 60);
    const auto a = one.memory_statistics(), b = other.memory_statistics();
    EXPECT_EQ(a.used, b.used);
    EXPECT_EQ(a.used, settings.memory->used_bytes());
    EXPECT_EQ(a.used, a.masks + a.parts + a.needs + a.idle_trackers + b.masks + b.parts + b.needs + b.idle_trackers);
    EXPECT_LE(a.used, kBytes);
  }
  EXPECT_GT(one.cache_statistics().evictions + other.cache_statistics().evictions, 0u);
}

// ---- forks ----

constexpr const char* kText = "SELECT name FROM employee WHERE ";
constexpr const char* kMore = "hire_date = 'x' AND ";

Matcher begun(const Engine& engine) {
  Matcher matcher = engine.new_matcher();
  EXPECT_TRUE(matcher.accept_text(kText));
  return matcher;
}

void step_and_back(Matcher& matcher) {
  ASSERT_TRUE(matcher.accept_text(kMore));
  ASSERT_TRUE(matcher.rollback(1));
}

// What 200,000 rounds add to what ten have taken.
template <typename Round>
size_t growth(const Round& round) {
  for (int i = 0; i < 10; ++i) round();
  const size_t before = allocated();
  for (int i = 0; i < 200'000; ++i) round();
  const size_t after = allocated();
  return after > before ? after - before : 0;
}

TEST(Forks, ADeadOneCostsNothing) {
  if (!kMeasures) GTEST_SKIP() << "sanitizers have allocators of their own";
  const Engine engine = demo_engine(builtin_index(), {});
  Matcher matcher = begun(engine);
  { const Matcher dead = matcher.fork(); }
  EXPECT_LE(growth([&] { step_and_back(matcher); }), size_t{64} << 10);
}

TEST(Forks, OneThatWaitsCostsWhatItHolds) {
  if (!kMeasures) GTEST_SKIP() << "sanitizers have allocators of their own";
  const Engine engine = demo_engine(builtin_index(), {});
  Matcher matcher = begun(engine);
  Matcher waiting = matcher.fork();
  EXPECT_LE(growth([&] { step_and_back(matcher); }), size_t{64} << 10);
  ASSERT_TRUE(waiting.accept_text(kMore));
  EXPECT_LE(growth([&] { step_and_back(matcher); }), size_t{64} << 10);
  EXPECT_LE(growth([&] { const Matcher dead = waiting.fork(); }), size_t{64} << 10);
}

// Each step of one lies on top of the other's, so that neither can simply be taken out.
TEST(Forks, TwoThatGoBackInTurns) {
  const Engine engine = demo_engine(builtin_index(), {});
  Matcher one = begun(engine), other = one.fork();
  ASSERT_TRUE(one.accept_text(kMore));
  ASSERT_TRUE(other.accept_text(kMore));
  size_t most = 0;
  const auto round = [&] {
    for (Matcher* matcher : {&one, &other}) {
      ASSERT_TRUE(matcher->rollback(1));
      ASSERT_TRUE(matcher->accept_text(kMore));
    }
    most = std::max(most, engine.memory_statistics().generations);
  };
  if (kMeasures) {
    EXPECT_LE(growth(round), size_t{256} << 10);
  } else {
    for (int i = 0; i < 2000; ++i) round();
  }
  EXPECT_LE(most, size_t{256} << 10);
  // Wherever they live by now, both are what they were.
  Matcher alone = engine.new_matcher();
  ASSERT_TRUE(alone.accept_text(std::string(kText) + kMore));
  const size_t width = engine.vocabulary().size();
  for (Matcher* matcher : {&one, &other}) {
    EXPECT_EQ(mask_of(*matcher, width), mask_of(alone, width));
    ASSERT_TRUE(matcher->rollback(2));
    EXPECT_EQ(matcher->text(), "");
    EXPECT_TRUE(matcher->accept_text(kText));
  }
}

}  // namespace
}  // namespace pccsql
