// `pccsql suite` and `pccsql eval run` as a user types them, on a small copy of Spider; with the smallest model where it
// has been fetched.
#include <filesystem>

#include <gtest/gtest.h>

#include "apps/program.h"
#include "base/file.h"
#include "model/known_models.h"

namespace pccsql {
namespace {

struct Copy {
  Scratch scratch;
  std::string suite = scratch.path("suite.jsonl");

  Copy() {
    scratch.file("tables.json",
                 R"([{"db_id": "shop", "table_names_original": ["item"], "table_names": ["item"],
                      "column_names_original": [[-1, "*"], [0, "name"], [0, "price"]],
                      "column_types": ["text", "text", "number"], "primary_keys": [], "foreign_keys": []}])");
    scratch.file("dev.json", R"([{"db_id": "shop", "question": "Which names?", "query": "SELECT name FROM item"},
                                 {"db_id": "shop", "question": "How many?", "query": "SELECT COUNT(*) FROM item"},
                                 {"db_id": "shop", "question": "What costs 3?", "query": "SELECT name FROM item"}])");
    scratch.file("train_spider.json", "[]");
    scratch.file("train_others.json", "[]");
    std::filesystem::create_directories(scratch.path("database/shop"));
    scratch.database("database/shop/shop.sqlite",
                     "CREATE TABLE item (name TEXT, price INTEGER); INSERT INTO item VALUES ('cup', 3), ('pot', 9);");
  }

  Ran build() const { return pccsql({"suite", "build", "spider-cu", "--spider", scratch.path(""), "--out", suite}); }
};

bool smallest_model_is_here() {
  const auto known = known_model("smollm2-135m");
  const auto path = known ? model_path(**known) : Result<std::string>(known.error());
  std::error_code ignored;
  return path && std::filesystem::exists(*path, ignored);
}

TEST(SuiteProgram, BuildsAndCounts) {
  const Copy copy;
  const Ran built = copy.build();
  EXPECT_EQ(built.status, 0) << built.err;
  EXPECT_NE(built.out.find("3 questions, 3 sql, 0 refuse, 1 databases"), std::string::npos) << built.out;
  const std::string bytes = *read_file(copy.suite);
  EXPECT_EQ(copy.build().status, 0);
  EXPECT_EQ(*read_file(copy.suite), bytes);

  const Ran text = pccsql({"suite", "stats", copy.suite});
  EXPECT_EQ(text.status, 0) << text.err;
  EXPECT_NE(text.out.find("inside the paper's fragment"), std::string::npos) << text.out;
  const Ran json = pccsql({"suite", "stats", "--format", "json", copy.suite});
  EXPECT_EQ(nlohmann::ordered_json::parse(json.out)[0]["gold_labels"]["sql"], 3);
  const Ran markdown = pccsql({"suite", "stats", "--format", "markdown", copy.suite});
  EXPECT_TRUE(markdown.out.starts_with("### spider-cu, profile paper")) << markdown.out;
}

TEST(SuiteProgram, MistakesAreTold) {
  const Copy copy;
  struct Mistake {
    std::vector<std::string> arguments;
    const char* message;
  };
  for (const Mistake& mistake :
       {Mistake{{"suite", "build", "spider-cu", "--out", copy.suite}, "add `--spider DIR`"},
        Mistake{{"suite", "build", "spider-cu", "--spider", copy.scratch.path("")}, "`--out FILE`"},
        Mistake{{"suite", "build", "bird-cu", "--bird", copy.scratch.path(""), "--out", copy.suite}, "dev_tables.json"},
        Mistake{{"suite", "build", "spider-cu", "--p", "2", "--spider", "x", "--out", "y"}, "from 0 and up to 1"},
        Mistake{{"suite", "build", "spider-acl", "--spider", "x", "--out", "y"}, "`--acl FILE.jsonl`"},
        Mistake{{"suite", "stats"}, "which suites?"},
        Mistake{{"suite", "stats", copy.scratch.path("dev.json")}, "not a line of a suite"},
        Mistake{{"eval", "run", "--out", "x"}, "`--suite FILE`"},
        Mistake{{"eval", "run", "--suite", copy.scratch.path("dev.json"), "--out", "x"}, "not a line of a suite"},
        Mistake{{"eval", "sweep", "retry", "--suite", "x"}, "`--out DIR`"}}) {
    const Ran ran = pccsql(mistake.arguments);
    EXPECT_EQ(ran.status, 2) << mistake.message << ran.out;
    EXPECT_NE(ran.err.find(mistake.message), std::string::npos) << mistake.message << " in " << ran.err;
  }
  EXPECT_FALSE(std::filesystem::exists(copy.suite));
}

TEST(EvalProgram, ADatabaseThatIsNotThereIsToldBeforeAModelIsOpened) {
  const Copy copy;
  ASSERT_EQ(copy.build().status, 0);
  std::filesystem::remove_all(copy.scratch.path("database"));
  const Ran ran =
      pccsql({"eval", "run", "--suite", copy.suite, "--model", "none.gguf", "--out", copy.scratch.path("r")});
  EXPECT_EQ(ran.status, 2);
  EXPECT_NE(ran.err.find("not there: `shop`"), std::string::npos) << ran.err;
  EXPECT_NE(ran.err.find("--no-exec"), std::string::npos) << ran.err;
}

TEST(EvalProgram, AnswersAreToldFromOutside) {
  const Copy copy;
  ASSERT_EQ(copy.build().status, 0);
  const auto run = [&copy](const std::string& name, const std::string& method, const std::string& answers) {
    return pccsql({"eval", "run", "--suite", copy.suite, "--answers", "me", "--method", method, "--out", copy.scratch.path(name)},
                  answers);
  };
  const std::string answers =
      R"({"n": 0, "text": "```sql\nSELECT name FROM item\n```", "generated_tokens": 7})"
      "\n"
      R"({"n": 1, "refused": "nothing to ask"})"
      "\n"
      R"({"n": 2, "error": "out of memory"})"
      "\n";
  const Ran ran = run("direct.jsonl", "direct", answers);
  EXPECT_EQ(ran.status, 0) << ran.err;
  const auto asked = json_lines(ran.out.substr(0, ran.out.rfind('}') + 1));  // what comes after is for people
  ASSERT_EQ(asked.size(), 3u);
  EXPECT_EQ(asked[0]["db_id"], "shop");
  EXPECT_EQ(asked[0]["question"], "Which names?");
  EXPECT_NE(asked[0]["user"].get<std::string>().find("Which names?"), std::string::npos);
  EXPECT_NE(asked[0]["policy"].get<std::string>().find("item"), std::string::npos);
  auto lines = json_lines(*read_file(copy.scratch.path("direct.jsonl")));
  ASSERT_EQ(lines.size(), 5u);  // header, prompt, three questions
  EXPECT_EQ(lines[0]["method"], "direct");
  EXPECT_EQ(lines[0]["model"]["name"], "me");
  EXPECT_EQ(lines[2]["outcome"], "safe_sql");
  EXPECT_EQ(lines[2]["sql"], "SELECT name FROM item");
  EXPECT_EQ(lines[3]["outcome"], "refuse");
  EXPECT_EQ(lines[4]["outcome"], "failure");
  EXPECT_EQ(pccsql({"eval", "report", copy.scratch.path("direct.jsonl")}).status, 0);

  // Under pcc what is not safe is withheld, a fence included: no mask would have let it through.
  EXPECT_EQ(run("pcc.jsonl", "pcc", answers).status, 0);
  lines = json_lines(*read_file(copy.scratch.path("pcc.jsonl")));
  EXPECT_EQ(lines[2]["outcome"], "refuse");

  // When no answers come any more the run is not whole, and goes on another time.
  const std::string one = answers.substr(0, answers.find('\n') + 1);
  EXPECT_EQ(run("rest.jsonl", "direct", one).status, 130);
  EXPECT_EQ(run("rest.jsonl", "direct", R"({"n": 0, "text": "SELECT 1"})" "\n" R"({"n": 1, "text": "SELECT 2"})" "\n").status, 0);
  EXPECT_EQ(json_lines(*read_file(copy.scratch.path("rest.jsonl"))).size(), 5u);
  for (const std::string wrong : {"x\n", "[]\n", R"({"n": 9, "text": ""})" "\n"}) EXPECT_EQ(run("wrong.jsonl", "direct", wrong).status, 130);
  EXPECT_EQ(run("never.jsonl", "retry", answers).status, 2);
}

TEST(EvalProgram, TheSmallestModelGivesTheSameRunTwice) {
  if (!smallest_model_is_here()) GTEST_SKIP() << "smollm2-135m has not been fetched: `pccsql model pull smollm2-135m`";
  const Copy copy;
  ASSERT_EQ(copy.build().status, 0);
  const auto run = [&copy](const std::string& name, const std::vector<std::string>& more) {
    std::vector<std::string> arguments{"eval",         "run",       "--suite", copy.suite, "--model",
                                       "smollm2-135m", "--threads", "1",       "--out",    copy.scratch.path(name),
                                       "--max-tokens", "24"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    const Ran ran = pccsql(arguments);
    EXPECT_EQ(ran.status, 0) << ran.err;
    auto lines = json_lines(*read_file(copy.scratch.path(name)));
    for (auto& line : lines) {
      for (const char* key : {"times", "reuse", "started"}) line.erase(key);
    }
    return lines;
  };
  const auto first = run("a.jsonl", {});
  ASSERT_EQ(first.size(), 5u);  // header, prompt, three questions
  EXPECT_EQ(first[0]["model"]["sha256"].get<std::string>().size(), 64u);
  for (size_t i = 2; i < first.size(); ++i) EXPECT_EQ(first[i]["outcome"], "safe_sql") << first[i].dump();
  EXPECT_EQ(run("b.jsonl", {}), first);
  const auto several = run("c.jsonl", {"--parallel", "3"});
  ASSERT_EQ(several.size(), first.size());
  for (size_t i = 2; i < several.size(); ++i) EXPECT_EQ(several[i]["id"], first[i]["id"]);
}

}  // namespace
}  // namespace pccsql
