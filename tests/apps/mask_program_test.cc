// `pccsql mask`: the commands as a user runs them, on the demo of examples/hr and on the small shop.
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <regex>

#include "apps/program.h"

namespace pccsql {
namespace {

using nlohmann::ordered_json;

std::vector<std::string> texts(const ordered_json& names) {
  std::vector<std::string> out;
  for (const ordered_json& name : names) out.push_back(name.at("text"));
  return out;
}

bool has(const std::vector<std::string>& list, std::string_view wanted) {
  return std::ranges::any_of(list, [wanted](const std::string& text) { return text == wanted; });
}

ordered_json explained(const std::string& prefix, int status = 0) {
  const Ran ran = pccsql({"mask", "explain", "--format", "json", prefix});
  EXPECT_EQ(ran.status, status) << ran.out << ran.err;
  return ordered_json::parse(ran.out);
}

TEST(MaskExplain, TellsWhatMayComeNext) {
  const Ran ran = pccsql({"mask", "explain", "SELECT na"});
  EXPECT_EQ(ran.status, 0);
  EXPECT_EQ(ran.err, "");
  EXPECT_NE(ran.out.find("select list"), std::string::npos) << ran.out;
  EXPECT_NE(ran.out.find("Sel"), std::string::npos);
  EXPECT_NE(ran.out.find("name"), std::string::npos);
  EXPECT_EQ(ran.out.find("\033["), std::string::npos);
  const Ran colored = pccsql({"mask", "explain", "--color", "always", "SELECT na"});
  EXPECT_NE(colored.out.find("\033[32mname"), std::string::npos) << colored.out;
}

TEST(MaskExplain, AsJson) {
  const ordered_json where = explained("SELECT name FROM employee WHERE ");
  EXPECT_TRUE(where.at("admitted"));
  EXPECT_EQ(where.at("clause"), "WHERE");
  EXPECT_EQ(where.at("role"), "Where");
  EXPECT_FALSE(where.at("may_end"));
  ASSERT_FALSE(where.at("scope").empty());
  EXPECT_TRUE(has(texts(where.at("allowed")), "department_id")) << where.at("allowed").dump();
  EXPECT_FALSE(has(texts(where.at("allowed")), "salary"));
  const auto& blocked = where.at("blocked");
  const auto salary = std::ranges::find_if(
      blocked, [](const ordered_json& name) { return name.at("text").get<std::string>().ends_with("salary"); });
  ASSERT_NE(salary, blocked.end());
  EXPECT_NE(salary->at("detail").get<std::string>().find("AggregateOnly"), std::string::npos);
  EXPECT_TRUE(explained("SELECT name FROM employee").at("may_end"));
}

TEST(MaskExplain, FunctionsAreNamedWhereTheyMayCome) {
  const auto lexemes = [](const std::string& prefix) {
    return explained(prefix).at("lexemes").get<std::vector<std::string>>();
  };
  EXPECT_TRUE(has(lexemes("SELECT "), "AVG("));
  EXPECT_TRUE(has(lexemes("SELECT av"), "AVG("));
  EXPECT_FALSE(has(lexemes("SELECT su"), "AVG("));
  EXPECT_TRUE(has(lexemes("SELECT name FROM employee WHERE "), "LOWER("));
  EXPECT_FALSE(has(lexemes("SELECT name FROM employee WHERE "), "AVG("));
  EXPECT_FALSE(has(lexemes("SELECT name FROM employee WHERE \"l"), "LOWER("));
  EXPECT_FALSE(has(lexemes("SELECT name FROM "), "LOWER("));
  EXPECT_TRUE(has(lexemes("SELECT name FROM employee WHERE "), "a string in double quotes"));
  EXPECT_FALSE(has(lexemes("SELECT name FROM employee WHERE s"), "a string in double quotes"));
}

TEST(MaskExplain, AfterFromOnlyWhatIsInScopeIsToldOfAName) {
  const auto detail = [](const std::string& prefix) {
    const ordered_json json = explained(prefix);
    for (const ordered_json& name : json.at("allowed")) {
      if (name.at("text") == "name") return name.at("detail").get<std::string>();
    }
    return std::string();
  };
  EXPECT_EQ(detail("SELECT na"), "department: Public, employee: Public, project: Public, staff_directory: Public");
  EXPECT_EQ(detail("SELECT job_title FROM employee WHERE na"), "employee: Public");
  const Ran ran = pccsql({"mask", "explain", "SELECT name FROM employee WHERE "});
  EXPECT_NE(ran.out.find("27 columns of tables that are not in scope"), std::string::npos) << ran.out;
}

TEST(MaskExplain, NamesBeforeFromAreObligations) {
  const ordered_json pending = explained("SELECT T1.name, AVG(salary) ");
  EXPECT_EQ(pending.at("obligations").size(), 2u) << pending.dump();
}

TEST(MaskExplain, APrefixThatIsNotAdmitted) {
  const Ran ran = pccsql({"mask", "explain", "SELECT name, salary FROM employee"});
  EXPECT_EQ(ran.status, 1);
  EXPECT_NE(ran.out.find("not admitted: stopped at byte 15"), std::string::npos) << ran.out;
  EXPECT_NE(ran.out.find("AggregateOnly"), std::string::npos) << ran.out;
  const ordered_json json = explained("DROP TABLE employee", 1);
  EXPECT_FALSE(json.at("admitted"));
  EXPECT_EQ(json.at("byte"), 0);
  EXPECT_FALSE(json.at("reason").get<std::string>().empty());
}

TEST(MaskExplain, ReadsStandardInputWithoutTheEndOfItsLine) {
  const Ran ran = pccsql({"mask", "explain", "--format", "json", "-"}, "SELECT na\n");
  EXPECT_EQ(ordered_json::parse(ran.out).at("prefix"), "SELECT na");
  EXPECT_EQ(pccsql({"mask", "explain"}).status, 2);
  EXPECT_EQ(pccsql({"mask", "explain", "SELECT", "name"}).status, 2);
}

// Lines for the demo's database: two safe, one over a bound, one unsafe, one outside, one in error.
constexpr const char* kLines =
    "{\"id\": 1, \"sql\": \"SELECT name FROM employee\"}\n"
    "{\"id\": 2, \"sql\": \"SELECT d.name, AVG(e.salary) FROM employee AS e JOIN department AS d ON e.department_id = "
    "d.id GROUP BY d.name\"}\n"
    "{\"id\": 3, \"sql\": \"SELECT name who FROM employee\"}\n"
    "{\"id\": 4, \"sql\": \"SELECT name, salary FROM employee\"}\n"
    "{\"id\": 5, \"sql\": \"DELETE FROM employee\"}\n"
    "{\"id\": 6, \"sql\": \"SELECT wage FROM employee\"}\n";

Ran replay(std::string_view lines, std::vector<std::string> more = {}) {
  std::vector<std::string> arguments{"mask", "replay", "--vocab", "builtin", "--jsonl", "-"};
  arguments.insert(arguments.end(), more.begin(), more.end());
  return pccsql(arguments, lines);
}

TEST(MaskReplayProgram, CountsAndTimes) {
  const Ran ran = replay(kLines, {"--random-tokenisations", "2"});
  EXPECT_EQ(ran.status, 0) << ran.out << ran.err;
  for (const char* part :
       {"longest pieces first", "3 safe: 2 admitted whole, 1 over a bound of the decoder, 0 stopped",
        "1 select alias without AS", "3 not safe (1 unsafe, 1 outside, 1 error): 3 stopped, 0 admitted to their end"}) {
    EXPECT_NE(ran.out.find(part), std::string::npos) << part << "\n" << ran.out;
  }
  EXPECT_TRUE(std::regex_search(
      ran.out,
      std::regex("mask: [0-9]+ steps, µs: mean [0-9.]+, p50 [0-9.]+, p90 [0-9.]+, p99 [0-9.]+, max [0-9.]+\n")))
      << ran.out;
}

TEST(MaskReplayProgram, AsJson) {
  const Ran ran = replay(kLines, {"--format", "json", "--times", "--random-tokenisations", "1", "--seed", "5"});
  EXPECT_EQ(ran.status, 0) << ran.err;
  const ordered_json json = ordered_json::parse(ran.out);
  EXPECT_TRUE(json.at("fine"));
  EXPECT_EQ(json.at("counts").at("admitted"), 2);
  EXPECT_EQ(json.at("bounds").at("select alias without AS"), 1);
  std::string outcomes;
  for (const ordered_json& query : json.at("queries")) {
    outcomes += query.at("outcome").get<std::string>() + " ";
    for (const ordered_json& attempt : query.at("attempts")) {
      const size_t steps = attempt.at("nanoseconds").size();
      const size_t tokens = attempt.at("tokens");
      EXPECT_EQ(attempt.at("whole"), steps == tokens + 1 && !attempt.contains("stop"));
    }
    EXPECT_EQ(query.at("attempts").size(), 2u);
  }
  EXPECT_EQ(outcomes, "admitted admitted bound stopped stopped stopped ");
  const ordered_json& stop = json.at("queries").at(3).at("attempts").at(0).at("stop");
  EXPECT_EQ(stop.at("text"), "salary");
  EXPECT_EQ(stop.at("byte"), 15);
  EXPECT_NE(stop.at("reason").get<std::string>().find("AggregateOnly"), std::string::npos);
  EXPECT_EQ(replay(kLines, {"--format", "json", "--times"}).status, 0);
  EXPECT_FALSE(ordered_json::parse(replay(kLines, {"--format", "json"}).out)
                   .at("queries")
                   .at(0)
                   .at("attempts")
                   .at(0)
                   .contains("nanoseconds"));
}

TEST(MaskReplayProgram, SettingsAreHeeded) {
  const std::string derived =
      "{\"sql\": \"SELECT AVG(n) FROM (SELECT COUNT(*) AS n FROM employee GROUP BY department_id) AS g\"}\n";
  const std::string open =
      "{\"sql\": \"SELECT AVG(n) FROM (SELECT COUNT(*) AS n FROM employee GROUP BY name) AS g\"}\n";
  EXPECT_NE(replay(open).out.find("1 over a bound"), std::string::npos) << replay(open).out;
  EXPECT_NE(replay(open, {"--derived-names"}).out.find("1 admitted whole"), std::string::npos);
  EXPECT_NE(replay(derived).out.find("1 not safe"), std::string::npos);
  const std::string alias = "{\"sql\": \"SELECT person.name FROM employee AS person\"}\n";
  EXPECT_NE(replay(alias).out.find("--aliases any"), std::string::npos);
  EXPECT_NE(replay(alias, {"--aliases", "any"}).out.find("1 admitted whole"), std::string::npos);
  const std::string with = "{\"sql\": \"SELECT name FROM employee UNION SELECT name FROM department\"}\n";
  EXPECT_NE(replay(with, {"--language", "fragment"}).out.find("1 outside, 0 error): 1 stopped"), std::string::npos);
}

TEST(MaskReplayProgram, AStoppedSafeQueryIsStatusOne) {
  // A budget of three tokens holds no query at all.
  const Ran ran = replay("{\"sql\": \"SELECT name FROM employee\"}\n", {"--budget", "3"});
  EXPECT_EQ(ran.status, 1);
  EXPECT_NE(ran.out.find("safe, but stopped:"), std::string::npos) << ran.out;
}

TEST(MaskReplayProgram, LinesPickDatabasesAndBringPolicies) {
  const Ran ran = pccsql({"mask", "replay", "--vocab", "builtin", "--tables", shop().tables, "--policy",
                          shop().all_public, "--jsonl", "-", "--format", "json"},
                         "{\"sql\": \"SELECT name FROM item\", \"db_id\": \"shop\"}\n"
                         "{\"sql\": \"SELECT species FROM animal\", \"db_id\": \"zoo\"}\n"
                         "{\"sql\": \"SELECT species FROM animal\", \"db_id\": \"zoo\", \"policy\": "
                         "\"version: 1\\ntables: {animal: {id: Public}}\\n\"}\n");
  EXPECT_EQ(ran.status, 0) << ran.out << ran.err;
  std::string outcomes;
  const ordered_json json = ordered_json::parse(ran.out);
  for (const ordered_json& query : json.at("queries")) {
    outcomes += query.at("outcome").get<std::string>() + " ";
  }
  EXPECT_EQ(outcomes, "admitted admitted stopped ");
}

TEST(MaskReplayProgram, WhatCannotBeReplayedIsSaid) {
  const Ran ran = replay("{\"id\": 1, \"sql\": \"SELECT 1\"}\noops\n");
  EXPECT_EQ(ran.status, 2);
  EXPECT_NE(ran.out.find("not replayed: line 2"), std::string::npos) << ran.out;
}

TEST(MaskReplayProgram, Mistakes) {
  EXPECT_NE(pccsql({"mask", "replay", "--jsonl", "-"}).err.find("--vocab"), std::string::npos);
  EXPECT_NE(pccsql({"mask", "replay", "--vocab", "builtin"}).err.find("--jsonl"), std::string::npos);
  EXPECT_NE(replay("", {"--times"}).err.find("--format json"), std::string::npos);
  EXPECT_NE(replay("", {"--seed", "-1"}).err.find("`--seed` is a whole number"), std::string::npos);
  EXPECT_NE(replay("", {"--aliases", "long"}).err.find("short|any"), std::string::npos);
  EXPECT_EQ(replay("", {"--logits-width", "10"}).status, 2);
  EXPECT_EQ(replay(kLines, {"--logits-width", "100000"}).status, 0);
  const Ran missing = pccsql({"mask", "walk", "--vocab", "no-such.gguf"});
  EXPECT_EQ(missing.status, 2);
  EXPECT_NE(missing.err.find("no-such.gguf"), std::string::npos);
}

Ran walk(std::vector<std::string> more) {
  std::vector<std::string> arguments{"mask", "walk", "--vocab", "builtin"};
  arguments.insert(arguments.end(), more.begin(), more.end());
  return pccsql(arguments);
}

TEST(MaskWalkProgram, WalksAreGood) {
  for (const char* logits : {"uniform", "adversarial"}) {
    const Ran ran = walk({"--walks", "15", "--seed", "3", "--logits", logits, "--budget", "40", "--format", "json"});
    EXPECT_EQ(ran.status, 0) << ran.out << ran.err;
    const ordered_json json = ordered_json::parse(ran.out);
    EXPECT_EQ(json.at("walks"), 15);
    EXPECT_EQ(json.at("good"), 15);
    EXPECT_FALSE(json.at("interrupted"));
    for (const char* bad : {"violations", "refused_preparations", "other_uses", "dead_ends", "unfinished"}) {
      EXPECT_EQ(json.at(bad), 0) << bad;
    }
    EXPECT_GT(json.at("grammar").at("rules").at("hit"), 5);
    EXPECT_LT(json.at("grammar").at("rules").at("hit"), json.at("grammar").at("rules").at("all"));
  }
}

TEST(MaskWalkProgram, AsText) {
  const Ran ran = walk({"--walks", "5", "--budget", "30"});
  EXPECT_EQ(ran.status, 0);
  for (const char* part : {"5 walks, ", "5 finished and good", "violations 0", "dead ends 0", "grammar: "}) {
    EXPECT_NE(ran.out.find(part), std::string::npos) << part << "\n" << ran.out;
  }
}

TEST(MaskWalkProgram, InterruptedItSaysHowFarItCame) {
  int from[2];
  ASSERT_EQ(pipe(from), 0);
  const pid_t child = fork();
  if (child == 0) {
    dup2(from[1], STDOUT_FILENO);
    close(from[0]);
    close(from[1]);
    execl(PCCSQL_PROGRAM, PCCSQL_PROGRAM, "mask", "walk", "--vocab", "builtin", "--walks", "100000000", "--budget",
          "20", static_cast<char*>(nullptr));
    _exit(127);
  }
  close(from[1]);
  usleep(1'500'000);
  kill(child, SIGINT);
  std::string out;
  char buffer[4096];
  for (ssize_t got = 0; (got = read(from[0], buffer, sizeof buffer)) > 0;) out.append(buffer, static_cast<size_t>(got));
  close(from[0]);
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  ASSERT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 130);
  EXPECT_NE(out.find("interrupted; so far:"), std::string::npos) << out;
  EXPECT_NE(out.find(" walks, "), std::string::npos);
}

TEST(MaskUsage, HelpOfEachCommand) {
  for (const char* command : {"explain", "replay", "walk"}) {
    const Ran ran = pccsql({"mask", command, "--help"});
    EXPECT_EQ(ran.status, 0);
    EXPECT_NE(ran.out.find("Examples:"), std::string::npos) << ran.out;
    EXPECT_NE(ran.out.find("Exit status:"), std::string::npos);
    EXPECT_NE(ran.out.find("--derived-names"), std::string::npos);
  }
  EXPECT_NE(pccsql({"mask"}).status, 0);
  EXPECT_NE(pccsql({"mask", "reply"}).err.find("did you mean `replay`?"), std::string::npos);
}

}  // namespace
}  // namespace pccsql
