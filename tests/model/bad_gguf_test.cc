// Files that are no vocabulary, and files that nearly are: each is an Error that says why, and none ends the process.
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <algorithm>
#include <filesystem>
#include <functional>
#include <random>
#include <string>
#include <vector>

#include "base/file.h"
#include "benchmark_data.h"
#include "model/gguf_writer.h"
#include "model/llama/llama_vocabulary.h"
#include "schema/scratch.h"

namespace pccsql {
namespace {

const std::string kTokens = "tokenizer.ggml.tokens";
const std::string kKind = "tokenizer.ggml.model";

// A SentencePiece vocabulary of all bytes and a few words.
struct Small {
  std::string kind = "llama";
  std::vector<std::string> tokens{"<unk>", "<s>", "</s>"};
  std::vector<int32_t> kinds{2, 3, 3};
  std::vector<float> scores{0, 0, 0};

  Small() {
    static const char* digits = "0123456789ABCDEF";
    for (int i = 0; i < 256; ++i) add(std::string("<0x") + digits[i / 16] + digits[i % 16] + ">", 6, 0);
    const std::string space = "\xe2\x96\x81";
    for (const std::string& word : {space, std::string("a"), space + "a", std::string("b"), space + "b"}) {
      add(word, 1, -static_cast<float>(tokens.size()));
    }
    add("<tool>", 4, 0);
    add("<gap>", 5, 0);
    add(std::string(100, 'x'), 1, -300);
  }
  void add(const std::string& token, int32_t token_kind, float score) {
    tokens.push_back(token);
    kinds.push_back(token_kind);
    scores.push_back(score);
  }
  GgufWriter writer() const {
    GgufWriter gguf;
    gguf.text("general.architecture", "llama").text(kKind, kind).texts(kTokens, tokens);
    gguf.fractions("tokenizer.ggml.scores", scores).numbers("tokenizer.ggml.token_type", kinds);
    gguf.number("tokenizer.ggml.bos_token_id", 1).number("tokenizer.ggml.eos_token_id", 2);
    return gguf;
  }
};

class BadGguf : public ::testing::Test {
 protected:
  std::string complaint(const std::string& bytes) {
    const auto result = LlamaVocabulary::load(scratch_.file("x.gguf", bytes));
    return result ? "" : result.error().message;
  }
  std::string complaint(const GgufWriter& gguf) { return complaint(gguf.bytes()); }

  Scratch scratch_;
};

TEST_F(BadGguf, TheSmallVocabularyItselfIsGood) {
  const auto small = LlamaVocabulary::load(scratch_.file("small.gguf", Small().writer().bytes()));
  ASSERT_TRUE(small) << small.error().to_string();
  EXPECT_EQ(small->size(), 3 + 256 + 8);
  EXPECT_EQ(small->kind(0), LlamaTokenKind::Unknown);
  EXPECT_EQ(small->kind(1), LlamaTokenKind::Control);
  EXPECT_EQ(small->kind(3), LlamaTokenKind::Byte);
  EXPECT_EQ(small->piece(3 + 0xFF), "\xFF");
  EXPECT_EQ(small->kind(264), LlamaTokenKind::UserDefined);
  EXPECT_EQ(small->piece(264), "<tool>");
  EXPECT_EQ(small->kind(265), LlamaTokenKind::Unused);
  EXPECT_EQ(small->piece(265), "");
  EXPECT_EQ(small->piece(266), std::string(100, 'x'));
  EXPECT_EQ(small->piece(1), "");
  EXPECT_EQ(small->label(1), "<s>");
  EXPECT_EQ(small->bos(), 1);
  EXPECT_TRUE(small->ends_generation(2));
  EXPECT_FALSE(small->ends_generation(1));
  EXPECT_TRUE(small->prefixes_space());
  const auto tokens = small->tokenize("a b\n");
  ASSERT_TRUE(tokens) << tokens.error().to_string();
  EXPECT_EQ(*tokens, (std::vector<int32_t>{261, 263, 3 + '\n'}));
  EXPECT_EQ(small->detokenize(*tokens), "a b\n");
  EXPECT_EQ(small->detokenize(std::vector<int32_t>{-1, 1, 1000, 260}), "a");
}

TEST_F(BadGguf, WhatIsNoFile) {
  const auto missing = LlamaVocabulary::load(scratch_.path("missing.gguf"));
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().message, "cannot be read: No such file or directory");
  EXPECT_EQ(missing.error().file, scratch_.path("missing.gguf"));
  const auto folder = LlamaVocabulary::load(scratch_.path("."));
  ASSERT_FALSE(folder);
  EXPECT_EQ(folder.error().message, "is a directory; a GGUF file was expected");
  ASSERT_EQ(mkfifo(scratch_.path("pipe").c_str(), 0600), 0);
  EXPECT_FALSE(LlamaVocabulary::load(scratch_.path("pipe")));
  EXPECT_FALSE(LlamaVocabulary::load(""));
}

TEST_F(BadGguf, WhatIsNoGguf) {
  const std::string no_gguf = "is not a GGUF file; a model or vocabulary in GGUF format was expected";
  EXPECT_EQ(complaint(std::string()), no_gguf);
  EXPECT_EQ(complaint(std::string("GGU")), no_gguf);
  EXPECT_EQ(complaint(std::string(1000, 'x')), no_gguf);
  EXPECT_EQ(complaint(Small().writer().bytes(1)), "is GGUF of version 1; 2 and 3 can be read");
  EXPECT_EQ(complaint(Small().writer().bytes(0x03000000)), "is GGUF of version 50331648; 2 and 3 can be read");
}

TEST_F(BadGguf, WhatHoldsNoVocabulary) {
  const std::string none = "holds no vocabulary; a GGUF file with a tokenizer was expected";
  EXPECT_EQ(complaint(GgufWriter().text("general.architecture", "llama")), none);
  EXPECT_EQ(complaint(GgufWriter().text("general.architecture", "llama").texts(kTokens, {"a"})), none);
  EXPECT_EQ(complaint(GgufWriter().text(kKind, "llama").texts(kTokens, {})),
            "`tokenizer.ggml.tokens` is empty; a vocabulary was expected");
  EXPECT_EQ(complaint(GgufWriter().text(kKind, "llama").numbers(kTokens, {1, 2})),
            "`tokenizer.ggml.tokens` is not a list of texts");
  EXPECT_EQ(complaint(GgufWriter().text(kKind, "llama").text(kTokens, "a")),
            "`tokenizer.ggml.tokens` is not a list of texts");
  Small bert;
  bert.kind = "bert";
  EXPECT_EQ(complaint(bert.writer()),
            "has a tokenizer of kind `bert`; known are `gpt2` (byte-level BPE), `llama` (SentencePiece), `gemma4`");
}

TEST_F(BadGguf, TextsThatStandTwice) {
  Small twice;
  twice.add("a", 1, 0);
  EXPECT_EQ(complaint(twice.writer()),
            "`tokenizer.ggml.tokens` holds `a` twice, the second time as id 267; each text may have one id");
  Small alike_to_llama;  // which reads up to the NUL
  alike_to_llama.add(std::string("a\0b", 3), 1, 0);
  EXPECT_NE(complaint(alike_to_llama.writer()), "");
  EXPECT_EQ(complaint(Small().writer().number("x", 1).number("x", 1)), "holds the key `x` twice");
}

TEST_F(BadGguf, ListsThatDoNotFit) {
  Small few_scores;
  few_scores.scores.pop_back();
  EXPECT_EQ(complaint(few_scores.writer()),
            "cannot be loaded as a model: Index out of array bounds for scores (266 < 267)");
  GgufWriter no_merges;
  no_merges.text("general.architecture", "llama").text(kKind, "gpt2").texts(kTokens, {"a", "b"});
  EXPECT_EQ(complaint(no_merges), "cannot be loaded as a model: cannot find tokenizer merges in model file");
}

TEST_F(BadGguf, CutAnywhere) {
  const std::string path = scratch_.file("cut.gguf", Small().writer().bytes());
  EXPECT_TRUE(LlamaVocabulary::load(path));
  for (size_t length = std::filesystem::file_size(path); length-- > 0;) {
    std::filesystem::resize_file(path, length);
    ASSERT_FALSE(LlamaVocabulary::load(path)) << "cut at " << length;
  }
}

// Whether damage is noticed depends on where it is, and a damaged vocabulary may lack the bytes of a text. The process
// has to live in any case.
TEST_F(BadGguf, DamagedAnywhere) {
  const std::string whole = Small().writer().bytes();
  std::mt19937 random(7);
  int refused = 0;
  int tokenised = 0;
  for (int round = 0; round < 3000; ++round) {
    std::string damaged = whole;
    for (int i = 0; i <= round % 3; ++i) damaged[random() % damaged.size()] = static_cast<char>(random());
    const auto result = LlamaVocabulary::load(scratch_.file("damaged.gguf", damaged));
    if (!result) {
      ++refused;
    } else if (result->tokenize("a b\n")) {
      ++tokenised;
    }
  }
  EXPECT_GT(refused, 300);
  EXPECT_GT(tokenised, 300);
}

TEST_F(BadGguf, RealOnesCutAnywhere) {
  const auto data = data_folder();
  if (!data) GTEST_SKIP() << kNoData;
  for (const char* name : {"deepseek-coder", "llama-bpe", "qwen2"}) {
    const auto whole = read_file(*data + "/vocab/ggml-vocab-" + name + ".gguf");
    if (!whole) GTEST_SKIP() << whole.error().to_string();
    std::mt19937_64 random(11);
    std::vector<size_t> lengths{whole->size() - 1, 23, 24};
    for (int i = 0; i < 40; ++i) lengths.push_back(24 + random() % (whole->size() - 24));
    std::ranges::sort(lengths, std::greater());
    const std::string path = scratch_.file("real.gguf", *whole);
    for (const size_t length : lengths) {
      std::filesystem::resize_file(path, length);
      const auto result = LlamaVocabulary::load(path);
      ASSERT_FALSE(result) << name << " cut at " << length;
      EXPECT_NE(result.error().message.find("breaks off"), std::string::npos) << result.error().message;
    }
  }
}

}  // namespace
}  // namespace pccsql
