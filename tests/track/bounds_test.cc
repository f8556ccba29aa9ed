// Each bound of the decoder is found where it is, and excuses nothing elsewhere.
#include <gtest/gtest.h>

#include "apps/mask_bounds.h"
#include "schema/reader.h"

namespace pccsql {
namespace {

const Catalog& shop() {
  static const Catalog catalog = *read_ddl_catalog(
      "CREATE TABLE item (id INTEGER PRIMARY KEY, name TEXT, price REAL);\n"
      "CREATE TABLE sale (item_id INTEGER, amount INTEGER);\n");
  return catalog;
}

// "bound @ text" for each bound found.
std::string found(const std::string& sql) {
  std::string out;
  for (const BoundFound& bound : find_decoder_bounds(sql, shop())) {
    out += (out.empty() ? "" : "; ") + std::string(bound.bound) + " @ " + std::string(bound.at.of(sql));
  }
  return out;
}

TEST(MaskBounds, OrdinaryQueriesAreOverNone) {
  for (const char* sql :
       {"SELECT name AS n, COUNT(*) FROM item AS T1 JOIN sale T2 ON T1.id = T2.item_id WHERE price IN (1, 2) GROUP BY "
        "1;",
        "SELECT a.rowid FROM item AS a WHERE rowid = 3 AND \"name\" = \"x\"",
        "SELECT RANK() OVER (PARTITION BY name ORDER BY price) FROM item",
        "SELECT name FROM item WHERE price > (SELECT AVG(price) FROM item) AND id IN (SELECT item_id FROM sale)",
        "SELECT name FROM item i WHERE 2 < (SELECT SUM(amount) FROM sale WHERE item_id = i.id)"}) {
    EXPECT_EQ(found(sql), "") << sql;
  }
}

TEST(MaskBounds, EachIsFoundAtItsPlace) {
  EXPECT_EQ(found("SELECT name n FROM item"), "select alias without AS @ n");
  EXPECT_EQ(found("SELECT name FROM item -- all\n"), "comment @ -- all\n");
  EXPECT_EQ(found("SELECT /* one */ name FROM item"), "comment @ /* one */ ");
  EXPECT_EQ(found("SELECT name FROM item WHERE (id, price) = (1, 2)"), "row value @ (id, price); row value @ (1, 2)");
  EXPECT_EQ(found("SELECT RANK() OVER w FROM item WINDOW w AS (ORDER BY id)"),
            "window by name @ OVER w; window by name @ WINDOW w AS (ORDER BY id)");
  EXPECT_EQ(found("SELECT rowid FROM item"), "unqualified rowid before FROM @ rowid");
  EXPECT_EQ(found("SELECT \"cheap\" FROM item"), "double-quoted string before FROM closes @ \"cheap\"");
  EXPECT_EQ(found("SELECT name FROM item;;"), "second semicolon @ ;");
  EXPECT_EQ(found("SELECT name AS key FROM item"), "keyword as an alias @ key");
  EXPECT_EQ(found("SELECT name FROM item AS T1 WHERE 1 < (SELECT SUM(T1.price) FROM sale)"),
            "outer column inside an aggregate @ T1.price");
  EXPECT_EQ(found("SELECT name" + std::string(40, ' ') + "FROM item"), "long run of blanks @ " + std::string(40, ' '));
  const std::string text = "'" + std::string(300, 'x') + "'";
  EXPECT_EQ(found("SELECT name FROM item WHERE name = " + text), "long string @ " + text);
  EXPECT_EQ(found("SELECT " + std::string(50, '1') + " FROM item"), "long number @ " + std::string(50, '1'));
  const std::string alias(70, 'a');
  EXPECT_EQ(found("SELECT name AS " + alias + " FROM item"), "long new name @ AS " + alias);
  const std::string deep = std::string(85, '(') + "1" + std::string(85, ')');
  EXPECT_NE(found("SELECT " + deep).find("deep nesting"), std::string::npos);
}

TEST(MaskBounds, ABoundExcusesOnlyWhatItCanHaveStopped) {
  const std::string sql = "SELECT name n, price FROM item";
  const auto bounds = find_decoder_bounds(sql, shop());
  EXPECT_EQ(bound_that_stopped(bounds, {7, 11}, true), "");                          // name
  EXPECT_EQ(bound_that_stopped(bounds, {11, 13}, true), "select alias without AS");  // ` n`
  EXPECT_EQ(bound_that_stopped(bounds, {13, 15}, true), "select alias without AS");  // the comma that ends it
  EXPECT_EQ(bound_that_stopped(bounds, {15, 20}, true), "");                         // price
  const std::string quoted = "SELECT \"cheap\" FROM item";
  const auto later = find_decoder_bounds(quoted, shop());
  EXPECT_EQ(bound_that_stopped(later, {20, 24}, true), "double-quoted string before FROM closes");
  EXPECT_EQ(bound_that_stopped(later, {20, 24}, false), "");
  EXPECT_EQ(bound_that_stopped(later, {8, 9}, false), "double-quoted string before FROM closes");
  EXPECT_EQ(bound_that_stopped(later, {0, 6}, true), "");
}

TEST(MaskBounds, NothingIsSaidOfTextThatDoesNotParse) { EXPECT_EQ(found("SELECT FROM -- x"), ""); }

}  // namespace
}  // namespace pccsql
