// What the search for a FROM does, case by case; supply_brute_test.cc compares it with brute force.
#include "track/supply.h"
#include "track/tracker.h"

#include <algorithm>
#include <deque>
#include <functional>
#include <string>

#include <gtest/gtest.h>

#include "schema/reader.h"

namespace pccsql::track {
namespace {

class Supply : public ::testing::Test {
 protected:
  Supply() {
    label([](const std::string&) { return ColumnPolicy::Public; });
  }

  void label(const std::function<ColumnPolicy(const std::string&)>& of) {
    Policy policy(catalog_, ColumnPolicy::Public);
    for (TableId t = 0; t < catalog_.tables().size(); ++t) {
      for (ColumnIndex c = 0; c < catalog_.table(t).columns.size(); ++c) {
        policy.set({t, c}, of(catalog_.table(t).name + "." + catalog_.table(t).columns[c].name));
      }
    }
    sources_.emplace(catalog_, policy, Profile::Strict, kMostTables);
  }
  void label_one(const std::string& column, ColumnPolicy policy) {
    label([&](const std::string& name) { return name == column ? policy : ColumnPolicy::Public; });
  }

  NameId id(const char* name) { return names_.intern(name); }
  Obligation plain(const char* name, Role role = Role::Sel) { return {kNoName, id(name), role_bit(role)}; }
  Obligation of(const char* qualifier, const char* name) { return {id(qualifier), id(name), role_bit(Role::Sel)}; }
  Obligation all_of(const char* qualifier) { return {id(qualifier), kNoName, role_bit(Role::Sel)}; }
  const Source* table(const char* name) { return sources_->find(id(name)); }
  FromItem item(const char* name, const char* alias = nullptr) {
    return {table(name), id(alias != nullptr ? alias : name), false, false, {}};
  }
  const Source* made(const char* name, std::initializer_list<const char*> columns) {
    Source source;
    source.name = name != nullptr ? id(name) : kNoName;
    for (const char* column : columns) source.columns.push_back({id(column), kEveryRole});
    source.index();
    made_.push_back(source);
    return &made_.back();
  }
  std::optional<Witness> ask(const std::vector<Obligation>& pending, const std::vector<FromItem>& present = {},
                             const std::function<void(SupplyQuestion&)>& change = {}) {
    SupplyQuestion question;
    question.pending = pending;
    question.present = present;
    if (change) change(question);
    return discharge(*sources_, question);
  }

  const Catalog catalog_ = *read_ddl_catalog(
      "CREATE TABLE emp(id, name, salary); CREATE TABLE dep(id, title); CREATE TABLE log(id, name);"
      "CREATE TABLE spot(x, y);");
  Names names_ = catalog_.names();
  std::optional<Sources> sources_;
  std::deque<Source> made_;
};

TEST_F(Supply, HoldersAreTheNameableTables) {
  EXPECT_EQ(sources_->holders(id("name")).size(), 2u);
  EXPECT_TRUE(sources_->holders(id("nowhere")).empty());
  label([](const std::string& name) { return name.starts_with("log.") ? ColumnPolicy::Hidden : ColumnPolicy::Public; });
  ASSERT_EQ(sources_->holders(id("name")).size(), 1u);
  EXPECT_EQ(&sources_->all()[sources_->holders(id("name"))[0]], table("emp"));
  EXPECT_FALSE(table("log")->nameable);
  EXPECT_EQ(sources_->all_public().size(), 3u);
}

TEST_F(Supply, ItemsThatAreThereCount) {
  EXPECT_TRUE(ask({plain("title")}, {item("emp")}));
  // `name` is covered by emp, and log would make it ambiguous unless it is merged.
  EXPECT_FALSE(ask({plain("name")}, {item("emp"), item("log")}));
  FromItem merged = item("log");
  merged.merged = {id("name")};
  EXPECT_TRUE(ask({plain("name")}, {item("emp"), merged}));
  merged.merged = {id("id")};
  EXPECT_FALSE(ask({plain("name")}, {item("emp"), merged}));
  FromItem open = item("log");
  open.merge_open = true;
  const auto witness = ask({plain("name")}, {item("emp"), open});
  ASSERT_TRUE(witness);
  EXPECT_EQ(witness->open_merged, std::vector{id("name")});
}

TEST_F(Supply, AMergeNeedsJoinOnBothSidesAndTheRoleInBoth) {
  FromItem open = item("log");
  open.merge_open = true;
  for (const char* column : {"emp.name", "log.name"}) {
    label_one(column, ColumnPolicy::AggregateOnly);
    open.source = table("log");
    EXPECT_FALSE(ask({plain("name", Role::Agg)}, {item("emp"), open})) << column;
    label_one(column, ColumnPolicy::ConditionOnly);
    open.source = table("log");
    EXPECT_TRUE(ask({plain("name", Role::Where)}, {item("emp"), open})) << column;
    EXPECT_FALSE(ask({plain("name", Role::Sel)}, {item("emp"), open})) << column;
  }
}

TEST_F(Supply, AnItemUnderAQualifierMustHaveItsColumns) {
  EXPECT_FALSE(ask({of("T1", "title")}, {item("emp", "T1")}));
  EXPECT_TRUE(ask({of("T1", "title")}, {item("dep", "T1")}));
}

TEST_F(Supply, ATablesNameMeansThatTable) {
  EXPECT_TRUE(ask({of("dep", "title")}));
  EXPECT_FALSE(ask({of("emp", "title")}));
  EXPECT_FALSE(ask({of("dep", "title")}, {item("emp", "dep")}));
}

TEST_F(Supply, AnOpenAliasTakesAPendingQualifier) {
  FromItem open = item("dep");
  open.name_open = true;
  auto witness = ask({of("T1", "title")}, {open});
  ASSERT_TRUE(witness);
  EXPECT_EQ(witness->open_name, id("T1"));
  EXPECT_TRUE(witness->from.empty());
  // `dep` is asked for too, so that this one keeps its name and another comes.
  witness = ask({of("T1", "title"), of("dep", "id")}, {open});
  ASSERT_TRUE(witness);
  EXPECT_EQ(witness->open_name, kNoName);
  EXPECT_FALSE(witness->open_fresh);
  ASSERT_EQ(witness->from.size(), 1u);
  EXPECT_EQ(witness->from[0].alias, id("T1"));
  // The second emp may not keep its name.
  FromItem again = item("emp");
  again.name_open = true;
  witness = ask({}, {item("emp"), again});
  ASSERT_TRUE(witness);
  EXPECT_TRUE(witness->open_fresh);
  again.name_open = false;
  again.merge_open = true;
  EXPECT_FALSE(ask({}, {item("emp"), again}));
}

TEST_F(Supply, ATableWhoseNameIsTakenComesUnderAFreshOne) {
  const auto witness = ask({plain("title")}, {item("spot", "dep")});
  ASSERT_TRUE(witness);
  ASSERT_EQ(witness->from.size(), 1u);
  EXPECT_EQ(witness->from[0].source, table("dep"));
  EXPECT_TRUE(witness->from[0].fresh);
}

TEST_F(Supply, InASubqueryANameMayBeLeftToTheOutside) {
  EXPECT_FALSE(ask({plain("title"), plain("nowhere")}));
  const auto outside = [&](SupplyQuestion& question) {
    question.can_pass = [&](std::span<const Obligation> passed) {
      return passed.size() == 1 && passed[0].name == id("nowhere");
    };
  };
  auto witness = ask({plain("title"), plain("nowhere")}, {}, outside);
  ASSERT_TRUE(witness);
  EXPECT_EQ(witness->passed, std::vector{plain("nowhere")});
  // An item called T1 without the column lets the pair fall through; the other pair is its own.
  witness = ask({of("T1", "title"), of("T1", "nowhere")}, {}, outside);
  ASSERT_TRUE(witness);
  EXPECT_EQ(witness->passed, std::vector{of("T1", "nowhere")});
  EXPECT_EQ(witness->from.size(), 1u);
  EXPECT_FALSE(ask({plain("nowhere"), of("T1", "nowhere")}, {}, outside)) << "both at once are too many";
  label([](const std::string&) { return ColumnPolicy::ConditionOnly; });
  EXPECT_FALSE(ask({all_of("T1")}, {}, [](SupplyQuestion& question) {
    question.can_pass = [](std::span<const Obligation>) { return true; };
  })) << "`T1.*` never moves outward";
}

TEST_F(Supply, WhatWasBoundOutwardMustNotBeCaptured) {
  const std::vector<Obligation> passed{plain("name"), of("dep", "title")};
  const auto change = [&](SupplyQuestion& question) { question.passed = passed; };
  EXPECT_FALSE(ask({plain("salary")}, {}, change)) << "emp holds `name`";
  const auto witness = ask({plain("title")}, {}, change);
  ASSERT_TRUE(witness);
  EXPECT_TRUE(witness->from[0].fresh) << "dep under its own name would capture dep.title";
}

TEST_F(Supply, AfterAStarOnlyPublicTablesMayCome) {
  label_one("emp.salary", ColumnPolicy::AggregateOnly);
  const auto star = [](SupplyQuestion& question) { question.star = true; };
  const auto witness = ask({plain("name")}, {}, star);
  ASSERT_TRUE(witness);
  EXPECT_EQ(witness->from[0].source, table("log")) << "not emp";
  EXPECT_EQ(ask({all_of("T1"), of("T1", "name")})->from[0].source, table("log"));
  EXPECT_FALSE(ask({all_of("emp")}));
  EXPECT_EQ(ask({}, {}, star)->from.size(), 1u) << "`*` needs an item";
  label([](const std::string&) { return ColumnPolicy::ConditionOnly; });
  EXPECT_FALSE(ask({all_of("T1")}));
  const auto derived = ask({}, {}, star);
  ASSERT_TRUE(derived);
  ASSERT_EQ(derived->from.size(), 1u);
  EXPECT_EQ(derived->from[0].source, nullptr);
}

TEST_F(Supply, AStarOfAQualifierSelectsWhatItsColumnsAreMergedWith) {
  label_one("log.name", ColumnPolicy::ConditionOnly);
  for (const auto& [left, right] : {std::pair{"emp", "log"}, std::pair{"log", "emp"}}) {
    FromItem open = item(right);
    open.merge_open = true;
    EXPECT_TRUE(ask({plain("name", Role::Where)}, {item(left), open}));
    EXPECT_FALSE(ask({plain("name", Role::Where), all_of("emp")}, {item(left), open}));
    EXPECT_TRUE(ask({plain("name", Role::Where), all_of("dep")}, {item(left), open}));
  }
  // emp.id is merged with dep.id: whatever else holds `id` is reached by emp.* too.
  label_one("log.id", ColumnPolicy::ConditionOnly);
  FromItem merged = item("dep");
  merged.merged = {id("id")};
  EXPECT_TRUE(ask({of("log", "name")}, {item("emp"), merged}));
  EXPECT_FALSE(ask({of("log", "name"), all_of("emp")}, {item("emp"), merged}));
}

TEST_F(Supply, AStarOfAQualifierLeavesOtherNamesAlone) {
  // Every table but spot holds one of these names: spot is what T1 can be without a merge.
  const auto witness = ask({all_of("T1"), plain("title"), plain("name")});
  ASSERT_TRUE(witness);
  EXPECT_TRUE(std::all_of(witness->from.begin(), witness->from.end(), [](const auto& f) { return f.merged.empty(); }));
}

TEST_F(Supply, ACteSuppliesItsOutputColumns) {
  const Source* best = made("best", {"score", "who"});
  const auto with = [&](SupplyQuestion& question) { question.ctes = std::span(&best, 1); };
  EXPECT_FALSE(ask({plain("score")}));
  EXPECT_TRUE(ask({plain("score"), of("best", "who")}, {}, with));
  EXPECT_FALSE(ask({of("best", "title")}, {}, with));
  EXPECT_TRUE(ask({all_of("best"), of("T1", "who")}, {}, with));
}

TEST_F(Supply, ADerivedTableThatIsThereSuppliesItsOutputs) {
  const FromItem derived{made(nullptr, {"score", "id"}), kNoName, true, false, {}};
  EXPECT_TRUE(ask({plain("score")}, {derived}));
  const auto witness = ask({of("T1", "score")}, {derived});
  ASSERT_TRUE(witness);
  EXPECT_EQ(witness->open_name, id("T1"));
}

TEST_F(Supply, DerivedTablesSupplyNewNamesWhereTheyMay) {
  const auto derived = [](SupplyQuestion& question) { question.derived_names = true; };
  EXPECT_FALSE(ask({plain("total"), plain("rank"), of("T1", "n"), plain("title")}));
  const auto witness = ask({plain("total"), plain("rank"), of("T1", "n"), plain("title")}, {}, derived);
  ASSERT_TRUE(witness);
  ASSERT_EQ(witness->from.size(), 3u);
  EXPECT_EQ(witness->from[0].alias, id("T1"));
  EXPECT_EQ(witness->from[0].outputs, std::vector{id("n")});
  EXPECT_EQ(witness->from[1].source, table("dep"));
  EXPECT_EQ(witness->from[2].outputs, (std::vector{id("total"), id("rank")}));
  EXPECT_FALSE(ask({of("emp", "title")}, {}, derived)) << "a table's name means that table";
  EXPECT_FALSE(ask({plain("name"), of("T1", "name"), of("T1", "n")}, {item("emp")}, derived))
      << "it would repeat `name`";
}

TEST_F(Supply, TheWaysOutMayBeSearchedWhileASearchIsUnderWay) {
  const std::vector<Obligation> inner{plain("x"), plain("nowhere")};
  const auto nested = [&](SupplyQuestion& question) {
    question.can_pass = [&](std::span<const Obligation> passed) {
      return !ask({plain("title"), plain("salary"), of("T1", "name")})->from.empty() && passed.size() < 2;
    };
  };
  const auto witness = ask(inner, {}, nested);
  ASSERT_TRUE(witness);
  ASSERT_EQ(witness->from.size(), 1u);
  EXPECT_EQ(witness->from[0].source, table("spot"));
  EXPECT_EQ(witness->passed, std::vector{plain("nowhere")});
}

TEST_F(Supply, MoreNamesThanBitsAreNotAnswered) {
  std::vector<Obligation> pending;
  const auto derived = [](SupplyQuestion& question) { question.derived_names = true; };
  for (const size_t most : {64, 65, 512, 513, 2048}) {  // where the search becomes a wider one, and at its widest
    while (pending.size() < most) pending.push_back(plain(("n" + std::to_string(pending.size())).c_str()));
    const auto witness = ask(pending, {}, derived);
    ASSERT_TRUE(witness) << most;
    ASSERT_EQ(witness->from.size(), 1u);
    EXPECT_EQ(witness->from[0].outputs.size(), most);
  }
  ASSERT_EQ(pending.size(), kMostOwed);
  pending.push_back(plain("one_more"));
  EXPECT_FALSE(ask(pending, {}, derived));
}

}  // namespace
}  // namespace pccsql::track
