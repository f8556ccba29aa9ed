// The outlines that lint reads: bodies of views, select items without their aliases, generated expressions.
#include "lint/body.h"

#include <gtest/gtest.h>

namespace pccsql {
namespace {

using Strings = std::vector<std::string>;

std::vector<Strings> items(std::string_view body) {
  std::vector<Strings> out;
  for (const Branch& branch : branches(body)) {
    out.emplace_back();
    for (const Span item : branch.items) out.back().emplace_back(item.of(body));
  }
  return out;
}

TEST(Body, OfAView) {
  EXPECT_EQ(view_body("CREATE VIEW v AS SELECT 1 AS x"), " SELECT 1 AS x");
  EXPECT_EQ(view_body("CREATE VIEW IF NOT EXISTS main.\"AS\" (a, \"AS\") /* AS */ AS\nSELECT 1, 2;"), "\nSELECT 1, 2");
  EXPECT_EQ(view_body("CREATE TABLE t (a)"), "");
  EXPECT_EQ(view_body(""), "");
}

TEST(Body, SelectItemsWithoutTheirAliases) {
  EXPECT_EQ(items("SELECT a, b AS c, d e, f(x, y) \"g h\", (SELECT i, j FROM k) l, CASE WHEN m THEN n END o, p + q, "
                  "t.* FROM t"),
            (std::vector<Strings>{
                {"a", "b", "d", "f(x, y)", "(SELECT i, j FROM k)", "CASE WHEN m THEN n END", "p + q", "t.*"}}));
  EXPECT_EQ(items("SELECT DISTINCT a WHERE b, c"), (std::vector<Strings>{{"a"}}));
  EXPECT_EQ(items("SELECT CAST(a AS INT) AS b, 'x' y"), (std::vector<Strings>{{"CAST(a AS INT)", "'x'"}}));
  EXPECT_EQ(items("SELECT a FROM t UNION ALL SELECT b, c FROM u ORDER BY 1, 2"),
            (std::vector<Strings>{{"a"}, {"b", "c"}}));
  EXPECT_EQ(items("WITH c AS (SELECT 1) SELECT * FROM c"), std::vector<Strings>{});
  EXPECT_EQ(items("VALUES (1)"), std::vector<Strings>{});
}

TEST(Body, DepthAndWords) {
  EXPECT_EQ(depth_at("a (b (c) d)", 0), 0u);
  EXPECT_EQ(depth_at("a (b (c) d)", 3), 1u);
  EXPECT_EQ(depth_at("a (b (c) d)", 6), 2u);
  EXPECT_EQ(depth_at("a (b (c) d)", 9), 1u);
  EXPECT_TRUE(has_word("SUM(a) over ()", {0, 14}, "OVER"));
  EXPECT_FALSE(has_word("SUM(a) over ()", {0, 6}, "OVER"));
  EXPECT_FALSE(has_word("\"over\" 'over'", {0, 13}, "OVER"));
}

TEST(Body, GeneratedExpressions) {
  const char* table =
      "CREATE TABLE t (a INT DEFAULT (1), \"b c\" AS (a * (1 + 2)) STORED, d TEXT GENERATED ALWAYS AS (CAST(a AS "
      "TEXT)), "
      "CHECK (a > 0))";
  EXPECT_EQ(generated_expression(table, "B C"), "a * (1 + 2)");
  EXPECT_EQ(generated_expression(table, "d"), "CAST(a AS TEXT)");
  EXPECT_EQ(generated_expression(table, "a"), std::nullopt);
  EXPECT_EQ(generated_expression(table, "nothing"), std::nullopt);
  EXPECT_EQ(generated_expression("", "a"), std::nullopt);
}

}  // namespace
}  // namespace pccsql
