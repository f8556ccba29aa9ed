// A build without llama.cpp: whoever names a GGUF file is told what is missing, and so is whoever runs the tests.
#include <gtest/gtest.h>

#include "model/llama/gguf_vocabulary.h"

namespace pccsql {
namespace {

TEST(WithoutLlama, ReadingSaysHowToGetIt) {
  const auto vocabulary = read_gguf_vocabulary("some.gguf");
  ASSERT_FALSE(vocabulary);
  EXPECT_EQ(vocabulary.error().to_string(),
            "some.gguf: cannot be read: pccsql was built without llama.cpp; run scripts/llama.sh, then build again");
}

TEST(WithoutLlama, VocabulariesAreNotTested) {
  GTEST_SKIP() << "built without llama.cpp: run scripts/llama.sh once, then the next build finds it";
}

}  // namespace
}  // namespace pccsql
