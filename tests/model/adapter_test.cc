// An adapter beside a real model: it changes what the model says, what is kept of prompts and what reports say, and a file
// that is none is an Error.
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "model/gguf_writer.h"
#include "model/llama/llama_model.h"
#include "model/sha256.h"
#include "model/test_model.h"
#include "schema/scratch.h"

namespace pccsql {
namespace {

// Low-rank changes to attn_q of the first layer of SmolLM2-135M: 576 in, 576 out, rank 2.
std::string adapter_bytes(float size, const std::string& architecture = "llama", uint64_t in = 576) {
  constexpr uint64_t kRank = 2, kOut = 576;
  std::string bytes = GgufWriter()
                          .text("general.type", "adapter")
                          .text("general.architecture", architecture)
                          .text("adapter.type", "lora")
                          .fraction("adapter.lora.alpha", 2)
                          .bytes();
  const auto put = [&bytes](auto value) { bytes.append(reinterpret_cast<const char*>(&value), sizeof value); };
  const uint64_t tensors = 2;
  bytes.replace(8, 8, reinterpret_cast<const char*>(&tensors), 8);
  uint64_t offset = 0;
  for (const bool first : {true, false}) {
    const std::string name = std::string("blk.0.attn_q.weight.lora_") + (first ? "a" : "b");
    put(uint64_t{name.size()});
    bytes += name;
    put(uint32_t{2});
    put(first ? in : kRank);
    put(first ? kRank : kOut);
    put(uint32_t{0});  // F32
    put(offset);
    offset += in * kRank * sizeof(float);
  }
  bytes.resize((bytes.size() + 31) / 32 * 32);
  for (uint64_t i = 0; i < in * kRank; ++i) put(i % 3 == 0 ? 0.5F : -0.25F);
  for (uint64_t i = 0; i < kOut * kRank; ++i) put(i % 4 == 0 ? size : 0.0F);
  return bytes;
}

class AdapterTest : public testing::Test {
 protected:
  void SetUp() override {
    const auto path = test_model();
    if (!path) GTEST_SKIP() << kNoTestModel;
    path_ = *path;
    options_.prefix_folder = scratch_.path("prefix");
    options_.context = 512;
    options_.threads = 1;
  }

  struct Said {
    std::vector<float> logits;
    uint64_t cached = 0;
    std::string hash;
    std::string model_hash;
  };
  Said said(const std::string& adapter) const {
    LlamaOptions options = options_;
    options.adapter = adapter;
    auto model = load_llama_model(path_, options);
    EXPECT_TRUE(model) << (model ? "" : model.error().to_string());
    if (!model) return {};
    auto sequence = *(*model)->new_sequence();
    Prompt prompt;
    for (TokenId id = 100; id < 180; ++id) prompt.tokens.push_back(id);
    prompt.shared = 70;
    EXPECT_TRUE(sequence->set_prompt(prompt));
    const auto logits = sequence->logits();
    EXPECT_TRUE(logits);
    if (!logits) return {};
    return {{logits->begin(), logits->end()}, sequence->work().cached_prompt_tokens, *(*model)->adapter_hash(), *(*model)->hash()};
  }
  std::string problem(const std::string& adapter) const {
    LlamaOptions options = options_;
    options.adapter = adapter;
    const auto model = load_llama_model(path_, options);
    return model ? "" : model.error().to_string();
  }

  Scratch scratch_;
  std::string path_;
  LlamaOptions options_;
};

TEST_F(AdapterTest, ChangesTheModelAndOneOfNothingDoesNot) {
  const Said plain = said("");
  const Said nothing = said(scratch_.file("nothing.gguf", adapter_bytes(0)));
  const Said something = said(scratch_.file("something.gguf", adapter_bytes(0.1F)));
  EXPECT_TRUE(plain.logits == nothing.logits);
  EXPECT_FALSE(plain.logits == something.logits);
  EXPECT_TRUE(std::ranges::any_of(something.logits, [](float one) { return one != 0; }));
}

TEST_F(AdapterTest, HasAHashOfItsOwnBesideTheModels) {
  const std::string bytes = adapter_bytes(0.1F);
  const Said with = said(scratch_.file("a.gguf", bytes));
  EXPECT_EQ(with.hash, sha256_hex(bytes));
  EXPECT_EQ(with.model_hash, (*known_model("smollm2-135m"))->sha256);
  EXPECT_EQ(said("").hash, "");
}

// Files must be settled before anything is kept about them.
TEST_F(AdapterTest, PromptsThatWereEvaluatedWithItAreOthersThanWithout) {
  const std::string one = scratch_.file("one.gguf", adapter_bytes(0.1F));
  const std::string other = scratch_.file("other.gguf", adapter_bytes(0.2F));
  std::this_thread::sleep_for(std::chrono::milliseconds(2200));
  const Said first = said(one);
  EXPECT_EQ(first.cached, 0U);
  EXPECT_EQ(said(other).cached, 0U);
  EXPECT_EQ(said("").cached, 0U);
  const Said again = said(one);
  EXPECT_EQ(again.cached, 70U);
  EXPECT_TRUE(again.logits == first.logits);
}

TEST_F(AdapterTest, AFileThatIsNoneOrForAnotherModelIsAnError) {
  EXPECT_NE(problem(scratch_.path("missing.gguf")).find("cannot be read"), std::string::npos);
  EXPECT_NE(problem(scratch_.file("x.gguf", "hello")).find("is not a GGUF file"), std::string::npos);
  EXPECT_NE(problem(path_).find("is not an adapter"), std::string::npos);
  EXPECT_NE(problem(scratch_.file("y.gguf", adapter_bytes(1, "qwen2"))).find("no adapter for this model"), std::string::npos);
  EXPECT_NE(problem(scratch_.file("z.gguf", adapter_bytes(1, "llama", 128))).find("no adapter for this model"), std::string::npos);
  std::string bytes = adapter_bytes(1);
  bytes.resize(bytes.size() - 1000);
  EXPECT_NE(problem(scratch_.file("w.gguf", bytes)), "");
}

}  // namespace
}  // namespace pccsql
