// Many threads on one model: each gets what it would get alone, passes are shared, and one that fails or dawdles does
// not harm the others.
#include "model/batched.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <string>
#include <thread>

#include <gtest/gtest.h>

#include "model/chat.h"
#include "model/scripted.h"

namespace pccsql {
namespace {

const Vocabulary& pieces() {
  static const Vocabulary vocabulary = builtin_vocabulary();
  return vocabulary;
}

// Says what the user said, so that every prompt has an answer of its own.
void echo(const Scene& scene, std::span<float> logits) {
  constexpr std::string_view kOpen = "[user]\n";
  const size_t begin = scene.prompt.find(kOpen) + kOpen.size();
  const std::string said(scene.prompt.substr(begin, scene.prompt.find('\n', begin) - begin));
  script_of(pieces(), {said})({0, scene.prompt, scene.text}, logits);
}

// A pass takes a millisecond, however many sequences are in it, and never are two under way.
class SlowEcho : public ScriptedModel {
 public:
  SlowEcho() : ScriptedModel(pieces(), echo) {}

  Result<Done> evaluate(std::span<Sequence* const> sequences) override {
    EXPECT_FALSE(busy_.exchange(true));
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    auto done = ScriptedModel::evaluate(sequences);
    busy_ = false;
    return done;
  }

 private:
  std::atomic<bool> busy_ = false;
};

std::string said_to(Model& model, const std::string& text) {
  GreedyChat chat(model);
  const std::vector<Message> messages{{Speaker::User, text}};
  const auto answer = chat.complete(messages, {});
  return answer ? answer->text : "error: " + answer.error().message;
}

TEST(BatchedModel, EachThreadGetsItsOwnAnswerFromSharedPasses) {
  constexpr size_t kThreads = 8;
  SlowEcho inner;
  BatchedModel model(inner);
  std::vector<std::string> wrong(kThreads);
  std::vector<std::thread> threads;
  for (size_t i = 0; i < kThreads; ++i) {
    threads.emplace_back([&, i] {
      for (int round = 0; round < 4; ++round) {
        const std::string text = std::string(12, static_cast<char>('A' + i)) + std::to_string(round);
        if (said_to(model, text) != text) wrong[i] = text;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const std::string& text : wrong) EXPECT_EQ(text, "");
  const auto counts = model.counts();
  EXPECT_GT(counts.sequences, 2 * counts.batches);  // eight at best
}

TEST(BatchedModel, ServesOneThreadAlone) {
  SlowEcho inner;
  BatchedModel model(inner);
  EXPECT_EQ(said_to(model, "SELECT name"), "SELECT name");
  EXPECT_EQ(model.counts().batches, model.counts().sequences);
}

TEST(BatchedModel, TheFaultOfOneIsNotTheOthers) {
  SlowEcho inner;
  BatchedModel model(inner);
  auto empty = *model.new_sequence();
  std::atomic<bool> over = false;
  std::atomic<size_t> faults = 0;
  std::thread faulty([&] {
    while (!over) {
      if (!empty->logits()) ++faults;
    }
  });
  for (int round = 0; round < 5; ++round) EXPECT_EQ(said_to(model, "WWWW"), "WWWW");
  over = true;
  faulty.join();
  EXPECT_GT(faults, 0U);
}

TEST(BatchedModel, LogitsLastWhileOthersEvaluate) {
  SlowEcho inner;
  BatchedModel model(inner);
  auto sequence = *model.new_sequence();
  ASSERT_TRUE(sequence->set_prompt({{'[', 'u', 's', 'e', 'r', ']', '\n', '%', '\n'}, 0}));
  const auto logits = *sequence->logits();
  const std::vector<float> before(logits.begin(), logits.end());
  std::thread other([&] { EXPECT_EQ(said_to(model, "XXXX"), "XXXX"); });
  other.join();
  EXPECT_TRUE(std::ranges::equal(logits, before));
  EXPECT_EQ(greedy_choice(logits, pieces()), TokenId{'%'});
  const uint64_t passes = sequence->work().forward_passes;
  EXPECT_TRUE(sequence->logits());
  EXPECT_EQ(sequence->work().forward_passes, passes);
}

TEST(BatchedModel, ChangesAreSeen) {
  SlowEcho inner;
  BatchedModel model(inner);
  auto sequence = *model.new_sequence();
  ASSERT_TRUE(sequence->set_prompt({{'[', 'u', 's', 'e', 'r', ']', '\n', '%', '&', '\n'}, 0}));
  EXPECT_EQ(greedy_choice(*sequence->logits(), pieces()), TokenId{'%'});
  ASSERT_TRUE(sequence->append(TokenId{'%'}));
  EXPECT_EQ(greedy_choice(*sequence->logits(), pieces()), TokenId{'&'});
  sequence->truncate(sequence->prompt_length());
  EXPECT_EQ(greedy_choice(*sequence->logits(), pieces()), TokenId{'%'});
  Sequence* const all[] = {sequence.get()};
  EXPECT_TRUE(model.evaluate(all));
}

}  // namespace
}  // namespace pccsql
