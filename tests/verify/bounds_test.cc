// Each bound of the decoder is found where it is, and excuses nothing elsewhere.
#include <fstream>
#include <set>
#include <sstream>

#include <gtest/gtest.h>

#include "schema/reader.h"
#include "verify/bounds.h"

namespace pccsql::verify {

using namespace track;
namespace {

const Catalog& shop() {
  static const Catalog catalog = *read_ddl_catalog(
      "CREATE TABLE item (id INTEGER PRIMARY KEY, name TEXT, price REAL);\n"
      "CREATE TABLE sale (item_id INTEGER, amount INTEGER, name TEXT);\n"
      "CREATE TABLE odd (oid TEXT);\n"
      "CREATE VIEW ware AS SELECT id AS ware_id, price AS worth FROM item;\n"
      "CREATE TABLE flag (\"false\" TEXT);\n");
  return catalog;
}

// "bound @ text" for each bound found, with a `>` before it where it may stop the text later.
std::string found(const std::string& sql, const TrackSettings& settings = {}, bool sets_minimum = false) {
  std::string out;
  for (const BoundFound& each : find_bounds(shop(), settings, sql, sets_minimum)) {
    out += (out.empty() ? "" : "; ") + std::string(each.bound->name) + (each.later ? " > " : " @ ") +
           std::string(each.at.of(sql));
  }
  return out;
}

struct Case {
  std::string sql;
  std::string found;
};

const std::vector<Case>& cases() {
  static const std::string text = "'" + std::string(300, 'x') + "'";
  static const std::string alias(70, 'a');
  static const std::vector<Case> all{
      {"SELECT name FROM item -- all\n", "comment @ -- all\n"},
      {"SELECT /* one */ name FROM item", "comment @ /* one */ "},
      {"SELECT name FROM item;;", "second semicolon @ ;"},
      {"; ;SELECT name FROM item", "second semicolon @ ; ;"},
      {"SELECT name" + std::string(40, ' ') + "FROM item", "long run of blanks @ " + std::string(40, ' ')},
      {"SELECT name FROM item WHERE name = " + text, "long string @ " + text},
      {"SELECT " + std::string(50, '1') + " FROM item", "long number @ " + std::string(50, '1')},
      {"SELECT name AS " + alias + " FROM item", "long new name @ " + alias},
      {"SELECT name n FROM item", "select alias without AS @ n"},
      {"SELECT name AS key FROM item", "keyword as a new name @ key"},
      {"WITH key AS (SELECT 1) SELECT 2", "keyword as a new name @ key"},
      {"SELECT name AS \"True\" FROM item", "TRUE or FALSE as a new name @ \"True\""},
      {"SELECT sale.price FROM item AS sale", "table's name for another item > sale.price"},
      {"SELECT rowid FROM item", "rowid before FROM closes @ rowid"},
      {"SELECT oid FROM item", "rowid before FROM closes > oid"},
      {"SELECT (SELECT _rowid_) FROM item", "rowid before FROM closes @ _rowid_"},
      {"SELECT \"cheap\" FROM item", "\"x\" as a string @ \"cheap\" "},
      {"SELECT \"amount\" FROM item", "\"x\" as a string > \"amount\""},
      {"SELECT (SELECT 1 FROM item WHERE name = \"cheap\")", "\"x\" as a string @ \"cheap\""},
      {"SELECT name FROM item LIMIT \"price\"", "\"x\" as a string > \"price\""},
      {"WITH n AS (SELECT 1 FROM item WHERE \"cheap\") SELECT 2", "\"x\" as a string @ \"cheap\""},
      {"WITH n AS (SELECT TRUE) SELECT TRUE", "TRUE or FALSE @ TRUE"},
      {"SELECT (SELECT 1 FROM item ORDER BY FALSE) FROM flag", "TRUE or FALSE @ FALSE"},
      {"SELECT zz FROM (SELECT \"zz\" FROM item)", "\"x\" as a string > \"zz\""},
      {"SELECT id AS x FROM item JOIN sale ON x = item_id", "select alias in ON > x"},
      {"SELECT SUM(price) AS s FROM item GROUP BY id HAVING (SELECT s) > 1",
       "alias of an aggregate in a subquery > s; SELECT before its comparison > SELECT s"},
      {"SELECT RANK() OVER () AS s FROM item WHERE (SELECT s FROM odd)", "alias of an aggregate in a subquery > s"},
      {"SELECT (SELECT price AS x FROM odd WHERE x) FROM item", "alias of an outer column > x"},
      {"SELECT (SELECT price FROM odd GROUP BY 1 ORDER BY RANK() OVER ()) FROM item",
       "outer column in GROUP BY beside windows > 1"},
      {"SELECT (SELECT price FROM odd GROUP BY 1 ORDER BY 1) FROM item", ""},
      {"SELECT name FROM item AS T1 WHERE 1 < (SELECT SUM(T1.price) FROM sale)",
       "outer name in an aggregate > T1.price"},
      {"SELECT (SELECT SUM(1) FILTER (WHERE price) FROM sale) FROM item", "outer name in an aggregate > price"},
      {"SELECT (SELECT MAX(price, amount) FROM sale) FROM item", "outer name in an aggregate > price"},
      {"SELECT SUM(id) OVER (ORDER BY id ROWS \"id\" PRECEDING) FROM item", "name in a window's frame @ \"id\""},
      {"SELECT price + 1 AS x, COUNT(*) FROM item GROUP BY name HAVING SUM(x) > 1",
       "alias of an expression in an aggregate @ x)"},
      {"SELECT (price) AS x, COUNT(*) FROM item GROUP BY name HAVING SUM(x) > 1", ""},
      {"SELECT (SELECT oid FROM odd) AS x FROM item WHERE x = 1", "alias of a SELECT in a condition @ x ="},
      {"SELECT SUM(T1.name - T2.name) FROM item AS T1, sale AS T2",
       "names of one aggregate that FROM decides about > (T1.name - T2.name)"},
      {"WITH c AS (SELECT 1 AS n) SELECT SUM(price * n) FROM c, item",
       "names of one aggregate that FROM decides about > (price * n)"},
      {"WITH n AS (SELECT 1), m AS (WITH N AS (SELECT 2) SELECT 3) SELECT 4", "repeated CTE name @ N"},
      {"WITH n(a, A) AS (SELECT 1, 2) SELECT 3", "repeated CTE column @ A"},
      {"SELECT id FROM item NATURAL JOIN (SELECT * FROM odd)", "* under NATURAL JOIN @ *"},
      {"SELECT id FROM item NATURAL JOIN (SELECT 1 AS a, odd.* FROM odd) AS x", "* under NATURAL JOIN @ odd.*"},
      {"SELECT * FROM item FULL JOIN sale USING (name)",
       "* over merged columns of RIGHT or FULL @ FULL JOIN sale USING (name)"},
      {"SELECT item.* FROM item NATURAL RIGHT JOIN sale",
       "* over merged columns of RIGHT or FULL @ NATURAL RIGHT JOIN sale"},
      {"SELECT 1 FROM item RIGHT JOIN (SELECT 1 UNION ALL SELECT 2)", "RIGHT or FULL beside a nested UNION ALL @ ALL"},
      {"SELECT 1 FROM (SELECT 1 UNION ALL SELECT 2) FULL JOIN odd", "RIGHT or FULL beside a nested UNION ALL @ FULL"},
      {"SELECT x FROM (SELECT RANK() OVER (PARTITION BY COUNT(*)) AS x FROM odd)",
       "aggregate in a window alone @ SELECT RANK() OVER (PARTITION BY COUNT(*)) AS x FROM odd)"},
      {"WITH n AS (SELECT 1 FROM odd ORDER BY SUM(MIN(oid)) OVER (PARTITION BY oid)) SELECT 1",
       "aggregate in a window alone @ SELECT 1 FROM odd ORDER BY SUM(MIN(oid)) OVER (PARTITION BY oid))"},
      {"SELECT name FROM item WHERE name IN (SELECT * FROM odd)", "* as one value @ *"},
      {"SELECT (SELECT odd.* FROM odd)", "* as one value @ odd.*"},
      {"SELECT 1 UNION SELECT odd.* FROM odd", "* where the width is fixed @ odd.*"},
      {"WITH n(a, b) AS (SELECT *, * FROM odd) SELECT 1", "* where the width is fixed @ *"},
      {"SELECT 1 UNION SELECT * FROM (SELECT odd.* FROM odd)", "* where the width is fixed @ odd.*"},
      {"SELECT 1 UNION SELECT * FROM odd JOIN odd AS x USING (oid)", "* where the width is fixed @ JOIN"},
      {"SELECT 1, 2 UNION SELECT name, * FROM (SELECT name FROM item)", "* where the width is fixed > name, * FROM "},
      {"SELECT name FROM item UNION SELECT oid FROM odd ORDER BY name + 1", "ORDER BY of a set operation @ name + 1"},
      {"SELECT name FROM item UNION SELECT oid FROM odd ORDER BY -1", "ORDER BY of a set operation @ -1"},
      {"SELECT item.name FROM item, sale UNION SELECT oid FROM odd ORDER BY name",
       "ORDER BY of a set operation @ name"},
      {"SELECT name FROM item WHERE -((SELECT oid FROM odd)) IS NULL",
       "SELECT before its comparison > SELECT oid FROM odd"},
      {"SELECT name FROM item WHERE (SELECT COUNT(oid) FROM odd) > 1 AND (SELECT oid FROM odd) LIKE 'x'", ""},
      {"SELECT name FROM item WHERE id IN (SELECT oid FROM odd UNION SELECT 1 ORDER BY 1)",
       "sorted SELECT in a comparison @ ORDER BY 1)"},
      {"SELECT name FROM item WHERE EXISTS (SELECT * FROM odd GROUP BY 1)",
       "sorted SELECT in a comparison @ GROUP BY 1)"},
      {"SELECT name FROM item WHERE id IN (SELECT oid FROM odd GROUP BY 1)", ""},
      {"SELECT (SELECT 1 FROM odd WHERE 1 IN (SELECT price)) FROM item",
       "outer name in a compared SELECT > (SELECT price)"},
      {"SELECT name FROM item WHERE (id, price) = (1, 2)", "row value @ (id, price); row value @ (1, 2)"},
      {"SELECT name FROM item WHERE id = (SELECT 1, 2)", "row value @ , 2)"},
      {"SELECT id IN () FROM item", "empty IN list @ ()"},
      {"SELECT id LIKE NOT id FROM item", "NOT in a pattern @ NOT"},
      {"SELECT id LIKE 'x' ESCAPE -NOT id FROM item", "NOT in a pattern @ NOT"},
      {"SELECT id GLOB (NOT id) FROM item", ""},
      {"SELECT 0 AND id FROM item", "0 beside AND @ 0 AND"},
      {"SELECT id AND (0) FROM item", "0 beside AND @ (0) FROM"},
      {"SELECT CAST(id AS 'x') FROM item", "CAST to another type @ 'x'"},
      {"SELECT CAST(id AS money) FROM item", "CAST to another type @ money"},
      {"SELECT name COLLATE \"nocase\" FROM item", "quoted collation @ \"nocase\""},
      {"SELECT \"abs\"(id) FROM item", "quoted function @ \"abs\"("},
      {"SELECT date(*) FROM item", "* in a call @ *"},
      {"SELECT ABS(DISTINCT id) FROM item", "DISTINCT in a scalar call @ DISTINCT id)"},
      {"SELECT MAX(DISTINCT id, 2) FROM item", "DISTINCT in a scalar call @ DISTINCT id,"},
      {"SELECT RANK() OVER w FROM item WINDOW w AS (ORDER BY id)",
       "window by name @ OVER w; window by name @ WINDOW w AS (ORDER BY id)"},
      {"SELECT rowid FROM (SELECT id AS rowid FROM item)", "rowid before FROM closes > rowid"},
  };
  return all;
}

TEST(Bounds, EachIsFoundAtItsPlace) {
  for (const Case& each : cases()) EXPECT_EQ(found(each.sql), each.found) << each.sql;
}

TEST(Bounds, CountsHaveTheirPlace) {
  const auto repeated = [](const std::string& text, int times) {
    std::string all;
    for (int i = 0; i < times; ++i) all += (i == 0 ? "" : ",") + text;
    return all;
  };
  const std::string deep = std::string(85, '(') + "1" + std::string(85, ')');
  std::string sets = "SELECT 1";
  for (int i = 0; i < 480; ++i) sets += " UNION SELECT 1";
  std::string sum = "SELECT 1";
  for (int i = 0; i < 1000; ++i) sum += "+1";
  const auto holds = [](const std::string& sql, const std::string& bound) {
    return found(sql).find(bound) != std::string::npos;
  };
  EXPECT_TRUE(holds("SELECT " + deep, "deep nesting"));
  EXPECT_EQ(found(sets), "many set operations @ UNION SELECT 1");
  EXPECT_EQ(found("SELECT " + repeated("1", 2001)), "many select items @ ,1");
  std::string names = "SELECT 1";
  for (int i = 0; i <= 2048; ++i) names += "+n" + std::to_string(i);
  EXPECT_NE(found(names + " FROM odd").find("many names @ n2048"), std::string::npos);
  const std::string merged = "SELECT 1 FROM item JOIN sale USING (" + repeated("name", 901) + ") WHERE name";
  EXPECT_EQ(found(merged), "many conditions @ " + merged.substr(merged.find("sale")));
  EXPECT_EQ(found("SELECT 1 FROM item JOIN sale USING (" + repeated("name", 890) + ") WHERE name"), "");
  EXPECT_EQ(found("SELECT CHAR(" + repeated("1", 101) + ")"), "many arguments @ ,1");
  EXPECT_EQ(found("SELECT 1 FROM " + repeated("odd", 61)), "many tables @ ,odd");
  EXPECT_EQ(found(sum), "tall expression @ +1");
  EXPECT_EQ(found(sum.substr(0, 8 + 2 * 900)), "");
}

// Under a policy that sets a minimum group.
const std::vector<Case>& minimum_cases() {
  static const std::vector<Case> all{
      {"SELECT SUM(price), AVG(item.price) FROM item", "two qualifiers of one table in aggregates > item.price"},
      {"SELECT SUM(a.price), AVG(b.id) FROM item AS a, item AS b", "two qualifiers of one table in aggregates > b.id"},
      {"SELECT COUNT(sale.name) FROM sale", "name of several tables in an aggregate > sale.name"},
      {"SELECT (SELECT SUM(worth) FROM ware) FROM ware AS again", "view that is counted and named again > ware"},
      {"SELECT SUM(a.worth) FROM ware AS a JOIN ware AS b ON b.ware_id = a.ware_id", ""},
      {"SELECT SUM(price), (SELECT AVG(s.amount) FROM sale AS s) FROM item", ""},
      {"SELECT a.id FROM item AS a, item AS b GROUP BY 1 HAVING SUM(a.price) > SUM(b.price)", ""},
  };
  return all;
}

TEST(Bounds, OfMinimumGroupsAreFoundWhereAPolicySetsThem) {
  for (const Case& each : minimum_cases()) {
    EXPECT_EQ(found(each.sql, {}, true), each.found) << each.sql;
    EXPECT_EQ(found(each.sql), "") << each.sql;
  }
}

TEST(Bounds, EveryOneHasACase) {
  std::set<std::string_view> seen{"deep nesting",   "many set operations", "many select items", "many tables",
                                  "many arguments", "tall expression",     "many names",        "many conditions"};
  for (const Case& each : cases()) {
    for (const BoundFound& one : find_bounds(shop(), {}, each.sql)) seen.insert(one.bound->name);
  }
  for (const Case& each : minimum_cases()) {
    for (const BoundFound& one : find_bounds(shop(), {}, each.sql, true)) seen.insert(one.bound->name);
  }
  std::set<std::string_view> names;
  for (const Bound& bound : decoder_bounds()) {
    EXPECT_TRUE(seen.contains(bound.name)) << bound.name;
    EXPECT_TRUE(names.insert(bound.name).second) << "twice: " << bound.name;
    EXPECT_FALSE(bound.sentence.empty()) << bound.name;
  }
}

TEST(Bounds, EachIsDocumented) {
  std::ifstream in(PCCSQL_ROOT "/docs/decoder.md");
  std::stringstream text;
  text << in.rdbuf();
  ASSERT_FALSE(text.str().empty());
  for (const Bound& bound : decoder_bounds()) {
    const std::string row = "\n| " + std::string(bound.name) + " |";
    EXPECT_NE(text.str().find(row), std::string::npos) << "docs/decoder.md has no row for: " << bound.name;
  }
}

TEST(Bounds, OrdinaryQueriesAreOverNone) {
  for (const char* sql :
       {"SELECT T1.name AS n, COUNT(*) FROM item AS T1 JOIN sale T2 ON T1.id = T2.item_id WHERE price IN (1, 2) "
        "GROUP BY 1;",
        "SELECT a.id FROM item AS a WHERE rowid = 3 AND \"name\" = \"x\"",
        "SELECT RANK() OVER (PARTITION BY name ORDER BY price) FROM item WHERE \"zz\" = name AND rowid = 1;",
        "SELECT name FROM item WHERE price > (SELECT AVG(price) FROM item) AND id IN (SELECT item_id FROM sale)",
        "SELECT name FROM item i WHERE 2 < (SELECT SUM(amount) FROM sale WHERE item_id = i.id)",
        "SELECT name AS x FROM item WHERE EXISTS (SELECT * FROM sale) GROUP BY x ORDER BY (SELECT 1), x",
        "SELECT oid, odd.oid FROM odd UNION SELECT *, 1 FROM odd ORDER BY oid COLLATE nocase, 2, (1)",
        "SELECT 1 + 0 AND id = 0 AND NOT 0 OR 0, CAST(id AS VARCHAR(10)), MAX(ALL id) FROM item",
        "WITH n AS (SELECT id AS k FROM item) SELECT SUM(k) OVER (ORDER BY k ROWS 1 PRECEDING) FROM n NATURAL JOIN odd",
        "SELECT SUM(id), COUNT(id) OVER () FROM item ORDER BY SUM(id) OVER (), LAG(SUM(id)) OVER ()",
        "SELECT SUM(1 + AVG(id)) OVER () FROM item ORDER BY 1 + MAX(id) OVER ()",
        "SELECT 1 FROM (SELECT RANK() OVER (PARTITION BY COUNT(*)), SUM(id) FROM item)",
        "SELECT 1 FROM (SELECT RANK() OVER (PARTITION BY COUNT(*)) FROM item GROUP BY id)",
        "SELECT 1 FROM (SELECT RANK() OVER (ORDER BY COUNT(*)) FROM item), (SELECT RANK() OVER (PARTITION BY id) FROM item)",
        "SELECT RANK() OVER (PARTITION BY COUNT(*)) FROM item WHERE id IN (SELECT SUM(COUNT(*)) OVER (PARTITION BY 1) FROM odd)",
        "SELECT 1 AS n, T1._rowid_ FROM item AS T1 JOIN odd AS sale ON T1.rowid = sale.oid GROUP BY n, 1",
        "SELECT (SELECT item.rowid FROM odd WHERE 1) FROM item UNION SELECT oid FROM odd ORDER BY oid",
        "SELECT (SELECT id) FROM item WHERE name IN ('a', ABS(-(1 + 2 * (3 || id))))",
        "SELECT id FROM item NATURAL JOIN (SELECT 1 AS x UNION SELECT * FROM odd), (SELECT * FROM odd)",
        "SELECT * FROM item JOIN sale USING (name) WHERE TRUE", "SELECT name FROM sale FULL JOIN item USING (name)"}) {
    EXPECT_EQ(found(sql), "") << sql;
  }
}

TEST(Bounds, ASettingLiftsWhatItLifts) {
  TrackSettings open;
  open.aliases = Aliases::Any;
  EXPECT_EQ(found("SELECT name n FROM item;;", open), "second semicolon @ ;");
}

std::string_view stopped(const std::vector<BoundFound>& bounds, Span bytes, bool later) {
  const Bound* bound = bound_that_stopped(bounds, bytes, later);
  return bound != nullptr ? bound->name : "";
}

TEST(Bounds, ABoundExcusesOnlyWhatItCanHaveStopped) {
  const auto bounds = find_bounds(shop(), {}, "SELECT name n, price FROM item");
  EXPECT_EQ(stopped(bounds, {7, 11}, true), "");                          // name
  EXPECT_EQ(stopped(bounds, {11, 13}, true), "select alias without AS");  // ` n`
  EXPECT_EQ(stopped(bounds, {13, 15}, true), "select alias without AS");  // the comma that ends it
  EXPECT_EQ(stopped(bounds, {15, 20}, true), "");                         // price
  const auto later = find_bounds(shop(), {}, "SELECT \"amount\" FROM item");
  EXPECT_EQ(stopped(later, {21, 25}, true), "\"x\" as a string");
  EXPECT_EQ(stopped(later, {21, 25}, false), "");
  EXPECT_EQ(stopped(later, {8, 9}, false), "\"x\" as a string");
  EXPECT_EQ(stopped(later, {0, 6}, true), "");
}

TEST(Bounds, NothingIsSaidOfTextThatDoesNotParse) { EXPECT_EQ(found("SELECT FROM -- x"), ""); }

}  // namespace
}  // namespace pccsql::verify
