// Every sequence of up to four words before JOIN: the checker takes what SQLite prepares and nothing else, and reads the
// words as SQLite does.
#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "check/check.h"
#include "exec/database.h"
#include "schema/reader.h"

namespace pccsql {
namespace {

constexpr std::string_view kSchema = "CREATE TABLE a(x INT, y INT); CREATE TABLE b(x INT, z INT);";

TEST(JoinWords, AreTakenAndReadAsTheDatabaseDoes) {
  const Result<Catalog> catalog = read_ddl_catalog(kSchema);
  Result<Database> database = Database::in_memory(kSchema);
  ASSERT_TRUE(catalog && database);
  SqliteChecker checker(*catalog);
  const std::vector<std::string> words = {"NATURAL", "left", "RIGHT", "FULL", "INNER", "cross", "OUTER"};
  size_t taken = 0;
  std::vector<std::vector<std::string>> sequences = {{}};
  for (size_t i = 0; i < sequences.size(); ++i) {
    std::string spelled;
    for (const std::string& word : sequences[i]) spelled += word + " ";
    const std::string sql = "SELECT y FROM a " + spelled + "JOIN b";
    const bool prepared = database->prepare(sql).ok;
    const Analysis& analysis = checker.analyze(sql);
    EXPECT_EQ(prepared, analysis.verdict == Verdict::Safe) << sql << "\n" << analysis.reason;
    taken += prepared;
    // A NATURAL join names x of both sides.
    const bool natural = std::count(sequences[i].begin(), sequences[i].end(), "NATURAL") > 0;
    if (prepared) {
      EXPECT_EQ(analysis.uses.size(), natural ? 3u : 1u) << sql;
    }
    if (sequences[i].size() < 4) {
      for (const std::string& word : words) {
        sequences.push_back(sequences[i]);
        sequences.back().push_back(word);
      }
    }
  }
  EXPECT_EQ(taken, 181u);
}

}  // namespace
}  // namespace pccsql
