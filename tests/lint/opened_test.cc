// What `*` and `default` open, and the record of it.
#include "lint/opened.h"

#include <gtest/gtest.h>

#include "schema/reader.h"

namespace pccsql {
namespace {

constexpr char kOld[] = "CREATE TABLE p (id INT, name TEXT, \"end date\" TEXT); CREATE TABLE q (a INT); CREATE TABLE h (z INT)";
constexpr char kGrown[] =
    "CREATE TABLE p (id INT, name TEXT, \"end date\" TEXT, ssn TEXT); CREATE TABLE q (a INT, b INT); CREATE TABLE h (z INT, y INT)";
constexpr char kStarPolicy[] =
    "# mine\nversion: 1\n\ntables:\n  p: {id: ConditionOnly, \"*\": Public}  # open\n  q: {\"*\": AggregateOnly}\n  h: {\"*\": Hidden}\n";

std::string opened_kinds(const char* ddl, const std::string& yaml, std::string* messages = nullptr) {
  const auto catalog = read_ddl_catalog(ddl);
  PolicyNotes notes;
  const auto policy = parse_policy_yaml(yaml, *catalog, "p.yaml", &notes);
  if (!policy) return policy.error().to_string();
  std::string text;
  for (const Warning& warning : lint_opened(*catalog, *policy, notes)) {
    text += std::string(to_string(warning.kind)) + " " + warning.table + "." + warning.column + "\n";
    if (messages) *messages += warning.message + "\n";
  }
  return text;
}

std::string recorded(const char* ddl, const std::string& yaml) {
  const auto text = with_record(yaml, *read_ddl_catalog(ddl), "p.yaml");
  return text ? *text : text.error().to_string();
}

const std::string kRecordHead = "# What `*` and `default` open, as it was when somebody last looked; `pccsql policy diff --accept` writes this.\n";

TEST(Opened, WithoutARecordIsToldByTable) { EXPECT_EQ(opened_kinds(kOld, kStarPolicy), "unrecorded p.name\nunrecorded q.a\n"); }

TEST(Opened, TheRecordIsAddedAndTheRestStays) {
  const std::string text = recorded(kOld, kStarPolicy);
  EXPECT_EQ(text, std::string(kStarPolicy) + "\n" + kRecordHead + "opened:\n  p: [name, \"end date\"]\n  q: [a]\n");
  EXPECT_EQ(opened_kinds(kOld, text), "");
  EXPECT_EQ(recorded(kOld, text), text);
}

TEST(Opened, WhatIsAddedLaterIsTold) {
  const std::string text = recorded(kOld, kStarPolicy);
  std::string messages;
  EXPECT_EQ(opened_kinds(kGrown, text, &messages), "new-column p.ssn\nnew-column q.b\n");
  EXPECT_EQ(messages.substr(0, messages.find('\n')),
            "`p.ssn` was added since somebody last looked, and `\"*\": Public` opens it; name it, or accept it with `pccsql policy diff "
            "--accept`");
  const std::string again = recorded(kGrown, text);
  EXPECT_EQ(opened_kinds(kGrown, again), "");
  EXPECT_EQ(again, std::string(kStarPolicy) + "\n" + kRecordHead + "opened:\n  p: [name, \"end date\", ssn]\n  q: [a, b]\n");
}

TEST(Opened, ARecordInTheMiddleIsReplacedThere) {
  const std::string text = "version: 1\nopened:\n  p: [gone]\n  left: [x]\n# after\ntables: {p: {\"*\": Public}}\n";
  EXPECT_EQ(recorded(kOld, text), "version: 1\n" + kRecordHead + "opened:\n  p: [id, name, \"end date\"]\n# after\ntables: {p: {\"*\": Public}}\n");
}

TEST(Opened, ADefaultThatOpensCountsToo) {
  EXPECT_EQ(opened_kinds(kOld, "version: 1\ndefault: Public\n"), "unrecorded p.id\nunrecorded q.a\nunrecorded h.z\n");
  EXPECT_EQ(opened_kinds(kOld, "version: 1\n"), "");
  EXPECT_EQ(recorded(kOld, "version: 1"), "version: 1\n\n" + kRecordHead + "opened: {}\n");
}

TEST(Opened, AFileThatIsNoPlainListOfLinesIsLeftAlone) {
  const std::string json = "{\"version\": 1, \"tables\": {\"p\": {\"*\": \"Public\"}}}";
  EXPECT_TRUE(recorded(kOld, json).starts_with("p.yaml: the record cannot be put in its place")) << recorded(kOld, json);
  EXPECT_TRUE(recorded(kOld, "version: 1\nopened: {\np: [x]}\n").starts_with("p.yaml: the record cannot be put")) << recorded(kOld, "version: 1\nopened: {\np: [x]}\n");
}

TEST(Opened, NamesEveryColumnThatTheFileDoesNot) {
  const auto catalog = read_ddl_catalog(kOld);
  PolicyNotes notes;
  const auto policy = parse_policy_yaml(kStarPolicy, *catalog, {}, &notes);
  std::string text;
  for (const Unnamed& unnamed : unnamed_columns(*catalog, *policy, notes)) {
    text += catalog->column(unnamed.column).name + " " + std::string(to_string(unnamed.label)) + "\n";
  }
  EXPECT_EQ(text, "name Public\nend date Public\na AggregateOnly\nz Hidden\n");
}

}  // namespace
}  // namespace pccsql
