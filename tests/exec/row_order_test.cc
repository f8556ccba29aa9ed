// Rows that no ORDER BY sorts come in the order of what they show, whatever indexes and keys there are.
#include "exec/row_order.h"

#include <gtest/gtest.h>

#include <limits>

#include "exec/run_world.h"

namespace pccsql {
namespace {

TEST(OrdersResult, IsToldByTheOutermostOrderByAlone) {
  for (const char* sql : {"SELECT a FROM t ORDER BY a", "SELECT a FROM t UNION SELECT b FROM u order\n by 1 LIMIT 3",
                          "WITH c AS (SELECT 1 AS x) SELECT x FROM c ORDER BY x", "SELECT a FROM t ORDER/**/BY a;"}) {
    EXPECT_TRUE(orders_result(sql)) << sql;
  }
  for (const char* sql :
       {"SELECT a FROM t", "SELECT a FROM (SELECT a FROM t ORDER BY a)", "SELECT RANK() OVER (ORDER BY a) FROM t",
        "WITH c AS (SELECT a FROM t ORDER BY a) SELECT a FROM c", "SELECT 'x ORDER BY a' FROM t",
        "SELECT a FROM t -- ORDER BY a", "SELECT a AS \"ORDER\" FROM t",
        "SELECT a FROM t WINDOW w AS (PARTITION BY a ORDER BY b)"}) {
    EXPECT_FALSE(orders_result(sql)) << sql;
  }
}

TEST(SortByValues, IsTheDatabasesOwnOrder) {
  const Scratch scratch;
  const std::string path = scratch.database(
      "x.sqlite",
      "CREATE TABLE t (v); INSERT INTO t VALUES ('b'), (x'00'), (2.5), (NULL), (10), ('a'), (-1), (x''), (''), ('B'), "
      "(9007199254740993), (9007199254740992.0), (9223372036854775807), (9.3e18), (-9.3e18), (1e400), (-1e400), (2), "
      "('\xc3\xa9'), (x'ff'), (NULL), ('a'), (0.5), (-0.5), (0), ('aa')");
  auto db = Runner::open_unfenced(path);
  ASSERT_TRUE(db);
  const auto wanted = db->run("SELECT v, v FROM t ORDER BY v");
  ASSERT_TRUE(wanted);
  auto rows = db->run("SELECT v, v FROM t ORDER BY random()")->rows;
  sort_by_values(rows);
  EXPECT_EQ(rows, wanted->rows);
}

TEST(SortByValues, LooksAtAllColumnsAndTellsOneFromOnePointNought) {
  std::vector<std::vector<Value>> rows{
      {1.0, "b"}, {int64_t{1}, "b"}, {int64_t{1}, "a"}, {Null{}, "z"}, {int64_t{1}, Null{}}};
  const std::vector<std::vector<Value>> sorted{
      {Null{}, "z"}, {int64_t{1}, Null{}}, {int64_t{1}, "a"}, {int64_t{1}, "b"}, {1.0, "b"}};
  sort_by_values(rows);
  EXPECT_EQ(rows, sorted);
}

class RowOrder : public testing::Test {
 protected:
  static constexpr const char* kPolicy = R"(
version: 1
tables:
  person: {name: Public, team: Public, pay: AggregateOnly, rank: ConditionOnly}
  team: {team: Public}
)";
  Scratch scratch_;
  std::string path_ = scratch_.database("x.sqlite",
                                        "CREATE TABLE person (id INTEGER PRIMARY KEY, name TEXT, team TEXT, pay, rank);"
                                        "INSERT INTO person VALUES (1, 'd', 'x', 1, 4), (2, 'a', 'x', 2, 3), "
                                        "(3, 'c', 'y', 3, 2), (4, 'b', 'y', 4, 1);"
                                        "CREATE INDEX by_rank ON person (rank, name);"
                                        "CREATE TABLE team (team TEXT); INSERT INTO team VALUES ('y'), ('x');");
};

TEST_F(RowOrder, DoesNotFollowAKeyOrAnIndex) {
  Runner db = open_runner(path_, kPolicy);
  EXPECT_EQ(column_of(db, "SELECT name FROM person"), "a b c d");
  EXPECT_EQ(column_of(db, "SELECT name FROM person WHERE rank > 0"), "a b c d");
  EXPECT_EQ(column_of(db, "SELECT name FROM (SELECT name FROM person ORDER BY name DESC)"), "a b c d");
  EXPECT_EQ(column_of(db, "SELECT name FROM person WHERE team = 'x' UNION ALL SELECT team FROM team"), "a d x y");
}

TEST_F(RowOrder, IsTheQuerysWhereItHasOne) {
  Runner db = open_runner(path_, kPolicy);
  EXPECT_EQ(column_of(db, "SELECT name FROM person ORDER BY name DESC"), "d c b a");
  EXPECT_EQ(column_of(db, "SELECT name FROM person UNION SELECT team FROM team ORDER BY 1 DESC"), "y x d c b a");
}

TEST_F(RowOrder, IsTheDatabasesWithoutAFence) {
  auto db = Runner::open_unfenced(path_);
  ASSERT_TRUE(db);
  EXPECT_EQ(column_of(*db, "SELECT name FROM person NOT INDEXED"), "d a c b");
}

TEST_F(RowOrder, NoIndexIsMadeForAQuery) {
  // A join that SQLite makes an index for, if it may: of the team and, because the query reads it, of the pay. So people
  // would be listed by their pay, which the query may only average.
  const std::string path =
      scratch_.database("y.sqlite",
                        "CREATE TABLE team (team, city); CREATE TABLE member (team, pay, name);"
                        "WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c WHERE n < 300) "
                        "INSERT INTO team SELECT n % 7, n FROM c;"
                        "WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c WHERE n < 300) "
                        "INSERT INTO member SELECT n % 50, 300 - n, n FROM c;");
  const char* const sql =
      "SELECT GROUP_CONCAT(m.name), AVG(m.pay) FROM team t JOIN member m ON t.team = m.team WHERE t.city = 3";
  auto open = Runner::open_unfenced(path);
  ASSERT_TRUE(open);
  EXPECT_EQ(column_of(*open, sql), "253,203,153,103,53,3") << "SQLite no longer does what this is about";
  Runner fenced = open_runner(
      path, "version: 1\ntables: {team: {'*': Public}, member: {team: Public, name: Public, pay: AggregateOnly}}\n");
  EXPECT_EQ(column_of(fenced, sql), "3,53,103,153,203,253");
}

}  // namespace
}  // namespace pccsql
