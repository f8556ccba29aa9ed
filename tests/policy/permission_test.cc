// The permission table against the table of the definition, written out once more, cell by cell.
#include <gtest/gtest.h>

#include "policy/sample.h"

namespace pccsql {
namespace {

TEST(Permission, AllSixteenCells) {
  using enum ColumnPolicy;
  using enum Role;
  const struct {
    ColumnPolicy policy;
    Role role;
    bool permitted;
  } cells[] = {
      {Public, Sel, true},          {Public, Join, true},          {Public, Where, true},
      {Public, Agg, true},          {ConditionOnly, Sel, false},   {ConditionOnly, Join, true},
      {ConditionOnly, Where, true}, {ConditionOnly, Agg, false},   {AggregateOnly, Sel, false},
      {AggregateOnly, Join, false}, {AggregateOnly, Where, false}, {AggregateOnly, Agg, true},
      {Hidden, Sel, false},         {Hidden, Join, false},         {Hidden, Where, false},
      {Hidden, Agg, false},
  };
  for (const auto& cell : cells) {
    EXPECT_EQ(permitted(cell.policy, cell.role), cell.permitted)
        << to_string(cell.policy) << " " << to_string(cell.role);
  }
}

TEST(Permission, IntersectionPermitsJustWhatBothPermit) {
  for (const ColumnPolicy a : kColumnPolicies) {
    for (const ColumnPolicy b : kColumnPolicies) {
      for (const Role role : kRoles) {
        EXPECT_EQ(permitted(intersection(a, b), role), permitted(a, role) && permitted(b, role))
            << to_string(a) << " " << to_string(b) << " " << to_string(role);
      }
    }
  }
  EXPECT_EQ(intersection(ColumnPolicy::ConditionOnly, ColumnPolicy::AggregateOnly), ColumnPolicy::Hidden);
}

TEST(Permission, NamesAreThePapersAndExact) {
  for (const ColumnPolicy policy : kColumnPolicies) EXPECT_EQ(parse_column_policy(to_string(policy)), policy);
  EXPECT_EQ(to_string(ColumnPolicy::ConditionOnly), "ConditionOnly");
  EXPECT_EQ(to_string(Role::Where), "Where");
  for (const char* none : {"", "public", "PUBLIC", "Public ", "Condition_Only", "Agg"}) {
    EXPECT_FALSE(parse_column_policy(none)) << none;
  }
}

TEST(Permission, PoliciesOfColumnsAreKeptApart) {
  const Catalog catalog = sample_catalog();
  Policy policy(catalog, ColumnPolicy::Hidden);
  EXPECT_TRUE(policy.all_hidden(0));
  policy.set({0, 3}, ColumnPolicy::AggregateOnly);  // the last column of one table beside the first of the next
  EXPECT_FALSE(policy.all_hidden(0));
  EXPECT_TRUE(policy.all_hidden(1));
  EXPECT_EQ(policy.of({0, 3}), ColumnPolicy::AggregateOnly);
  EXPECT_EQ(policy.of({0, 2}), ColumnPolicy::Hidden);
  EXPECT_EQ(policy.of({1, 0}), ColumnPolicy::Hidden);
}

TEST(Permission, PoliciesOfACatalogueIntersectColumnByColumn) {
  const Catalog catalog = sample_catalog();
  Policy a(catalog, ColumnPolicy::Public);
  Policy b(catalog, ColumnPolicy::Public);
  a.set({0, 2}, ColumnPolicy::ConditionOnly);
  b.set({0, 2}, ColumnPolicy::AggregateOnly);
  b.set({1, 1}, ColumnPolicy::ConditionOnly);
  EXPECT_EQ(listing(catalog, intersection(catalog, a, b)),
            "employee.id Public\nemployee.name Public\nemployee.salary Hidden\nemployee.email Public\n"
            "department.id Public\ndepartment.name ConditionOnly\n");
}

}  // namespace
}  // namespace pccsql
