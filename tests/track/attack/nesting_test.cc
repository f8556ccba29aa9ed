// How deep what is written may nest: pieces of expressions, one or two of them again and again, as long as the tracker takes
// them. What it takes, the database's parser must have room for.
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "exec/database.h"
#include "policy/policy_file.h"
#include "schema/reader.h"
#include "track/sql_tracker.h"

namespace pccsql::attack {
namespace {

using track::kDead;
using track::PrefixId;

using Piece = std::pair<std::string, std::string>;  // what opens something, and what ends it

const std::vector<Piece>& pieces() {
  static const std::vector<Piece> all = {
      {"~", ""},
      {"NOT ", ""},
      {"1 GLOB ", ""},
      {"1 LIKE 2 ESCAPE ", ""},
      {"1 BETWEEN ", " AND 1"},
      {"1 NOT BETWEEN 1 AND ", ""},
      {"1 < ", ""},
      {"1 + ", ""},
      {"1 || ", ""},
      {"1 COLLATE NOCASE = ", ""},
      {"1 IS NOT ", ""},
      {"1 IS NOT DISTINCT FROM ", ""},
      {"1 IN (1, ", ")"},
      {"ABS(", ")"},
      {"MAX(1, ", ")"},
      {"CASE WHEN ", " THEN 1 END"},
      {"CASE ", " WHEN 1 THEN 1 END"},
      {"(", ")"},
      {"CAST(", " AS INT)"},
      {"1 AND ", ""},
      {"SUM(1) OVER (ORDER BY ", ")"},
      {"COUNT(*) FILTER (WHERE ", ")"},
      {"(SELECT ", ")"},
      {"EXISTS (SELECT 1 FROM t WHERE ", ")"},
      {"1 IN (SELECT a FROM t GROUP BY a HAVING ", ")"},
      {"(SELECT 1 FROM t JOIN t AS x ON ", ")"},
      {"(SELECT 1 FROM t ORDER BY 1 + ", ")"},
      {"(SELECT 1 FROM (SELECT ", "))"},
      {"(WITH c AS (SELECT ", ") SELECT 1)"},
      {"(SELECT 1 UNION SELECT ", ")"},
  };
  return all;
}

class Nesting : public testing::Test {
 protected:
  static constexpr const char* kSchema = "CREATE TABLE t (a INT, b INT);";
  static constexpr int kMost = 110;

  Nesting()
      : catalog_(*read_ddl_catalog(kSchema)),
        policy_(*parse_policy_yaml("version: 1\ndefault: Public\n", catalog_)),
        world_(track::World::make(catalog_, policy_, {})),
        database_(std::move(*Database::in_memory(kSchema))) {}

  // The longest text of the two in turn that the tracker takes whole; empty if it takes none.
  std::string longest(const std::string& start, const Piece& one, const Piece& other, const std::string& end) {
    track::SqlTracker tracker(*world_);
    const auto push = [&](PrefixId prefix, const std::string& text) {
      for (const char c : text) prefix = tracker.push(prefix, static_cast<uint8_t>(c));
      return prefix;
    };
    PrefixId prefix = push(tracker.start(), start);
    std::string text = start;
    std::string closing = end;
    std::string best;
    for (int i = 0; i < kMost && prefix != kDead; ++i) {
      const Piece& piece = i % 2 == 0 ? one : other;
      prefix = push(prefix, piece.first);
      text += piece.first;
      closing = piece.second + closing;
      const PrefixId whole = push(prefix, "1" + closing);
      if (whole != kDead && tracker.may_end(whole)) best = text + "1" + closing;
    }
    return best;
  }

  Catalog catalog_;
  Policy policy_;
  std::shared_ptr<const track::World> world_;
  Database database_;
};

TEST_F(Nesting, HasRoomInTheDatabasesParser) {
  size_t prepared = 0;
  for (const Piece& one : pieces()) {
    for (const Piece& other : pieces()) {
      const std::string text = longest("SELECT ", one, other, " FROM t");
      if (text.empty()) continue;
      const Prepared result = database_.prepare(text);
      EXPECT_TRUE(result.ok) << result.message << ": " << text;
      ++prepared;
    }
  }
  EXPECT_GT(prepared, pieces().size() * pieces().size() / 2);
}

TEST_F(Nesting, HasRoomInEveryClause) {
  const std::vector<Piece> clauses = {{"SELECT 1 FROM t WHERE ", ""},
                                      {"SELECT 1 FROM t GROUP BY ", ""},
                                      {"SELECT 1 FROM t GROUP BY 1 HAVING ", ""},
                                      {"SELECT 1 FROM t ORDER BY 1 + ", ""},
                                      {"SELECT 1 FROM t LIMIT ", ""},
                                      {"SELECT 1 FROM t JOIN t AS x ON ", ""},
                                      {"SELECT 1 UNION SELECT ", ""},
                                      {"WITH c AS (SELECT ", ") SELECT 1"}};
  for (const auto& [start, end] : clauses) {
    for (const Piece& one : pieces()) {
      const std::string text = longest(start, one, one, end);
      if (text.empty()) continue;
      const Prepared result = database_.prepare(text);
      EXPECT_TRUE(result.ok) << result.message << ": " << text;
    }
  }
}

}  // namespace
}  // namespace pccsql::attack
