// The Checker of the public API: what the judge behind it says, in the words of the library's users, on any thread.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <thread>
#include <vector>

#include <pccsql/checker.h>

#include "check/check.h"
#include "policy/policy_file.h"
#include "schema/reader.h"

// The test that is written in C.
extern "C" const char* problem_of_c_program(void);

namespace pccsql {
namespace {

constexpr const char* kPeople = "CREATE TABLE person (id INTEGER PRIMARY KEY, name TEXT, salary INT, ssn TEXT);";
constexpr const char* kPeoplePolicy =
    "version: 1\ntables: {person: {id: Public, name: ConditionOnly, salary: AggregateOnly, ssn: Hidden}}\n";

const std::vector<std::string> kQueries = {
    "SELECT id FROM person",
    "SELECT AVG(salary) FROM person WHERE name = 'x'",
    "SELECT name FROM person",
    "SELECT p.id FROM person p JOIN person q ON p.ssn = q.ssn",
    "SELECT nothing FROM person",
    "DELETE FROM person",
    "SELECT * FROM person",
    "",
};

Checker people_checker() {
  auto made = Checker::make(DdlText{kPeople}, PolicyText{kPeoplePolicy});
  EXPECT_TRUE(made);
  return std::move(*made);
}

// One line a judgement, so that two can be compared whole.
std::string shown(const Checker::Judgement& judgement) {
  std::string text = std::string(to_string(judgement.verdict)) + " " + judgement.reason + " " +
                     std::to_string(judgement.where.begin) + "-" + std::to_string(judgement.where.end);
  for (const Checker::Use& use : judgement.uses) {
    text += "; " + use.table + "." + use.column + " " + to_string(use.role) + " " + to_string(use.policy) +
            (use.permitted ? " permitted " : " forbidden ") + std::to_string(use.span.begin) + "-" +
            std::to_string(use.span.end);
  }
  return text;
}

TEST(PublicChecker, SaysWhatTheJudgeSays) {
  const Checker checker = people_checker();
  const auto catalog = read_ddl_catalog(kPeople, "text");
  ASSERT_TRUE(catalog);
  const auto policy = parse_policy_yaml(kPeoplePolicy, *catalog, "text");
  ASSERT_TRUE(policy);
  SqliteChecker judge(*catalog);
  for (const std::string& sql : kQueries) {
    const Judgement expected = judge.check(sql, *policy);
    std::string text = std::string(to_string(expected.verdict)) + " " + expected.reason + " " +
                       std::to_string(expected.where.begin) + "-" + std::to_string(expected.where.end);
    for (size_t i = 0; i < expected.uses.size(); ++i) {
      const Occurrence& use = expected.uses[i];
      text += "; person." + catalog->column(use.column).name + " " + std::string(to_string(use.role)) + " " +
              std::string(to_string(expected.policies[i])) + (expected.permitted[i] ? " permitted " : " forbidden ") +
              std::to_string(use.span.begin) + "-" + std::to_string(use.span.end);
    }
    EXPECT_EQ(shown(checker.check(sql)), text) << sql;
  }
}

TEST(PublicChecker, VerdictsAndPlaces) {
  const Checker checker = people_checker();
  std::vector<Checker::Verdict> verdicts;
  for (const std::string& sql : kQueries) verdicts.push_back(checker.check(sql).verdict);
  using V = Checker::Verdict;
  EXPECT_EQ(verdicts, (std::vector{V::Safe, V::Safe, V::Unsafe, V::Unsafe, V::Error, V::Outside, V::Unsafe, V::Outside}));
  const Checker::Judgement unsafe = checker.check(kQueries[2]);
  EXPECT_EQ(kQueries[2].substr(unsafe.where.begin, unsafe.where.end - unsafe.where.begin), "name");
  EXPECT_NE(unsafe.reason, "");
}

TEST(PublicChecker, SettingsCount) {
  Settings fragment;
  fragment.language = Settings::Language::Fragment;
  const auto strict = Checker::make(DdlText{kPeople}, PolicyText{kPeoplePolicy}, fragment);
  ASSERT_TRUE(strict);
  const std::string both = "SELECT id FROM person UNION SELECT id FROM person";
  EXPECT_EQ(strict->check(both).verdict, Checker::Verdict::Outside);
  EXPECT_EQ(people_checker().check(both).verdict, Checker::Verdict::Safe);
}

TEST(PublicChecker, WhatCannotBeReadIsAnError) {
  const auto no_schema = Checker::make(SqliteFile{"missing.sqlite"}, PolicyText{kPeoplePolicy});
  ASSERT_FALSE(no_schema);
  EXPECT_NE(no_schema.error().to_string().find("missing.sqlite"), std::string::npos);
  const auto no_column = Checker::make(DdlText{kPeople}, PolicyText{"version: 1\ntables: {person: {nmae: Public}}\n"});
  ASSERT_FALSE(no_column);
  EXPECT_NE(no_column.error().to_string().find("nmae"), std::string::npos);
}

TEST(PublicChecker, ManyThreads) {
  const Checker checker = people_checker();
  std::vector<std::string> alone;
  for (const std::string& sql : kQueries) alone.push_back(shown(checker.check(sql)));
  std::vector<size_t> wrong(8, 0);
  std::vector<std::thread> threads;
  for (size_t t = 0; t < wrong.size(); ++t) {
    threads.emplace_back([&, t] {
      const Checker own = checker;
      for (size_t i = 0; i < 200; ++i) {
        const size_t at = (i + t) % kQueries.size();
        if (shown(own.check(kQueries[at])) != alone[at]) ++wrong[t];
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(std::ranges::count(wrong, 0), static_cast<ptrdiff_t>(wrong.size()));
}

TEST(CProgram, CompiledAsC11) {
  const char* problem = problem_of_c_program();
  EXPECT_EQ(problem, nullptr) << problem;
}

}  // namespace
}  // namespace pccsql
