// The golden files pin every cell of the permission table: judged with a table that has one cell flipped, some
// expectation breaks; judged with the table as it is, none does.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>

#include "check/golden_file.h"

namespace pccsql::golden {
namespace {

using Row = std::array<bool, 4>;   // by role: Sel, Join, Where, Agg
using Table = std::array<Row, 4>;  // by policy: Public, ConditionOnly, AggregateOnly, Hidden

// The paper's, written out here so that the test does not lean on what it tests.
constexpr Table kTable{{
    {true, true, true, true},
    {false, true, true, false},
    {false, false, false, true},
    {false, false, false, false},
}};

bool is_all_hidden(const Catalog& catalog, const Policy& policy, TableId table) {
  for (ColumnIndex i = 0; i < catalog.table(table).columns.size(); ++i) {
    if (policy.of({table, i}) != ColumnPolicy::Hidden) return false;
  }
  return true;
}

// Verdict and marks as the table gives them, from the uses alone.
std::string judged(const World& world, const Analysis& analysis, Profile profile, const Table& table) {
  Verdict verdict = analysis.verdict;
  std::vector<std::string> uses;
  for (const Occurrence& use : analysis.uses) {
    const bool permits = table[static_cast<size_t>(world.policy.of(use.column))][static_cast<size_t>(use.role)];
    if (!permits) verdict = Verdict::Unsafe;
    uses.push_back(render(world.catalog, use, permits));
  }
  if (profile == Profile::Strict) {
    const auto hidden = [&](const NamedTable& mention) {
      return is_all_hidden(world.catalog, world.policy, mention.table);
    };
    if (std::ranges::any_of(analysis.tables, hidden)) verdict = Verdict::Unsafe;
  }
  return line_of(verdict, "", uses);
}

// A query of the golden files that runs, under one profile.
struct Sample {
  const World* world;
  Profile profile;
  Analysis analysis;
  std::string expected;
  std::string where;
};

const std::vector<Sample>& samples() {
  static const std::vector<Sample> all = [] {
    static std::vector<std::unique_ptr<World>> worlds;
    std::vector<Sample> found;
    for (const File& file : all_files()) {
      Result<std::unique_ptr<World>> made = make_world(file);
      if (!made) {
        ADD_FAILURE() << made.error().to_string();
        continue;
      }
      worlds.push_back(std::move(*made));
      World& world = *worlds.back();
      for (const Case& one : file.cases) {
        for (const Profile profile : {Profile::Strict, Profile::Paper}) {
          const auto& expected = profile == Profile::Strict ? one.strict : one.paper;
          if (!expected || expected->verdict == Verdict::Error || expected->verdict == Verdict::Outside) continue;
          SqliteChecker& checker = profile == Profile::Strict ? world.strict : world.paper;
          Analysis analysis = checker.analyze(one.sql);
          analysis.uses = checker.judge(analysis, world.policy).uses;  // with those that a minimum group adds
          found.push_back({&world, profile, std::move(analysis), line_of(expected->verdict, "", expected->uses),
                           file.path + ":" + std::to_string(one.line)});
        }
      }
    }
    return found;
  }();
  return all;
}

TEST(PermissionTable, AsItIsChangesNoExpectation) {
  ASSERT_GE(samples().size(), 300u);
  for (const Sample& sample : samples()) {
    EXPECT_EQ(judged(*sample.world, sample.analysis, sample.profile, kTable), sample.expected) << sample.where;
  }
}

TEST(PermissionTable, IsTheOneOfTheProgram) {
  for (const ColumnPolicy policy : kColumnPolicies) {
    for (const Role role : kRoles) {
      EXPECT_EQ(permitted(policy, role), kTable[static_cast<size_t>(policy)][static_cast<size_t>(role)])
          << to_string(policy) << " " << to_string(role);
    }
  }
}

struct Cell {
  ColumnPolicy policy;
  Role role;
};

std::vector<Cell> all_cells() {
  std::vector<Cell> cells;
  for (const ColumnPolicy policy : kColumnPolicies) {
    for (const Role role : kRoles) cells.push_back({policy, role});
  }
  return cells;
}

std::string name_of(const testing::TestParamInfo<Cell>& info) {
  return std::string(to_string(info.param.policy)) + "_" + std::string(to_string(info.param.role));
}

class FlippedCell : public testing::TestWithParam<Cell> {};

// Not only a mark: a verdict changes, so that a user would be told the wrong thing.
TEST_P(FlippedCell, ChangesAVerdict) {
  const Cell cell = GetParam();
  Table table = kTable;
  bool& permits = table[static_cast<size_t>(cell.policy)][static_cast<size_t>(cell.role)];
  permits = !permits;
  const auto verdict_of = [](const std::string& line) { return line.substr(0, line.find(' ')); };
  const bool caught = std::ranges::any_of(samples(), [&](const Sample& sample) {
    if (judged(*sample.world, sample.analysis, sample.profile, kTable) != sample.expected) return false;
    return verdict_of(judged(*sample.world, sample.analysis, sample.profile, table)) != verdict_of(sample.expected);
  });
  EXPECT_TRUE(caught);
}

INSTANTIATE_TEST_SUITE_P(All, FlippedCell, testing::ValuesIn(all_cells()), name_of);

}  // namespace
}  // namespace pccsql::golden
