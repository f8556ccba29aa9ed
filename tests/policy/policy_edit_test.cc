// A label changed in a policy's text: everything else stays as it was written.
#include "policy/policy_edit.h"

#include <gtest/gtest.h>

#include "policy/policy_file.h"
#include "schema/reader.h"

namespace pccsql {
namespace {

const Catalog& shop() {
  static const Catalog catalog = *read_ddl_catalog(
      "CREATE TABLE item (id INTEGER PRIMARY KEY, name TEXT, price REAL, \"on sale\" INT);"
      "CREATE TABLE person (id INTEGER PRIMARY KEY, key TEXT, pay REAL);");
  return catalog;
}

std::string edited(const std::string& yaml, const std::string& table, const std::string& column, ColumnPolicy label) {
  const auto text = with_label(yaml, shop(), *shop().find_column(table, column), label);
  return text ? *text : "error: " + text.error().message;
}

TEST(PolicyEdit, ALabelIsReplacedWhereItStands) {
  EXPECT_EQ(edited("version: 1 # one\ntables:\n  item:\n    # shown to all\n    name: Public  # yes\n    PRICE: \"Hidden\"\n", "item", "name", ColumnPolicy::Hidden),
            "version: 1 # one\ntables:\n  item:\n    # shown to all\n    name: Hidden  # yes\n    PRICE: \"Hidden\"\n");
  EXPECT_EQ(edited("version: 1\ntables: {item: {name: Public, price: Hidden}}\n", "item", "price", ColumnPolicy::AggregateOnly),
            "version: 1\ntables: {item: {name: Public, price: AggregateOnly}}\n");
}

TEST(PolicyEdit, AColumnThatIsNotNamedIsNamedFirst) {
  EXPECT_EQ(edited("version: 1\ntables:\n  item:\n    \"*\": Public  # the rest\n", "item", "on sale", ColumnPolicy::Hidden),
            "version: 1\ntables:\n  item:\n    \"on sale\": Hidden\n    \"*\": Public  # the rest\n");
  EXPECT_EQ(edited("version: 1\ntables: {item: {name: Public}}\n", "item", "price", ColumnPolicy::Public),
            "version: 1\ntables: {item: {price: Public, name: Public}}\n");
  EXPECT_EQ(edited("version: 1\ntables:\n  item: {}\n", "item", "price", ColumnPolicy::Public), "version: 1\ntables:\n  item: {price: Public}\n");
}

TEST(PolicyEdit, ATableThatIsNotNamedIsNamedFirst) {
  EXPECT_EQ(edited("version: 1\ntables:\n  item: {name: Public}\n", "person", "id", ColumnPolicy::ConditionOnly),
            "version: 1\ntables:\n  person: {id: ConditionOnly}\n  item: {name: Public}\n");
  EXPECT_EQ(edited("version: 1\ndefault: Public", "person", "pay", ColumnPolicy::Hidden), "version: 1\ndefault: Public\ntables:\n  person: {pay: Hidden}\n");
}

TEST(PolicyEdit, LabelsInAMapOfTheirOwn) {
  EXPECT_EQ(edited("version: 1\ntables: {person: {key: id, columns: {key: Public}}}\n", "person", "key", ColumnPolicy::Hidden),
            "version: 1\ntables: {person: {key: id, columns: {key: Hidden}}}\n");
  EXPECT_EQ(edited("version: 1\ntables: {person: {key: id, columns: {key: Public}}}\n", "person", "pay", ColumnPolicy::AggregateOnly),
            "version: 1\ntables: {person: {key: id, columns: {pay: AggregateOnly, key: Public}}}\n");
}

TEST(PolicyEdit, WhatCannotBeDoneSafelyIsAnError) {
  EXPECT_TRUE(edited("version: 1\ntables: {item: {name: Publik}}\n", "item", "name", ColumnPolicy::Hidden).starts_with("error:"));
  EXPECT_TRUE(edited("version: 1\ntables: {item: {\"n\\x61me\": Public, name: Hidden}}\n", "item", "name", ColumnPolicy::Public).starts_with("error:"));
  EXPECT_TRUE(edited("version: 1\ntables:\n", "item", "name", ColumnPolicy::Public).starts_with("error:"));
}

// Every label of every column, one after the other, in each way of writing: always the policy that was wanted.
TEST(PolicyEdit, EveryCellOfTheMatrix) {
  const std::string ways[] = {"version: 1\n", "version: 1\ndefault: Public\ntables:\n  item:\n    \"*\": Hidden\n",
                              "{\"version\": 1, \"tables\": {\"item\": {\"name\": \"Public\"}}}", "version: 1\ntables:\n    person:\n          pay: Hidden # no\n"};
  for (std::string text : ways) {
    for (TableId t = 0; t < shop().tables().size(); ++t) {
      for (ColumnIndex c = 0; c < shop().table(t).columns.size(); ++c) {
        for (const ColumnPolicy label : kColumnPolicies) {
          const auto next = with_label(text, shop(), {t, c}, label);
          ASSERT_TRUE(next) << text << next.error().message;
          EXPECT_EQ(parse_policy_yaml(*next, shop())->of({t, c}), label) << *next;
          text = *next;
        }
      }
    }
  }
}

}  // namespace
}  // namespace pccsql
