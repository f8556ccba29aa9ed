// So many at once, so many waiting, in the order of coming; and questions a minute.
#include "serve/gate.h"

#include <atomic>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

namespace pccsql {
namespace {

using Clock = Gate::Clock;
using std::chrono::milliseconds;
using std::chrono::seconds;

Clock::time_point soon() { return Clock::now() + seconds(20); }

void wait_for(const Gate& gate, size_t waiting) {
  while (gate.counts().waiting != waiting) std::this_thread::sleep_for(milliseconds(1));
}

TEST(Gate, LetsSoManyInAndSoManyWait) {
  Gate gate(2, 1);
  ASSERT_EQ(gate.enter(soon(), {}), Gate::Entry::In);
  ASSERT_EQ(gate.enter(soon(), {}), Gate::Entry::In);
  std::atomic<int> entry = -1;
  std::thread third([&] { entry = static_cast<int>(gate.enter(soon(), {})); });
  wait_for(gate, 1);
  EXPECT_EQ(gate.enter(soon(), {}), Gate::Entry::Full);
  EXPECT_EQ(entry, -1);
  gate.leave();
  third.join();
  EXPECT_EQ(entry, static_cast<int>(Gate::Entry::In));
  EXPECT_EQ(gate.counts().inside, 2u);
  EXPECT_EQ(gate.counts().waiting, 0u);
}

TEST(Gate, ServesInTheOrderOfComing) {
  Gate gate(1, 8);
  ASSERT_EQ(gate.enter(soon(), {}), Gate::Entry::In);
  std::vector<int> order;
  std::vector<std::thread> threads;
  for (int i = 0; i < 5; ++i) {
    threads.emplace_back([&gate, &order, i] {
      if (gate.enter(soon(), {}) != Gate::Entry::In) return;
      order.push_back(i);  // one at a time is inside
      gate.leave();
    });
    wait_for(gate, static_cast<size_t>(i) + 1);
  }
  gate.leave();
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(order, (std::vector<int>{0, 1, 2, 3, 4}));
}

TEST(Gate, WhoIsLateOrGoneLosesHisPlaceInTheQueue) {
  Gate gate(1, 1);
  ASSERT_EQ(gate.enter(soon(), {}), Gate::Entry::In);
  EXPECT_EQ(gate.enter(Clock::now() + milliseconds(20), {}), Gate::Entry::Late);
  EXPECT_EQ(gate.enter(soon(), [] { return true; }), Gate::Entry::Gone);
  EXPECT_EQ(gate.counts().waiting, 0u);
}

TEST(Gate, OnceClosedLetsNobodyIn) {
  Gate gate(1, 1);
  ASSERT_EQ(gate.enter(soon(), {}), Gate::Entry::In);
  std::atomic<int> entry = -1;
  std::thread waiting([&] { entry = static_cast<int>(gate.enter(soon(), {})); });
  wait_for(gate, 1);
  gate.close();
  waiting.join();
  EXPECT_EQ(entry, static_cast<int>(Gate::Entry::Closed));
  EXPECT_EQ(gate.enter(soon(), {}), Gate::Entry::Closed);
  gate.leave();
  gate.wait_until_empty(soon());
  EXPECT_EQ(gate.counts().inside, 0u);
}

TEST(MinuteLimit, CountsEachPersonsLastMinute) {
  MinuteLimit limit;
  const auto begin = Clock::now();
  EXPECT_EQ(limit.ask("ann", 2, begin), 0u);
  EXPECT_EQ(limit.ask("ann", 2, begin + seconds(10)), 0u);
  EXPECT_EQ(limit.ask("ann", 2, begin + seconds(20)), 40u);
  EXPECT_EQ(limit.ask("bob", 2, begin + seconds(20)), 0u);
  EXPECT_EQ(limit.ask("ann", 2, begin + seconds(60)), 0u);
  EXPECT_EQ(limit.ask("ann", 2, begin + seconds(61)), 9u);
}

}  // namespace
}  // namespace pccsql
