// One Engine, many Matchers, on many threads: each gets the masks that it would get alone. Meant for ThreadSanitizer, too.
#include <gtest/gtest.h>

#include <thread>

#include "engine/demo.h"
#include "engine/oracle.h"
#include "engine/toy.h"

namespace pccsql {
namespace {

// Texts and masks of some generations, as one number.
size_t digest(Matcher& matcher, const Vocabulary& vocabulary, std::mt19937& random) {
  size_t sum = 0;
  while (!matcher.is_terminated()) {
    const auto admitted = mask_of(matcher, vocabulary.size());
    for (const TokenId id : admitted) sum = sum * 31 + id;
    matcher.accept_token(choose(admitted, vocabulary, random));
    if (random() % 8 == 0 && !matcher.is_terminated()) matcher.rollback(1);
  }
  return sum * 31 + std::hash<std::string>()(matcher.sql().value_or("refused"));
}

TEST(Threads, OneEngineManyMatchers) {
  Settings settings;
  settings.refusal = true;
  const auto run = [](const Engine& engine, unsigned seed) {
    std::mt19937 random(seed);
    size_t sum = 0;
    for (int i = 0; i < 20; ++i) {
      Matcher matcher = engine.new_matcher(i % 2 == 0 ? 0 : 20);
      sum = sum * 31 + digest(matcher, engine.vocabulary(), random);
    }
    return sum;
  };
  constexpr unsigned kThreads = 8;
  std::vector<size_t> alone(kThreads), together(kThreads);
  for (unsigned i = 0; i < kThreads; ++i) alone[i] = run(toy_engine(settings), i % 4);
  for (const size_t memory_bytes : {size_t{1} << 20, size_t{20000}, size_t{0}}) {  // the second is full all the time
    settings.memory_bytes = memory_bytes;
    const Engine engine = toy_engine(settings);
    std::vector<std::thread> threads;
    for (unsigned i = 0; i < kThreads; ++i) {
      threads.emplace_back([&, i] { together[i] = run(engine, i % 4); });
    }
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ(together, alone) << memory_bytes;
  }
}

TEST(Threads, RealQueries) {
  const Engine engine = demo_engine(builtin_index(), {});
  std::vector<size_t> sums(8);
  std::vector<std::thread> threads;
  for (unsigned i = 0; i < sums.size(); ++i) {
    threads.emplace_back([&, i] {
      std::mt19937 random(i % 2);
      for (int round = 0; round < 3; ++round) {
        Matcher matcher = engine.new_matcher();
        for (int step = 0; step < 40 && !matcher.is_terminated(); ++step) {
          const auto admitted = mask_of(matcher, engine.vocabulary().size());
          for (const TokenId id : admitted) sums[i] = sums[i] * 31 + id;
          matcher.accept_token(choose(admitted, engine.vocabulary(), random));
        }
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (size_t i = 2; i < sums.size(); ++i) EXPECT_EQ(sums[i], sums[i % 2]) << i;
}

// Two engines share a memory that is spent all the time: whoever makes room does so while the others go on.
TEST(Threads, MemoryThatIsSpent) {
  for (const size_t bytes : {size_t{300} << 10, size_t{0}}) {
    Settings settings;
    settings.memory = Memory(bytes);
    const Engine engines[] = {demo_engine(builtin_index(), settings), demo_engine(builtin_index(), settings)};
    std::vector<size_t> sums(4);
    std::vector<std::thread> threads;
    for (unsigned i = 0; i < sums.size(); ++i) {
      threads.emplace_back([&, i] {
        const Engine& engine = engines[i / 2];
        std::mt19937 random(7);
        for (int round = 0; round < 3; ++round) {
          std::vector<Matcher> all;
          all.push_back(engine.new_matcher());
          for (int step = 0; step < 60 && !all.empty(); ++step) {
            Matcher& matcher = all[random() % all.size()];
            const auto admitted = mask_of(matcher, engine.vocabulary().size());
            for (const TokenId id : admitted) sums[i] = sums[i] * 31 + id;
            matcher.accept_token(choose(admitted, engine.vocabulary(), random));
            if (random() % 5 == 0) matcher.rollback(1);
            if (all.size() < 3 && random() % 8 == 0) {
              Matcher forked = matcher.fork();
              all.push_back(std::move(forked));
            }
          }
        }
      });
    }
    for (std::thread& thread : threads) thread.join();
    for (const size_t sum : sums) EXPECT_EQ(sum, sums[0]);
    EXPECT_LE(settings.memory->used_bytes(), bytes);
  }
}

TEST(Threads, ForksOfOneGeneration) {
  const Engine engine = toy_engine();
  Matcher root = engine.new_matcher();
  ASSERT_TRUE(root.accept_text("ask '"));
  std::vector<Matcher> forks;
  for (int i = 0; i < 8; ++i) forks.push_back(root.fork());
  std::vector<size_t> sums(forks.size());
  std::vector<std::thread> threads;
  for (size_t i = 0; i < forks.size(); ++i) {
    threads.emplace_back([&, i] {
      std::mt19937 random(static_cast<unsigned>(i % 2));
      Matcher child = forks[i].fork();
      sums[i] = digest(forks[i], engine.vocabulary(), random) * 31 + digest(child, engine.vocabulary(), random);
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (size_t i = 2; i < sums.size(); ++i) EXPECT_EQ(sums[i], sums[i % 2]) << i;
  EXPECT_NE(sums[0], sums[1]);
  EXPECT_EQ(root.text(), "ask '");
}

}  // namespace
}  // namespace pccsql
