// No text of 100 kB takes the checker over a second, whatever its names, aliases and `*` stand for: shapes in which a loop
// over one thing stands inside a loop over another, each as large as it fits, against a small schema and one of 2,000
// columns.
#include <cctype>
#include <cstdlib>
#include <ctime>
#include <functional>
#include <iostream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "check/check.h"
#include "policy/policy.h"
#include "schema/reader.h"

namespace pccsql {
namespace {

constexpr size_t kSize = 100'000;
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__) || !defined(NDEBUG)
constexpr double kMostSeconds = 20;
#else
constexpr double kMostSeconds = 1;
#endif

std::string wide_schema() {
  std::string sql = "CREATE TABLE w(";
  for (int i = 0; i < 2000; ++i) sql += (i == 0 ? "c" : ", c") + std::to_string(i) + " INT";
  return sql + "); CREATE TABLE t(a INTEGER PRIMARY KEY, b TEXT, c INT); CREATE TABLE u(a INT, d INT);";
}

// `head`, then as many of `part(0)`, `part(1)` … as fit, then `tail`.
using Part = std::function<std::string(size_t)>;
std::string filled(const std::string& head, const Part& part, const std::string& tail = "", size_t size = kSize) {
  std::string text = head;
  for (size_t i = 0;; ++i) {
    const std::string more = part(i);
    if (text.size() + more.size() + tail.size() > size) return text + tail;
    text += more;
  }
}
std::string filled(const std::string& head, const std::string& part, const std::string& tail = "", size_t size = kSize) {
  return filled(head, [&](size_t) { return part; }, tail, size);
}
std::string number(size_t i) { return std::to_string(i); }

// Each alias names the one before it many times.
std::string nested_aliases(const std::string& first, const std::string& from, int times, int deep) {
  std::string text = "SELECT " + first + " AS a0 FROM t WHERE ";
  for (int i = 1; i <= deep; ++i) {
    text += "(SELECT ";
    for (int k = 0; k < times; ++k) text += (k == 0 ? "" : "+") + std::string("a") + number(static_cast<size_t>(i) - 1);
    text += " AS a" + number(static_cast<size_t>(i)) + " " + from + " WHERE ";
  }
  return text + "1" + std::string(static_cast<size_t>(deep), ')');
}

struct Shape {
  std::string name;
  std::string sql;
};

std::vector<Shape> shapes() {
  const auto item = [](size_t i) { return (i == 0 ? "1 AS x" : ", 1 AS x") + number(i); };
  const auto branch_and_term = [](const std::string& branch, const Part& term) {
    return filled(filled("SELECT 1 AS x FROM t", branch, "", kSize / 2) + " ORDER BY 1", term);
  };
  std::vector<Shape> list = {
      {"nested aliases", nested_aliases("1", "FROM u", 20, 8)},
      {"nested aliases of a column", nested_aliases("b", "", 9, 7)},
      {"nested aliases of an aggregate's argument", nested_aliases("SUM(1)", "FROM u", 20, 6)},
      {"nested aliases in an aggregate",
       "SELECT b AS z FROM t GROUP BY b HAVING SUM((" + nested_aliases("z", "", 20, 6) + "))"},
      {"an alias of a long item, named often",
       filled(filled("SELECT 1 IN (b", ", b", ") AS x FROM t WHERE 1 IN (x", kSize / 2), ", x", ")")},
      {"an aggregate over a long alias",
       filled(filled("SELECT 1 IN (b", ", b", ") AS x FROM t GROUP BY b HAVING SUM(x) IN (1", kSize / 2), ", SUM(x)", ")")},
      {"stars of a wide table", filled("SELECT *", ", *", " FROM w")},
      {"stars of 60 wide tables", filled(filled("SELECT *", ", *", " FROM w w0", 50'000),
                                         [](size_t i) { return i < 60 ? ", w w_" + number(i) : std::string(kSize, ' '); })},
      {"a wide table for each branch", filled("SELECT * FROM w", " UNION SELECT * FROM w")},
      {"a wide derived table, again and again", filled("SELECT 1 FROM t WHERE 1 IN (1", ", (SELECT 1 FROM (SELECT * FROM w))", ")")},
      {"names of a wide table", filled("SELECT 1 IN (c1999", ", c1999", ") FROM w")},
      {"names that all of 60 tables could have",
       filled("SELECT 1 IN (x0.a", ", x0.a", ") FROM t x0", 90'000) +
           filled("", [](size_t i) { return i < 60 ? ", w y" + number(i) : std::string(kSize, ' '); })},
      {"unknown names", filled("SELECT 1 IN (zz", [](size_t i) { return ", zz" + number(i); }, ") FROM w")},
      {"unknown tables", filled("SELECT 1 IN (1", [](size_t i) { return ", (SELECT 1 FROM zz" + number(i) + ")"; }, ")")},
      {"aliases, and names that are among them",
       filled(filled("SELECT ", item, " FROM t WHERE 1 IN (x0", kSize / 2), ", x1999", ")")},
      {"aliases, and names that are not", filled(filled("SELECT ", item, " FROM t WHERE 1 IN (b", kSize / 2), ", zz", ")")},
      {"branches and ORDER BY terms by number", branch_and_term(" UNION SELECT 1", [](size_t) { return ", 1"; })},
      {"branches and ORDER BY terms by name", branch_and_term(" UNION SELECT 1", [](size_t) { return ", x"; })},
      {"branches and ORDER BY terms that match none", branch_and_term(" UNION SELECT b", [](size_t) { return ", 1+2"; })},
      {"branches of wide tables and ORDER BY terms",
       filled(filled("SELECT * FROM w", " UNION SELECT * FROM w", " ORDER BY 1", kSize / 2), ", c1999")},
      {"long items and long ORDER BY terms",
       filled(filled("SELECT 1 IN (b", ", b", ") FROM t UNION SELECT 2 ORDER BY 1", kSize / 2), ", 1 IN (b, b, b, b)")},
      {"NATURAL joins of a wide table",
       filled("SELECT * FROM w", [](size_t i) { return i < 60 ? " NATURAL JOIN w x" + number(i) : std::string(kSize, ' '); })},
      {"NATURAL joins of wide derived tables",
       filled("SELECT * FROM w", [](size_t i) {
         return i < 60 ? " NATURAL JOIN (SELECT * FROM w) x" + number(i) : std::string(kSize, ' ');
       })},
      {"stars over NATURAL joins of a wide table",
       filled(filled("SELECT *", ", w.*", " FROM w", 90'000),
              [](size_t i) { return i < 60 ? " NATURAL FULL JOIN w x" + number(i) : std::string(kSize, ' '); })},
      {"USING again and again", filled("SELECT 1 FROM t JOIN u USING (a", ", a", ")")},
      {"USING of a wide table", filled("SELECT * FROM w JOIN w v USING (c0", [](size_t i) { return ", c" + number(i % 2000); }, ")")},
      {"WITH tables, each naming the one before",
       filled("WITH c0 AS (SELECT 1 AS x)", [](size_t i) {
         return ", c" + number(i + 1) + " AS (SELECT x FROM c" + number(i) + ", c" + number(i) + " y)";
       }, " SELECT 1 FROM c1")},
      {"WITH tables as wide as a table",
       filled("WITH c0 AS (SELECT * FROM w)", [](size_t i) {
         return ", c" + number(i + 1) + " AS (SELECT * FROM c" + number(i) + ")";
       }, " SELECT 1 FROM c1")},
      {"free names of a WITH table, used again and again",
       filled(filled("SELECT 1 FROM w WHERE EXISTS (WITH c AS (SELECT 1 IN (w.c0", ", w.c0", ")) SELECT 1 IN (1", kSize / 2),
              ", (SELECT 1 FROM c)", "))")},
      {"a long IN list", filled("SELECT b FROM t WHERE a IN (1", ", 2", ")")},
      {"a long IN list of rows", filled("SELECT b FROM t WHERE (a, b) IN ((1, 2)", ", (1, 2)", ")")},
      {"a wide row and many of them",
       filled(filled("SELECT b FROM t WHERE (1", ", 1", ") IN ((1)", kSize / 2), ", (1, 1)", ")")},
      {"a CASE of many arms in an aggregate",
       filled(filled("SELECT SUM(CASE WHEN 1 THEN c1", " WHEN 1 THEN c1999", " END + CASE WHEN 1 THEN c2", kSize / 2),
              " WHEN 1 THEN c1998", " END) FROM w")},
      {"many aggregates", filled("SELECT 1 IN (1", ", SUM(c0 + c1 * 2)", ") FROM w")},
      {"many ANDs", filled("SELECT b FROM t WHERE 1 IN (1", ", (1 AND a AND 0 AND b)", ")")},
      {"many windows", filled(filled("SELECT 1 IN (1", ", SUM(a) OVER x1999", ") FROM t WINDOW x0 AS ()", kSize / 2),
                              [](size_t i) { return ", x" + number(i + 1) + " AS (x" + number(i) + ")"; })},
      {"GROUP BY terms by alias", filled(filled("SELECT ", item, " FROM t GROUP BY x0", kSize / 2), ", x1999")},
      {"derived tables side by side in branches",
       filled("SELECT 1 FROM t", " UNION ALL SELECT 1 FROM (SELECT a FROM t), (SELECT d FROM u) ORDER BY 1", "", 60) +
           filled("", " UNION SELECT a FROM (SELECT a FROM t)", "", kSize - 200)},
      {"everything Hidden", filled("SELECT c0", [](size_t i) { return ", c" + number(i % 2000); }, " FROM w")},
      {"nested as deep as it goes",
       filled("SELECT 1 IN (1", ", (SELECT (SELECT (SELECT (SELECT (SELECT b FROM u) FROM u) FROM u) FROM u) FROM u)",
              ") FROM t")},
      {"a name as long as the text", "SELECT " + std::string(kSize - 40, 'x') + " FROM t"},
      {"one blank", std::string(kSize, ' ')},
      {"opening parentheses", std::string(kSize, '(')},
      {"signs", "SELECT " + filled("", "- ", "1")},
      {"an expression as tall as it goes", filled("SELECT 1", "+1")},
  };
  // One piece of SQL again and again, whether it makes sense or not.
  for (const std::string piece :
       {"(", "((", "- ", "NOT ", "~", "+1", "1,", "a.", "a.a.a ", "x ", "CASE ", "CASE WHEN 1 THEN ", "CAST(", "(SELECT ",
        "EXISTS (SELECT ", "1 IN (SELECT ", "1 IN (", "a AND ", "a OR ", "a = ", "a BETWEEN 1 AND ", "a LIKE b ESCAPE ",
        "a COLLATE nocase ", "a IS NOT DISTINCT FROM ", "a -> ", "COUNT(", "SUM(a) FILTER (WHERE ", "SUM(a) OVER (ORDER BY ",
        "max(1, ", "* FROM t UNION SELECT ", "* FROM (SELECT ", "1 FROM t JOIN u ON ", "1 FROM t WHERE ",
        "1 FROM t GROUP BY ", "1 FROM t ORDER BY ", "1 FROM t LIMIT ", "1 FROM t, ", "1 FROM t NATURAL ", "LEFT ", "AS ",
        "AS x, ", "* ", "t.*, ", "'", "''", "\"\"", "[a]", "`", "/*", "--", "x'", "0x", "1e", ";", "? ", ":a ", "WITH a AS (",
        "VALUES (1), ", "OVER ", "WINDOW x AS (", "JOIN ", "ISNULL ", "NOT NULL ", "NULLS FIRST ", "1.1.1"}) {
    list.push_back({"repeated " + number(list.size()) + " " + piece, filled("SELECT ", piece)});
  }
  return list;
}

class WorkTest : public ::testing::TestWithParam<Shape> {};

TEST_P(WorkTest, IsJudgedWithinASecond) {
  static const Result<Catalog> catalog = read_ddl_catalog(wide_schema());
  ASSERT_TRUE(catalog);
  static const Policy policy(*catalog, ColumnPolicy::Hidden);
  ASSERT_LE(GetParam().sql.size(), kSize + 2000);
  for (const Profile profile : {Profile::Strict, Profile::Paper}) {
    CheckSettings settings;
    settings.profile = profile;
    SqliteChecker checker(*catalog, settings);
    const std::clock_t begin = std::clock();
    const Judgement judgement = checker.check(GetParam().sql, policy);
    const double seconds = static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
    EXPECT_LT(seconds, kMostSeconds) << to_string(judgement.verdict) << ": " << judgement.reason;
    if (std::getenv("PCCSQL_VERBOSE") != nullptr) {
      std::cout << GetParam().name << ": " << seconds << " s, " << to_string(judgement.verdict) << ": "
                << judgement.reason.substr(0, 100) << "\n";
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Shapes, WorkTest, testing::ValuesIn(shapes()), [](const auto& tested) {
  std::string name = tested.param.name;
  for (char& c : name) {
    if (std::isalnum(static_cast<unsigned char>(c)) == 0) c = '_';
  }
  return name;
});

}  // namespace
}  // namespace pccsql
