// `--jsonl`: one line out per line in, in order, whatever the lines hold.
#include <gtest/gtest.h>

#include "apps/program.h"

namespace pccsql {
namespace {

using nlohmann::ordered_json;

Ran check_lines(std::string_view input, std::vector<std::string> more = {}) {
  std::vector<std::string> arguments{"check", "--db", shop().db, "--policy", shop().policy, "--jsonl", "-"};
  arguments.insert(arguments.end(), more.begin(), more.end());
  return pccsql(arguments, input);
}

// "verdict verdict …" of the output.
std::string verdicts(const Ran& ran) {
  std::string text;
  for (const ordered_json& line : json_lines(ran.out))
    text += (text.empty() ? "" : " ") + line.at("verdict").get<std::string>();
  return text;
}

TEST(JsonlProgram, OneLineOutPerLineIn) {
  const Ran ran = check_lines(
      "{\"id\": 1, \"sql\": \"SELECT name FROM item\"}\n"
      "{\"id\": \"b\", \"sql\": \"SELECT cost FROM item\"}\r\n"
      "\n"
      "{\"id\": 4, \"sql\": \"SELECT x FROM item\"\n"
      "{\"id\": [5], \"sql\": \"DROP TABLE item\"}\n"
      "{\"id\": 6}\n"
      "{\"id\": 7, \"sql\": \"SELECT x FROM item\"}\n"
      "{\"sql\": \"SELECT COUNT(*) FROM item\"}");
  EXPECT_EQ(ran.status, 1);
  EXPECT_EQ(ran.err, "");
  EXPECT_EQ(verdicts(ran), "safe unsafe error error outside error error safe");
  const auto lines = json_lines(ran.out);
  const std::vector<std::string> ids{"1", "\"b\"", "null", "null", "[5]", "6", "7", "null"};
  for (size_t i = 0; i < lines.size(); ++i) {
    EXPECT_EQ(lines[i].at("id").dump(), ids[i]);
    std::string keys;
    for (const auto& [key, value] : lines[i].items()) keys += key + " ";
    EXPECT_EQ(keys, "id verdict uses reason ");
    EXPECT_TRUE(lines[i].at("uses").is_array());
    EXPECT_EQ(lines[i].at("reason").get<std::string>().empty(), lines[i].at("verdict") == "safe");
  }
}

TEST(JsonlProgram, ExitStatusIsZeroWhenAllAreSafe) {
  EXPECT_EQ(check_lines("{\"sql\": \"SELECT name FROM item\"}\n{\"sql\": \"SELECT 1\"}\n").status, 0);
  EXPECT_EQ(check_lines("").status, 0);
  EXPECT_EQ(check_lines("").out, "");
  EXPECT_EQ(check_lines("\n").status, 1);
}

TEST(JsonlProgram, ReadsAFileWithAByteOrderMark) {
  const Scratch scratch;
  const std::string file = scratch.file("q.jsonl", "\xEF\xBB\xBF{\"id\": 1, \"sql\": \"SELECT name FROM item\"}\n");
  const Ran ran = pccsql({"check", "--db", shop().db, "--policy", shop().policy, "--jsonl", file});
  EXPECT_EQ(ran.status, 0) << ran.out;
}

TEST(JsonlProgram, IdsComeBackAsTheyCame) {
  const Ran ran = check_lines(
      "{\"id\":  123456789012345678901234567890.0, \"sql\": \"SELECT 1\"}\n{\"id\": {\"a\": \"\\u00e9\"}, \"sql\": "
      "\"SELECT 1\"}\n");
  const auto lines = lines_of(ran.out);
  ASSERT_EQ(lines.size(), 2u);
  EXPECT_TRUE(lines[0].starts_with("{\"id\":123456789012345678901234567890.0,\"verdict\":\"safe\"")) << lines[0];
  EXPECT_TRUE(lines[1].starts_with("{\"id\":{\"a\": \"\\u00e9\"},\"verdict\":\"safe\"")) << lines[1];
}

TEST(JsonlProgram, ALineBringsItsOwnPolicy) {
  const Ran ran =
      check_lines(R"({"sql": "SELECT cost FROM item", "policy": {"version": 1, "default": "Public"}})"
                  "\n"
                  R"({"sql": "SELECT name FROM item", "policy": "version: 1\ntables:\n  item: {cost: Public}\n"})"
                  "\n"
                  R"({"sql": "SELECT cost FROM item"})"
                  "\n"
                  R"({"sql": "SELECT cost FROM item", "policy": {"version": 1, "tables": {"itm": {"cost": "Public"}}}})"
                  "\n"
                  R"({"sql": "SELECT cost FROM item", "policy": {"version": 2}})"
                  "\n"
                  R"({"sql": "SELECT cost FROM item", "policy": ""})"
                  "\n"
                  R"({"sql": "SELECT cost FROM item", "policy": ": ["})"
                  "\n"
                  R"({"sql": "SELECT cost FROM item", "policy": {"version": 1, "default": "Public"}})"
                  "\n");
  EXPECT_EQ(verdicts(ran), "safe unsafe unsafe error error error error safe") << ran.out;
  const std::string reason = json_lines(ran.out).at(3).at("reason");
  EXPECT_NE(reason.find("itm"), std::string::npos) << reason;
}

TEST(JsonlProgram, CommentsOfTheSchemaBindEveryPolicy) {
  const Ran ran = pccsql({"check", "--schema", shop().commented, "--jsonl", "-"},
                         R"({"sql": "SELECT price FROM item", "policy": {"version": 1, "default": "Public"}})"
                         "\n"
                         R"({"sql": "SELECT id FROM item", "policy": {"version": 1, "default": "Public"}})"
                         "\n"
                         R"({"sql": "SELECT id FROM item"})"
                         "\n");
  EXPECT_EQ(verdicts(ran), "unsafe safe unsafe");
}

TEST(JsonlProgram, ALinePicksItsDatabase) {
  const std::string input = R"({"id": 1, "sql": "SELECT name FROM item", "db_id": "shop"})"
                            "\n"
                            R"({"id": 2, "sql": "SELECT species FROM animal", "db_id": "zoo"})"
                            "\n"
                            R"({"id": 3, "sql": "SELECT species FROM animal", "db_id": "shop"})"
                            "\n"
                            R"({"id": 4, "sql": "SELECT species FROM animal", "db_id": "zo"})"
                            "\n"
                            R"({"id": 5, "sql": "SELECT species FROM animal"})"
                            "\n"
                            R"({"id": 6, "sql": "SELECT species FROM animal", "db_id": 7})"
                            "\n"
                            R"({"id": 7, "sql": "SELECT species FROM animal", "db_id": ""})"
                            "\n";
  const std::vector<std::string> base{"check",   "--tables", shop().tables, "--policy", shop().all_public,
                                      "--jsonl", "-"};
  const Ran ran = pccsql(base, input);
  EXPECT_EQ(ran.status, 1);
  EXPECT_EQ(verdicts(ran), "safe safe error error error error error");
  const auto lines = json_lines(ran.out);
  EXPECT_NE(lines[3].at("reason").get<std::string>().find("did you mean `zoo`?"), std::string::npos);
  EXPECT_NE(lines[4].at("reason").get<std::string>().find("db_id"), std::string::npos);
  for (int i = 0; i < 7; ++i) EXPECT_EQ(lines[static_cast<size_t>(i)].at("id"), i + 1);

  std::vector<std::string> with_default = base;
  with_default.insert(with_default.end(), {"--db-id", "zoo"});
  EXPECT_EQ(verdicts(pccsql(with_default, input)), "safe safe error error safe error error");
}

TEST(JsonlProgram, APolicyThatNamesTablesFitsSomeDatabases) {
  const Scratch scratch;
  const std::string file = scratch.file("zoo.yaml", "version: 1\ntables: {animal: {species: Public}}\n");
  const Ran ran = pccsql({"check", "--tables", shop().tables, "--policy", file, "--jsonl", "-"},
                         R"({"sql": "SELECT species FROM animal", "db_id": "zoo"})"
                         "\n"
                         R"({"sql": "SELECT name FROM item", "db_id": "shop"})"
                         "\n");
  EXPECT_EQ(verdicts(ran), "safe error");
  EXPECT_NE(json_lines(ran.out).at(1).at("reason").get<std::string>().find("animal"), std::string::npos);
  const std::string none = scratch.file("none.yaml", "version: 1\ntables: {plant: {species: Public}}\n");
  const Ran fits_none =
      pccsql({"check", "--tables", shop().tables, "--policy", none, "--jsonl", "-"}, "{\"sql\": \"\"}\n");
  EXPECT_EQ(fits_none.status, 2);
  EXPECT_EQ(fits_none.out, "");
}

TEST(JsonlProgram, WithOneDatabaseADbIdSaysNothing) {
  EXPECT_EQ(verdicts(check_lines(R"({"sql": "SELECT name FROM item", "db_id": "whatever"})")), "safe");
}

TEST(JsonlProgram, AsText) {
  const Ran ran = check_lines(
      "{\"id\": \"a\", \"sql\": \"SELECT name FROM item\"}\n"
      "{\"sql\": \"SELECT cost FROM item\"}\n"
      "oops\n",
      {"--format", "text"});
  EXPECT_EQ(ran.status, 1);
  const auto lines = lines_of(ran.out);
  ASSERT_GE(lines.size(), 8u);
  EXPECT_EQ(lines[0], "-- line 1, id \"a\"");
  EXPECT_EQ(lines[1], "safe");
  EXPECT_EQ(lines[2], "  item.name  Sel  Public");
  EXPECT_EQ(lines[3], "");
  EXPECT_EQ(lines[4], "-- line 2, id null");
  EXPECT_EQ(lines[5], "unsafe");
  EXPECT_EQ(lines.back(), "3 queries: 1 safe, 1 unsafe, 0 outside, 1 error");
}

TEST(JsonlProgram, Roles) {
  const std::string input =
      "{\"id\": 1, \"sql\": \"SELECT name FROM item\"}\n{\"id\": 2, \"sql\": \"SELECT nome FROM item\"}\n";
  const Ran ran = pccsql({"roles", "--db", shop().db, "--jsonl", "-"}, input);
  EXPECT_EQ(ran.status, 1);
  EXPECT_EQ(
      lines_of(ran.out).at(0),
      R"({"id":1,"verdict":"safe","uses":[{"table":"item","column":"name","role":"Sel","span":[7,11]}],"reason":""})");
  EXPECT_EQ(verdicts(ran), "safe error");
  const Ran text = pccsql({"roles", "--db", shop().db, "--jsonl", "-", "--format", "text"}, input);
  EXPECT_EQ(lines_of(text.out).back(), "2 queries: 1 resolved, 0 outside, 1 error");
}

TEST(JsonlProgram, ManyLines) {
  std::string input;
  constexpr int kLines = 20'000;
  for (int i = 0; i < kLines; ++i) {
    input += "{\"id\": " + std::to_string(i) + ", \"sql\": \"SELECT name FROM item WHERE price > " + std::to_string(i) +
             "\"}\n";
  }
  const Ran ran = check_lines(input);
  EXPECT_EQ(ran.status, 0);
  const auto lines = lines_of(ran.out);
  ASSERT_EQ(lines.size(), static_cast<size_t>(kLines));
  for (int i = 0; i < kLines; i += 997) {
    EXPECT_TRUE(lines[static_cast<size_t>(i)].starts_with("{\"id\":" + std::to_string(i) + ",\"verdict\":\"safe\""));
  }
}

}  // namespace
}  // namespace pccsql
