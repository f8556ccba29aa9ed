// What users are told: every cell of the permission table that says no has a sentence that says what would be allowed.
#include <gtest/gtest.h>

#include "check/check.h"
#include "schema/reader.h"

namespace pccsql {
namespace {

TEST(Reason, NamesColumnPolicyWhatIsAllowedAndTheRole) {
  const Result<Catalog> catalog = read_ddl_catalog("CREATE TABLE t(c)");
  ASSERT_TRUE(catalog);
  Occurrence use;
  for (const ColumnPolicy policy : kColumnPolicies) {
    for (const Role role : kRoles) {
      if (permitted(policy, role)) continue;
      use.role = role;
      const std::string text = complaint(*catalog, use, policy);
      EXPECT_TRUE(text.starts_with("`t.c` is " + std::string(to_string(policy)) + ": it may ")) << text;
      EXPECT_TRUE(text.ends_with("(" + std::string(to_string(role)) + ")")) << text;
      EXPECT_EQ(text.find("only inside COUNT, SUM or AVG, not ") != std::string::npos, permitted(policy, Role::Agg));
      EXPECT_EQ(text.find("only in JOIN conditions, WHERE and HAVING, not ") != std::string::npos,
                permitted(policy, Role::Where));
    }
  }
  use.role = Role::Sel;
  use.minmax = true;
  EXPECT_NE(complaint(*catalog, use, ColumnPolicy::AggregateOnly).find("not inside MIN or MAX"), std::string::npos);
}

TEST(Reason, SaysEachThingOnceAndStopsAtEight) {
  std::string ddl = "CREATE TABLE t(";
  for (char c = 'a'; c <= 'k'; ++c) ddl += std::string(c == 'a' ? "" : ", ") + c;
  const Result<Catalog> catalog = read_ddl_catalog(ddl + ")");
  ASSERT_TRUE(catalog);
  SqliteChecker checker(*catalog, {Profile::Paper, Language::Full});
  const Policy policy(*catalog, ColumnPolicy::Hidden);
  const Judgement twice = checker.check("SELECT a, a FROM t", policy);
  EXPECT_EQ(twice.reason, "`t.a` is Hidden: it may not be used at all (Sel)");
  EXPECT_EQ(twice.where, (Span{7, 8}));
  const Judgement all = checker.check("SELECT * FROM t", policy);
  EXPECT_TRUE(all.reason.ends_with("; and 3 more")) << all.reason;
  EXPECT_EQ(all.uses.size(), 11u);
}

TEST(Reason, PointsAtATableThatMayNotBeNamed) {
  const Result<Catalog> catalog = read_ddl_catalog("CREATE TABLE t(c); CREATE TABLE u(d)");
  ASSERT_TRUE(catalog);
  SqliteChecker checker(*catalog);
  Policy policy(*catalog, ColumnPolicy::Hidden);
  policy.set({0, 0}, ColumnPolicy::Public);
  const Judgement judgement = checker.check("SELECT c FROM t, u AS x", policy);
  EXPECT_EQ(judgement.verdict, Verdict::Unsafe);
  EXPECT_EQ(judgement.reason, "`u` may not be named: every column of it is Hidden");
  EXPECT_EQ(judgement.where, (Span{17, 18}));
  ASSERT_EQ(judgement.closed_tables.size(), 1u);
}

TEST(Reason, IsBoundedHoweverLongTheName) {
  const Result<Catalog> catalog = read_ddl_catalog("CREATE TABLE t(c)");
  ASSERT_TRUE(catalog);
  SqliteChecker checker(*catalog);
  std::string name;
  for (int i = 0; i < 1000; ++i) name += "ä";
  const Analysis& analysis = checker.analyze("SELECT " + name + " FROM t");
  EXPECT_LT(analysis.reason.size(), 500u);
  EXPECT_TRUE(analysis.reason.ends_with("ä…")) << "cut between characters";
}

}  // namespace
}  // namespace pccsql
