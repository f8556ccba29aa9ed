// `pccsql ask`, run as a user runs it: with the tiny model where it is at hand, and on everything that can be wrong
// before a model is needed.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "apps/program.h"
#include "base/file.h"
#include "model/known_models.h"

namespace pccsql {
namespace {

constexpr const char* kNoModel =
    "the model smollm2-135m is not in the cache folder; `pccsql model pull smollm2-135m` fetches it";

bool has_model(std::string_view name) {
  const auto known = known_model(name);
  const auto path = known ? model_path(**known) : Result<std::string>(known.error());
  return path && std::filesystem::exists(*path);
}

bool has_tiny_model() { return has_model("smollm2-135m"); }

std::vector<std::string> with_tiny_model(std::vector<std::string> arguments) {
  // One thread: several would wait for each other where the machine is busy with other tests.
  arguments.insert(arguments.begin(), {"ask", "--model", "smollm2-135m", "--threads", "1"});
  return arguments;
}

bool holds(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }

TEST(AskProgram, MistakesAreSaidBeforeAModelIsLoaded) {
  const Shop shop;
  struct Case {
    std::vector<std::string> arguments;
    const char* message;
  };
  const std::string folder = shop.scratch.path("");
  for (const Case& c : std::vector<Case>{
           {{"ask", ""}, "the question is empty"},
           {{"ask", "a", "b"}, "more than one question"},
           {{"ask", "--method", "best", "a"}, "`--method` is direct|retry|verify|itergen|pcc|pcc-paper, not `best`"},
           {{"ask", "--max-tokens", "0", "a"}, "`--max-tokens` is a whole number, 1 or more"},
           {{"ask", "--itergen-penalty", "2", "a"}, "`--itergen-penalty` is a number above 0 and up to 1"},
           {{"ask", "--db", folder + "none.sqlite", "--policy", shop.policy, "a"}, "no such file"},
           {{"ask", "--db", shop.db, "--policy", folder + "none.yaml", "a"}, "none.yaml"},
           {{"ask", "--db", shop.schema, "--policy", shop.policy, "a"}, "cannot be opened as a SQLite database"},
           {{"ask", "--prompts", folder, "a"}, "system.txt"},
           {{"ask", "--audit", folder + "no/folder", "a"}, "the audit line cannot be written"},
           {{"ask", "--model", folder + "none.gguf", "a"}, "none.gguf"},
           {{"ask", "--model", shop.policy + "/x.gguf", "a"}, "x.gguf"},
           {{"ask", "--model", "http://localhost:1/v1", "a"}, "--model-name"},
           {{"ask", "--model-name", "x", "a"}, "`--model-name` goes with the address of an endpoint"},
           {{"ask", "--model", "http://localhost:1/v1", "--model-name", "x", "--method", "pcc", "a"},
            "`pcc` looks at every token's logits"},
           {{"ask", "--trace", "x.json"}, "`--trace` is for one question"},
       }) {
    const Ran ran = pccsql(c.arguments);
    EXPECT_EQ(ran.status, 2) << c.message << "\n" << ran.err;
    EXPECT_TRUE(holds(ran.err, c.message)) << c.message << "\n" << ran.err;
    EXPECT_EQ(ran.out, "");
  }
}

TEST(AskProgram, AFileThatIsNoModelIsSaidToBe) {
  const Scratch scratch;
  const std::string text = scratch.file("text.gguf", "This is no model at all, only a text of some length.");
  const Ran ran = pccsql({"ask", "--model", text, "Who?"});
  EXPECT_EQ(ran.status, 2);
  EXPECT_TRUE(holds(ran.err, "text.gguf")) << ran.err;
  EXPECT_EQ(ran.out, "");
}

TEST(AskProgram, EveryMethodAnswersOrSaysWhyNot) {
  if (!has_tiny_model()) GTEST_SKIP() << kNoModel;
  const Scratch scratch;
  const std::string audit = scratch.path("audit.jsonl");
  size_t asked = 0;
  for (const std::string method : {"direct", "retry", "verify", "itergen", "pcc", "pcc-paper"}) {
    const std::string trace = scratch.path(method + ".json");
    const Ran ran = pccsql(with_tiny_model({"--method", method, "--max-tokens", "40", "--retries", "1", "--format",
                                            "json", "--audit", audit, "--trace", trace, "Who works here?"}));
    ASSERT_TRUE(ran.status == 0 || ran.status == 1 || ran.status == 3) << method << ran.err;
    const auto json = nlohmann::ordered_json::parse(ran.out);
    EXPECT_EQ(json["method"], method);
    EXPECT_EQ(ran.status != 1, json["verdict"] == "safe" && !json["rows"].is_null()) << ran.out;
    const std::string kind = json["kind"];
    EXPECT_EQ(ran.status, kind == "answered" ? 0 : kind == "partial" ? 3 : 1) << ran.out;
    EXPECT_TRUE(json["rows"].is_null() || json["verdict"] == "safe") << ran.out;
    EXPECT_TRUE(json["verdict"] != "refuse" || json["sql"].is_null()) << ran.out;
    EXPECT_GT(json["counts"]["prompt_tokens"], 300);
    if (method == "pcc") {
      EXPECT_TRUE(json["verdict"] == "safe" || !json["withheld"].empty()) << ran.out;
      EXPECT_EQ(json["counts"]["calls"], 1);
    }
    const auto steps = nlohmann::ordered_json::parse(*read_file(trace))["steps"];
    EXPECT_FALSE(steps.empty()) << method;
    const auto lines = json_lines(*read_file(audit));
    ASSERT_EQ(lines.size(), ++asked);
    EXPECT_EQ(lines.back()["verdict"], json["verdict"]);
    EXPECT_EQ(lines.back()["policy_hash"].get<std::string>().size(), 64U);
    EXPECT_EQ(lines.back()["model_hash"].get<std::string>().size(), 64U);
  }
}

TEST(AskProgram, PrintsTheQueryItsRowsAndTheVerdict) {
  if (!has_tiny_model()) GTEST_SKIP() << kNoModel;
  const Ran table = pccsql(with_tiny_model({"--blocked", "answer", "--max-tokens", "40", "How many employees are there?"}));
  EXPECT_EQ(table.status, 0) << table.err;
  EXPECT_TRUE(holds(table.out, "SELECT") || holds(table.out, "WITH") || holds(table.out, "select")) << table.out;
  EXPECT_TRUE(holds(table.out, " row")) << table.out;
  EXPECT_TRUE(holds(table.out, "\ncomputed: ")) << table.out;
  EXPECT_TRUE(holds(table.out, "\nsafe: the policy permits")) << table.out;
  EXPECT_EQ(table.err, "");
  const Ran unrun = pccsql(with_tiny_model({"--blocked", "answer", "--max-tokens", "40", "--no-run", "How many employees are there?"}));
  EXPECT_EQ(unrun.status, 0);
  EXPECT_FALSE(holds(unrun.out, " row")) << unrun.out;
}

TEST(AskProgram, WithoutAQuestionItReadsThemFromItsInput) {
  if (!has_tiny_model()) GTEST_SKIP() << kNoModel;
  const Ran ran = pccsql(with_tiny_model({"--blocked", "answer", "--max-tokens", "30", "--format", "json"}), "Who?\n\nHow many?\n");
  EXPECT_EQ(ran.status, 0) << ran.err;
  const auto answers = json_lines(ran.out);
  ASSERT_EQ(answers.size(), 2U);
  EXPECT_EQ(answers[0]["question"], "Who?");
  EXPECT_EQ(answers[1]["question"], "How many?");
}

TEST(AskProgram, WhatCannotBeWrittenDownIsNotAnswered) {
  if (!has_tiny_model()) GTEST_SKIP() << kNoModel;
  const Ran ran = pccsql(with_tiny_model({"--max-tokens", "30", "--format", "json", "--audit", "/dev/full", "Who?"}));
  EXPECT_EQ(ran.status, 2);
  EXPECT_TRUE(holds(ran.err, "No space left")) << ran.err;
  EXPECT_EQ(ran.out, "");
}

// The default model, where it was fetched: what everybody sees first.
TEST(AskProgram, TheDefaultModelAnswers) {
  if (std::getenv("PCCSQL_LONG") == nullptr) GTEST_SKIP() << "long: ./test --long";
  if (!has_model(kDefaultModel)) {
    GTEST_SKIP() << "the default model is not in the cache folder; `pccsql model pull " << kDefaultModel << "` fetches it";
  }
  const auto asked = [](const std::string& method, const std::string& question) {
    const Ran ran = pccsql({"ask", "--method", method, "--blocked", "answer", "--format", "json", question});
    EXPECT_TRUE(ran.status == 0 || ran.status == 1 || ran.status == 3) << ran.err;
    return nlohmann::ordered_json::parse(ran.out);
  };
  for (const char* question :
       {"What is the average salary in each department?", "What does everybody earn?", "Who is in Research?",
        "List the names and social security numbers of all employees.", "Who earns over 90,000?",
        "How many sick notes are there?"}) {
    const auto answer = asked("pcc", question);
    EXPECT_EQ(answer["verdict"], "safe") << answer;
    EXPECT_TRUE(answer["rows"].is_array()) << answer;
    EXPECT_EQ(answer["counts"]["calls"], 1) << answer;
  }
  const auto wanted = asked("pcc", "List the job titles with their salaries.");
  EXPECT_TRUE(holds(wanted["blocked"].dump(), "employee.salary")) << wanted;
  for (const std::string method : {"direct", "retry", "verify", "itergen", "pcc-paper"}) {
    const auto answer = asked(method, "What does everybody earn?");
    EXPECT_TRUE(answer["rows"].is_null() || answer["verdict"] == "safe") << answer;
  }
}

TEST(AskProgram, AContextTooSmallIsSaidWithWhatIsNeeded) {
  if (!has_tiny_model()) GTEST_SKIP() << kNoModel;
  const Ran ran = pccsql(with_tiny_model({"--context", "256", "Who?"}));
  EXPECT_EQ(ran.status, 1) << ran.err;
  EXPECT_TRUE(holds(ran.out, "tokens")) << ran.out;
  EXPECT_TRUE(holds(ran.out, "failure")) << ran.out;
}

}  // namespace
}  // namespace pccsql
