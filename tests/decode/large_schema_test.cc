// A schema that is too large for the prompt: the part that the question is about is asked with, the trace says what was left out,
// and the mask knows the whole.
#include <gtest/gtest.h>

#include "decode/decoder.h"
#include "decode/subject.h"
#include "model/scripted.h"
#include "schema/reader.h"

namespace pccsql {
namespace {

Catalog wide() {
  std::string ddl = "CREATE TABLE singer (id INTEGER PRIMARY KEY, name TEXT, age INT);";
  for (int i = 0; i < 60; ++i) {
    ddl += "CREATE TABLE filler_" + std::to_string(i) + " (thing" + std::to_string(i) + " TEXT, amount INT);";
  }
  return *read_ddl_catalog(ddl);
}

constexpr ScriptedOptions kLong{.context_size = 100000};

TEST(LargeSchema, IsAskedWithThePartThatTheQuestionIsAbout) {
  const Catalog catalog = wide();
  Subject subject(catalog, Policy(catalog, ColumnPolicy::Public));
  DecodeSettings settings;
  settings.schema_tokens = 600;
  ScriptedModel model(builtin_vocabulary(), {"SELECT name FROM singer"}, kLong);
  const Answer answer = make_decoder(Method::Pcc, model, settings)->answer(subject, {"What are the names of singers?", {}});
  EXPECT_EQ(answer.sql, "SELECT name FROM singer");
  EXPECT_NE(answer.prompt.user.find("CREATE TABLE singer"), std::string::npos);
  EXPECT_GT(answer.left_out.size(), 30U);
  for (const std::string& table : answer.left_out) {
    EXPECT_EQ(answer.prompt.user.find("CREATE TABLE " + table + " "), std::string::npos) << table;
  }
  EXPECT_EQ(answer.prompt.stable_bytes, 0U);
}

TEST(LargeSchema, TheMaskKnowsWhatThePromptDoesNot) {
  const Catalog catalog = wide();
  Policy policy(catalog, ColumnPolicy::Public);
  policy.set({60, 0}, ColumnPolicy::Hidden);
  Subject subject(catalog, policy);
  DecodeSettings settings;
  settings.schema_tokens = 600;
  ScriptedModel model(builtin_vocabulary(), {"SELECT amount FROM filler_40"}, kLong);
  const Answer answer = make_decoder(Method::Pcc, model, settings)->answer(subject, {"What are the names of singers?", {}});
  EXPECT_EQ(answer.prompt.user.find("filler_40 "), std::string::npos);
  EXPECT_EQ(answer.sql, "SELECT amount FROM filler_40");
  ScriptedModel hostile(builtin_vocabulary(), {"SELECT thing59 FROM filler_59"}, kLong);
  const Answer blocked = make_decoder(Method::Pcc, hostile, settings)->answer(subject, {"What are the names of singers?", {}});
  EXPECT_NE(blocked.sql, "SELECT thing59 FROM filler_59");
  EXPECT_TRUE(blocked.violations.empty());
}

TEST(LargeSchema, OneThatFitsIsAskedWithAsAWhole) {
  const Catalog catalog = wide();
  Subject subject(catalog, Policy(catalog, ColumnPolicy::Public));
  DecodeSettings settings;
  settings.schema_tokens = 100000;
  for (const Method method : {Method::Pcc, Method::Direct, Method::IterGen}) {
    ScriptedModel model(builtin_vocabulary(), {"SELECT name FROM singer"}, kLong);
    const Answer answer = make_decoder(method, model, settings)->answer(subject, {"What are the names of singers?", {}});
    EXPECT_TRUE(answer.left_out.empty());
    EXPECT_NE(answer.prompt.user.find(subject.schema()), std::string::npos);
    EXPECT_GT(answer.prompt.stable_bytes, subject.schema().size() / 2);
  }
}

}  // namespace
}  // namespace pccsql
