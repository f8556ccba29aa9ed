// The paper's rules for policies and its way of counting, on a schema made here, one rule at a time.
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "suite/column_policies.h"
#include "suite/gold.h"
#include "suite/statistics.h"

namespace pccsql {
namespace {

Table table(std::string name, const std::vector<std::string>& columns) {
  Table made;
  made.name = std::move(name);
  for (const std::string& column : columns) {
    made.columns.emplace_back();
    made.columns.back().name = column;
  }
  return made;
}

GoldData shop(const std::vector<std::string>& train, const std::vector<std::string>& dev = {}) {
  GoldData data;
  data.name = "made";
  data.catalogs.emplace_back(std::vector<Table>{table("customer", {"id", "name", "email", "city", "age"}),
                                                table("orders", {"id", "customer_id", "amount", "price", "stage"})},
                             "shop");
  for (const std::string& sql : train) data.train.push_back({"shop", "", sql});
  for (const std::string& sql : dev) data.dev.push_back({"shop", "", sql});
  return data;
}

ColumnPolicy policy_after(const std::vector<std::string>& train, std::string_view in_table, std::string_view column) {
  const GoldData data = shop(train);
  const auto ref = data.catalogs[0].find_column(in_table, column);
  EXPECT_TRUE(ref) << in_table << "." << column;
  return column_policies(data)[0].of(*ref);
}

TEST(Assign, ByNameThenByUse) {
  EXPECT_EQ(assign("Home_Address", {}), ColumnPolicy::Hidden);
  EXPECT_EQ(assign("Home_Address", {.join = 3}), ColumnPolicy::Hidden);
  EXPECT_EQ(assign("last_name", {.join = 3}), ColumnPolicy::Public);
  EXPECT_EQ(assign("code", {}), ColumnPolicy::Public);
  EXPECT_EQ(assign("code", {.other = 1}), ColumnPolicy::Public);
  EXPECT_EQ(assign("code", {.join = 1, .aggregate = 5, .other = 5}), ColumnPolicy::ConditionOnly);
  EXPECT_EQ(assign("code", {.aggregate = 1}), ColumnPolicy::AggregateOnly);
  EXPECT_EQ(assign("code", {.aggregate = 5, .other = 1}), ColumnPolicy::Public);
}

TEST(ColumnPolicies, AJoinMakesConditionOnly) {
  const std::vector<std::string> train{"SELECT city FROM customer AS c JOIN orders AS o ON c.id = o.customer_id"};
  EXPECT_EQ(policy_after(train, "customer", "id"), ColumnPolicy::ConditionOnly);
  EXPECT_EQ(policy_after(train, "orders", "customer_id"), ColumnPolicy::ConditionOnly);
  EXPECT_EQ(policy_after(train, "orders", "id"), ColumnPolicy::Public);
  EXPECT_EQ(policy_after(train, "customer", "city"), ColumnPolicy::Public);
}

TEST(ColumnPolicies, USINGIsAJoinOnBothSides) {
  const std::vector<std::string> train{"SELECT city FROM customer JOIN orders USING (id)"};
  EXPECT_EQ(policy_after(train, "customer", "id"), ColumnPolicy::ConditionOnly);
  EXPECT_EQ(policy_after(train, "orders", "id"), ColumnPolicy::ConditionOnly);
}

TEST(ColumnPolicies, AJoinWrittenInWhereIsNoJoin) {
  const std::vector<std::string> train{"SELECT city FROM customer AS c, orders AS o WHERE c.id = o.customer_id"};
  EXPECT_EQ(policy_after(train, "orders", "customer_id"), ColumnPolicy::Public);
}

TEST(ColumnPolicies, AggregatesAloneMakeAggregateOnly) {
  for (const char* aggregate : {"COUNT", "COUNT(DISTINCT amount), SUM", "AVG", "MIN", "MAX"}) {
    const std::string sql = std::string("SELECT ") + aggregate + "(amount) FROM orders";
    EXPECT_EQ(policy_after({sql}, "orders", "amount"), ColumnPolicy::AggregateOnly) << sql;
    EXPECT_EQ(policy_after({sql, "SELECT stage FROM orders WHERE amount > 1"}, "orders", "amount"),
              ColumnPolicy::Public)
        << sql;
  }
}

TEST(ColumnPolicies, GroupByOrderByAndStarDoNotCount) {
  EXPECT_EQ(policy_after({"SELECT SUM(amount) FROM orders", "SELECT stage FROM orders ORDER BY amount",
                          "SELECT stage FROM orders GROUP BY amount", "SELECT * FROM orders"},
                         "orders", "amount"),
            ColumnPolicy::AggregateOnly);
  EXPECT_EQ(policy_after({"SELECT stage FROM orders GROUP BY amount ORDER BY amount", "SELECT * FROM orders"}, "orders",
                         "amount"),
            ColumnPolicy::Public);
}

TEST(ColumnPolicies, DevQueriesCountAsTrainOnesDo) {
  const GoldData data = shop({}, {"SELECT AVG(price) FROM orders"});
  EXPECT_EQ(column_policies(data)[0].of(*data.catalogs[0].find_column("orders", "price")), ColumnPolicy::AggregateOnly);
}

// id of both tables is ConditionOnly, email and age are Hidden by name, amount is AggregateOnly, the rest Public.
const std::vector<std::string> kTrain{
    "SELECT city FROM customer AS c JOIN orders AS o ON c.id = o.id",
    "SELECT SUM(amount) FROM orders",
    "SELECT customer_id, price, stage FROM orders",
};

LabelledGold label(const std::vector<std::string>& dev, Profile profile = Profile::Paper) {
  GoldData data = shop(kTrain);
  const std::vector<Policy> policies = column_policies(data);
  for (const std::string& sql : dev) data.dev.push_back({"shop", "", sql});
  return label_gold(data, Split::Dev, policies, profile);
}

TEST(Statistics, EveryColumnOfTheDatabaseOncePerQuery) {
  const SuiteStatistics one = label({"SELECT name FROM customer"}).statistics;
  EXPECT_EQ(one.columns, (CountByPolicy{5, 2, 1, 2}));
  EXPECT_DOUBLE_EQ(one.percent(ColumnPolicy::Public), 50);
  const SuiteStatistics two = label({"SELECT name FROM customer", "SELECT price FROM orders"}).statistics;
  EXPECT_EQ(two.columns, (CountByPolicy{10, 4, 2, 4}));
  EXPECT_DOUBLE_EQ(two.percent(ColumnPolicy::ConditionOnly), 20);
  EXPECT_DOUBLE_EQ(SuiteStatistics{}.percent(ColumnPolicy::Public), 0);
}

TEST(Statistics, LabelsAreParallelToTheQueries) {
  const LabelledGold gold = label({"SELECT name FROM customer", "SELECT id FROM customer", "SELECT x FROM nowhere"});
  EXPECT_EQ(gold.labels, (std::vector{GoldLabel::Sql, GoldLabel::Refuse, GoldLabel::Unjudged}));
  EXPECT_EQ(gold.statistics.sql, 1u);
  EXPECT_EQ(gold.statistics.refuse, 1u);
  EXPECT_EQ(gold.statistics.unjudged, 1u);
}

TEST(Statistics, ViolationsByPolicyAndRole) {
  const SuiteStatistics made = label({"SELECT id, id FROM customer",                       // Sel, ConditionOnly, twice
                                      "SELECT COUNT(*) FROM orders WHERE amount > 1",      // Where, AggregateOnly
                                      "SELECT COUNT(email) FROM customer WHERE age > 30",  // Agg, Where, Hidden
                                      "SELECT o.price FROM customer AS c JOIN orders AS o ON c.email = o.id"})
                                   .statistics;
  EXPECT_EQ(made.refuse, 4u);
  EXPECT_EQ(made.refuse_named, 4u);
  EXPECT_EQ(made.violations_by_policy, (CountByPolicy{0, 2, 1, 3}));
  EXPECT_EQ(made.violations_by_role, (CountByRole{2, 1, 2, 1}));
  EXPECT_EQ(made.violations_minmax, 0u);
}

TEST(Statistics, StarIsRefusedButNotListed) {
  const SuiteStatistics made = label({"SELECT * FROM customer"}).statistics;
  EXPECT_EQ(made.refuse, 1u);
  EXPECT_EQ(made.refuse_named, 0u);
  EXPECT_EQ(made.violations_by_policy, CountByPolicy{});
}

TEST(Statistics, MinAndMaxAreJudgedAsSelAndListedUnderAgg) {
  const SuiteStatistics made = label({"SELECT MAX(amount) FROM orders", "SELECT SUM(amount) FROM orders"}).statistics;
  EXPECT_EQ(made.sql, 1u);
  EXPECT_EQ(made.violations_by_policy, (CountByPolicy{0, 0, 1, 0}));
  EXPECT_EQ(made.violations_by_role, (CountByRole{0, 0, 0, 1}));
  EXPECT_EQ(made.violations_minmax, 1u);
}

TEST(Statistics, StrictCountsGroupByAndOrderBy) {
  const std::vector<std::string> dev{"SELECT COUNT(*) FROM customer GROUP BY id",
                                     "SELECT name FROM customer ORDER BY age"};
  EXPECT_EQ(label(dev, Profile::Paper).statistics.refuse, 0u);
  EXPECT_EQ(label(dev, Profile::Strict).statistics.refuse, 2u);
}

}  // namespace
}  // namespace pccsql
