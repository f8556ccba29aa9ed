// The search for a FROM against brute force: on small random schemas and policies it finds one exactly when the checker
// calls some FROM over the same tables safe, and the FROM it finds is one of those.
#include "track/supply.h"

#include <random>
#include <string>

#include <gtest/gtest.h>

#include "check/check.h"
#include "schema/reader.h"

namespace pccsql::track {
namespace {

struct World {
  Catalog catalog;
  Policy policy;
  Sources sources;
  Checker checker;

  World(Catalog made, const std::function<ColumnPolicy()>& label)
      : catalog(std::move(made)),
        policy(labelled(catalog, label)),
        sources(catalog, policy, Profile::Strict),
        checker(catalog) {}

  static Policy labelled(const Catalog& catalog, const std::function<ColumnPolicy()>& label) {
    Policy policy(catalog, ColumnPolicy::Hidden);
    for (TableId t = 0; t < catalog.tables().size(); ++t) {
      for (ColumnIndex c = 0; c < catalog.table(t).columns.size(); ++c) policy.set({t, c}, label());
    }
    return policy;
  }
};

// A name that was written before FROM, as text and as an obligation.
struct Written {
  std::string qualifier;
  std::string name;
  RoleSet roles = 0;

  std::string text() const {
    const std::string reference = qualifier.empty() ? name : qualifier + "." + name;
    if (roles == role_bit(Role::Sel)) return reference;
    if (roles == role_bit(Role::Agg)) return "COUNT(" + reference + ")";
    return "COUNT(" + reference + " = 1)";
  }
};

struct Item {
  std::string table;
  std::string alias;  // empty: none
  std::vector<std::string> merged;
};

std::string query(const std::vector<Written>& written, const std::vector<Item>& from) {
  std::string sql = "SELECT ";
  for (size_t i = 0; i < written.size(); ++i) sql += (i == 0 ? "" : ", ") + written[i].text();
  for (size_t i = 0; i < from.size(); ++i) {
    sql += (i == 0 ? " FROM " : " JOIN ") + from[i].table + (from[i].alias.empty() ? "" : " AS " + from[i].alias);
    for (size_t k = 0; k < from[i].merged.size(); ++k) sql += (k == 0 ? " USING (" : ", ") + from[i].merged[k];
    if (!from[i].merged.empty()) sql += ")";
  }
  return sql;
}

// Every FROM of at most four items over the tables, each under its own name or an alias that is asked for, with every
// choice of merged columns.
class BruteForce {
 public:
  BruteForce(World& world, const std::vector<Written>& written) : world_(world), written_(written) {
    for (const Table& table : world.catalog.tables()) {
      kinds_.push_back({table.name, "", {}});
      for (const char* alias : {"T1", "T2"}) {
        const auto asked = [&](const Written& w) { return w.qualifier == alias; };
        if (std::any_of(written.begin(), written.end(), asked)) kinds_.push_back({table.name, alias, {}});
      }
    }
  }
  bool finds() { return extend(0); }

 private:
  bool extend(size_t first) {
    if (!from_.empty() && is_safe()) return true;
    if (from_.size() == 4) return false;
    for (size_t k = first; k < kinds_.size(); ++k) {
      const auto same_alias = [&](const Item& item) { return !item.alias.empty() && item.alias == kinds_[k].alias; };
      if (std::any_of(from_.begin(), from_.end(), same_alias)) continue;
      for (const std::vector<std::string>& merged : merge_choices()) {
        Item item = kinds_[k];
        if (!from_.empty()) item.merged = merged;
        from_.push_back(item);
        const bool found = extend(k + 1);
        from_.pop_back();
        if (found) return true;
        if (from_.empty()) break;
      }
    }
    return false;
  }
  std::vector<std::vector<std::string>> merge_choices() const {
    std::vector<std::string> plain;
    for (const Written& w : written_) {
      if (w.qualifier.empty() && std::find(plain.begin(), plain.end(), w.name) == plain.end()) plain.push_back(w.name);
    }
    std::vector<std::vector<std::string>> choices;
    for (size_t bits = 0; bits < (size_t{1} << plain.size()); ++bits) {
      choices.emplace_back();
      for (size_t i = 0; i < plain.size(); ++i) {
        if ((bits >> i & 1) != 0) choices.back().push_back(plain[i]);
      }
    }
    return choices;
  }
  bool is_safe() { return world_.checker.check(query(written_, from_), world_.policy).verdict == Verdict::Safe; }

  World& world_;
  const std::vector<Written>& written_;
  std::vector<Item> kinds_;
  std::vector<Item> from_;
};

TEST(Supply, FindsAFromExactlyWhenThereIsOne) {
  std::mt19937_64 random(21);
  const auto below = [&](size_t n) { return static_cast<size_t>(random() % n); };
  int possible = 0;
  int impossible = 0;
  size_t most_nodes = 0;
  for (int round = 0; round < 1'500; ++round) {
    std::string ddl;
    for (const char* table : {"t", "u", "v"}) {
      std::string columns;
      for (const char* column : {"a", "b", "c", "d"}) {
        if (below(2) == 0) columns += (columns.empty() ? "" : ", ") + std::string(column);
      }
      ddl += "CREATE TABLE " + std::string(table) + "(" + (columns.empty() ? "a" : columns) + ");";
    }
    Result<Catalog> catalog = read_ddl_catalog(ddl);
    ASSERT_TRUE(catalog);
    const size_t strictness = below(3);
    World world(*std::move(catalog),
                [&] { return strictness == 0 || below(3) > 0 ? ColumnPolicy::Public : kColumnPolicies[below(4)]; });
    std::vector<Written> written;
    std::vector<Obligation> pending;
    Names names = world.catalog.names();
    for (size_t i = 0, n = 1 + below(4); i < n; ++i) {
      const char* qualifiers[] = {"", "", "", "T1", "T2", "t"};
      const char* columns[] = {"a", "b", "c", "d"};
      const RoleSet roles[] = {role_bit(Role::Sel), role_bit(Role::Agg),
                               static_cast<RoleSet>(role_bit(Role::Agg) | role_bit(Role::Where))};
      const Written w{qualifiers[below(6)], columns[below(4)], roles[below(3)]};
      written.push_back(w);
      pending.push_back({w.qualifier.empty() ? kNoName : names.intern(w.qualifier), names.intern(w.name), w.roles});
    }
    const std::optional<Witness> witness = discharge(world.sources, {pending, {}, false, {}});
    const bool exists = BruteForce(world, written).finds();
    ASSERT_EQ(witness.has_value(), exists) << ddl << "\n" << query(written, {});
    (exists ? possible : impossible) += 1;
    if (!witness) continue;
    most_nodes = std::max(most_nodes, witness->nodes);
    std::vector<Item> from;
    for (const FromChoice& choice : witness->from) {
      Item item{world.catalog.table(choice.source).name, std::string(names.text(choice.alias)), {}};
      for (const NameId name : choice.merged) item.merged.emplace_back(names.text(name));
      from.push_back(item);
    }
    const std::string sql = query(written, from);
    EXPECT_EQ(world.checker.check(sql, world.policy).verdict, Verdict::Safe) << ddl << "\n" << sql;
  }
  EXPECT_GT(possible, 200);
  EXPECT_GT(impossible, 200);
  EXPECT_LT(most_nodes, 100u);
}

class Fixture : public ::testing::Test {
 protected:
  Fixture()
      : world_(*read_ddl_catalog(
                   "CREATE TABLE emp(id, name, salary); CREATE TABLE dep(id, title); CREATE TABLE log(id, name);"),
               [] { return ColumnPolicy::Public; }),
        names_(world_.catalog.names()) {}
  Obligation plain(const char* name) { return {kNoName, names_.intern(name), role_bit(Role::Sel)}; }
  Obligation of(const char* qualifier, const char* name) {
    return {names_.intern(qualifier), names_.intern(name), role_bit(Role::Sel)};
  }
  World world_;
  Names names_;
};

TEST_F(Fixture, ItemsThatAreThereCount) {
  const std::vector<Obligation> pending{plain("title")};
  const FromChoice emp{0, kNoName, {}};
  EXPECT_TRUE(discharge(world_.sources, {pending, std::vector{emp}, false, {}}));
  // `name` is covered by emp, and log would make it ambiguous unless it is merged.
  const std::vector<Obligation> name{plain("name")};
  const FromChoice log{2, kNoName, {}};
  EXPECT_FALSE(discharge(world_.sources, {name, std::vector{emp, log}, false, {}}));
  const FromChoice merged_log{2, kNoName, {names_.intern("name")}};
  EXPECT_TRUE(discharge(world_.sources, {name, std::vector{emp, merged_log}, false, {}}));
}

TEST_F(Fixture, AnItemUnderAQualifierMustHaveItsColumns) {
  const std::vector<Obligation> pending{of("T1", "title")};
  const FromChoice emp_as_t1{0, names_.intern("T1"), {}};
  const FromChoice dep_as_t1{1, names_.intern("T1"), {}};
  EXPECT_FALSE(discharge(world_.sources, {pending, std::vector{emp_as_t1}, false, {}}));
  EXPECT_TRUE(discharge(world_.sources, {pending, std::vector{dep_as_t1}, false, {}}));
}

TEST_F(Fixture, ATablesNameMeansThatTable) {
  EXPECT_TRUE(discharge(world_.sources, {std::vector{of("dep", "title")}, {}, false, {}}));
  EXPECT_FALSE(discharge(world_.sources, {std::vector{of("emp", "title")}, {}, false, {}}));
}

TEST_F(Fixture, InASubqueryANameMayBeLeftToTheOutside) {
  const std::vector<Obligation> pending{plain("title"), plain("nowhere")};
  EXPECT_FALSE(discharge(world_.sources, {pending, {}, false, {}}));
  const auto outside = [&](const Obligation& wanted) { return wanted.name == names_.intern("nowhere"); };
  const std::optional<Witness> witness = discharge(world_.sources, {pending, {}, false, outside});
  ASSERT_TRUE(witness);
  EXPECT_EQ(witness->passed, std::vector{names_.intern("nowhere")});
}

TEST_F(Fixture, AfterAStarOnlyPublicTablesMayCome) {
  const Policy mixed = World::labelled(world_.catalog, [n = 0]() mutable {
    return n++ == 2 ? ColumnPolicy::AggregateOnly : ColumnPolicy::Public;  // emp.salary
  });
  const Sources sources(world_.catalog, mixed, Profile::Strict);
  const std::vector<Obligation> pending{plain("name")};
  const std::optional<Witness> witness = discharge(sources, {pending, {}, true, {}});
  ASSERT_TRUE(witness);
  EXPECT_EQ(witness->from[0].source, 2u) << "log, not emp";
}

TEST_F(Fixture, ACteSuppliesItsOutputColumns) {
  Sources sources = world_.sources;
  sources.add_cte(names_.intern("best"), {names_.intern("score"), names_.intern("who")});
  EXPECT_FALSE(discharge(world_.sources, {std::vector{plain("score")}, {}, false, {}}));
  EXPECT_TRUE(discharge(sources, {std::vector{plain("score"), of("best", "who")}, {}, false, {}}));
}

}  // namespace
}  // namespace pccsql::track
