// What a policy file says beside labels: findings that are accepted, what was opened when somebody looked, and by which line
// a column has its label.
#include "policy/policy_notes.h"

#include <gtest/gtest.h>

#include "policy/policy_file.h"
#include "policy/sample.h"

namespace pccsql {
namespace {

class Notes : public ::testing::Test {
 protected:
  Catalog catalog_ = catalog_from(
      "CREATE TABLE pay (id INTEGER PRIMARY KEY, who INT, gross INT);"
      "CREATE TABLE setting (key TEXT PRIMARY KEY, accept TEXT, opened TEXT)");

  // "finding table.column: reason", one a line, or the error.
  std::string read(const std::string& text) {
    notes_ = {};
    const auto policy = parse_policy_yaml("version: 1\n" + text, catalog_, "p.yaml", &notes_);
    if (!policy) return policy.error().to_string();
    std::string out;
    for (const Acceptance& a : notes_.accepted) {
      out += std::string(to_string(a.finding));
      if (a.table) out += " " + catalog_.table(*a.table).name;
      if (a.column) out += "." + catalog_.table(*a.table).columns[*a.column].name;
      out += ": " + a.reason + "\n";
    }
    return out;
  }
  PolicyNotes notes_;
};

TEST_F(Notes, AcceptancesAreForAllForATableOrForAColumn) {
  EXPECT_EQ(read("accept: {rowid: no other program asks}\n"
                 "tables:\n  pay:\n    accept: {index: small, twin: {who: \"why: so\", ID: it is}}\n    gross: AggregateOnly\n"),
            "rowid: no other program asks\nindex pay: small\ntwin pay.who: why: so\ntwin pay.id: it is\n");
  EXPECT_EQ(read("accept: {}"), "");
}

TEST_F(Notes, AColumnOfThatNameIsTheColumn) {
  EXPECT_EQ(read("tables: {setting: {accept: Public}}"), "");
  EXPECT_EQ(notes_.sources[1][1], LabelSource::Named);
  EXPECT_EQ(read("tables: {setting: {accept: {index: small}}}"), "index setting: small\n");
  EXPECT_EQ(notes_.sources[1][1], LabelSource::Default);
  EXPECT_EQ(read("tables: {setting: {accept: {index: small}, columns: {accept: Hidden}}}"), "index setting: small\n");
  EXPECT_EQ(notes_.sources[1][1], LabelSource::Named);
}

TEST_F(Notes, EveryMistakeHasItsPlaceAndItsRemedy) {
  EXPECT_EQ(read("accept: rowid"), "p.yaml:2:9: `accept` must be a map from findings to reasons, such as `accept: {rowid: \"…\"}`");
  EXPECT_EQ(read("accept: {rowids: x}").substr(0, 56), "p.yaml:2:10: unknown finding `rowids`; did you mean `row");
  EXPECT_EQ(read("accept: {rowid: }"), "p.yaml:2:10: to accept `rowid` takes a reason, as text");
  EXPECT_EQ(read("accept: {rowid: ' '}"), "p.yaml:2:17: to accept `rowid` takes a reason, as text");
  EXPECT_EQ(read("accept: {rowid: {id: x}}"), "p.yaml:2:17: to accept `rowid` takes a reason, as text");
  EXPECT_EQ(read("accept: {rowid: a, rowid: b}"), "p.yaml:2:20: duplicate finding `rowid`; it is first given in line 2");
  EXPECT_EQ(read("accept: {new-column: x}"),
            "p.yaml:2:10: `new-column` cannot be accepted here; `pccsql policy diff --accept` records what `*` and `default` open");
  EXPECT_EQ(read("accept: {unused-acceptance: x}"),
            "p.yaml:2:10: `unused-acceptance` cannot be accepted; take out the acceptance that it is about");
  EXPECT_EQ(read("tables: {pay: {accept: {rowid: {iid: x}}}}"), "p.yaml:2:33: table `pay` has no column `iid`; did you mean `id`?");
  EXPECT_EQ(read("tables: {pay: {accept: {rowid: [id]}}}"),
            "p.yaml:2:32: to accept `rowid` takes a reason, as text, or a map from columns to reasons");
  EXPECT_EQ(read("opened: [pay]"), "p.yaml:2:9: `opened` must be a map from tables to lists of their columns");
  EXPECT_EQ(read("opened: {pay: id}"), "p.yaml:2:15: a list of columns was expected");
}

TEST_F(Notes, TheRecordHoldsWhatWasOpenedAndMayOutliveIt) {
  EXPECT_EQ(read(""), "");
  EXPECT_FALSE(notes_.opened);
  EXPECT_EQ(read("opened: {PAY: [Who, gone], left: [a]}"), "");
  ASSERT_TRUE(notes_.opened);
  const Table& pay = catalog_.table(0);
  EXPECT_FALSE(is_recorded(notes_, pay, pay.columns[0]));
  EXPECT_TRUE(is_recorded(notes_, pay, pay.columns[1]));
  EXPECT_EQ(read("opened:"), "");
  EXPECT_TRUE(notes_.opened && notes_.opened->empty());
}

TEST_F(Notes, TellByWhichLineAColumnHasItsLabel) {
  EXPECT_EQ(read("default: Public\ntables: {pay: {gross: Hidden, '*': Public}}"), "");
  EXPECT_EQ(notes_.sources[0], (std::vector{LabelSource::Star, LabelSource::Star, LabelSource::Named}));
  EXPECT_EQ(notes_.sources[1], (std::vector{LabelSource::Default, LabelSource::Default, LabelSource::Default}));
}

TEST(Findings, HaveNamesThatAreReadBack) {
  for (const Finding finding : kFindings) EXPECT_EQ(parse_finding(to_string(finding)), finding);
  EXPECT_FALSE(parse_finding("Rowid"));
}

}  // namespace
}  // namespace pccsql
