// `pccsql policy init`, `pccsql policy lint` and `pccsql policy diff`.
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

TEST_F(PolicyLint, WhatIsAcceptedIsNoWarning) {
  const std::string policy =
      "version: 1\ntables: {pay: {accept: {rowid: {id: numbered as entered}}, id: ConditionOnly, gross: Hidden, net: Hidden}}\n";
  const Ran text = lint(policy);
  EXPECT_EQ(text.status, 0) << text.out << text.err;
  EXPECT_EQ(text.out, "no warnings; 1 accepted by the policy\n");
  EXPECT_EQ(lint(policy, {"--format", "json"}).out, "[]\n");
  const Ran listed = lint(policy, {"--accepted"});
  EXPECT_TRUE(listed.out.starts_with("accepted: `pay.id` is ConditionOnly, but it is the rowid")) << listed.out;
  EXPECT_NE(listed.out.find("[rowid]: numbered as entered\n"), std::string::npos) << listed.out;
  const auto list = ordered_json::parse(lint(policy, {"--accepted", "--format", "json"}).out);
  ASSERT_EQ(list.size(), 1u);
  EXPECT_EQ(list[0].at("accepted"), "numbered as entered");
}

TEST_F(PolicyLint, StrictWantsARecordOfWhatIsOpen) {
  const std::string policy = "version: 1\ntables: {pay: {'*': Public}}\n";
  EXPECT_EQ(lint(policy).status, 0);
  const Ran strict = lint(policy, {"--strict"});
  EXPECT_EQ(strict.status, 1);
  EXPECT_NE(strict.out.find("[unrecorded]"), std::string::npos) << strict.out;
  const Ran grown = lint(policy + "opened: {pay: [id, gross]}\n");
  EXPECT_EQ(grown.status, 0);
  EXPECT_TRUE(grown.out.starts_with("note: `pay.net` was added since")) << grown.out;
  const Ran failed = lint(policy + "opened: {pay: [id, gross]}\n", {"--strict"});
  EXPECT_EQ(failed.status, 1);
  EXPECT_NE(failed.out.find("[new-column]"), std::string::npos) << failed.out;
  EXPECT_EQ(lint(policy + "opened: {pay: [id, gross, net]}\n", {"--strict"}).status, 0);
}

TEST_F(PolicyLint, LooksAtTheDataWhereThereIsADatabase) {
  const std::string db = scratch_.database(
      "people.sqlite", "CREATE TABLE e (name TEXT, pay INT); INSERT INTO e VALUES ('a',1),('b',1),('c',1),('d',1),('e',1),('f',1)");
  const std::string policy = scratch_.file("e.yaml", "version: 1\nmin_group: 2\ntables: {e: {name: Public, pay: AggregateOnly}}\n");
  const Ran looked = pccsql({"policy", "lint", "--db", db, "--policy", policy});
  EXPECT_EQ(looked.status, 1);
  EXPECT_NE(looked.out.find("[one-to-one]"), std::string::npos) << looked.out;
  EXPECT_EQ(pccsql({"policy", "lint", "--db", db, "--policy", policy, "--no-data"}).status, 0);
}

class PolicyDiff : public ::testing::Test {
 protected:
  Scratch scratch_;
  std::string db_ = scratch_.database("p.sqlite", "CREATE TABLE project (id INTEGER PRIMARY KEY, name TEXT, cost INT); CREATE TABLE note (x TEXT)");
  std::string policy_ = scratch_.file("p.yaml", "# mine\nversion: 1\ntables:\n  project: {id: ConditionOnly, \"*\": Public}\n");
  Ran diff(std::vector<std::string> more = {}) {
    std::vector<std::string> arguments{"policy", "diff", "--db", db_, "--policy", policy_};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return pccsql(arguments);
  }
};

TEST_F(PolicyDiff, ListsWhatTheFileDoesNotName) {
  const Ran text = diff();
  EXPECT_EQ(text.status, 1) << text.err;
  EXPECT_EQ(text.out,
            "project.name: Public by `*`, not recorded\nproject.cost: Public by `*`, not recorded\nnote.x: Hidden by `default`\n");
  const auto list = ordered_json::parse(diff({"--format", "json"}).out);
  ASSERT_EQ(list.size(), 3u);
  EXPECT_EQ(list[0].dump(), R"({"table":"project","column":"name","policy":"Public","by":"*","recorded":false})");
}

TEST_F(PolicyDiff, AcceptWritesTheRecordAndAskWarnsOfWhatCameLater) {
  const Ran accepted = diff({"--accept"});
  EXPECT_EQ(accepted.status, 0) << accepted.err;
  EXPECT_EQ(accepted.out, "");
  const std::string text = *read_file(policy_);
  EXPECT_TRUE(text.starts_with("# mine\nversion: 1\ntables:\n")) << text;
  EXPECT_NE(text.find("opened:\n  project: [name, cost]\n"), std::string::npos) << text;
  EXPECT_EQ(diff().status, 0);
  EXPECT_EQ(diff({"--accept"}).status, 0);
  EXPECT_EQ(*read_file(policy_), text);

  const auto asked = [&](const std::string& db) {
    return pccsql({"ask", "--db", db, "--policy", policy_, "--model", scratch_.path("none.gguf"), "Who?"}).err;
  };
  EXPECT_EQ(asked(db_).find("warning"), std::string::npos) << asked(db_);
  db_ = scratch_.database("grown.sqlite", "CREATE TABLE project (id INTEGER PRIMARY KEY, name TEXT, cost INT, secret TEXT)");
  const Ran grown = diff();
  EXPECT_EQ(grown.status, 1);
  EXPECT_NE(grown.out.find("project.secret: Public by `*`, added since the record\n"), std::string::npos) << grown.out;
  const std::string said = asked(db_);
  EXPECT_NE(said.find("warning: the policy opens columns that were added since somebody last looked: `project.secret`"), std::string::npos) << said;
  EXPECT_EQ(said.find("warning"), said.rfind("warning"));
  EXPECT_EQ(diff({"--accept"}).status, 0);
  EXPECT_EQ(asked(db_).find("warning"), std::string::npos);
}

TEST_F(PolicyDiff, WhatCannotBeEditedIsLeftAlone) {
  const std::string json = "{\"version\": 1, \"tables\": {\"project\": {\"*\": \"Public\"}}}";
  scratch_.file("p.yaml", json);
  const Ran ran = diff({"--accept"});
  EXPECT_EQ(ran.status, 2);
  EXPECT_NE(ran.err.find("write it yourself"), std::string::npos) << ran.err;
  EXPECT_EQ(*read_file(policy_), json);
}

TEST(PolicyOfTheDemo, IsCleanBecauseWhatIsFoundIsAccepted) {
  const Ran clean = pccsql({"policy", "lint", "--strict"});
  EXPECT_EQ(clean.status, 0) << clean.out << clean.err;
  EXPECT_EQ(pccsql({"policy", "diff"}).status, 0);
  const Ran blind = pccsql({"policy", "lint", "--no-data", "--accepted", "--format", "json"});
  EXPECT_EQ(blind.status, 0) << blind.out;
  EXPECT_EQ(ordered_json::parse(blind.out).size(), 14u) << blind.out;
}

}  // namespace
}  // namespace pccsql
