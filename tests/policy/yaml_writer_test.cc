// Policies written and read back are the same, whatever the names; the first policy is one a person can edit.
#include <gtest/gtest.h>

#include "policy/sample.h"

namespace pccsql {
namespace {

// A policy with all four values in turn, so that a line gone astray is seen.
Policy striped(const Catalog& catalog) {
  Policy policy(catalog, ColumnPolicy::Public);
  size_t i = 1;
  for (size_t t = 0; t < catalog.tables().size(); ++t) {
    for (size_t c = 0; c < catalog.tables()[t].columns.size(); ++c) {
      policy.set({static_cast<TableId>(t), static_cast<ColumnIndex>(c)}, kColumnPolicies[i++ % 4]);
    }
  }
  return policy;
}

TEST(PolicyWriter, RoundTripOfOddNames) {
  const Catalog catalog = catalog_from(
      "CREATE TABLE \"odd: table\" (\"a b\", \"quote\"\"d\", 'apos''d', \"colon: x\", \"#hash\", \"* \", "
      "\"line\nbreak\", "
      "\"tab\tx\", \"größe\", \"null\", \"No\", \"~\", \"12\", \"1.5\", \"\", \" \", \"-\", \"?\", \"{}\", \"[x\", "
      "\"&a\", "
      "\"!t\", \"%d\", \"@\", \"`\", \"back\\slash\", \"\x01\x7f\", \"<<\", \"default\", \"日本\", \"\u0085\u2028\");"
      "CREATE TABLE \"version\" (\"tables\"); CREATE TABLE \"- x\" (a); CREATE TABLE \"*\" (\"x\")");
  const Policy policy = striped(catalog);
  const std::string yaml = to_yaml(catalog, policy);
  EXPECT_EQ(listing(catalog, parse_policy_yaml(yaml, catalog)), listing(catalog, policy)) << yaml;
}

TEST(PolicyWriter, AColumnReallyCalledStarIsTheOnlyOneTheStarLineSpeaksOf) {
  const Catalog catalog = catalog_from("CREATE TABLE t (a, \"*\", b)");
  for (const ColumnPolicy star : kColumnPolicies) {
    Policy policy(catalog, ColumnPolicy::Public);
    policy.set({0, 1}, star);
    EXPECT_EQ(listing(catalog, parse_policy_yaml(to_yaml(catalog, policy), catalog)), listing(catalog, policy));
  }
}

TEST(PolicyWriter, NamesThatAreNoTextFallToHidden) {
  Table table;
  table.name = "t";
  table.columns.resize(2);
  table.columns[0].name = "\xff";
  table.columns[1].name = "a";
  const Catalog catalog({table});
  const auto again = parse_policy_yaml(to_yaml(catalog, Policy(catalog, ColumnPolicy::Public)), catalog);
  ASSERT_TRUE(again) << again.error().to_string();
  EXPECT_EQ(again->of({0, 0}), ColumnPolicy::Hidden);
  EXPECT_EQ(again->of({0, 1}), ColumnPolicy::Public);
}

TEST(PolicyWriter, AnEmptyCatalogueHasAPolicyToo) {
  const Catalog catalog({});
  EXPECT_TRUE(parse_policy_yaml(to_yaml(catalog, Policy(catalog, ColumnPolicy::Public)), catalog));
}

TEST(PolicyWriter, RemarksStandBesideTheLinesAndChangeNothing) {
  const Catalog catalog = catalog_from("CREATE TABLE pay (id INTEGER PRIMARY KEY, who INT, gross INT); CREATE TABLE t (a)");
  Policy policy(catalog, ColumnPolicy::AggregateOnly);
  policy.set_group(0, {5, {1}, {}});
  policy.set_group(1, {7, {}, {}});
  PolicyRemarks remarks;
  remarks.head = "# head\n";
  remarks.min_group = 5;
  remarks.tables = {"about pay"};
  remarks.keys = {"who is paid"};
  remarks.columns = {{"a key", "", "money"}};
  remarks.tail = "# tail\n";
  const std::string yaml = to_yaml(catalog, policy, remarks);
  EXPECT_EQ(yaml,
            "# head\nversion: 1\ndefault: Hidden\nmin_group: 5\ntables:\n\n  pay:  # about pay\n    key: who  # who is paid\n"
            "    id: AggregateOnly  # a key\n    who: AggregateOnly\n    gross: AggregateOnly  # money\n\n  t:\n"
            "    min_group: 7\n    a: AggregateOnly\n# tail\n");
  const auto again = parse_policy_yaml(yaml, catalog);
  ASSERT_TRUE(again) << again.error().to_string();
  EXPECT_EQ(to_yaml(catalog, *again), to_yaml(catalog, policy));
}

}  // namespace
}  // namespace pccsql
