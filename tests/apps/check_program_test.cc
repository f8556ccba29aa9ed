// `pccsql check` and `pccsql roles` with one query: verdicts, formats, exit statuses, and where policies come from.
#include <gtest/gtest.h>

#include "apps/program.h"

namespace pccsql {
namespace {

Ran check(std::vector<std::string> more) {
  std::vector<std::string> arguments{"check", "--db", shop().db, "--policy", shop().policy};
  arguments.insert(arguments.end(), more.begin(), more.end());
  return pccsql(arguments);
}

std::string verdict(const std::vector<std::string>& arguments, int status) {
  const Ran ran = pccsql(arguments);
  EXPECT_EQ(ran.status, status) << ran.out << ran.err;
  EXPECT_EQ(ran.err, "");
  return ran.out.substr(0, ran.out.find('\n'));
}

TEST(CheckProgram, SafeQueryAsText) {
  const Ran ran = check({"SELECT name, AVG(cost) FROM item WHERE price > 3 GROUP BY name"});
  EXPECT_EQ(ran.status, 0);
  EXPECT_EQ(ran.err, "");
  EXPECT_EQ(ran.out,
            "safe\n"
            "  item.name   Sel    Public\n"
            "  item.cost   Agg    AggregateOnly\n"
            "  item.price  Where  ConditionOnly\n"
            "  item.name   Sel    Public\n");
}

TEST(CheckProgram, UnsafeQueryAsText) {
  const Ran ran = check({"SELECT name,\n\tcost, id FROM item"});
  EXPECT_EQ(ran.status, 1);
  EXPECT_EQ(ran.err, "");
  EXPECT_EQ(
      ran.out,
      "unsafe\n"
      "  SELECT name,\n"
      "      cost, id FROM item\n"
      "      ^^^^  ^^\n"
      "  `item.cost` is AggregateOnly: it may stand only inside COUNT, SUM or AVG, not in the output, grouping or "
      "ordering (Sel)\n"
      "  `item.id` is Hidden: it may not be used at all (Sel)\n");
}

TEST(CheckProgram, UnsafeQueryAsJson) {
  const Ran ran = check({"--format", "json", "SELECT name FROM item ORDER BY cost"});
  EXPECT_EQ(ran.status, 1);
  const std::string begin =
      R"({"id":null,"verdict":"unsafe","uses":[)"
      R"({"table":"item","column":"name","role":"Sel","policy":"Public","permitted":true,"span":[7,11]},)"
      R"({"table":"item","column":"cost","role":"Sel","policy":"AggregateOnly",)"
      R"("permitted":false,"span":[31,35]}],"reason":")";
  EXPECT_EQ(ran.out.substr(0, begin.size()), begin);
  const std::string reason = json_lines(ran.out).at(0).at("reason");
  EXPECT_NE(reason.find("item.cost"), std::string::npos) << reason;
  EXPECT_NE(reason.find("AggregateOnly"), std::string::npos) << reason;
}

TEST(CheckProgram, SafeJsonHasAnEmptyReason) {
  const Ran ran = check({"--format=json", "SELECT COUNT(*) FROM item"});
  EXPECT_EQ(ran.status, 0);
  EXPECT_EQ(ran.out, "{\"id\":null,\"verdict\":\"safe\",\"uses\":[],\"reason\":\"\"}\n");
}

TEST(CheckProgram, OutsideAndErrorPointAtThePlace) {
  const Ran outside = check({"SELECT name FROM item; DELETE FROM item"});
  EXPECT_EQ(outside.status, 1);
  EXPECT_TRUE(outside.out.starts_with("outside\n  SELECT name FROM item; DELETE FROM item\n")) << outside.out;
  EXPECT_NE(outside.out.find('^'), std::string::npos) << outside.out;
  const Ran error = check({"SELECT nome FROM item"});
  EXPECT_EQ(error.status, 1);
  EXPECT_TRUE(error.out.starts_with("error\n  SELECT nome FROM item\n         ^^^^\n")) << error.out;
}

TEST(CheckProgram, ATableThatMayNotBeNamedIsUnderlined) {
  const Scratch scratch;
  const std::string file = scratch.file("p.yaml", "version: 1\ntables: {item: {name: Public}}\n");
  const Ran ran = pccsql({"check", "--db", shop().db, "--policy", file, "SELECT cost FROM item, \"order line\""});
  EXPECT_EQ(ran.status, 1);
  EXPECT_EQ(ran.out,
            "unsafe\n"
            "  SELECT cost FROM item, \"order line\"\n"
            "         ^^^^            ^^^^^^^^^^^^\n"
            "  `item.cost` is Hidden: it may not be used at all (Sel)\n"
            "  `order line` may not be named: every column of it is Hidden\n");
}

TEST(CheckProgram, QueryFromStandardInput) {
  const Ran ran = pccsql({"check", "--db", shop().db, "--policy", shop().policy, "-"}, "SELECT name\nFROM item\n");
  EXPECT_EQ(ran.status, 0);
  EXPECT_EQ(ran.out, "safe\n  item.name  Sel  Public\n");
}

TEST(CheckProgram, ProfileAndLanguage) {
  const std::string ordered = "SELECT name FROM item ORDER BY cost";
  const std::string both = "SELECT name FROM item UNION SELECT name FROM item";
  const std::vector<std::string> base{"check", "--db", shop().db, "--policy", shop().policy};
  const auto with = [&base](std::vector<std::string> more) {
    more.insert(more.begin(), base.begin(), base.end());
    return more;
  };
  EXPECT_EQ(verdict(with({ordered}), 1), "unsafe");
  EXPECT_EQ(verdict(with({"--profile", "strict", ordered}), 1), "unsafe");
  EXPECT_EQ(verdict(with({"--profile", "paper", ordered}), 0), "safe");
  EXPECT_EQ(verdict(with({both}), 0), "safe");
  EXPECT_EQ(verdict(with({"--language", "full", both}), 0), "safe");
  EXPECT_EQ(verdict(with({"--language", "fragment", both}), 1), "outside");
}

TEST(CheckProgram, SchemaTextWithPolicyFile) {
  EXPECT_EQ(verdict({"check", "--schema", shop().schema, "--policy", shop().policy, "SELECT name FROM item"}, 0),
            "safe");
  EXPECT_EQ(verdict({"check", "--schema", shop().schema, "--policy", shop().policy, "SELECT cost FROM item"}, 1),
            "unsafe");
}

TEST(CheckProgram, CommentsOfTheSchemaAreAPolicy) {
  EXPECT_EQ(verdict({"check", "--schema", shop().commented, "SELECT name FROM item WHERE price > 1"}, 0), "safe");
  EXPECT_EQ(verdict({"check", "--schema", shop().commented, "SELECT price FROM item"}, 1), "unsafe");
  EXPECT_EQ(verdict({"check", "--schema", shop().commented, "SELECT id FROM item"}, 1),
            "unsafe");  // no comment: Hidden
}

TEST(CheckProgram, CommentsAndPolicyFileIntersect) {
  const Scratch scratch;
  const std::string file =
      scratch.file("p.yaml", "version: 1\ndefault: Public\ntables: {item: {name: AggregateOnly}}\n");
  const auto judged = [&](const std::string& sql, int status) {
    return verdict({"check", "--schema", shop().commented, "--policy", file, sql}, status);
  };
  EXPECT_EQ(judged("SELECT id FROM item", 0), "safe");       // only the file speaks of it
  EXPECT_EQ(judged("SELECT price FROM item", 1), "unsafe");  // ConditionOnly by its comment
  EXPECT_EQ(judged("SELECT name FROM item", 1), "unsafe");   // AggregateOnly by the file
  EXPECT_EQ(judged("SELECT COUNT(name) FROM item", 0), "safe");
}

TEST(CheckProgram, PolicyFromGrants) {
  const auto judged = [&](const std::string& user, const std::string& sql, int status) {
    return verdict({"check", "--db", shop().db, "--policy", shop().grants, "--user", user, sql}, status);
  };
  EXPECT_EQ(judged("ada", "SELECT name, price FROM item", 0), "safe");
  EXPECT_EQ(judged("ada", "SELECT id FROM item", 1), "unsafe");
  EXPECT_EQ(judged("bob", "SELECT id FROM item", 0), "safe");
  EXPECT_EQ(judged("eve", "SELECT name FROM item", 1), "unsafe");
}

TEST(CheckProgram, PolicyFromCommentsInASqlFile) {
  // The word GRANT in a comment or as a name makes no grants of it.
  const Scratch scratch;
  const std::string db = scratch.database("aid.sqlite", "CREATE TABLE aid (name TEXT, grant REAL, year INTEGER)");
  const std::string file = scratch.file("p.sql",
                                        "-- GRANT nothing;\n/* GRANT */ CREATE TABLE aid (name TEXT, -- Public\n  "
                                        "grant REAL, -- AggregateOnly\n  year INTEGER);\n");
  const auto judged = [&](const std::string& sql, int status) {
    return verdict({"check", "--db", db, "--policy", file, sql}, status);
  };
  EXPECT_EQ(judged("SELECT name, SUM(grant) FROM aid GROUP BY name", 0), "safe");
  EXPECT_EQ(judged("SELECT grant FROM aid", 1), "unsafe");
  EXPECT_EQ(judged("SELECT year FROM aid", 1), "unsafe");
}

TEST(CheckProgram, PolicyAsJson) {
  const Scratch scratch;
  const std::string file = scratch.file("p.json", R"({"version": 1, "tables": {"item": {"name": "Public"}}})");
  EXPECT_EQ(verdict({"check", "--db", shop().db, "--policy", file, "SELECT name FROM item"}, 0), "safe");
  EXPECT_EQ(verdict({"check", "--db", shop().db, "--policy", file, "SELECT cost FROM item"}, 1), "unsafe");
}

TEST(CheckProgram, TablesJsonNeedsToKnowWhichDatabase) {
  EXPECT_EQ(verdict({"check", "--tables", shop().tables, "--policy", shop().all_public, "--db-id", "zoo",
                     "SELECT species FROM animal"},
                    0),
            "safe");
  const Ran which = pccsql({"check", "--tables", shop().tables, "--policy", shop().all_public, "SELECT 1"});
  EXPECT_EQ(which.status, 2);
  EXPECT_NE(which.err.find("--db-id"), std::string::npos) << which.err;
  const Ran unknown =
      pccsql({"check", "--tables", shop().tables, "--policy", shop().all_public, "--db-id", "zzoo", "SELECT 1"});
  EXPECT_EQ(unknown.status, 2);
  EXPECT_NE(unknown.err.find("did you mean `zoo`?"), std::string::npos) << unknown.err;
}

TEST(CheckProgram, DemoIsTheDefault) {
  const Scratch scratch;
  scratch.database("hr.sqlite", "CREATE TABLE employee (name TEXT, salary INTEGER)");
  scratch.file("policy.yaml", "version: 1\ntables: {employee: {name: Public, salary: AggregateOnly}}\n");
  const std::vector<std::string> here{"PCCSQL_DEMO_DIR=" + scratch.path("")};
  EXPECT_EQ(pccsql({"check", "SELECT name FROM employee"}, "", here).status, 0);
  EXPECT_EQ(pccsql({"check", "SELECT name, salary FROM employee"}, "", here).status, 1);
  EXPECT_EQ(pccsql({"roles", "SELECT salary FROM employee"}, "", here).out, "employee.salary  Sel  [7,13)\n");
  EXPECT_NE(pccsql({"policy", "init"}, "", here).out.find("employee"), std::string::npos);
  EXPECT_NE(pccsql({"policy", "lint"}, "", here).status, 2);
  const Ran missing = pccsql({"check", "SELECT 1"}, "", {"PCCSQL_DEMO_DIR=" + scratch.path("gone")});
  EXPECT_EQ(missing.status, 2);
  EXPECT_NE(missing.err.find("demo database"), std::string::npos);
}

TEST(CheckProgram, BuiltDemoIsFound) {
  const Ran ran = pccsql({"check", "SELECT name, salary FROM employee"});
  EXPECT_EQ(ran.status, 1) << ran.err;
  EXPECT_TRUE(ran.out.starts_with("unsafe\n  SELECT name, salary FROM employee\n               ^^^^^^\n"))
      << ran.out << ran.err;
}

TEST(CheckProgram, Colours) {
  const std::string sql = "SELECT cost FROM item";
  EXPECT_EQ(check({sql}).out.find('\033'), std::string::npos);
  EXPECT_EQ(check({"--color", "auto", sql}).out.find('\033'), std::string::npos);
  EXPECT_EQ(check({"--color", "never", sql}).out.find('\033'), std::string::npos);
  EXPECT_NE(check({"--color", "always", sql}).out.find("\033[31m^^^^\033[0m"), std::string::npos);
}

TEST(RolesProgram, ListsUsesAsText) {
  const Ran ran = pccsql({"roles", "--db", shop().db, "SELECT name FROM item WHERE price > 1"});
  EXPECT_EQ(ran.status, 0);
  EXPECT_EQ(ran.out, "item.name   Sel    [7,11)\nitem.price  Where  [28,33)\n");
  EXPECT_EQ(pccsql({"roles", "--db", shop().db, "SELECT 1"}).out, "no column is used\n");
}

TEST(RolesProgram, ListsUsesAsJson) {
  const Ran ran = pccsql({"roles", "--db", shop().db, "--format", "json", "SELECT name FROM item"});
  EXPECT_EQ(ran.status, 0);
  EXPECT_EQ(
      ran.out,
      R"({"id":null,"verdict":"safe","uses":[{"table":"item","column":"name","role":"Sel","span":[7,11]}],"reason":""})"
      "\n");
}

TEST(RolesProgram, HeedsTheProfile) {
  const std::string sql = "SELECT name FROM item ORDER BY cost";
  EXPECT_EQ(lines_of(pccsql({"roles", "--db", shop().db, sql}).out).size(), 2u);
  EXPECT_EQ(lines_of(pccsql({"roles", "--db", shop().db, "--profile", "paper", sql}).out).size(), 1u);
}

TEST(RolesProgram, NeedsNoPolicyAndTakesNone) {
  EXPECT_EQ(pccsql({"roles", "--schema", shop().schema, "SELECT name FROM item"}).status, 0);
  EXPECT_EQ(pccsql({"roles", "--tables", shop().tables, "--db-id", "zoo", "SELECT id FROM animal"}).status, 0);
  EXPECT_EQ(pccsql({"roles", "--db", shop().db, "--policy", shop().policy, "SELECT 1"}).status, 2);
}

TEST(RolesProgram, SaysWhatDoesNotResolve) {
  const Ran ran = pccsql({"roles", "--db", shop().db, "SELECT name, nome FROM item"});
  EXPECT_EQ(ran.status, 1);
  EXPECT_TRUE(ran.out.starts_with("error\n  SELECT name, nome FROM item\n               ^^^^\n")) << ran.out;
}

}  // namespace
}  // namespace pccsql
