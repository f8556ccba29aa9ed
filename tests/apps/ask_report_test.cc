// What `ask` prints: tables, CSV, JSON, notes; and the audit file.
#include "serve/ask_report.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "serve/audit_file.h"
#include "policy/policy_file.h"
#include "schema/reader.h"
#include "schema/scratch.h"

namespace pccsql {
namespace {

const Style kPlain{false};
const AskedBy kAda{"ada", "program", "shop", "policy.yaml"};

RowSet sample_rows() {
  RowSet rows;
  rows.columns = {"name", "n", "x"};
  rows.rows = {{"Ada", int64_t{7}, 1.5}, {"say \"hi\", Bob", int64_t{12}, Null{}}, {Blob{"\x01\xff"}, int64_t{3}, 0.1}};
  return rows;
}

TEST(AskReport, RowsAsATable) {
  EXPECT_EQ(to_table(sample_rows(), 2, kPlain),
            "name            n  x\n"
            "-------------  --  ----\n"
            "Ada             7  1.5\n"
            "say \"hi\", Bob  12  NULL\n"
            "(3 rows, the first 2 shown; `--format csv` gives them all)\n");
  RowSet wide;
  wide.columns = {"t"};
  wide.rows = {{std::string(60, 'x')}, {std::string("a\033[31m\nb")}};
  const std::string table = to_table(wide, 10, kPlain);
  EXPECT_NE(table.find("\n" + std::string(39, 'x') + "…\n"), std::string::npos) << table;
  EXPECT_EQ(table.find('\033'), std::string::npos);
  RowSet none;
  none.columns = {"t"};
  EXPECT_EQ(to_table(none, 10, kPlain), "t\n-\n(0 rows)\n");
}

// An answer in part says above its rows what is missing; a refusal, what may be asked for instead.
TEST(AskReport, WhatWasWithheldIsSaid) {
  const Catalog catalog = *read_ddl_catalog("CREATE TABLE employee(name TEXT, salary INT)");
  const Policy policy(catalog, ColumnPolicy::Public);
  Asked asked;
  asked.question = "Who earns what?";
  asked.catalog = &catalog;
  asked.policy = &policy;
  asked.answer.outcome = Answer::Outcome::SafeSql;
  asked.answer.sql = "SELECT name FROM employee";
  asked.answer.partial = true;
  WithheldUse use;
  use.name = "employee.salary";
  use.use = "output";
  use.policy = ColumnPolicy::AggregateOnly;
  use.column = ColumnRef{0, 1};
  asked.answer.withheld_uses = {use};
  EXPECT_EQ(kind_of(asked), AnswerKind::Partial);
  EXPECT_EQ(notes(asked, kPlain),
            "in part: `employee.salary` (AggregateOnly) may not be shown and is left out.\ncomputed: name of employee\n");
  asked.answer.uses = {{{0, 1}, Role::Agg, ColumnPolicy::AggregateOnly, true}};
  EXPECT_EQ(notes(asked, kPlain),
            "in part: `employee.salary` (AggregateOnly) is shown only inside a sum, average or count.\ncomputed: name of employee\n");
  const auto json = nlohmann::json::parse(to_json(asked));
  EXPECT_EQ(json["kind"], "partial");
  EXPECT_EQ(json["withheld"][0]["name"], "employee.salary");
  EXPECT_EQ(json["withheld"][0]["use"], "output");

  asked.answer.outcome = Answer::Outcome::Refuse;
  asked.answer.cause = Cause::Withheld;
  asked.answer.reason = "it needs a salary";
  asked.answer.instead = {"What is the average salary in employee?"};
  EXPECT_EQ(kind_of(asked), AnswerKind::Refused);
  const std::string told = notes(asked, kPlain);
  EXPECT_NE(told.find("refused: it needs a salary\n"), std::string::npos) << told;
  EXPECT_NE(told.find("instead: What is the average salary in employee?\n"), std::string::npos) << told;
}

TEST(AskReport, RowsAsCsv) {
  EXPECT_EQ(to_csv(sample_rows()), "name,n,x\r\nAda,7,1.5\r\n\"say \"\"hi\"\", Bob\",12,\r\nx'01ff',3,0.1\r\n");
}

RowSet harmful_rows() {
  RowSet rows;
  rows.columns = {"=1+1", "x"};
  rows.rows = {{"=cmd|' /C calc'!A0", int64_t{-5}},
               {"+1", -2.5},
               {"-1", "@SUM(A1)"},
               {"\tx", "\rx"},
               {"a\033[31mb\xc2\x9b", "\xe2\x80\xae" "reversed\xe2\x80\x8b"},
               {"two\nlines\r\nand\rmore", "\xff"},
               {"a=b", Null{}}};
  return rows;
}

TEST(AskReport, CsvGivesNoOrdersToSpreadsheetsAndTerminals) {
  EXPECT_EQ(to_csv(harmful_rows()),
            "'=1+1,x\r\n"
            "'=cmd|' /C calc'!A0,-5\r\n"
            "'+1,-2.5\r\n"
            "'-1,'@SUM(A1)\r\n"
            "'\tx,'\xEF\xBF\xBDx\r\n"
            "a\xEF\xBF\xBD[31mb\xEF\xBF\xBD,\xEF\xBF\xBDreversed\xEF\xBF\xBD\r\n"
            "\"two\nlines\r\nand\xEF\xBF\xBDmore\",\xEF\xBF\xBD\r\n"
            "a=b,\r\n");
}

TEST(AskReport, CsvIsRawOnRequest) {
  EXPECT_EQ(to_csv(harmful_rows(), Values::Raw),
            "=1+1,x\r\n=cmd|' /C calc'!A0,-5\r\n+1,-2.5\r\n-1,@SUM(A1)\r\n\tx,\"\rx\"\r\n"
            "a\033[31mb\xc2\x9b,\xe2\x80\xaereversed\xe2\x80\x8b\r\n\"two\nlines\r\nand\rmore\",\xff\r\na=b,\r\n");
}

TEST(AskReport, ATableShowsWhatTakesNoRoom) {
  RowSet rows;
  rows.columns = {"a\xc2\x9b" "b"};
  rows.rows = {{"\xe2\x80\xae" "x\xe2\x80\x8by\xe2\x81\xa0"}, {"\xf3\xa0\x80\xa1" "z\xef\xbb\xbf\xc2\xad"}};
  EXPECT_EQ(to_table(rows, 10, kPlain),
            "a\xEF\xBF\xBD" "b\n-----\n"
            "\xEF\xBF\xBDx\xEF\xBF\xBDy\xEF\xBF\xBD\n\xEF\xBF\xBDz\xEF\xBF\xBD\xEF\xBF\xBD\n(2 rows)\n");
}

class AskReportTest : public testing::Test {
 protected:
  AskReportTest() {
    asked_.question = "Who?";
    asked_.catalog = &catalog_;
    asked_.policy = &policy_;
    asked_.answer.method = Method::Pcc;
  }
  Catalog catalog_ = *read_ddl_catalog("CREATE TABLE person (name TEXT, pay INTEGER, ssn TEXT)");
  Policy policy_ = *parse_policy_yaml("{version: 1, tables: {person: {name: Public, pay: AggregateOnly}}}", catalog_);
  Asked asked_;
};

TEST_F(AskReportTest, ASafeAnswerSaysWhatTheModelWanted) {
  asked_.answer.outcome = Answer::Outcome::SafeSql;
  asked_.answer.sql = "SELECT AVG(pay) FROM person";
  asked_.answer.uses = {{{0, 1}, Role::Agg, ColumnPolicy::AggregateOnly, true}};
  asked_.answer.blocked = {{"person.pay", "Sel", "AggregateOnly: may only be used inside COUNT, SUM, AVG", true},
                           {"office.city", "Where", "not in scope, or ambiguous there", false}};
  asked_.rows = sample_rows();
  EXPECT_EQ(notes(asked_, kPlain),
            "note: the model wanted `person.pay` as output; it may only be used inside COUNT, SUM, AVG\n"
            "note: the model wanted `office.city` as a filter: not in scope, or ambiguous there\n"
            "computed: average pay of person\n");
  EXPECT_EQ(verdict(asked_, kPlain), "safe: the policy permits all that the query uses\n  person.pay  Agg    AggregateOnly\n");
  const auto json = nlohmann::ordered_json::parse(to_json(asked_));
  std::vector<std::string> keys;
  for (const auto& [key, value] : json.items()) keys.push_back(key);
  EXPECT_EQ(keys, (std::vector<std::string>{"kind", "question", "method", "sql", "computed", "run", "left_out", "verdict",
                                            "reason", "uses", "blocked", "withheld", "instead", "columns", "rows", "counts"}));
  EXPECT_EQ(json["kind"], "answered");
  EXPECT_EQ(json["run"], nullptr);
  EXPECT_EQ(json["verdict"], "safe");
  EXPECT_EQ(json["uses"][0]["role"], "Agg");
  EXPECT_EQ(json["rows"][1][2], nullptr);
  EXPECT_EQ(json["rows"][0][1], 7);
  EXPECT_EQ(json["blocked"][0]["name"], "person.pay");
}

TEST_F(AskReportTest, JsonEscapesWhatATerminalWouldObeyAndReadsBackAsItWas) {
  asked_.answer.outcome = Answer::Outcome::SafeSql;
  asked_.answer.sql = "SELECT 1";
  asked_.rows = harmful_rows();
  asked_.rows->rows.pop_back();
  asked_.rows->rows.push_back({"\xf3\xa0\x80\xa1\x7f", "caf\xc3\xa9 \xf0\x9f\x98\x80"});
  const std::string text = to_json(asked_);
  const std::string raw = to_json(asked_, Values::Raw);
  EXPECT_NE(text.find("b\\u009b"), std::string::npos) << text;
  EXPECT_NE(text.find("\\u202ereversed\\u200b"), std::string::npos) << text;
  EXPECT_NE(text.find("\\udb40\\udc21\\u007f"), std::string::npos) << text;
  EXPECT_NE(text.find("caf\xc3\xa9 \xf0\x9f\x98\x80"), std::string::npos) << text;
  for (const char* harmful : {"\033", "\xc2\x9b", "\xe2\x80\xae", "\xe2\x80\x8b", "\x7f"}) {
    EXPECT_EQ(text.find(harmful), std::string::npos);
  }
  EXPECT_NE(raw.find("\xc2\x9b"), std::string::npos);
  EXPECT_EQ(nlohmann::ordered_json::parse(text), nlohmann::ordered_json::parse(raw));
  const std::string line = audit_line(asked_, "m\xc2\x9b", "", "", "", kAda);
  EXPECT_EQ(line.find("\xc2\x9b"), std::string::npos);
}

TEST_F(AskReportTest, WhatWasLeftOutIsSaid) {
  policy_.set_group(0, {5, {0}, {0}});
  asked_.answer.outcome = Answer::Outcome::SafeSql;
  asked_.answer.sql = "SELECT AVG(pay) FROM person";
  asked_.answer.run = RunText{"SELECT AVG(pay) FROM person HAVING x", {{27, 36}}, {{0, 5}}, {}};
  asked_.rows = sample_rows();
  EXPECT_EQ(notes(asked_, kPlain),
            "in part: Groups of fewer than 5 persons are left out, and nobody is counted twice.\ncomputed: average pay of person\n");
  auto json = nlohmann::ordered_json::parse(to_json(asked_));
  EXPECT_EQ(json["kind"], "partial");
  EXPECT_EQ(json["run"], "SELECT AVG(pay) FROM person HAVING x");
  asked_.rows.reset();
  asked_.nothing_left = true;
  EXPECT_EQ(kind_of(asked_), AnswerKind::Refused);
  json = nlohmann::ordered_json::parse(to_json(asked_));
  EXPECT_EQ(json["rows"], nullptr);
  EXPECT_EQ(json["reason"].get<std::string>().find("nothing is left to show"), 0U);
  EXPECT_EQ(notes(asked_, kPlain).find("refused: nothing is left to show"), 0U);
}

TEST_F(AskReportTest, ARefusalSaysWhyAndWhatMayBeAsked) {
  asked_.answer.outcome = Answer::Outcome::Refuse;
  asked_.answer.reason = "the model chose to refuse";
  EXPECT_EQ(notes(asked_, kPlain), "refused: the model chose to refuse\ninstead: may be asked for: person.name\n");
  const auto json = nlohmann::ordered_json::parse(to_json(asked_));
  EXPECT_EQ(json["sql"], nullptr);
  EXPECT_EQ(json["rows"], nullptr);
  EXPECT_EQ(json["verdict"], "refuse");
}

TEST_F(AskReportTest, AnUnsafeQueryIsShownWithItsViolations) {
  asked_.answer.outcome = Answer::Outcome::UnsafeSql;
  asked_.answer.sql = "SELECT ssn FROM person";
  asked_.answer.reason = "no";
  asked_.answer.uses = {{{0, 2}, Role::Sel, ColumnPolicy::Hidden, false}};
  asked_.answer.violations = {{"person.ssn", ColumnPolicy::Hidden, Role::Sel}};
  EXPECT_EQ(notes(asked_, kPlain),
            "not run: no\nviolation: `person.ssn` (Hidden) was used as output (SELECT list, GROUP BY or ORDER BY)\n");
  EXPECT_EQ(verdict(asked_, kPlain), "unsafe\n  person.ssn  Sel    Hidden  not permitted\n");
}

TEST_F(AskReportTest, TheAuditLineIsOneLineWhateverIsInIt) {
  asked_.question = "two\nlines \xff";
  asked_.answer.outcome = Answer::Outcome::SafeSql;
  asked_.answer.sql = "SELECT 1";
  asked_.rows = sample_rows();
  const std::string line = audit_line(asked_, "m", "modelhash", "adapterhash", "policyhash", kAda);
  EXPECT_EQ(line.find('\n'), line.size() - 1);
  const auto json = nlohmann::ordered_json::parse(line);
  EXPECT_EQ(json["row_count"], 3);
  EXPECT_EQ(json["policy_hash"], "policyhash");
  EXPECT_EQ(json["model_hash"], "modelhash");
  EXPECT_EQ(json["adapter_hash"], "adapterhash");
  EXPECT_EQ(json["kind"], "answered");
  EXPECT_EQ(json["who"], "ada");
  EXPECT_TRUE(json["blocked"].empty());
  EXPECT_TRUE(json["withheld"].empty());
}

TEST(AuditFile, AddsWholeLines) {
  const Scratch scratch;
  const std::string path = scratch.path("audit.jsonl");
  {
    auto audit = AuditFile::open(path);
    ASSERT_TRUE(audit);
    EXPECT_TRUE(audit->add("one\n"));
  }
  auto audit = AuditFile::open(path);
  EXPECT_TRUE(audit->add("two\n"));
  EXPECT_EQ(*read_file(path), "one\ntwo\n");
  EXPECT_FALSE(AuditFile::open(scratch.path("no/such/folder")));
}

TEST(AuditFile, AFullDiskIsAnError) {
  auto audit = AuditFile::open("/dev/full");
  ASSERT_TRUE(audit);
  const auto added = audit->add("one\n");
  ASSERT_FALSE(added);
  EXPECT_NE(added.error().message.find("No space left"), std::string::npos) << added.error().message;
}

}  // namespace
}  // namespace pccsql
