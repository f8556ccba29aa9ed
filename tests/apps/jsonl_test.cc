// Requests as lines of JSON: what is read, what is refused, and that an id comes back as it came.
#include "apps/jsonl.h"

#include <gtest/gtest.h>

namespace pccsql {
namespace {

TEST(Jsonl, ReadsAllMembers) {
  const Request request =
      parse_request(R"({"id": 7, "sql": "SELECT 1", "db_id": "shop", "policy": "version: 1", "x": [1]})");
  EXPECT_EQ(request.error, "");
  EXPECT_EQ(request.id, "7");
  EXPECT_EQ(request.sql, "SELECT 1");
  EXPECT_EQ(request.db_id, "shop");
  EXPECT_EQ(request.policy, "version: 1");
}

TEST(Jsonl, MissingAndNullAreTheSame) {
  for (const char* line : {R"({"sql": ""})", R"({"id": null, "sql": "", "db_id": null, "policy": null})"}) {
    const Request request = parse_request(line);
    EXPECT_EQ(request.error, "") << line;
    EXPECT_EQ(request.id, "null");
    EXPECT_FALSE(request.db_id);
    EXPECT_FALSE(request.policy);
  }
}

TEST(Jsonl, IdIsWhatWasWritten) {
  for (const std::string id : {"1.0", "1e2", "123456789012345678901234567890", "\"a\\u00e9\\\"}, {\"", "true",
                               "[1, {\"id\": 2}]", "{\"a\": \"}\", \"id\": []}", "-0", "\"\""}) {
    EXPECT_EQ(parse_request("{\"sql\": \"},\\\"id\\\": 9\", \"id\" :  " + id + " }").id, id);
    EXPECT_EQ(parse_request(" {\"id\":" + id + ",\"sql\":\"x\"}").id, id);
    EXPECT_EQ(parse_request("{\"\\u0069d\":" + id + ",\"sql\":\"x\"}").id, id);
  }
  EXPECT_EQ(parse_request(R"({"x": {"id": 5}, "sql": ""})").id, "null");
}

TEST(Jsonl, SqlIsDecoded) {
  EXPECT_EQ(parse_request(R"({"sql": "a\u0000b\n\u00e9"})").sql, std::string("a\0b\n\xC3\xA9", 6));
}

TEST(Jsonl, PolicyObjectBecomesText) {
  EXPECT_EQ(parse_request(R"({"sql": "", "policy": {"version": 1}})").policy, R"({"version":1})");
}

TEST(Jsonl, SaysWhatIsWrong) {
  const auto error = [](std::string_view line) { return parse_request(line).error; };
  EXPECT_NE(error("").find("blank"), std::string::npos);
  EXPECT_NE(error(" \t\r").find("blank"), std::string::npos);
  EXPECT_NE(error("{\"sql\": \"SELECT").find("not JSON, from byte "), std::string::npos);
  EXPECT_NE(error("{\"sql\": \"\"} x").find("not JSON"), std::string::npos);
  EXPECT_NE(error("{\"sql\": \"\xFF\"}").find("not JSON"), std::string::npos);
  EXPECT_NE(error("[1]").find("no JSON object"), std::string::npos);
  EXPECT_NE(error("{}").find("no `sql`"), std::string::npos);
  EXPECT_NE(error(R"({"sql": 1})").find("`sql` must be a string"), std::string::npos);
  EXPECT_NE(error(R"({"sql": "", "db_id": 1})").find("`db_id`"), std::string::npos);
  EXPECT_NE(error(R"({"sql": "", "policy": 1})").find("`policy`"), std::string::npos);
  EXPECT_NE(error(R"({"sql": "", "x": 1e999})").find("out of range"), std::string::npos);
  EXPECT_EQ(parse_request(R"({"id": 3, "sql": 1})").id, "3");
}

TEST(Jsonl, RepeatedKeysAreRefused) {
  EXPECT_NE(parse_request(R"({"sql": "a", "sql": "b"})").error.find("`sql` stands twice"), std::string::npos);
  EXPECT_NE(
      parse_request(R"({"sql": "", "policy": {"tables": {"t": {"a": "Hidden", "a": "Public"}}}})").error.find("`a`"),
      std::string::npos);
  EXPECT_EQ(parse_request(R"({"sql": "", "x": [{"a": 1}, {"a": 2}], "a": {"a": 1}})").error, "");
}

TEST(Jsonl, EndlessNestingIsRefused) {
  const std::string open(1'000'000, '[');
  EXPECT_NE(parse_request("{\"sql\": \"\", \"id\": " + open).error.find("nests deeper"), std::string::npos);
  EXPECT_NE(parse_request(open).error.find("nests deeper"), std::string::npos);
}

}  // namespace
}  // namespace pccsql
