// The fuzzer's seeds, replayed: none may draw a complaint, and each is judged as its file name says (safe_…, unsafe_…,
// outside_…, error_…), so that the seeds go on covering what they were written for. And the fuzzer's question itself is
// shown to notice wrong answers.
#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/file.h"
#include "fuzz/check_target.h"

namespace pccsql {
namespace {

std::vector<std::filesystem::path> seeds() {
  std::vector<std::filesystem::path> paths;
  for (const auto& entry : std::filesystem::directory_iterator(PCCSQL_ROOT "/fuzz/corpus/check")) {
    paths.push_back(entry.path());
  }
  std::ranges::sort(paths);
  return paths;
}

TEST(FuzzCheck, SeedsAreJudgedAsNamed) {
  ASSERT_GE(seeds().size(), 60u);
  for (const auto& path : seeds()) {
    const auto input = read_file(path.string());
    ASSERT_TRUE(input) << input.error().to_string();
    const FuzzAnswer answer = check_fuzz_input(*input);
    EXPECT_EQ(answer.complaint, "") << path;
    const std::string name = path.filename().string();
    EXPECT_EQ(to_string(answer.verdict), name.substr(0, name.find('_'))) << path << "\n" << *input;
  }
}

// Cut anywhere, a seed must still get an answer.
TEST(FuzzCheck, SeedsMayEndAnywhere) {
  for (const auto& path : seeds()) {
    const auto input = read_file(path.string());
    ASSERT_TRUE(input) << input.error().to_string();
    for (size_t length = 0; length <= input->size(); ++length) {
      EXPECT_EQ(check_fuzz_input(std::string_view(*input).substr(0, length)).complaint, "")
          << path << " cut after " << length << " bytes";
    }
  }
}

TEST(FuzzCheck, FirstByteIsTheSettings) {
  EXPECT_EQ(read_fuzz_input("").sql, "");
  const FuzzInput plain = read_fuzz_input("0SELECT 1");
  EXPECT_EQ(plain.sql, "SELECT 1");
  EXPECT_EQ(plain.settings.profile, Profile::Strict);
  EXPECT_EQ(plain.settings.language, Language::Full);
  EXPECT_FALSE(plain.demo_policy);
  const FuzzInput other = read_fuzz_input("7");
  EXPECT_EQ(other.settings.profile, Profile::Paper);
  EXPECT_EQ(other.settings.language, Language::Fragment);
  EXPECT_TRUE(other.demo_policy);
}

Catalog one_column() {
  Table table;
  table.name = "t";
  table.columns.resize(1);
  table.columns[0].name = "a";
  return Catalog({table});
}

// Wrong answers, made up.
class Complaints : public testing::Test {
 protected:
  Complaints() : catalog_(one_column()), policy_(catalog_, ColumnPolicy::Hidden) { prepared_.ok = true; }
  std::string complaint() const { return complaint_about(input_, judgement_, prepared_, catalog_, policy_); }

  Catalog catalog_;
  Policy policy_;
  FuzzInput input_{.settings = {}, .demo_policy = false, .sql = "SELECT a FROM t"};
  Judgement judgement_;
  Prepared prepared_;
};

TEST_F(Complaints, NoneAboutAGoodAnswer) { EXPECT_EQ(complaint(), ""); }

TEST_F(Complaints, SafeMustPrepare) {
  prepared_.ok = false;
  prepared_.message = "no such table";
  EXPECT_EQ(complaint(), "called safe, but SQLite says: no such table");
  judgement_.verdict = Verdict::Unsafe;
  EXPECT_NE(complaint(), "");
  judgement_.verdict = Verdict::Error;
  judgement_.reason = "no such table";
  EXPECT_EQ(complaint(), "");
}

TEST_F(Complaints, SafeReadsNothingHidden) {
  prepared_.reads = {{"t", "a"}};
  EXPECT_EQ(complaint(), "called safe, but SQLite reads the Hidden column t.a");
  input_.settings.profile = Profile::Paper;  // which permits GROUP BY over it
  EXPECT_EQ(complaint(), "");
  input_.settings.profile = Profile::Strict;
  policy_.set({0, 0}, ColumnPolicy::ConditionOnly);
  EXPECT_EQ(complaint(), "");
}

TEST_F(Complaints, UsesMustAddUp) {
  judgement_.uses.resize(1);
  judgement_.uses[0].span = {7, 8};
  EXPECT_NE(complaint(), "");
  judgement_.policies = {ColumnPolicy::Public};
  judgement_.permitted = {true};
  EXPECT_EQ(complaint(), "");
  judgement_.permitted = {false};
  EXPECT_NE(complaint(), "");
  judgement_.permitted = {true};
  judgement_.uses[0].span = {7, 99};
  EXPECT_NE(complaint(), "");
}

TEST_F(Complaints, RefusalsHaveReasons) {
  judgement_.verdict = Verdict::Outside;
  EXPECT_NE(complaint(), "");
}

}  // namespace
}  // namespace pccsql
