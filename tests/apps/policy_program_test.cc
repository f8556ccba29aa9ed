// `pccsql policy init` and `pccsql policy lint`.
#include <gtest/gtest.h>

#include <filesystem>

#include "apps/program.h"
#include "base/file.h"

namespace pccsql {
namespace {

using nlohmann::ordered_json;

constexpr const char* kPeople = "CREATE TABLE person (id INTEGER PRIMARY KEY, name TEXT, email TEXT, city TEXT);\n";

TEST(PolicyInit, WritesAPolicyThatWorks) {
  const Scratch scratch;
  const std::string db = scratch.database("people.sqlite", kPeople);
  const Ran made = pccsql({"policy", "init", "--db", db});
  EXPECT_EQ(made.status, 0) << made.err;
  const std::string policy = scratch.file("p.yaml", made.out);
  EXPECT_EQ(pccsql({"check", "--db", db, "--policy", policy, "SELECT city FROM person"}).status, 0);
  EXPECT_EQ(pccsql({"check", "--db", db, "--policy", policy, "SELECT name FROM person"}).status, 1);
  EXPECT_EQ(pccsql({"check", "--db", db, "--policy", policy, "SELECT email FROM person"}).status, 1);
}

TEST(PolicyInit, OpensNamesOfPeopleWhereItIsTold) {
  const Scratch scratch;
  const std::string db = scratch.database("people.sqlite", kPeople);
  const Ran open = pccsql({"policy", "init", "--db", db, "--people", "public"});
  EXPECT_EQ(open.status, 0) << open.err;
  EXPECT_NE(open.out.find("    name: Public  # "), std::string::npos) << open.out;
  EXPECT_NE(open.out.find("    email: Hidden  # "), std::string::npos) << open.out;
  EXPECT_EQ(pccsql({"policy", "init", "--db", db, "--people", "hidden"}).out, pccsql({"policy", "init", "--db", db}).out);
  EXPECT_EQ(pccsql({"policy", "init", "--db", db, "--people", "shown"}).status, 2);
}

TEST(PolicyInit, LooksAtValuesUnlessItIsToldNotTo) {
  const Scratch scratch;
  const std::string db = scratch.database(
      "misc.sqlite", "CREATE TABLE entry (id INTEGER PRIMARY KEY, label TEXT);"
                     "INSERT INTO entry VALUES (1, 'ada@example.org'), (2, 'ben@example.org')");
  const Ran looked = pccsql({"policy", "init", "--db", db});
  EXPECT_NE(looked.out.find("    label: Hidden  # values look like e-mail addresses\n"), std::string::npos) << looked.out;
  EXPECT_EQ(looked.out.find("example.org"), std::string::npos);
  const Ran blind = pccsql({"policy", "init", "--db", db, "--no-data"});
  EXPECT_NE(blind.out.find("    label: Public  # "), std::string::npos) << blind.out;
  EXPECT_NE(blind.out.find("there were no data to look at"), std::string::npos) << blind.out;
}

TEST(PolicyInit, ReadsEverySource) {
  const Shop shop;
  for (const auto& [option, file] : {std::pair{"--db", shop.db}, std::pair{"--schema", shop.schema}}) {
    const Ran made = pccsql({"policy", "init", option, file});
    EXPECT_EQ(made.status, 0) << made.err;
    EXPECT_NE(made.out.find("order line"), std::string::npos);
    const std::string policy = shop.scratch.file("made.yaml", made.out);
    EXPECT_EQ(pccsql({"check", option, file, "--policy", policy, "SELECT name FROM item"}).status, 0);
  }
  const Ran from_tables = pccsql({"policy", "init", "--tables", shop.tables, "--db-id", "zoo"});
  EXPECT_EQ(from_tables.status, 0);
  EXPECT_NE(from_tables.out.find("animal"), std::string::npos);
  EXPECT_EQ(from_tables.out.find("item"), std::string::npos);
  EXPECT_EQ(pccsql({"policy", "init", "--tables", shop.tables}).status, 2);
}

TEST(PolicyInit, NeverOverwritesUnasked) {
  const Scratch scratch;
  const std::string db = scratch.database("people.sqlite", kPeople);
  const std::string out = scratch.path("p.yaml");
  const Ran first = pccsql({"policy", "init", "--db", db, "--out", out});
  EXPECT_EQ(first.status, 0) << first.err;
  EXPECT_EQ(first.out, "");
  const std::string written = *read_file(out);
  EXPECT_EQ(written, pccsql({"policy", "init", "--db", db}).out);
  EXPECT_EQ(written, pccsql({"policy", "init", "--db", db, "--out", "-"}).out);

  scratch.file("p.yaml", "mine");
  const Ran refused = pccsql({"policy", "init", "--db", db, "--out", out});
  EXPECT_EQ(refused.status, 2);
  EXPECT_NE(refused.err.find("--force"), std::string::npos);
  EXPECT_EQ(*read_file(out), "mine");
  EXPECT_EQ(pccsql({"policy", "init", "--db", db, "--out", out, "--force"}).status, 0);
  EXPECT_EQ(*read_file(out), written);

  // A failure leaves the old file as it was, and nothing beside it.
  EXPECT_EQ(pccsql({"policy", "init", "--db", scratch.path("gone"), "--out", out, "--force"}).status, 2);
  EXPECT_EQ(*read_file(out), written);
  EXPECT_EQ(pccsql({"policy", "init", "--db", db, "--out", scratch.path("no/such/folder/p.yaml")}).status, 2);
  EXPECT_EQ(pccsql({"policy", "init", "--db", db, "--out", scratch.path(""), "--force"}).status, 2);
  size_t files = 0;
  for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator(scratch.path(""))) ++files;
  EXPECT_EQ(files, 2u);
}

TEST(PolicyInit, ForceIsForFiles) {
  const Shop shop;
  const Ran ran = pccsql({"policy", "init", "--db", shop.db, "--force"});
  EXPECT_EQ(ran.status, 2);
  EXPECT_NE(ran.err.find("--out"), std::string::npos) << ran.err;
}

class PolicyLint : public ::testing::Test {
 protected:
  Scratch scratch_;
  std::string db_ = scratch_.database("pay.sqlite",
                                      "CREATE TABLE pay (id INTEGER PRIMARY KEY, gross INTEGER,\n"
                                      "  net INTEGER GENERATED ALWAYS AS (gross * 0.7) VIRTUAL)");
  Ran lint(const std::string& policy, std::vector<std::string> more = {}) {
    std::vector<std::string> arguments{"policy", "lint", "--db", db_, "--policy", scratch_.file("p.yaml", policy)};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return pccsql(arguments);
  }
};

TEST_F(PolicyLint, WarnsOfAGeneratedColumnThatTells) {
  const std::string policy = "version: 1\ntables: {pay: {id: Public, gross: Hidden, net: Public}}\n";
  const Ran text = lint(policy);
  EXPECT_EQ(text.status, 1) << text.err;
  EXPECT_TRUE(text.out.starts_with("warning: ")) << text.out;
  EXPECT_NE(text.out.find("`pay.net`"), std::string::npos) << text.out;
  const Ran json = lint(policy, {"--format", "json"});
  EXPECT_EQ(json.status, 1);
  const auto list = ordered_json::parse(json.out);
  ASSERT_TRUE(list.is_array());
  ASSERT_EQ(list.size(), lines_of(text.out).size());
  bool found = false;
  for (const auto& warning : list) {
    std::string keys;
    for (const auto& [key, value] : warning.items()) keys += key + " ";
    EXPECT_EQ(keys, "kind table column message ");
    found = found || (warning.at("table") == "pay" && warning.at("column") == "net");
  }
  EXPECT_TRUE(found) << json.out;
}

TEST_F(PolicyLint, IsSilentAboutAGoodPolicy) {
  const std::string policy = "version: 1\ndefault: Public\n";
  const Ran text = lint(policy);
  EXPECT_EQ(text.status, 0) << text.out;
  EXPECT_EQ(text.out, "no warnings\n");
  EXPECT_EQ(lint(policy, {"--format", "json"}).out, "[]\n");
}

TEST_F(PolicyLint, ABadPolicyIsAnError) {
  const Ran ran = lint("version: 1\ntables: {pai: {id: Public}}\n");
  EXPECT_EQ(ran.status, 2);
  EXPECT_EQ(ran.out, "");
}

}  // namespace
}  // namespace pccsql
