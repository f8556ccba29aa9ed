// Which joins a foreign key asks for, and where none does.
#include <gtest/gtest.h>

#include "benchmark_data.h"
#include "decode/hr.h"
#include "decode/key_joins.h"
#include "suite/gold.h"

namespace pccsql {
namespace {

using Texts = std::vector<std::string>;

Texts joins(const std::string& text) {
  const Hr hr;
  return key_joins(hr.catalog, hr.policy, text);
}

TEST(KeyJoins, AForeignKeyAndItsKeyBothWaysRound) {
  const Texts both{" T1.department_id = T2.id", " T2.id = T1.department_id"};
  EXPECT_EQ(joins("SELECT T2.name FROM employee AS T1 JOIN department AS T2 ON"), both);
  EXPECT_EQ(joins("SELECT T2.name FROM employee AS T1 JOIN department AS T2 ON T2."), Texts{"id = T1.department_id"});
  EXPECT_EQ(joins("SELECT T2.name FROM employee AS T1 JOIN department AS T2 ON T1.department_id = T"), Texts{"2.id"});
  EXPECT_EQ(joins("SELECT 1 FROM employee JOIN department ON employee.department_id ="), Texts{" department.id"});
}

TEST(KeyJoins, NothingIsSaidWhereAnotherConditionIsWrittenOrNoKeyIsThere) {
  EXPECT_EQ(joins("SELECT T2.name FROM employee AS T1 JOIN department AS T2"), Texts{});
  EXPECT_EQ(joins("SELECT T2.name FROM employee AS T1 JOIN department AS T2 ON T1.id ="), Texts{});
  EXPECT_EQ(joins("SELECT T2.name FROM employee AS T1 JOIN department AS T2 ON T1.department_id = T2.id"), Texts{});
  EXPECT_EQ(joins("SELECT T2.name FROM employee AS T1 JOIN department AS T2 ON T1.department_id = T2.id AND"), Texts{});
  EXPECT_EQ(joins("SELECT T2.name FROM employee AS T1 JOIN department AS T2 ON T1.department_id = T2.id WHERE "), Texts{});
  EXPECT_EQ(joins("SELECT 1 FROM office AS T1 JOIN badge AS T2 ON"), Texts{});
  EXPECT_EQ(joins("SELECT 1 FROM (SELECT id FROM department) AS d JOIN employee AS e ON"), Texts{});
}

TEST(KeyJoins, AKeyThatThePolicyClosesIsNoJoin) {
  Hr hr;
  Policy policy = hr.policy;
  policy.set(*hr.catalog.find_column("employee", "department_id"), ColumnPolicy::Hidden);
  EXPECT_EQ(key_joins(hr.catalog, policy, "SELECT 1 FROM employee AS T1 JOIN department AS T2 ON"), Texts{});
}

// The text from where another word should have been taken, of the first beginning of the query that is wrong.
std::string strays(const Catalog& catalog, const std::string& sql) {
  std::vector<Lexeme> lexemes;
  lex(sql, lexemes);
  for (size_t count = 1; count < lexemes.size(); ++count) {
    const auto places = stray_join(catalog, sql, std::span(lexemes).first(count));
    if (!places.empty()) return sql.substr(places[0]);
  }
  return "";
}

TEST(KeyJoins, AReferenceIsNotJoinedToTheKeyOfAnotherTable) {
  const Hr hr;
  const auto of = [&](const std::string& sql) { return strays(hr.catalog, sql); };
  EXPECT_EQ(of("SELECT 1 FROM employee AS T1 JOIN office AS T2 ON T1.department_id = T2.id WHERE 1"),
            "office AS T2 ON T1.department_id = T2.id WHERE 1");
  EXPECT_EQ(of("SELECT 1 FROM office JOIN employee ON office.id = employee.manager_id"), "employee ON office.id = employee.manager_id");
  for (const char* meant : {"SELECT 1 FROM employee AS T1 JOIN department AS T2 ON T1.department_id = T2.id",
                            "SELECT 1 FROM badge AS a JOIN payment AS b ON a.employee_id = b.employee_id",
                            "SELECT 1 FROM purchase_order AS a JOIN payment AS b ON a.ordered_by = b.employee_id",
                            "SELECT 1 FROM employee AS a JOIN employee AS b ON a.manager_id = b.id",
                            "SELECT 1 FROM employee AS a JOIN office AS b WHERE a.department_id = b.id"}) {
    EXPECT_EQ(of(meant), "") << meant;
  }
}

// Gold joins so in one of two hundred queries at most, where the schema does not say all that its keys mean.
TEST(KeyJoins, GoldHardlyEverStrays) {
  const auto data = data_folder();
  if (!data) GTEST_SKIP() << kNoData;
  const auto spider = read_spider(*data + "/spider");
  const auto bird = read_bird(*data + "/bird");
  ASSERT_TRUE(spider && bird);
  for (const GoldData* gold : {&*spider, &*bird}) {
    for (const Split split : {Split::Dev, Split::Train}) {
      size_t lost = 0;
      for (const GoldQuery& query : gold->queries(split)) {
        lost += strays(gold->catalogs[*gold->find_catalog(query.db_id)], query.sql).empty() ? 0 : 1;
      }
      const size_t queries = gold->queries(split).size();
      std::printf("%s %s: of %zu gold queries %zu stray\n", gold->name.c_str(), split == Split::Dev ? "dev" : "train", queries, lost);
      EXPECT_LE(lost * 200, queries);
    }
  }
}

}  // namespace
}  // namespace pccsql
