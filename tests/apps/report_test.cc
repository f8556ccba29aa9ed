// One report as JSON and as text.
#include "apps/report.h"

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
  report.uses = {{"employee", "name", Role::Sel, {7, 11}, false, ColumnPolicy::Public, true},
                 {"employee", "salary", Role::Sel, {13, 19}, false, ColumnPolicy::AggregateOnly, false}};
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
      "  `employee.salary` is AggregateOnly: it may stand only inside COUNT, SUM or AVG, not in the output, grouping "
      "or ordering (Sel)\n");
}

TEST(Report, TextOfAStarNamesEachColumnOnce) {
  Report report = unsafe();
  report.sql = "SELECT * FROM employee";
  for (UseReport& use : report.uses) use.span = {7, 8};
  report.uses[0].permitted = false;
  report.uses[0].policy = ColumnPolicy::Hidden;
  report.uses.push_back(report.uses[0]);
  const std::string text = to_text(report, Style{});
  EXPECT_TRUE(
      text.starts_with("unsafe\n  SELECT * FROM employee\n         ^\n  `employee.name` is Hidden: it may not be used"))
      << text;
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 5) << text;
}

TEST(Report, TextOfATableThatMayNotBeNamed) {
  Report report = unsafe();
  report.sql = "SELECT COUNT(*) FROM \"Secret\" AS s";
  report.uses.clear();
  report.closed_tables = {"secret"};
  EXPECT_EQ(to_text(report, Style{}),
            "unsafe\n  SELECT COUNT(*) FROM \"Secret\" AS s\n                       ^^^^^^^^\n"
            "  `secret` may not be named: every column of it is Hidden\n");
  report.sql = "SELECT COUNT(*) FROM 'secret'";
  EXPECT_EQ(to_text(report, Style{}),
            "unsafe\n  SELECT COUNT(*) FROM 'secret'\n  `secret` may not be named: every column of it is Hidden\n");
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

// Every cell of the permission table that says no has a sentence that says what would be allowed.
TEST(Report, ComplaintsNameColumnRolePolicyAndWhatIsAllowed) {
  for (const ColumnPolicy policy : kColumnPolicies) {
    for (const Role role : kRoles) {
      if (permitted(policy, role)) continue;
      const std::string text = complaint({"t", "c", role, {}, false, policy, false});
      EXPECT_TRUE(text.starts_with("`t.c` is " + std::string(to_string(policy)) + ": it may "));
      EXPECT_TRUE(text.ends_with("(" + std::string(to_string(role)) + ")"));
      const bool aggregates = text.find("only inside COUNT, SUM or AVG, not ") != std::string::npos;
      const bool conditions = text.find("only in JOIN conditions, WHERE and HAVING, not ") != std::string::npos;
      EXPECT_EQ(aggregates, permitted(policy, Role::Agg));
      EXPECT_EQ(conditions, permitted(policy, Role::Where));
    }
  }
  EXPECT_NE(
      complaint({"t", "c", Role::Sel, {}, true, ColumnPolicy::AggregateOnly, false}).find("not inside MIN or MAX"),
      std::string::npos);
}

}  // namespace
}  // namespace pccsql
