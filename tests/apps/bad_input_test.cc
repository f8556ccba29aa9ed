// Bad input of every kind ends in a verdict or in a clear message with exit status 2; never in a crash.
#include <gtest/gtest.h>

#include <filesystem>

#include "apps/program.h"

namespace pccsql {
namespace {

void expect_file_error(const std::vector<std::string>& arguments, const std::string& file) {
  const Ran ran = pccsql(arguments, "{\"sql\": \"SELECT 1\"}\n");
  EXPECT_EQ(ran.status, 2) << file;
  EXPECT_EQ(ran.out, "");
  EXPECT_TRUE(ran.err.starts_with("pccsql: " + file)) << ran.err;
  EXPECT_EQ(lines_of(ran.err).size(), 1u) << ran.err;
}

TEST(BadInput, FilesThatAreNotThere) {
  const Scratch scratch;
  const std::string missing = scratch.path("missing");
  expect_file_error({"check", "--db", missing, "--policy", shop().policy, "SELECT 1"}, missing);
  expect_file_error({"check", "--schema", missing, "--policy", shop().policy, "SELECT 1"}, missing);
  expect_file_error({"check", "--tables", missing, "--policy", shop().policy, "--db-id", "x", "SELECT 1"}, missing);
  expect_file_error({"check", "--db", shop().db, "--policy", missing, "SELECT 1"}, missing);
  expect_file_error({"check", "--db", shop().db, "--policy", shop().policy, "--jsonl", missing}, missing);
  expect_file_error({"roles", "--db", missing, "SELECT 1"}, missing);
  expect_file_error({"policy", "init", "--db", missing}, missing);
  expect_file_error({"policy", "lint", "--db", shop().db, "--policy", missing}, missing);
  EXPECT_FALSE(std::filesystem::exists(missing));  // looking for a database must not make one
}

TEST(BadInput, DirectoriesInPlaceOfFiles) {
  const Scratch scratch;
  const std::string folder = scratch.path("folder");
  std::filesystem::create_directory(folder);
  expect_file_error({"check", "--db", folder, "--policy", shop().policy, "SELECT 1"}, folder);
  expect_file_error({"check", "--schema", folder, "--policy", shop().policy, "SELECT 1"}, folder);
  expect_file_error({"check", "--tables", folder, "--policy", shop().policy, "--db-id", "x", "SELECT 1"}, folder);
  expect_file_error({"check", "--db", shop().db, "--policy", folder, "SELECT 1"}, folder);
  expect_file_error({"check", "--db", shop().db, "--policy", shop().policy, "--jsonl", folder}, folder);
}

TEST(BadInput, FilesOfTheWrongKind) {
  const Scratch scratch;
  const std::string noise = scratch.file("noise", std::string("\x00\xFF\x01 no database, no JSON, no YAML: [", 36));
  expect_file_error({"check", "--db", noise, "--policy", shop().policy, "SELECT 1"}, noise);
  expect_file_error({"check", "--schema", noise, "--policy", shop().policy, "SELECT 1"}, noise);
  expect_file_error({"check", "--tables", noise, "--policy", shop().policy, "--db-id", "x", "SELECT 1"}, noise);
  expect_file_error({"check", "--db", shop().db, "--policy", noise, "SELECT 1"}, noise);
  expect_file_error({"check", "--tables", scratch.file("none.json", "[]"), "--policy", shop().policy, "--jsonl", "-"},
                    scratch.path("none.json"));
}

TEST(BadInput, PoliciesSayWhereTheyAreWrong) {
  const Scratch scratch;
  const auto with_policy = [&](const std::string& text) {
    return pccsql({"check", "--db", shop().db, "--policy", scratch.file("p.yaml", text), "SELECT 1"});
  };
  const std::string file = scratch.path("p.yaml");
  for (const char* text : {"", "\n\n", "# nothing\n"}) {
    const Ran empty = with_policy(text);
    EXPECT_EQ(empty.status, 2);
    EXPECT_TRUE(empty.err.starts_with("pccsql: " + file)) << empty.err;
  }
  const Ran unknown = with_policy("version: 1\ntables:\n  itm: {name: Public}\n");
  EXPECT_EQ(unknown.status, 2);
  EXPECT_TRUE(unknown.err.starts_with("pccsql: " + file + ":3:3: ")) << unknown.err;
  const Ran wrong = with_policy("version: 1\ntables:\n  item: {name: Publik}\n");
  EXPECT_EQ(wrong.status, 2);
  EXPECT_TRUE(wrong.err.starts_with("pccsql: " + file + ":3:16: ")) << wrong.err;
  EXPECT_EQ(with_policy("version: 2\n").status, 2);
  const std::string empty_sql = scratch.file("empty.sql", "");
  expect_file_error({"check", "--db", shop().db, "--policy", empty_sql, "SELECT 1"}, empty_sql);
}

TEST(BadInput, QueriesOfEveryKindGetAVerdict) {
  const std::string nested(1'000'000, '(');
  const std::vector<std::string> queries{"",
                                         " ",
                                         "SELECT",
                                         "SELECT 'open",
                                         "SELECT /* open",
                                         "SELECT \"open",
                                         "SELECT \xFF\xFE FROM item",
                                         std::string("SELECT a\0b FROM item", 20),
                                         nested,
                                         "SELECT " + nested,
                                         "SELECT " + nested + "1" + std::string(1'000'000, ')'),
                                         "\xF0\x9F",
                                         "\033[2J"};
  for (const std::string& sql : queries) {
    for (const char* format : {"text", "json"}) {
      const Ran ran = pccsql({"check", "--db", shop().db, "--policy", shop().policy, "--format", format, "-"}, sql);
      EXPECT_EQ(ran.status, 1) << sql.substr(0, 30);
      EXPECT_EQ(ran.err, "");
      EXPECT_LT(ran.out.size(), 5000u) << sql.substr(0, 30);
      EXPECT_EQ(ran.out.find('\033'), std::string::npos);
      if (std::string(format) == "json") {
        const auto line = json_lines(ran.out).at(0);
        EXPECT_TRUE(line.at("verdict") == "outside" || line.at("verdict") == "error") << sql.substr(0, 30);
        EXPECT_NE(line.at("reason"), "") << sql.substr(0, 30);
      }
    }
  }
}

TEST(BadInput, LinesOfEveryKindGetALine) {
  const std::string nested(1'000'000, '(');
  const std::vector<std::string> lines{
      "{\"sql\": \"SELECT \\u0000 FROM item\"}",
      "{\"sql\": \"" + nested + "\"}",
      "{\"sql\": \"SELECT name FROM item\"",
      "{\"sql\": \"\xFF\"}",
      std::string("{\"sql\": \"\0\"}", 12),
      "{\"sql\": \"\\ud800\"}",
      std::string(1'000'000, '['),
      "{\"id\": " + std::string(500'000, '[') + std::string(500'000, ']') + ", \"sql\": \"\"}",
      "null",
      "{\"sql\": null}"};
  std::string input;
  for (const std::string& line : lines) input += line + "\n";
  const Ran ran = pccsql({"check", "--db", shop().db, "--policy", shop().policy, "--jsonl", "-"}, input);
  EXPECT_EQ(ran.status, 1);
  EXPECT_EQ(ran.err, "");
  const auto out = json_lines(ran.out);
  ASSERT_EQ(out.size(), lines.size());
  for (const auto& line : out) {
    EXPECT_TRUE(line.at("verdict") == "outside" || line.at("verdict") == "error") << line.dump();
    EXPECT_NE(line.at("reason"), "");
  }
}

TEST(BadInput, NamesThatHoldEscapesDoNotReachTheTerminal) {
  const Ran ran = pccsql({"check", "--db", "no\033[31m\nsuch", "--policy", shop().policy, "SELECT 1"});
  EXPECT_EQ(ran.status, 2);
  EXPECT_EQ(ran.err.find('\033'), std::string::npos);
  EXPECT_EQ(lines_of(ran.err).size(), 1u) << ran.err;
}

}  // namespace
}  // namespace pccsql
