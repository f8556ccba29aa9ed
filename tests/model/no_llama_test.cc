// A build without llama.cpp: whoever names a GGUF file is told what is missing, and so is whoever runs the tests.
#include <gtest/gtest.h>

#include "model/llama/gguf_vocabulary.h"
#include "model/llama/llama_model.h"

namespace pccsql {
namespace {

TEST(WithoutLlama, ReadingSaysHowToGetIt) {
  const auto vocabulary = read_gguf_vocabulary("some.gguf");
  ASSERT_FALSE(vocabulary);
  EXPECT_EQ(vocabulary.error().to_string(),
            "some.gguf: cannot be read: pccsql was built without llama.cpp; run scripts/llama.sh, then build again");
}

TEST(WithoutLlama, LoadingSaysHowToGetIt) {
  const auto model = load_llama_model("some.gguf");
  ASSERT_FALSE(model);
  EXPECT_EQ(model.error().to_string(),
            "some.gguf: cannot be loaded: pccsql was built without llama.cpp; run scripts/llama.sh, then build again");
}

TEST(WithoutLlama, VocabulariesAndModelsAreNotTested) {
  GTEST_SKIP() << "built without llama.cpp: run scripts/llama.sh once, then the next build finds it";
}

}  // namespace
}  // namespace pccsql
