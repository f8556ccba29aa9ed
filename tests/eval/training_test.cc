// Training data: the prompts are the program's, answers keep to the policies that stand in them, and what is kept aside
// stays aside.
#include "eval/training.h"

#include <algorithm>
#include <set>
#include <sstream>

#include <gtest/gtest.h>

#include "check/check.h"
#include "decode/common.h"
#include "model/scripted.h"
#include "policy/policy_file.h"
#include "prompt/prompts.h"
#include "prompt/schema_text.h"
#include "schema/reader.h"
#include "suite/column_policies.h"

namespace pccsql {
namespace {

GoldData small_data() {
  GoldData data;
  data.name = "small";
  for (int i = 0; i < 4; ++i) {
    const auto catalog = read_ddl_catalog(
        "CREATE TABLE singer (id INTEGER PRIMARY KEY, name TEXT, age INT, phone TEXT);"
        "CREATE TABLE concert (cid INTEGER PRIMARY KEY, singer_id INT REFERENCES singer (id), year INT);");
    data.catalogs.emplace_back(std::vector<Table>(catalog->tables().begin(), catalog->tables().end()), "d" + std::to_string(i));
    for (int k = 0; k < 12; ++k) {
      const std::string number = std::to_string(k);
      data.train.push_back({"d" + std::to_string(i), "which phone of " + number + "?", "select phone from singer where age > " + number});
      data.train.push_back({"d" + std::to_string(i), "how many in " + number + "?", "SELECT count(*) FROM concert WHERE year = " + number, "a year is a number"});
      data.train.push_back({"d" + std::to_string(i), "who sang in " + number + "?",
                            "SELECT t1.name FROM singer t1 JOIN concert t2 ON t1.id = t2.singer_id WHERE t2.year = " + number});
    }
    data.train.push_back({"d" + std::to_string(i), "nonsense", "SELECT nothing FROM nowhere"});
  }
  data.dev.push_back({"d0", "a question of the dev part", "SELECT name FROM singer"});
  return data;
}

TrainingOptions options() {
  TrainingOptions made;
  made.rounds = 3;
  made.group = 5;
  made.aside = 1;
  made.longest_prompt = 100000;
  return made;
}

class TrainingTest : public testing::Test {
 protected:
  TrainingData made() {
    auto result = training_data(data_, model_, options_);
    EXPECT_TRUE(result) << (result ? "" : result.error().to_string());
    return *std::move(result);
  }
  std::string text(const std::vector<TokenId>& tokens) const { return text_of(tokens, model_.vocabulary()); }

  GoldData data_ = small_data();
  ScriptedModel model_{builtin_vocabulary(), std::vector<std::string>{""}};
  TrainingOptions options_ = options();
};

TEST_F(TrainingTest, TheSameInputsGiveTheSameBytesAndAnotherSeedOthers) {
  const std::string first = to_text(made());
  EXPECT_EQ(to_text(made()), first);
  options_.seed = 7;
  EXPECT_NE(to_text(made()), first);
}

TEST_F(TrainingTest, EveryQuestionComesOnceARoundAndWhatIsAsideOnceAlone) {
  const TrainingData data = made();
  std::map<std::pair<std::string, size_t>, size_t> seen;
  std::set<std::string> aside, taught;
  for (const TrainingGroup& group : data.groups) {
    (group.aside ? aside : taught).insert(group.db_id);
    EXPECT_TRUE(!group.aside || group.round == 0);
    EXPECT_LE(group.items.size(), options_.group);
    for (const TrainingItem& item : group.items) ++seen[{item.id, group.round}];
  }
  EXPECT_EQ(aside.size(), 1u);
  EXPECT_EQ(taught.size(), 3u);
  for (const std::string& name : aside) EXPECT_FALSE(taught.contains(name));
  EXPECT_EQ(seen.size(), 3u * 3 * 36 + 36);
  for (const auto& [id, count] : seen) EXPECT_EQ(count, 1u);
  EXPECT_EQ(data.left_out.at("gold does not run"), 4u);
  EXPECT_EQ(data.questions, 4u * 36);
}

// Where refusing is taught, it is for what the policy in the prompt forbids, and for nothing else.
TEST_F(TrainingTest, WhatThePolicyForbidsMayBeTaughtAsRefusal) {
  options_.refuse = true;
  size_t refused = 0;
  for (const TrainingGroup& group : made().groups) {
    const Catalog& catalog = data_.catalogs[*data_.find_catalog(group.db_id)];
    for (const TrainingItem& item : group.items) {
      std::vector<TokenId> tokens = group.prompt;
      tokens.insert(tokens.end(), item.asked.begin(), item.asked.end());
      const std::string prompt = text(tokens);
      const size_t begin = prompt.find("CREATE TABLE"), end = prompt.rfind(");\n") + 3;
      const auto policy = parse_policy_ddl(prompt.substr(begin, end - begin), catalog, ColumnPolicy::Hidden, "prompt");
      ASSERT_TRUE(policy);
      const std::string answer = text({item.answer.begin(), item.answer.end() - 1});
      const GoldQuery& gold = data_.train[std::stoul(item.id.substr(item.id.rfind('-') + 1))];
      SqliteChecker checker(catalog, {.profile = Profile::Paper});
      EXPECT_EQ(answer == "REFUSE", checker.check(gold.sql, *policy).verdict != Verdict::Safe) << gold.sql;
      refused += answer == "REFUSE";
    }
  }
  EXPECT_GT(refused, 0U);
}

TEST_F(TrainingTest, NothingOfTheDevPartIsInIt) {
  for (const TrainingGroup& group : made().groups) {
    for (const TrainingItem& item : group.items) EXPECT_EQ(text(item.asked).find("dev part"), std::string::npos);
  }
}

// The prompt is what a decoder would send for the policy that stands in it, and that policy permits each answer.
TEST_F(TrainingTest, PromptsAreThePrograms) {
  const TrainingData data = made();
  size_t restricted = 0, open = 0, hints = 0;
  for (const TrainingGroup& group : data.groups) {
    const Catalog& catalog = data_.catalogs[*data_.find_catalog(group.db_id)];
    for (const TrainingItem& item : group.items) {
      const GoldQuery& gold = data_.train[std::stoul(item.id.substr(item.id.rfind('-') + 1))];
      std::vector<TokenId> tokens = group.prompt;
      tokens.insert(tokens.end(), item.asked.begin(), item.asked.end());
      const std::string prompt = text(tokens);
      const size_t begin = prompt.find("CREATE TABLE"), end = prompt.rfind(");\n") + 3;
      ASSERT_NE(begin, std::string::npos);
      const auto policy = parse_policy_ddl(prompt.substr(begin, end - begin), catalog, ColumnPolicy::Hidden, "prompt");
      ASSERT_TRUE(policy) << policy.error().to_string();
      const PromptText asked = Prompts::standard().question(schema_text(catalog, *policy), gold.question,
                                                            group.evidence ? gold.evidence : std::nullopt);
      EXPECT_EQ(prompt, *model_.chat_text(messages_of(asked)));
      hints += prompt.find("a year is a number") != std::string::npos;

      ASSERT_FALSE(item.answer.empty());
      EXPECT_TRUE(model_.vocabulary().is_end_of_text(item.answer.back()));
      const std::string answer = text(std::vector(item.answer.begin(), item.answer.end() - 1));
      SqliteChecker checker(catalog, {.profile = Profile::Paper});
      EXPECT_EQ(checker.check(answer, *policy).verdict, Verdict::Safe) << answer;
      bool all_public = true;
      for (ColumnIndex c = 0; c < 4; ++c) all_public &= policy->of({0, c}) == ColumnPolicy::Public;
      (all_public ? open : restricted) += 1;
      EXPECT_TRUE(!group.all_public || all_public);
    }
  }
  EXPECT_GT(restricted, 0u);
  EXPECT_GT(open, 0u);
  EXPECT_GT(hints, 0u);
}

TEST_F(TrainingTest, AnswersAreInCanonicalStyle) {
  std::set<std::string> answers;
  for (const TrainingGroup& group : made().groups) {
    for (const TrainingItem& item : group.items) answers.insert(text(std::vector(item.answer.begin(), item.answer.end() - 1)));
  }
  EXPECT_TRUE(answers.contains("SELECT phone FROM singer WHERE age > 3"));
  EXPECT_TRUE(answers.contains("SELECT COUNT(*) FROM concert WHERE year = 3"));
  EXPECT_TRUE(answers.contains("SELECT t1.name FROM singer AS t1 JOIN concert AS t2 ON t1.id = t2.singer_id WHERE t2.year = 3"));
}

TEST_F(TrainingTest, SchemasThatTakeTooMuchAreLeftOutAndCounted) {
  options_.longest_prompt = 10;
  const TrainingData data = made();
  EXPECT_TRUE(data.groups.empty());
  EXPECT_EQ(data.left_out.at("the schema takes more tokens than a prompt may"), 4u * 36);
}

}  // namespace
}  // namespace pccsql
