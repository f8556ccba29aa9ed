// The columns that the judge reports are those that SQLite's authorizer reports when it prepares the query, for every
// gold query whose real database is there. The authorizer knows no roles, and says nothing of columns joined by USING
// or NATURAL: there the judge may know more.
#include <algorithm>
#include <iterator>
#include <set>
#include <string>
#include <utility>

#include <gtest/gtest.h>

#include "base/text.h"
#include "benchmark_data.h"
#include "gold/world.h"

namespace pccsql {
namespace {

using ColumnSet = std::set<std::pair<std::string, std::string>>;

ColumnSet judged_columns(const Analysis& analysis, const Catalog& catalog) {
  ColumnSet columns;
  for (const Occurrence& use : analysis.uses) {
    columns.emplace(folded(catalog.table(use.column.table).name), folded(catalog.column(use.column).name));
  }
  return columns;
}

// Without (table, ""): a table that is read, but no column of it.
ColumnSet read_columns(const Prepared& prepared) {
  ColumnSet columns;
  for (const auto& read : prepared.reads) {
    if (!read.second.empty()) columns.insert(read);
  }
  return columns;
}

bool joins_by_name(const std::string& sql) {
  const std::string text = folded(sql);
  return text.find("using") != std::string::npos || text.find("natural") != std::string::npos;
}

std::string listed(const ColumnSet& columns, const ColumnSet& without) {
  std::string text;
  for (const auto& column : columns) {
    if (!without.contains(column)) text += " " + column.first + "." + column.second;
  }
  return text;
}

TEST(Gold, ColumnsAreThoseThatTheAuthorizerSees) {
  if (!data_folder()) GTEST_SKIP() << kNoData;
  World* const all = world();
  ASSERT_TRUE(all);
  size_t compared = 0;
  for (const GoldSplit& split : all->splits) {
    for (const GoldCase& gold : split.cases) {
      if (!gold.database->real) continue;
      const Analysis& analysis = gold.database->checker.analyze(gold.query->sql);
      if (analysis.verdict != Verdict::Safe) continue;  // exceptions_test.cc answers for those
      const ColumnSet judged = judged_columns(analysis, gold.database->catalog);
      const ColumnSet read = read_columns(gold.database->sqlite.prepare(gold.query->sql));
      ++compared;
      const bool equal = joins_by_name(gold.query->sql)
                             ? std::includes(judged.begin(), judged.end(), read.begin(), read.end())
                             : judged == read;
      EXPECT_TRUE(equal) << split.name << " " << gold.index << ": the judge alone:" << listed(judged, read)
                         << "; SQLite alone:" << listed(read, judged);
    }
  }
  // What there is to compare with 163 of Spider's 166 databases and three of BIRD's: else the comparison means little.
  EXPECT_GE(compared, 10000u);
}

}  // namespace
}  // namespace pccsql
