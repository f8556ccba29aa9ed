// Files come and go whole; what is no file is an error that names it.
#include "base/file.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <iterator>

namespace pccsql {
namespace {

class File : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string name = (std::filesystem::temp_directory_path() / "pccsql-test-XXXXXX").string();
    ASSERT_NE(mkdtemp(name.data()), nullptr);
    folder_ = name;
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }
  std::string path(const char* name) const { return (folder_ / name).string(); }
  std::filesystem::path folder_;
};

TEST_F(File, EveryByteComesBack) {
  std::string bytes;
  for (int i = 0; i < 256; ++i) bytes += static_cast<char>(i);
  ASSERT_TRUE(write_file(path("bytes"), bytes));
  EXPECT_EQ(*read_file(path("bytes")), bytes);
  ASSERT_TRUE(write_file(path("bytes"), ""));
  EXPECT_EQ(*read_file(path("bytes")), "");
}

TEST_F(File, WritingLeavesNothingElseBehind) {
  ASSERT_TRUE(write_file(path("a"), "x"));
  EXPECT_FALSE(write_file(path("missing/a"), "x"));
  std::filesystem::create_directory(path("folder"));
  EXPECT_FALSE(write_file(path("folder"), "x"));
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder_), {}), 2);
}

TEST_F(File, ASignalWaitsUntilAFileIsWhole) {
  const std::string content(size_t{64} << 20, 'x');
  const std::string large = path("large");
  const pid_t writer = fork();
  ASSERT_GE(writer, 0);
  if (writer == 0) {
    signal(SIGINT, SIG_DFL);  // a shell that runs tests in the background has it ignored
    for (int i = 0; i < 1000; ++i) static_cast<void>(write_file(large, content));  // until it is stopped
    _exit(0);
  }
  while (std::filesystem::is_empty(folder_)) usleep(100);
  usleep(20'000);
  kill(writer, SIGINT);
  int status = 0;
  waitpid(writer, &status, 0);
  EXPECT_TRUE(WIFSIGNALED(status));
  for (const auto& entry : std::filesystem::directory_iterator(folder_)) {
    EXPECT_EQ(entry.path().string(), large);
    EXPECT_EQ(entry.file_size(), content.size());
  }
}

TEST_F(File, WhatIsNoFileIsAnErrorThatNamesIt) {
  for (const std::string& wrong : {path("missing"), folder_.string()}) {
    const Result<std::string> content = read_file(wrong);
    ASSERT_FALSE(content) << wrong;
    EXPECT_EQ(content.error().file, wrong);
    EXPECT_EQ(content.error().to_string().substr(0, wrong.size() + 2), wrong + ": ");
  }
  EXPECT_NE(read_file(path("missing")).error().message.find("No such file"), std::string::npos);
  EXPECT_NE(read_file(folder_.string()).error().message.find("is a directory"), std::string::npos);
}

}  // namespace
}  // namespace pccsql
