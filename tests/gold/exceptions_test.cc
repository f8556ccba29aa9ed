// Every gold query of Spider and BIRD, 20,655 of them, is judged safe under a policy that permits everything, except
// those that SQLite itself refuses to prepare, and five that the definition does not admit. exceptions.txt lists them
// all by index; PCCSQL_UPDATE=1 rewrites it.
#include <cstdlib>
#include <map>
#include <string>
#include <utility>

#include <gtest/gtest.h>

#include "base/file.h"
#include "benchmark_data.h"
#include "gold/world.h"

namespace pccsql {
namespace {

constexpr const char* kList = PCCSQL_ROOT "/tests/gold/exceptions.txt";
constexpr const char* kHead =
    "# The gold queries that are not judged safe although everything is Public, by split and index from 0, with the\n"
    "# verdict and its reason: SQLite's own message, or the definition's where SQLite would prepare the query.\n"
    "# The indices of spider-train go through train_spider.json and on through train_others.json.\n";

// SQLite prepares these, the definition does not admit them: a name in ON that binds to a table on its right and two
// tables of one name in a FROM are errors, a string where a name belongs is outside the language.
const std::map<std::pair<std::string, size_t>, Verdict> kByDefinition{{{"spider-train", 4697}, Verdict::Error},
                                                                      {{"spider-train", 4698}, Verdict::Error},
                                                                      {{"bird-train", 793}, Verdict::Error},
                                                                      {{"bird-train", 7128}, Verdict::Outside},
                                                                      {{"bird-train", 7395}, Verdict::Outside}};

struct Seen {
  std::string lines;
  size_t queries = 0;
};

// One line of the list, or nothing for a query that is as it should be.
std::string exception_line(const GoldSplit& split, const GoldCase& gold) {
  const std::string where = split.name + " " + std::to_string(gold.index);
  const Judgement judgement = gold.database->checker.check(gold.query->sql, gold.database->all_public);
  const Prepared prepared = gold.database->sqlite.prepare(gold.query->sql);
  if (judgement.verdict == Verdict::Safe) {
    EXPECT_TRUE(prepared.ok) << where << ": safe, but SQLite refuses it: " << prepared.message;
    return {};
  }
  const auto by_definition = kByDefinition.find({split.name, gold.index});
  const Verdict expected = by_definition == kByDefinition.end() ? Verdict::Error : by_definition->second;
  EXPECT_EQ(to_string(judgement.verdict), to_string(expected)) << where << ": " << judgement.reason;
  EXPECT_EQ(prepared.ok, by_definition != kByDefinition.end()) << where << ": " << judgement.reason;
  return where + " " + std::string(to_string(judgement.verdict)) + ": " +
         (prepared.ok ? without_names(judgement.reason) : "SQLite: " + without_names(prepared.message)) + "\n";
}

TEST(Gold, ExceptionsAreThoseListed) {
  if (!data_folder()) GTEST_SKIP() << kNoData;
  World* const all = world();
  ASSERT_TRUE(all);
  Seen seen{kHead, 0};
  for (const GoldSplit& split : all->splits) {
    for (const GoldCase& gold : split.cases) {
      seen.lines += exception_line(split, gold);
      ++seen.queries;
    }
  }
  EXPECT_EQ(seen.queries, 1034u + 8659u + 1534u + 9428u);
  const char* update = std::getenv("PCCSQL_UPDATE");
  if (update && std::string(update) == "1") {
    ASSERT_TRUE(write_file(kList, seen.lines));
    return;
  }
  const auto listed = read_file(kList);
  ASSERT_TRUE(listed) << listed.error().to_string();
  EXPECT_EQ(seen.lines, *listed);
}

TEST(Gold, NamesAreTakenOutOfMessages) {
  EXPECT_EQ(without_names("no such column: T1.pay"), "no such column");
  EXPECT_EQ(without_names("ambiguous column name: pay"), "ambiguous column name");
  EXPECT_EQ(without_names("near \"pay\": syntax error"), "near \"…\": syntax error");
  EXPECT_EQ(without_names("`t` is named twice, in `a` and 'b'"), "`…` is named twice, in `…` and '…'");
  EXPECT_EQ(without_names("too deep"), "too deep");
}

}  // namespace
}  // namespace pccsql
