// One report as JSON and as text.
#include "serve/report.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace pccsql {
namespace {

Report unsafe() {
  Report report;
  report.id = "1.50";
  report.sql = "SELECT name, salary FROM employee";
  report.verdict = Verdict::Unsafe;
  report.reason = "no";
  report.uses = {{"employee", "name", Role::Sel, {7, 11}, ColumnPolicy::Public, true},
                 {"employee", "salary", Role::Sel, {13, 19}, ColumnPolicy::AggregateOnly, false}};
  report.complaints = {{{13, 19}, "`employee.salary` is not for the output"}};
  return report;
}

TEST(Report, JsonHasItsFieldsInOrder) {
  EXPECT_EQ(
      to_json(unsafe()),
      R"({"id":1.50,"verdict":"unsafe","uses":[)"
      R"({"table":"employee","column":"name","role":"Sel","policy":"Public","permitted":true,"span":[7,11]},)"
      R"({"table":"employee","column":"salary","role":"Sel","policy":"AggregateOnly","permitted":false,"span":[13,19]})"
      R"(],"reason":"no"})");
}

TEST(Report, JsonWithoutPolicy) {
  Report report = unsafe();
  report.with_policy = false;
  report.uses.pop_back();
  EXPECT_EQ(to_json(report),
            R"({"id":1.50,"verdict":"unsafe","uses":[{"table":"employee","column":"name","role":"Sel",)"
            R"("span":[7,11]}],"reason":"no"})");
}

TEST(Report, JsonOfBytesThatAreNoText) {
  Report report;
  report.reason = "bad \xFF\xC3 byte";
  EXPECT_EQ(to_json(report),
            "{\"id\":null,\"verdict\":\"error\",\"uses\":[],\"reason\":\"bad \xEF\xBF\xBD\xEF\xBF\xBD byte\"}");
}

TEST(Report, TextUnderlinesAndSaysWhatIsAllowed) {
  EXPECT_EQ(
      to_text(unsafe(), Style{}),
      "unsafe\n"
      "  SELECT name, salary FROM employee\n"
      "               ^^^^^^\n"
      "  `employee.salary` is not for the output\n");
}

TEST(Report, TextOfAStarNamesEachColumnOnce) {
  Report report = unsafe();
  report.sql = "SELECT * FROM employee";
  report.complaints = {{{7, 8}, "one"}, {{7, 8}, "two"}, {{7, 8}, "one"}};
  EXPECT_EQ(to_text(report, Style{}), "unsafe\n  SELECT * FROM employee\n         ^\n  one\n  two\n");
}

TEST(Report, TextOfErrorsWithAndWithoutPlace) {
  Report report;
  report.sql = "SELECT nme";
  report.reason = "no column `nme`";
  EXPECT_EQ(to_text(report, Style{}), "error\n  SELECT nme\n  no column `nme`\n");
  report.where = Span{7, 10};
  EXPECT_EQ(to_text(report, Style{}), "error\n  SELECT nme\n         ^^^\n  no column `nme`\n");
  report.sql.clear();
  EXPECT_EQ(to_text(report, Style{}), "error\n  no column `nme`\n");
}

TEST(Report, TextOfASafeQueryListsItsUses) {
  Report report = unsafe();
  report.verdict = Verdict::Safe;
  report.uses[1].role = Role::Where;
  EXPECT_EQ(to_text(report, Style{}),
            "safe\n"
            "  employee.name    Sel    Public\n"
            "  employee.salary  Where  AggregateOnly\n");
  report.with_policy = false;
  EXPECT_EQ(to_text(report, Style{}), "employee.name    Sel    [7,11)\nemployee.salary  Where  [13,19)\n");
  report.uses.clear();
  EXPECT_EQ(to_text(report, Style{}), "no column is used\n");
}

}  // namespace
}  // namespace pccsql
