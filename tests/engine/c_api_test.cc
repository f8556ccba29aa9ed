// The C ABI over the demo: the same answers as the C++ API, and errors as text.
#include <gtest/gtest.h>

#include <pccsql/pccsql.h>

#include "engine/demo.h"
#include "engine/oracle.h"
#include "engine/toy.h"

namespace pccsql {
namespace {

std::string taken(char* text) {
  const std::string copy = text == nullptr ? "(null)" : text;
  pccsql_free(text);
  return copy;
}

class CApi : public testing::Test {
 protected:
  void SetUp() override {
    const auto schema = read_file(PCCSQL_ROOT "/examples/hr/schema.sql");
    ASSERT_TRUE(schema);
    schema_ = *schema;
    vocabulary_ = pccsql_vocabulary_builtin();
    ASSERT_NE(vocabulary_, nullptr);
    pccsql_settings settings;
    pccsql_settings_init(&settings);
    settings.refusal = 1;
    engine_ = compile(PCCSQL_SCHEMA_DDL_TEXT, schema_.c_str(), &settings);
    ASSERT_NE(engine_, nullptr) << error_;
  }
  void TearDown() override {
    pccsql_engine_free(engine_);
    pccsql_vocabulary_free(vocabulary_);
  }
  pccsql_engine* compile(int kind, const char* schema, const pccsql_settings* settings) {
    char* error = nullptr;
    pccsql_engine* made = pccsql_engine_compile(kind, schema, nullptr, PCCSQL_POLICY_YAML_FILE,
                                                PCCSQL_ROOT "/examples/hr/policy.yaml", vocabulary_, settings, &error);
    if (made == nullptr) error_ = taken(error);
    return made;
  }

  std::string schema_;
  std::string error_;
  pccsql_vocabulary* vocabulary_ = nullptr;
  pccsql_engine* engine_ = nullptr;
};

TEST_F(CApi, EnginesShareAMemory) {
  pccsql_memory* memory = pccsql_memory_new(1 << 20);
  pccsql_settings settings;
  pccsql_settings_init(&settings);
  EXPECT_EQ(settings.memory_bytes, Settings().memory_bytes);
  EXPECT_EQ(settings.memory, nullptr);
  settings.memory = memory;
  pccsql_engine* made = compile(PCCSQL_SCHEMA_DDL_TEXT, schema_.c_str(), &settings);
  ASSERT_NE(made, nullptr) << error_;
  pccsql_matcher* matcher = pccsql_matcher_new(made);
  EXPECT_EQ(pccsql_matcher_accept_text(matcher, "SELECT ", 7), 1);
  EXPECT_GT(pccsql_memory_used(memory), 0u);
  pccsql_memory_free(memory);  // the engine keeps what it needs
  EXPECT_EQ(pccsql_matcher_accept_text(matcher, "name", 4), 1);
  pccsql_matcher_free(matcher);
  pccsql_engine_free(made);
}

TEST_F(CApi, AGeneration) {
  pccsql_matcher* matcher = pccsql_matcher_new(engine_);
  const size_t width = pccsql_vocabulary_size(vocabulary_);
  std::vector<uint32_t> words(bitmask_words(width));
  ASSERT_EQ(pccsql_matcher_fill_next_token_bitmask(matcher, words.data(), width, nullptr), 1);
  Settings settings;
  settings.refusal = true;
  Matcher other = demo_engine(builtin_index(), settings).new_matcher();
  std::vector<TokenId> tokens;
  ConstBitmask(words, width).for_each([&](TokenId id) { tokens.push_back(id); });
  EXPECT_EQ(tokens, mask_of(other, width));

  const std::string begin = "SELECT name, AVG(salary) FROM employee GROUP BY";
  EXPECT_EQ(pccsql_matcher_accept_text(matcher, begin.data(), begin.size()), 1);
  EXPECT_EQ(taken(pccsql_matcher_uses(matcher)), "employee.name Sel\nemployee.salary Agg\n");
  EXPECT_NE(taken(pccsql_matcher_explain(matcher)).find("may end: no\n"), std::string::npos);
  pccsql_matcher* fork = pccsql_matcher_fork(matcher);
  EXPECT_EQ(pccsql_matcher_accept_token(matcher, token(" name")), 1);
  EXPECT_EQ(pccsql_matcher_accept_token(matcher, end_token()), 1);
  EXPECT_EQ(pccsql_matcher_is_terminated(matcher), 1);
  EXPECT_EQ(taken(pccsql_matcher_sql(matcher)), begin + " name");
  EXPECT_EQ(pccsql_matcher_refusal(matcher), PCCSQL_NOT_REFUSED);
  EXPECT_STREQ(pccsql_matcher_refusal_reason(matcher), "");
  EXPECT_EQ(pccsql_matcher_rollback(matcher, 100), 0);
  EXPECT_EQ(pccsql_matcher_rollback(matcher, 1), 1);
  EXPECT_EQ(pccsql_matcher_is_terminated(matcher), 0);
  EXPECT_EQ(pccsql_matcher_sql(matcher), nullptr);

  EXPECT_EQ(taken(pccsql_matcher_text(fork)), begin);
  EXPECT_EQ(pccsql_matcher_accept_token(fork, token(" email")), 0);
  EXPECT_EQ(pccsql_matcher_refusal(fork), PCCSQL_REFUSED_FAULT);
  EXPECT_STRNE(pccsql_matcher_refusal_reason(fork), "");
  EXPECT_EQ(taken(pccsql_matcher_text(fork)), "");
  pccsql_matcher_free(matcher);
  pccsql_matcher_free(fork);
}

TEST_F(CApi, BudgetsAndRefusals) {
  pccsql_matcher* tight = pccsql_matcher_new_with_budget(engine_, 1);
  EXPECT_EQ(pccsql_matcher_refusal(tight), PCCSQL_REFUSED_BUDGET);
  pccsql_matcher_free(tight);
  pccsql_matcher* matcher = pccsql_matcher_new(engine_);
  EXPECT_EQ(pccsql_matcher_accept_token(matcher, token("R")), 1);
  EXPECT_EQ(taken(pccsql_matcher_find_jump_forward_string(matcher)), "EFUSE");
  uint32_t forced[2] = {};
  EXPECT_EQ(pccsql_matcher_find_jump_forward_tokens(matcher, forced, 2), 5u);
  EXPECT_EQ(forced[1], token("F"));
  EXPECT_EQ(pccsql_matcher_accept_text(matcher, "EFUSE", 5), 1);
  EXPECT_EQ(pccsql_matcher_refusal(matcher), PCCSQL_REFUSED_BY_CHOICE);
  pccsql_matcher_free(matcher);
}

TEST_F(CApi, HandlesMayGoInAnyOrder) {
  pccsql_matcher* matcher = pccsql_matcher_new(engine_);
  pccsql_engine_free(engine_);
  engine_ = nullptr;
  pccsql_vocabulary_free(vocabulary_);
  vocabulary_ = nullptr;
  EXPECT_EQ(pccsql_matcher_accept_text(matcher, "SELECT 1", 8), 1);
  pccsql_matcher_free(matcher);
  pccsql_matcher_free(nullptr);
  pccsql_free(nullptr);
}

TEST_F(CApi, ErrorsAreText) {
  EXPECT_EQ(compile(PCCSQL_SCHEMA_SQLITE_FILE, "missing.sqlite", nullptr), nullptr);
  EXPECT_NE(error_.find("missing.sqlite"), std::string::npos);
  EXPECT_EQ(compile(7, schema_.c_str(), nullptr), nullptr);
  EXPECT_NE(error_.find("kind of schema"), std::string::npos);
  pccsql_settings settings;
  pccsql_settings_init(&settings);
  settings.style = 9;
  EXPECT_EQ(compile(PCCSQL_SCHEMA_DDL_TEXT, schema_.c_str(), &settings), nullptr);
  EXPECT_NE(error_.find("setting"), std::string::npos);
  EXPECT_EQ(pccsql_vocabulary_read("missing.gguf", nullptr), nullptr);

  pccsql_matcher* matcher = pccsql_matcher_new(engine_);
  char* error = nullptr;
  std::vector<uint32_t> words(100, 0xFFFFFFFF);
  EXPECT_EQ(pccsql_matcher_fill_next_token_bitmask(matcher, words.data(), 32, &error), 0);
  EXPECT_NE(taken(error).find("do not belong together"), std::string::npos);
  EXPECT_EQ(words[0], 0u);
  pccsql_matcher_free(matcher);
}

TEST_F(CApi, VocabulariesFromPieces) {
  const pccsql_piece pieces[] = {{"SELECT", 6, 1}, {" 1", 2, 1}, {"<end>", 5, 0}};
  const uint32_t end = 2;
  char* error = nullptr;
  pccsql_vocabulary* small = pccsql_vocabulary_pieces(pieces, 3, &end, 1, &error);
  ASSERT_NE(small, nullptr) << taken(error);
  size_t size = 0;
  const char* bytes = pccsql_vocabulary_bytes(small, 1, &size);
  EXPECT_EQ(std::string(bytes, size), " 1");
  EXPECT_EQ(pccsql_vocabulary_bytes(small, 2, &size), nullptr);
  EXPECT_EQ(pccsql_vocabulary_is_end_of_text(small, 2), 1);
  EXPECT_EQ(pccsql_vocabulary_is_end_of_text(small, 1), 0);
  std::swap(small, vocabulary_);
  pccsql_engine* engine = compile(PCCSQL_SCHEMA_DDL_TEXT, schema_.c_str(), nullptr);
  ASSERT_NE(engine, nullptr) << error_;
  pccsql_settings settings;
  pccsql_settings_init(&settings);
  settings.refusal = 1;
  EXPECT_EQ(compile(PCCSQL_SCHEMA_DDL_TEXT, schema_.c_str(), &settings), nullptr);
  EXPECT_NE(error_.find("REFUSE"), std::string::npos);
  std::swap(small, vocabulary_);
  pccsql_matcher* matcher = pccsql_matcher_new(engine);
  for (const uint32_t id : {0U, 1U, 2U}) {
    uint32_t mask = 0;
    ASSERT_EQ(pccsql_matcher_fill_next_token_bitmask(matcher, &mask, 3, nullptr), 1);
    EXPECT_EQ(mask >> id & 1, 1u) << id;
    EXPECT_EQ(pccsql_matcher_accept_token(matcher, id), 1) << id;
  }
  EXPECT_EQ(taken(pccsql_matcher_sql(matcher)), "SELECT 1");
  pccsql_matcher_free(matcher);
  pccsql_engine_free(engine);
  pccsql_vocabulary_free(small);
  EXPECT_EQ(pccsql_vocabulary_pieces(pieces, 3, nullptr, 0, &error), nullptr);
  EXPECT_NE(taken(error).find("end-of-text"), std::string::npos);
}

}  // namespace
}  // namespace pccsql
