// Prompts: what is in them, what stays the same from question to question, and templates of one's own.
#include "prompt/prompts.h"

#include <gtest/gtest.h>

#include "policy/policy_file.h"
#include "prompt/schema_text.h"
#include "prompt/template.h"
#include "schema/reader.h"
#include "schema/scratch.h"

namespace pccsql {
namespace {

bool holds(std::string_view text, std::string_view part) { return text.find(part) != std::string_view::npos; }

TEST(Prompts, TheSystemPartNamesPoliciesAndRules) {
  const PromptText text = Prompts::standard().question("SCHEMA\n", "How many?");
  for (const char* part : {"Public:", "ConditionOnly:", "AggregateOnly:", "Hidden:", "COUNT()", "SUM()", "AVG()",
                           "REFUSE", "the SQL query alone", "No explanations"}) {
    EXPECT_TRUE(holds(text.system, part)) << part;
  }
  EXPECT_EQ(text.user, "SCHEMA\n\nQuestion: How many?");
}

TEST(Prompts, EvidenceStandsBeforeTheQuestionAndOnlyIfGiven) {
  const Prompts& prompts = Prompts::standard();
  EXPECT_EQ(prompts.question("S\n", "Q?", "x means y").user, "S\n\nHint: x means y\nQuestion: Q?");
  EXPECT_EQ(prompts.question("S\n", "Q?", "").user, prompts.question("S\n", "Q?").user);
}

TEST(Prompts, SystemPartAndSchemaStayTheSameWhateverIsAsked) {
  const Prompts& prompts = Prompts::standard();
  const PromptText a = prompts.question("S {schema} {question}\n", "one");
  const PromptText b = prompts.question("S {schema} {question}\n", "{schema} two", "hint");
  EXPECT_EQ(a.system, b.system);
  ASSERT_EQ(a.stable_bytes, b.stable_bytes);
  EXPECT_EQ(a.user.substr(0, a.stable_bytes), "S {schema} {question}\n\n");
  EXPECT_EQ(b.user.substr(0, b.stable_bytes), a.user.substr(0, a.stable_bytes));
  EXPECT_TRUE(holds(b.user, "Question: {schema} two"));
  const PromptText again = prompts.retry(a, "SELECT 1", {});
  EXPECT_EQ(again.stable_bytes, a.stable_bytes);
  EXPECT_TRUE(again.user.starts_with(a.user));
}

TEST(Prompts, FeedbackNamesWhatWasWrong) {
  const Prompts& prompts = Prompts::standard();
  const PromptText first = prompts.question("S\n", "Q?");
  const PromptText text =
      prompts.retry(first, "SELECT ssn",
                    {{"t.ssn", ColumnPolicy::Hidden, Role::Sel}, {"t.pay", ColumnPolicy::AggregateOnly, Role::Where}});
  for (const char* part : {"Last answer: SELECT ssn\n",
                           "- `t.ssn` (policy: Hidden) was used as output (SELECT list, GROUP BY or ORDER BY).\n",
                           "- `t.pay` (policy: AggregateOnly) was used as a filter (WHERE or HAVING).\n", "REFUSE"}) {
    EXPECT_TRUE(holds(text.user, part)) << text.user;
  }
}

TEST(Prompts, TheVerifierSeesTheColumnsThatAreNotPublic) {
  const auto catalog = read_ddl_catalog("CREATE TABLE t (a, b, \"c d\")");
  const auto policy = parse_policy_yaml("{version: 1, tables: {t: {a: Public, b: ConditionOnly}}}", *catalog);
  ASSERT_TRUE(policy);
  const PromptText text = Prompts::standard().verify(*catalog, *policy, "SELECT a FROM t");
  EXPECT_TRUE(holds(text.system, "COUNT(*) is always allowed"));
  EXPECT_TRUE(holds(text.user, "- t.b: ConditionOnly\n- t.\"c d\": Hidden\n"));
  EXPECT_FALSE(holds(text.user, "t.a"));
  EXPECT_TRUE(holds(text.user, "Query:\nSELECT a FROM t\n"));
  EXPECT_TRUE(holds(text.user, "DECISION: PERMIT\n") && holds(text.user, "DECISION: DENY\n"));
  EXPECT_TRUE(text.user.substr(0, text.stable_bytes).ends_with("Query:\n"));
}

class OwnPrompts : public testing::Test {
 protected:
  OwnPrompts() {
    for (const NamedText& text : standard_templates()) scratch_.file(text.name + ".txt", text.text);
  }
  std::string error() const {
    const auto prompts = Prompts::load(scratch_.path(""));
    return prompts ? "" : prompts.error().to_string().substr(scratch_.path("").size() + 1);
  }
  Scratch scratch_;
};

TEST_F(OwnPrompts, TakeThePlaceOfTheStandardOnes) {
  scratch_.file("system.txt", "Be {{good}}.\n");
  scratch_.file("question.txt", "{schema}|{evidence}|{question}");
  const auto prompts = Prompts::load(scratch_.path(""));
  ASSERT_TRUE(prompts) << prompts.error().to_string();
  const PromptText text = prompts->question("S", "Q");
  EXPECT_EQ(text.system, "Be {good}.");
  EXPECT_EQ(text.user, "S||Q");
  EXPECT_EQ(text.stable_bytes, 2U);
}

TEST_F(OwnPrompts, MistakesNameTheFile) {
  EXPECT_EQ(error(), "");
  scratch_.file("question.txt", "{schema} {evidence}\n {qestion}");
  EXPECT_EQ(error(),
            "question.txt:2:2: unknown placeholder `{qestion}`; there are `{schema}`, `{evidence}`, `{question}`; "
            "`{{` writes a brace");
  scratch_.file("question.txt", "{schema} {evidence}");
  EXPECT_EQ(error(), "question.txt: has no placeholder `{question}`, which it needs");
  scratch_.file("question.txt", "{question} {schema} {evidence}");
  EXPECT_EQ(error().substr(0, 62), "question.txt: has its placeholders in another order than it ne");
  scratch_.file("question.txt", "{schema} {evidence} {question");
  EXPECT_EQ(error(), "question.txt:1:21: a `{` without a `}`; `{{` writes a brace");
  scratch_.file("question.txt", "{schema} {evidence} {question} }");
  EXPECT_EQ(error(), "question.txt:1:32: a `}` without a `{`; `}}` writes a brace");
  std::filesystem::remove(scratch_.path("question.txt"));
  EXPECT_TRUE(holds(error(), "question.txt")) << error();
}

}  // namespace
}  // namespace pccsql
