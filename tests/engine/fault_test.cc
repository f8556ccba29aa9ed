// Faults: a tracker that fails at its n-th call, for each n. Whatever it does, the generation ends in a refusal or in a
// text of the language, and no mask admits anything but the end of the text once the fault has shown.
#include <gtest/gtest.h>

#include <algorithm>
#include <new>
#include <stdexcept>

#include "engine/oracle.h"
#include "engine/toy.h"

namespace pccsql {
namespace {

using track::FreeText;
using track::Key;
using track::PrefixId;

enum class Fault {
  Throws,         // from the n-th call on
  ThrowsStrange,  // once, something that is no std::exception
  NoMemory,       // once
  Dead,           // from the n-th call on, nothing may follow and nothing may end
  Lies,           // from the n-th call on, about everything but push and may_end
};

struct Injection {
  Fault fault = Fault::Throws;
  size_t at = 0;
  size_t calls = 0;
  bool hit() const { return calls > at; }
};

class FaultyTracker : public track::Tracker {
 public:
  FaultyTracker(Injection& injection)
      : injection_(injection), sound_(toy_words()) {}  // NOLINT(google-explicit-constructor)

  PrefixId start() override { return fails() ? track::kDead : sound_.start(); }
  PrefixId push(PrefixId prefix, uint8_t byte) override { return fails() ? track::kDead : sound_.push(prefix, byte); }
  bool may_end(PrefixId prefix) override { return !fails() && sound_.may_end(prefix); }
  Key key(PrefixId prefix) override { return lies() ? Key{7, 7} : sound_.key(prefix); }
  std::optional<std::string> completion(PrefixId prefix) override {
    if (lies()) return "no such text";
    return fails() ? std::nullopt : sound_.completion(prefix);
  }
  uint32_t completion_bound(PrefixId prefix) override { return lies() ? 0 : sound_.completion_bound(prefix); }
  FreeText free_text(PrefixId prefix) override { return lies() ? FreeText::String : sound_.free_text(prefix); }
  uint32_t room(PrefixId prefix) override { return lies() ? 1000 : sound_.room(prefix); }
  track::Explanation explain(PrefixId prefix) override {
    lies();
    return sound_.explain(prefix);
  }
  std::vector<track::Use> uses(PrefixId prefix) override { return sound_.uses(prefix); }
  uint32_t mark() override {
    fails();
    return sound_.mark();
  }
  void release(uint32_t mark) override {
    fails();
    sound_.release(mark);
  }

 private:
  // Counts the call. Whether nothing may follow any more; throws, where that is the fault.
  bool fails() {
    const size_t call = injection_.calls++;
    const bool once = call == injection_.at;
    if (injection_.fault == Fault::Throws && call >= injection_.at) throw std::runtime_error("injected");
    if (injection_.fault == Fault::ThrowsStrange && once) throw 42;
    if (injection_.fault == Fault::NoMemory && once) throw std::bad_alloc();
    return injection_.fault == Fault::Dead && call >= injection_.at;
  }
  bool lies() {
    fails();
    return injection_.fault == Fault::Lies && injection_.hit();
  }

  Injection& injection_;
  ToyTracker sound_;
};

bool in_language(const std::string& text) {
  ToyTracker sound(toy_words());
  PrefixId prefix = sound.start();
  for (const char c : text) {
    if (prefix != track::kDead) prefix = sound.push(prefix, static_cast<uint8_t>(c));
  }
  return prefix != track::kDead && sound.may_end(prefix);
}

// One generation at random. `refused` says how it ended.
void generate(Injection& injection, uint32_t budget, size_t memory_bytes, unsigned seed, bool* refused) {
  Settings settings;
  settings.memory_bytes = memory_bytes;
  const Engine engine =
      make_engine([&] { return std::make_unique<FaultyTracker>(injection); }, builtin_index(), settings);
  Matcher matcher = engine.new_matcher(budget);
  std::mt19937 random(seed);
  for (int step = 0; step < 100 && !matcher.is_terminated(); ++step) {
    const auto admitted = mask_of(matcher, width());
    ASSERT_FALSE(admitted.empty());
    if (matcher.is_refused()) {
      ASSERT_EQ(admitted, std::vector<TokenId>{end_token()});
      ASSERT_EQ(matcher.text(), "");
    }
    matcher.accept_token(choose(admitted, engine.vocabulary(), random));
  }
  ASSERT_TRUE(matcher.is_terminated());
  *refused = matcher.is_refused();
  if (*refused) {
    const bool misled = injection.fault == Fault::Lies && matcher.refusal()->cause == RefusalCause::Budget;
    ASSERT_TRUE(misled || matcher.refusal()->cause == RefusalCause::Fault) << matcher.refusal()->reason;
    ASSERT_EQ(matcher.sql(), std::nullopt);
    ASSERT_EQ(matcher.text(), "");
    ASSERT_TRUE(matcher.rollback(matcher.steps()));
  } else {
    ASSERT_TRUE(in_language(*matcher.sql())) << *matcher.sql();
  }
}

constexpr const char* kNames[] = {"Throws", "ThrowsStrange", "NoMemory", "Dead", "Lies"};

class Faults : public testing::TestWithParam<Fault> {};

TEST_P(Faults, EndInARefusal) {
  size_t refusals = 0;
  size_t tries = 0;
  for (const uint32_t budget : {0U, 8U}) {
    for (unsigned seed = 1; seed <= 2; ++seed) {
      Injection sound{Fault::Throws, SIZE_MAX - 8, 0};
      bool refused = false;
      generate(sound, budget, 1 << 20, seed, &refused);
      ASSERT_FALSE(refused);
      const size_t calls = sound.calls;
      ASSERT_GT(calls, 300u);
      // All of the first calls, and then a sample: inside a walk one push is like another.
      for (size_t at = 0; at + 1 < calls; at += at < 150 ? 1 : 111) {
        Injection injection{GetParam(), at, 0};
        ++tries;
        generate(injection, budget, seed == 2 ? 0 : 1 << 20, seed, &refused);
        if (HasFatalFailure()) FAIL() << "fault at call " << at << ", budget " << budget << ", seed " << seed;
        EXPECT_TRUE(refused || GetParam() == Fault::Lies || !injection.hit()) << at;
        refusals += refused ? 1 : 0;
      }
    }
  }
  EXPECT_GT(refusals, GetParam() == Fault::Lies ? 10 : tries / 2);
}

INSTANTIATE_TEST_SUITE_P(Kinds, Faults,
                         testing::Values(Fault::Throws, Fault::ThrowsStrange, Fault::NoMemory, Fault::Dead,
                                         Fault::Lies),
                         [](const auto& kind) { return std::string(kNames[static_cast<size_t>(kind.param)]); });

TEST(Fault, StaysThroughRollbackAndReachesForks) {
  Injection injection{Fault::ThrowsStrange, SIZE_MAX - 8, 0};
  const Engine engine = make_engine([&] { return std::make_unique<FaultyTracker>(injection); }, builtin_index(), {});
  Matcher matcher = engine.new_matcher();
  ASSERT_TRUE(matcher.accept_token(token("SELECT")));
  Matcher other = matcher.fork();
  injection.at = injection.calls;
  EXPECT_FALSE(matcher.accept_token(token(" name")));
  EXPECT_EQ(matcher.refusal()->cause, RefusalCause::Fault);
  EXPECT_TRUE(matcher.rollback(1));
  EXPECT_TRUE(matcher.is_refused());
  EXPECT_FALSE(matcher.accept_token(token(" name")));
  EXPECT_EQ(matcher.find_jump_forward_string(), "");
  EXPECT_TRUE(matcher.find_jump_forward_tokens().empty());
  EXPECT_TRUE(matcher.explain().allowed.empty());
  // The fork has the same tracker: what it holds is not trusted either.
  EXPECT_EQ(mask_of(other, width()), std::vector<TokenId>{end_token()});
  EXPECT_TRUE(other.is_refused());
  // Another generation is not concerned.
  Matcher fresh = engine.new_matcher();
  EXPECT_TRUE(fresh.accept_token(token("SELECT")));
}

TEST(Fault, AMakerThatFails) {
  const Engine engine = make_engine([]() -> std::unique_ptr<track::Tracker> { throw std::runtime_error("no tracker"); },
                                    builtin_index(), {});
  Matcher matcher = engine.new_matcher();
  ASSERT_TRUE(matcher.is_refused());
  EXPECT_EQ(matcher.refusal()->reason, "internal error: no tracker");
  EXPECT_EQ(mask_of(matcher, width()), std::vector<TokenId>{end_token()});
  Matcher fork = matcher.fork();
  EXPECT_TRUE(fork.accept_token(end_token()));
}

}  // namespace
}  // namespace pccsql
