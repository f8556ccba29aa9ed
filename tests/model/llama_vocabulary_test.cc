// The vocabularies of three real models: their sizes, the reference tokenisations that come with them, and that the
// pieces of a tokenisation are the text again, byte for byte.
#include "model/llama/llama_vocabulary.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <optional>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "base/file.h"
#include "benchmark_data.h"
#include "model/llama/gguf_vocabulary.h"

namespace pccsql {
namespace {

struct Known {
  const char* name;
  int32_t size;
  bool adds_bos;
  std::vector<std::string> ends;  // labels of the ids that end a generation, by id
  int bytes_missing;
};

void PrintTo(const Known& known, std::ostream* out) { *out << known.name; }

class RealVocabulary : public ::testing::TestWithParam<Known> {
 protected:
  void SetUp() override {
    const auto data = data_folder();
    if (!data) GTEST_SKIP() << kNoData;
    path_ = *data + "/vocab/ggml-vocab-" + GetParam().name + ".gguf";
    if (!std::filesystem::exists(path_)) GTEST_SKIP() << "no vocabularies in the benchmark data: " << path_;
    // Loading takes most of a second: once per model and process.
    static std::map<std::string, LlamaVocabulary> loaded;
    auto found = loaded.find(path_);
    if (found == loaded.end()) {
      auto result = LlamaVocabulary::load(path_);
      ASSERT_TRUE(result) << result.error().to_string();
      found = loaded.emplace(path_, std::move(*result)).first;
    }
    vocabulary_ = &found->second;
  }

  std::string path_;
  const LlamaVocabulary* vocabulary_ = nullptr;
};

const std::vector<std::string> kQueries{
    "SELECT name FROM employee WHERE salary > 100.5;",
    "select T1.\"First Name\" , count ( * ) from [my table] as T1 join `b c` as T2 on T1.id = T2.id group by 1",
    "SELECT CASE WHEN a <> 'it''s ? ! . ,' THEN x'00FF' ELSE -1e-9 END\n\tFROM t\r\n  ORDER BY 1 DESC LIMIT 10",
    "SELECT 'Z\xc3\xbcrich \xe2\x82\xac \xe6\x97\xa5\xe6\x9c\xac\xe8\xaa\x9e \xf0\x9f\x99\x82' || ' ' || \" 's \"",
    "   SELECT    1    ",
    "WITH c ( a , b ) AS ( SELECT 1 , 2 ) SELECT a FROM c WHERE b IN ( 1 , 2 ) -- <|im_end|> <s>",
};

TEST_P(RealVocabulary, Size) { EXPECT_EQ(vocabulary_->size(), GetParam().size); }

TEST_P(RealVocabulary, MarksOfBeginAndEnd) {
  EXPECT_EQ(vocabulary_->adds_bos(), GetParam().adds_bos);
  EXPECT_FALSE(vocabulary_->prefixes_space());
  std::vector<std::string> ends;
  for (int32_t id = 0; id < vocabulary_->size(); ++id) {
    if (!vocabulary_->ends_generation(id)) continue;
    ends.push_back(vocabulary_->label(id));
    EXPECT_EQ(vocabulary_->kind(id), LlamaTokenKind::Control) << ends.back();
    EXPECT_EQ(vocabulary_->piece(id), "");
  }
  EXPECT_EQ(ends, GetParam().ends);
  const auto prompt = vocabulary_->tokenize("a", true);
  ASSERT_TRUE(prompt);
  EXPECT_EQ(prompt->front() == vocabulary_->bos(), GetParam().adds_bos);
}

TEST_P(RealVocabulary, ReferenceTokenisations) {
  const auto input = read_file(path_ + ".inp");
  ASSERT_TRUE(input) << input.error().to_string();
  std::ifstream expected(path_ + ".out");
  const std::string mark = "\n__ggml_vocab_test__\n";
  int texts = 0;
  for (size_t begin = 0, end = 0; (end = input->find(mark, begin)) != std::string::npos; begin = end + mark.size()) {
    const std::string text = input->substr(begin, end - begin);
    std::string line;
    ASSERT_TRUE(std::getline(expected, line)) << "no line for text " << texts;
    std::istringstream numbers(line);
    std::vector<int32_t> ids;
    for (int32_t id = 0; numbers >> id;) ids.push_back(id);
    const auto tokens = vocabulary_->tokenize(text);
    ASSERT_TRUE(tokens) << tokens.error().to_string();
    EXPECT_EQ(*tokens, ids) << "`" << text << "`";
    EXPECT_EQ(vocabulary_->detokenize(*tokens), text);
    ++texts;
  }
  EXPECT_EQ(texts, 46);
}

TEST_P(RealVocabulary, PiecesOfQueriesAreTheQueries) {
  for (const std::string& query : kQueries) {
    const auto tokens = vocabulary_->tokenize(query);
    ASSERT_TRUE(tokens) << tokens.error().to_string();
    EXPECT_LT(tokens->size(), query.size());
    EXPECT_EQ(vocabulary_->detokenize(*tokens), query);
  }
  EXPECT_EQ(vocabulary_->tokenize("")->size(), 0u);
}

TEST_P(RealVocabulary, MarksAreTextUnlessAskedFor) {
  const std::string mark = GetParam().ends.back();
  EXPECT_GT(vocabulary_->tokenize(mark)->size(), 1u);
  const auto parsed = vocabulary_->tokenize(mark, false, true);
  ASSERT_TRUE(parsed);
  ASSERT_EQ(parsed->size(), 1u);
  EXPECT_TRUE(vocabulary_->ends_generation(parsed->front()));
}

// DeepSeek-Coder has given up the thirteen that never occur in UTF-8.
TEST_P(RealVocabulary, EveryByteCanBeWritten) {
  std::vector<bool> written(256);
  for (int32_t id = 0; id < vocabulary_->size(); ++id) {
    const std::string& piece = vocabulary_->piece(id);
    if (piece.size() == 1) written[static_cast<unsigned char>(piece[0])] = true;
  }
  int missing = 0;
  for (int byte = 0; byte < 256; ++byte) {
    if (written[byte]) continue;
    ++missing;
    EXPECT_TRUE(byte == 0xC0 || byte == 0xC1 || byte >= 0xF5) << byte;
  }
  EXPECT_EQ(missing, GetParam().bytes_missing);
}

TEST_P(RealVocabulary, OnlyTextHasPieces) {
  for (int32_t id = 0; id < vocabulary_->size(); ++id) {
    const LlamaTokenKind kind = vocabulary_->kind(id);
    const bool text =
        kind == LlamaTokenKind::Normal || kind == LlamaTokenKind::Byte || kind == LlamaTokenKind::UserDefined;
    ASSERT_EQ(vocabulary_->piece(id).empty(), !text) << id << " " << vocabulary_->label(id);
    ASSERT_NE(vocabulary_->piece(id).substr(0, 10), "[UNK_BYTE_") << id;
    ASSERT_FALSE(vocabulary_->piece(id).starts_with("[PAD1")) << id;
  }
}

TEST_P(RealVocabulary, ForMasks) {
  const auto masked = mask_vocabulary(*vocabulary_);
  ASSERT_TRUE(masked) << masked.error().to_string();
  ASSERT_EQ(masked->size(), static_cast<size_t>(vocabulary_->size()));
  EXPECT_EQ(masked->end_of_text().size(), GetParam().ends.size());
  size_t texts = 0;
  for (int32_t id = 0; id < vocabulary_->size(); ++id) {
    const auto token = static_cast<TokenId>(id);
    if (!masked->is_text(token)) continue;
    ++texts;
    ASSERT_EQ(masked->bytes(token), vocabulary_->piece(id));
    ASSERT_NE(vocabulary_->kind(id), LlamaTokenKind::Control);
  }
  EXPECT_GT(texts, masked->size() * 9 / 10);
  EXPECT_LT(texts, masked->size());
}

// Loaded by several threads at once, one of them from a file that is none: each gets its own answer.
TEST_P(RealVocabulary, ThreadsDoNotDisturbEachOther) {
  const auto expected = vocabulary_->tokenize(kQueries[0]);
  ASSERT_TRUE(expected);
  std::vector<std::string> answers(3);
  std::vector<std::thread> threads;
  for (size_t i = 0; i < answers.size(); ++i) {
    threads.emplace_back([&, i] {
      const auto loaded = read_gguf_vocabulary(i == 2 ? path_ + ".inp" : path_);
      if (!loaded) {
        answers[i] = loaded.error().message.substr(0, 17);
      } else {
        answers[i] = *vocabulary_->tokenize(kQueries[0]) == *expected ? std::to_string(loaded->size()) : "differs";
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  const std::string size = std::to_string(GetParam().size);
  EXPECT_EQ(answers, (std::vector<std::string>{size, size, "is not a GGUF fil"}));
}

INSTANTIATE_TEST_SUITE_P(Models, RealVocabulary,
                         ::testing::Values(Known{"qwen2", 151936, false, {"</s>", "<|endoftext|>", "<|im_end|>"}, 0},
                                           Known{"deepseek-coder",
                                                 32256,
                                                 true,
                                                 {"<\xef\xbd\x9c"
                                                  "end\xe2\x96\x81of\xe2\x96\x81sentence\xef\xbd\x9c>"},
                                                 13},
                                           Known{"llama-bpe", 128256, true, {"<|end_of_text|>", "<|eot_id|>"}, 0}),
                         [](const auto& known) {
                           std::string name = known.param.name;
                           std::ranges::replace(name, '-', '_');
                           return name;
                         });

}  // namespace
}  // namespace pccsql
