// Help, version, and mistakes on the command line: a message that helps, nothing on standard output, exit status 2.
#include <gtest/gtest.h>

#include "apps/program.h"

namespace pccsql {
namespace {

// The run ends with status 2 and a message that holds all `parts`.
void expect_mistake(const std::vector<std::string>& arguments, const std::vector<std::string>& parts) {
  const Ran ran = pccsql(arguments);
  std::string shown;
  for (const std::string& argument : arguments) shown += argument + " ";
  EXPECT_EQ(ran.status, 2) << shown;
  EXPECT_EQ(ran.out, "") << shown;
  EXPECT_TRUE(ran.err.starts_with("pccsql: ")) << shown << ran.err;
  EXPECT_LE(lines_of(ran.err).size(), 2u) << ran.err;
  for (const std::string& part : parts) EXPECT_NE(ran.err.find(part), std::string::npos) << shown << "\n" << ran.err;
}

TEST(Usage, HelpAndVersion) {
  const Ran version = pccsql({"--version"});
  EXPECT_EQ(version.status, 0);
  EXPECT_TRUE(version.out.starts_with("pccsql ")) << version.out;
  EXPECT_EQ(lines_of(version.out).size(), 1u);
  const std::vector<std::vector<std::string>> commands{{},         {"check"},          {"roles"},
                                                       {"policy"}, {"policy", "init"}, {"policy", "lint"}};
  for (std::vector<std::string> command : commands) {
    command.push_back("--help");
    const Ran help = pccsql(command);
    EXPECT_EQ(help.status, 0);
    EXPECT_EQ(help.err, "");
    EXPECT_NE(help.out.find("pccsql "), std::string::npos);
    const std::string example = command.size() == 1 ? "\n  pccsql check" : "Examples:\n  pccsql " + command[0];
    EXPECT_NE(help.out.find(example), std::string::npos) << help.out;
    command.pop_back();
    std::string usage = "Usage: pccsql ";
    for (const std::string& word : command) usage += word + " ";
    EXPECT_NE(help.out.find(usage + "[OPTIONS]"), std::string::npos) << help.out;
  }
  for (const char* option : {"--db", "--schema", "--tables", "--db-id", "--policy", "--user", "--profile", "--language",
                             "--format", "--jsonl", "--color"}) {
    EXPECT_NE(pccsql({"check", "-h"}).out.find(option), std::string::npos) << option;
  }
}

TEST(Usage, NoCommandPrintsHelp) {
  for (const std::vector<std::string>& arguments : {std::vector<std::string>{}, std::vector<std::string>{"policy"}}) {
    const Ran ran = pccsql(arguments);
    EXPECT_EQ(ran.status, 2);
    EXPECT_EQ(ran.out, "");
    EXPECT_NE(ran.err.find("Usage: "), std::string::npos);
  }
}

TEST(Usage, UnknownWords) {
  expect_mistake({"chekc", "SELECT 1"}, {"unknown command `chekc`", "did you mean `check`?", "pccsql --help"});
  expect_mistake({"policy", "lnt"}, {"unknown command `lnt`", "did you mean `lint`?", "pccsql policy --help"});
  expect_mistake({"check", "--polcy", "x", "SELECT 1"}, {"unknown option `--polcy`", "did you mean `--policy`?"});
  expect_mistake({"roles", "--policy", "x", "SELECT 1"}, {"unknown option `--policy`"});
  expect_mistake({"policy", "init", "stray"}, {"unexpected argument `stray`"});
}

TEST(Usage, WrongValues) {
  expect_mistake({"check", "--profile", "loose", "SELECT 1"}, {"--profile", "strict|paper", "loose"});
  expect_mistake({"check", "--language", "sql", "SELECT 1"}, {"--language", "full|fragment"});
  expect_mistake({"check", "--format", "xml", "SELECT 1"}, {"--format", "text|json"});
  expect_mistake({"check", "--color", "red", "SELECT 1"}, {"--color"});
  expect_mistake({"policy", "lint", "--format", "yaml"}, {"--format"});
  expect_mistake({"check", "SELECT 1", "--db"}, {"`--db` needs a value"});
  expect_mistake({"check", "--db", "a", "--db", "b", "SELECT 1"}, {"`--db` was given more than once"});
  expect_mistake({"check", "--db", "", "SELECT 1"}, {"--db", "empty"});
  expect_mistake({"check", "--db", shop().db, "--policy", "", "SELECT 1"}, {"--policy", "empty"});
  expect_mistake({"policy", "init", "--db", shop().db, "--out", ""}, {"--out", "empty"});
}

TEST(Usage, QueriesAreMissingOrTooMany) {
  const std::vector<std::string> base{"check", "--db", shop().db, "--policy", shop().policy};
  const auto with = [&base](std::vector<std::string> more) {
    more.insert(more.begin(), base.begin(), base.end());
    return more;
  };
  expect_mistake(with({}), {"no query given", "--jsonl"});
  expect_mistake(with({"SELECT", "name", "FROM", "item"}), {"quotes", "`name`"});
  expect_mistake(with({"--jsonl", "-", "SELECT 1"}), {"exclude each other"});
  expect_mistake({"check", "--schema", "-", "--policy", shop().policy, "-"}, {"standard input"});
  expect_mistake({"check", "--db", shop().db, "--policy", "-", "--jsonl", "-"}, {"standard input"});
}

TEST(Usage, InputsThatDoNotGoTogether) {
  expect_mistake({"check", "--db", shop().db, "--schema", shop().schema, "--policy", shop().policy, "SELECT 1"},
                 {"exclude each other"});
  expect_mistake({"check", "--db", shop().db, "--tables", shop().tables, "--policy", shop().policy, "SELECT 1"},
                 {"exclude each other"});
  expect_mistake({"check", "--db", shop().db, "--db-id", "x", "--policy", shop().policy, "SELECT 1"},
                 {"--db-id", "--tables"});
  expect_mistake({"check", "--policy", shop().policy, "SELECT 1"}, {"--policy", "--db"});
  expect_mistake({"check", "--db", shop().db, "SELECT 1"}, {"no policy", "pccsql policy init --db " + shop().db});
  expect_mistake({"check", "--tables", shop().tables, "--db-id", "zoo", "SELECT 1"},
                 {"no policy", "policy init --tables " + shop().tables + " --db-id zoo"});
  expect_mistake({"check", "--schema", shop().schema, "SELECT 1"},
                 {"no policy", "-- AggregateOnly", "policy init --schema"});
  expect_mistake({"policy", "lint", "--db", shop().db}, {"no policy"});
}

TEST(Usage, GrantsAndUsersGoTogether) {
  expect_mistake({"check", "--db", shop().db, "--policy", shop().grants, "SELECT 1"}, {shop().grants, "--user"});
  expect_mistake({"check", "--db", shop().db, "--policy", shop().policy, "--user", "ada", "SELECT 1"},
                 {shop().policy, "--user"});
  expect_mistake({"check", "--user", "ada", "SELECT 1"}, {"--user", "--policy"});
  expect_mistake({"check", "--db", shop().db, "--policy", shop().schema, "SELECT 1"},
                 {shop().schema, "GRANT", "comments"});
}

}  // namespace
}  // namespace pccsql
