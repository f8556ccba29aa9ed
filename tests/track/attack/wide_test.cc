// Tables of hundreds and thousands of columns: what the database takes of them can be written, name by name, in time that does
// not grow out of hand; and at each limit the last thing that fits is taken to the end, and one more is stopped while there
// is still an end.
#include <ctime>

#include <functional>
#include <iostream>

#include <gtest/gtest.h>

#include "track/attack/oracle.h"

namespace pccsql::attack {
namespace {

std::string listed(int from, int to, const std::string& between = ", ", const std::string& before = "c") {
  std::string text;
  for (int i = from; i < to; ++i) text += (i == from ? "" : between) + before + std::to_string(i);
  return text;
}

std::string repeated(const std::string& text, int times) {
  std::string all;
  for (int i = 0; i < times; ++i) all += text;
  return all;
}

// `w` and `twin` have the same 2,000 columns, `v` 100 others.
Ground& wide_ground() {
  static const SchemaPtr schema = schema_of("wide", "CREATE TABLE w(" + listed(0, 2000) + "); CREATE TABLE twin(" +
                                                        listed(0, 2000) + "); CREATE TABLE v(" + listed(2000, 2100) +
                                                        ");");
  static Ground ground("wide", schema, Policy(schema->catalog, ColumnPolicy::Public), {});
  return ground;
}

double cpu_seconds() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

// Lexeme by lexeme, asking after each what a mask asks; how many bytes were taken.
struct Written {
  PrefixId end = kDead;
  PrefixId last = kDead;  // before the byte that was not taken
  size_t bytes = 0;
  double slowest = 0;  // seconds for a lexeme
  std::string at;
};
Written written(Tracker& tracker, const std::string& text) {
  Written result;
  result.end = result.last = tracker.start();
  double since = cpu_seconds();
  std::string word;
  for (const char c : text) {
    result.end = tracker.push(result.last, static_cast<uint8_t>(c));
    if (result.end == kDead) return result;
    result.last = result.end;
    ++result.bytes;
    word += c;
    if (c != ' ') continue;
    tracker.may_end(result.end);
    tracker.words(result.end);
    const double now = cpu_seconds();
    if (now - since > result.slowest) {
      result.slowest = now - since;
      result.at = word + "at byte " + std::to_string(result.bytes);
    }
    since = now;
    word.clear();
  }
  return result;
}

constexpr double kSlowest = 0.25;  // seconds; ten times what it takes

struct Query {
  std::string what;
  std::string text;
};

class Wide : public testing::TestWithParam<Query> {};

TEST_P(Wide, IsWrittenNameByName) {
  Ground& ground = wide_ground();
  const auto tracker = sql_trackers(ground)();
  const std::string& text = GetParam().text;
  const Written end = written(*tracker, text);
  ASSERT_EQ(end.bytes, text.size()) << "stopped after " << text.substr(0, end.bytes).substr(end.bytes < 60 ? 0 : end.bytes - 60);
  ASSERT_TRUE(tracker->may_end(end.end));
  EXPECT_EQ(Oracle(ground, *tracker).ask_finished(end.end, text), "");
  EXPECT_LT(end.slowest, kSlowest) << end.at;
  std::cout << GetParam().what << ": slowest lexeme " << end.slowest * 1000 << " ms, " << end.at << "\n";
}

INSTANTIATE_TEST_SUITE_P(
    Queries, Wide,
    testing::Values(
        Query{"Plain", "SELECT " + listed(0, 2000) + " FROM w WHERE c7 = 1 AND c1999 > c0"},
        Query{"Reversed", "SELECT c1999, " + listed(0, 300) + " FROM w"},
        Query{"Qualified", "SELECT " + listed(0, 700, ", ", "w.c") + " FROM w"},
        Query{"Aliased", "SELECT " + listed(0, 500, ", ", "T1.c") + " FROM w AS T1"},
        Query{"TwoAliases",
              "SELECT " + listed(0, 100, ", ", "a.c") + ", " + listed(0, 100, ", ", "b.c") + " FROM w AS a , twin AS b"},
        Query{"TwoTables", "SELECT " + listed(1400, 2000) + ", " + listed(2000, 2100) + " FROM v , w"},
        Query{"Derived", "SELECT 1 FROM (SELECT " + listed(0, 600) + " FROM w )"},
        Query{"NamesOfADerivedTable", "SELECT 1 FROM (SELECT " + listed(0, 600) + " FROM w ) AS d WHERE d.c5 = c7"},
        Query{"Cte", "WITH n AS (SELECT " + listed(0, 300) + " FROM w ) SELECT " + listed(0, 300) + " FROM n"},
        Query{"Correlated", "SELECT (SELECT 1 WHERE " + listed(0, 100, " + ") + " ) , c9 FROM w"},
        Query{"CorrelatedBeforeFrom", "SELECT (SELECT " + listed(0, 100, " + ") + " + c2001 FROM v ) FROM w"},
        Query{"InAnAggregate", "SELECT " + listed(0, 200, ") , SUM(", "c").insert(0, "SUM(") + ") FROM w"},
        Query{"GroupBy", "SELECT COUNT(*) FROM w GROUP BY " + listed(0, 2000)},
        Query{"OrderBy", "SELECT " + listed(0, 300) + " FROM w ORDER BY " + listed(0, 2000)},
        Query{"SetOperation", "SELECT " + listed(0, 300) + " FROM w UNION SELECT " + listed(0, 300) +
                                  " FROM twin ORDER BY c9 , c299"},
        Query{"Using", "SELECT w.c3 FROM w JOIN twin USING ( " + listed(0, 30, " , ") + " )"},
        Query{"UsingBesideNames", "SELECT " + listed(0, 30) + " FROM w JOIN twin USING ( " + listed(0, 30, " , ") + " )"},
        Query{"On", "SELECT " + listed(0, 1000) + " FROM w JOIN v ON c7 = c2003 AND c1001 = c2004"},
        Query{"Star", "SELECT * FROM w WHERE c3 = 2"}),
    [](const auto& query) { return query.param.what; });

// A text that grows by one; `most` times is the last that is taken.
struct Limit {
  std::string what;
  int most;
  std::function<std::string(int)> text;
  bool slow = false;  // only in a long run
};

class AtTheLimit : public testing::TestWithParam<Limit> {};

TEST_P(AtTheLimit, IsTakenAndOneMoreIsStoppedAlive) {
  Ground& ground = wide_ground();
  const Limit& limit = GetParam();
  if (limit.slow && !long_run()) GTEST_SKIP() << "only with PCCSQL_LONG";
  const auto tracker = sql_trackers(ground)();
  const std::string last = limit.text(limit.most);
  const Written full = written(*tracker, last);
  ASSERT_EQ(full.bytes, last.size()) << "stopped at byte " << full.bytes << " of " << last.size();
  ASSERT_TRUE(tracker->may_end(full.end));
  EXPECT_EQ(Oracle(ground, *tracker).ask_finished(full.end, last), "");

  const std::string over = limit.text(limit.most + 1);
  const Written stopped = written(*tracker, over);
  EXPECT_FALSE(stopped.bytes == over.size() && tracker->may_end(stopped.end)) << "one more is taken";
  const auto completion = tracker->completion(stopped.last);
  ASSERT_TRUE(completion) << "a dead end after byte " << stopped.bytes;
  PrefixId end = stopped.last;
  for (const char c : *completion) end = tracker->push(end, static_cast<uint8_t>(c));
  ASSERT_NE(end, kDead);
  EXPECT_TRUE(tracker->may_end(end));
  EXPECT_EQ(Oracle(ground, *tracker).ask_finished(end, over.substr(0, stopped.bytes) + *completion), "");
}

// Of sums, because an item has at most 900 operators.
std::string names_owed(int count) {
  std::string text = "SELECT ";
  for (int i = 0; i < count; ++i) text += (i == 0 ? "" : i % 500 == 0 ? ", " : " + ") + std::string("c") + std::to_string(i);
  return text + " FROM w , v";
}

INSTANTIATE_TEST_SUITE_P(
    Limits, AtTheLimit,
    testing::Values(
        Limit{"Blanks", 32, [](int n) { return "SELECT c0" + std::string(static_cast<size_t>(n), ' ') + "FROM w"; }},
        Limit{"String", 254, [](int n) { return "SELECT '" + std::string(static_cast<size_t>(n), 'x') + "'"; }},
        Limit{"QuotedString", 57,
              [](int n) { return "SELECT c0 FROM w WHERE c0 = \"" + std::string(static_cast<size_t>(n), 'x') + "\""; }},
        Limit{"Number", 40, [](int n) { return "SELECT 1" + std::string(static_cast<size_t>(n) - 1, '0'); }},
        Limit{"NewName", 62, [](int n) { return "SELECT 1 AS x" + std::string(static_cast<size_t>(n) - 1, 'y'); }},
        Limit{"QuotedNewName", 57,
              [](int n) { return "SELECT 1 AS \"" + std::string(static_cast<size_t>(n), 'y') + "\""; }},
        Limit{"Parentheses", 74, [](int n) { return "SELECT " + repeated("(", n) + "1" + repeated(")", n); }},
        Limit{"Operators", 900, [](int n) { return "SELECT 1" + repeated(" + 1", n); }},
        Limit{"Tables", 60, [](int n) { return "SELECT 1 FROM v AS a" + listed(1, n, "", ", v AS a"); }},
        Limit{"TablesInDerivedTables", 59,
              [](int n) { return "SELECT 1 FROM v , (SELECT 1 FROM v AS a" + listed(1, n, "", ", v AS a") + " )"; }},
        Limit{"Items", 2000, [](int n) { return "SELECT " + listed(0, 2000) + repeated(" , c1", n - 2000) + " FROM w"; }},
        Limit{"ItemsOfTwoTables", 1901,
              [](int n) { return "SELECT * FROM v , (SELECT " + listed(0, n - 1) + " FROM w )"; }},
        Limit{"Names", 2048, names_owed, true},
        Limit{"MergedNames", 900, [](int n) { return "SELECT 1 FROM w JOIN twin USING ( " + listed(0, n) + " )"; }, true},
        Limit{"MergedNamesThatAreOwed", 900,
              [](int n) {
                return "SELECT " + listed(0, 900) + " FROM w JOIN twin USING ( " + listed(0, n) + " )";
              },
              true},
        Limit{"MergedNamesAndWhere", 499,
              [](int n) {
                return "SELECT 1 FROM w JOIN twin USING ( " + listed(0, 400) + " ) WHERE 1" + repeated(" + 1", n + 1);
              },
              true},
        Limit{"OnAndWhere", 448,
              [](int n) {
                return "SELECT 1 FROM w JOIN v ON 1" + repeated(" + 1", n) + " WHERE 1" + repeated(" + 1", n + 3);
              }},
        Limit{"Branches", 480, [](int n) { return "SELECT 1" + repeated(" UNION SELECT 1", n - 1); }},
        Limit{"Arguments", 100, [](int n) { return "SELECT MAX(1" + repeated(", 1", n - 1) + ")"; }},
        Limit{"CteColumns", 100,
              [](int n) {
                return "WITH n(" + listed(0, n, ", ", "x") + ") AS (SELECT 1" + repeated(", 1", n - 1) + ") SELECT 1";
              }},
        Limit{"GroupTerms", 2000, [](int n) { return "SELECT 1 FROM w GROUP BY c1" + repeated(" , c2", n - 1); }},
        Limit{"OrderTerms", 2000, [](int n) { return "SELECT 1 FROM w ORDER BY c1" + repeated(" , c2", n - 1); }},
        Limit{"OrderTermsOfASet", 2000,
              [](int n) { return "SELECT 1 UNION SELECT 2 ORDER BY 1" + repeated(" , 1", n - 1); }},
        Limit{"PartitionTerms", 2000,
              [](int n) { return "SELECT RANK() OVER (PARTITION BY c1" + repeated(" , c2", n - 1) + " ) FROM w"; }},
        Limit{"WindowTerms", 1000,
              [](int n) {
                return "SELECT RANK() OVER (PARTITION BY c1" + repeated(" , c2", n - 1) + " ORDER BY c3" +
                       repeated(" , c4", n - 1) + " ) FROM w";
              }}),
    [](const auto& limit) { return limit.param.what; });

// All columns that two tables share are more than USING or NATURAL can merge.
TEST(WideJoins, NaturalOverTooManyColumnsIsStoppedAlive) {
  Ground& ground = wide_ground();
  const auto tracker = sql_trackers(ground)();
  const Written stopped = written(*tracker, "SELECT 1 FROM w NATURAL JOIN twin ");
  EXPECT_LT(stopped.bytes, 33u);
  EXPECT_TRUE(tracker->completion(stopped.last));
  const Written names = written(*tracker, "SELECT " + listed(0, 1000) + " FROM w JOIN twin ");
  EXPECT_TRUE(tracker->completion(names.last));
}

// `q.*` beside `*` puts out a table of 2,000 columns twice, if that table is the one that takes the name q.
TEST(WideStars, ANameThatPutsOutTooManyColumnsIsNotTaken) {
  Ground& ground = wide_ground();
  const auto tracker = sql_trackers(ground)();
  const std::string small = "WITH x AS (SELECT 1 AS one) ";
  for (const char* const rest : {"SELECT q.*, * FROM w AS q ", "SELECT q.*, q.* FROM w AS q ", "SELECT q.*, * FROM w q "}) {
    const std::string text = small + rest;
    const Written stopped = written(*tracker, text);
    EXPECT_LT(stopped.bytes, text.size() - 1) << text;
    EXPECT_TRUE(tracker->completion(stopped.last)) << text;
  }
  const std::string fits = small + "SELECT q.*, * FROM x AS q";
  EXPECT_EQ(written(*tracker, fits).bytes, fits.size());
}

}  // namespace
}  // namespace pccsql::attack
