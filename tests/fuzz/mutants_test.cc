// A fuzzer's run in small, the same every time: each seed changed by words many times over, with a stretch of another
// seed, and the fuzzer's question asked of each result. Enough of the results must still run, or it would show nothing.
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "base/file.h"
#include "fuzz/check_target.h"
#include "fuzz/lexeme_mutator.h"

namespace pccsql {
namespace {

std::vector<std::string> seed_texts() {
  std::vector<std::filesystem::path> paths;
  for (const auto& entry : std::filesystem::directory_iterator(PCCSQL_ROOT "/fuzz/corpus/check")) {
    paths.push_back(entry.path());
  }
  std::ranges::sort(paths);
  std::vector<std::string> texts;
  for (const auto& path : paths) {
    auto text = read_file(path.string());
    EXPECT_TRUE(text) << text.error().to_string();
    if (text) texts.push_back(*text);
  }
  return texts;
}

bool long_run() {
  const char* value = std::getenv("PCCSQL_LONG");
  return value != nullptr && *value != '\0';
}

TEST(Mutants, GetAnswersThatHold) {
  const auto seeds = seed_texts();
  ASSERT_FALSE(seeds.empty());
  const uint32_t rounds = long_run() ? 20000 : 400;
  size_t complaints = 0;
  size_t asked = 0;
  size_t ran = 0;
  for (size_t i = 0; i < seeds.size(); ++i) {
    for (uint32_t round = 1; round <= rounds; ++round) {
      const std::string& other = seeds[(i + round) % seeds.size()];
      const std::string mutant =
          seeds[i].substr(0, 1) + mutate_lexemes(std::string_view(seeds[i]).substr(1), other.substr(1), round);
      const FuzzAnswer answer = check_fuzz_input(mutant);
      EXPECT_EQ(answer.complaint, "") << mutant;
      if ((complaints += !answer.complaint.empty()) == 20) return;  // enough to see what is wrong
      ++asked;
      ran += answer.verdict == Verdict::Safe || answer.verdict == Verdict::Unsafe;
    }
  }
  EXPECT_GT(ran * 10, asked) << ran << " of " << asked << " would run";
}

TEST(Mutants, LexemesAreTheTextAgain) {
  for (const std::string& text : seed_texts()) {
    std::string joined;
    for (const std::string_view lexeme : split_lexemes(text)) joined += lexeme;
    EXPECT_EQ(joined, text);
  }
  EXPECT_EQ(split_lexemes("a.b = 'x y'"), (std::vector<std::string_view>{"a.b", " ", "=", " ", "'x y'"}));
  EXPECT_EQ(split_lexemes("'open"), (std::vector<std::string_view>{"'open"}));
}

TEST(Mutants, SameSeedSameMutant) {
  EXPECT_EQ(mutate_lexemes("SELECT 1", "SELECT 2", 7), mutate_lexemes("SELECT 1", "SELECT 2", 7));
  EXPECT_NE(mutate_lexemes("SELECT name FROM employee", "", 7), mutate_lexemes("SELECT name FROM employee", "", 8));
  EXPECT_NE(mutate_lexemes("", "", 1), "");
}

}  // namespace
}  // namespace pccsql
