// Which adapter a model is used with.
#include "apps/model_options.h"

#include <gtest/gtest.h>

namespace pccsql {
namespace {

TEST(ModelOptions, AnAdapterAndNoneContradictEachOther) {
  ModelOptions options;
  options.model = "there/is/no/such.gguf";
  options.adapter = "a.gguf";
  options.no_adapter = true;
  const auto opened = open_model(options);
  ASSERT_FALSE(opened);
  EXPECT_NE(opened.error().message.find("`--adapter` and `--no-adapter`"), std::string::npos) << opened.error().message;
}

TEST(ModelOptions, AnEndpointTakesNoAdapter) {
  ModelOptions options;
  options.model = "http://127.0.0.1:1/v1";
  options.model_name = "m";
  options.adapter = "a.gguf";
  const auto opened = open_model(options);
  ASSERT_FALSE(opened);
  EXPECT_NE(opened.error().message.find("endpoint"), std::string::npos) << opened.error().message;
}

}  // namespace
}  // namespace pccsql
