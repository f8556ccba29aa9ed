// The parser: the shape of trees, keywords read as names, and errors at the right lexeme.
#include "syntax/parser.h"

#include <gtest/gtest.h>

namespace pccsql {
namespace {

// "" if it parses, else the text at which it stopped ("<end>" at the end).
std::string stops_at(std::string_view sql) {
  std::vector<Lexeme> lexemes;
  lex(sql, lexemes);
  Parser parser(sql_grammar());
  if (parser.parse(lexemes)) return "";
  const Lexeme& lexeme = lexemes[parser.error_lexeme()];
  return lexeme.terminal == Terminal::End ? "<end>" : std::string(lexeme.span.of(sql));
}

TEST(Parser, TreeCoversTheLexemesInOrder) {
  const std::string_view sql = "SELECT a, COUNT(*) FROM t WHERE b IN (SELECT c FROM u) GROUP BY a";
  std::vector<Lexeme> lexemes;
  lex(sql, lexemes);
  Parser parser(sql_grammar());
  ASSERT_TRUE(parser.parse(lexemes));
  const std::vector<Node>& nodes = parser.nodes();
  EXPECT_EQ(sql_grammar().rules()[nodes[0].rule].name, "statement");
  EXPECT_EQ(nodes[0].next, nodes.size());
  EXPECT_EQ(nodes[0].last, lexemes.size() - 1) << "all but End";
  int queries = 0;
  for (uint32_t i = 0; i < nodes.size(); ++i) {
    EXPECT_GT(nodes[i].next, i);
    EXPECT_LT(nodes[i].first, nodes[i].last) << "no rule is empty";
    queries += sql_grammar().rules()[nodes[i].rule].name == "query";
    for (uint32_t child = i + 1; child < nodes[i].next; child = nodes[child].next) {
      EXPECT_GE(nodes[child].first, nodes[i].first);
      EXPECT_LE(nodes[child].last, nodes[i].last);
    }
  }
  EXPECT_EQ(queries, 2);
}

TEST(Parser, ReadsKeywordsAsNamesWhereTheyCannotBeKeywords) {
  EXPECT_EQ(stops_at("SELECT key, first, desc FROM action AS after"), "");
  EXPECT_EQ(stops_at("SELECT like(a, b), replace(a, 'x', 'y') FROM t"), "");
  EXPECT_EQ(stops_at("SELECT left, t.right FROM t"), "");
  EXPECT_EQ(stops_at("SELECT a left FROM t"), "left") << "a join word is no alias without AS";
  EXPECT_EQ(stops_at("SELECT a AS left FROM t"), "");
  EXPECT_EQ(stops_at("SELECT order FROM t"), "order");
  EXPECT_EQ(stops_at("SELECT cast FROM t"), "FROM") << "CAST could begin an operand, so it does";
}

TEST(Parser, StopsAtTheLexemeThatCannotFollow) {
  EXPECT_EQ(stops_at("SELECT a FROM"), "<end>");
  EXPECT_EQ(stops_at("SELECT FROM t"), "FROM");
  EXPECT_EQ(stops_at("SELECT a FROM t WHERE"), "<end>");
  EXPECT_EQ(stops_at("SELECT a FROM t LIMIT 1 UNION SELECT b FROM t"), "UNION");
  EXPECT_EQ(stops_at("SELECT a FROM t ORDER BY a UNION SELECT b FROM t"), "UNION");
  EXPECT_EQ(stops_at("SELECT (a FROM t"), "FROM");
  EXPECT_EQ(stops_at("SELECT a) FROM t"), ")");
  EXPECT_EQ(stops_at("SELECT a BETWEEN 1 OR 2 AND 3 FROM t"), "OR");
  EXPECT_EQ(stops_at("SELECT a FROM t; SELECT b"), "SELECT");
  EXPECT_EQ(stops_at("SELECT a FROM t;;"), "");
}

TEST(Parser, SaysWhatCouldStandThere) {
  std::vector<Lexeme> lexemes;
  lex("SELECT a FROM t ORDER a", lexemes);
  Parser parser(sql_grammar());
  ASSERT_FALSE(parser.parse(lexemes));
  EXPECT_EQ(parser.expected(), "`BY`");
}

TEST(Parser, EndsEarlyOnAMegabyteOfParentheses) {
  const std::string sql = "SELECT " + std::string(1 << 20, '(');
  std::vector<Lexeme> lexemes;
  lex(sql, lexemes);
  Parser parser(sql_grammar());
  EXPECT_FALSE(parser.parse(lexemes));
  EXPECT_LT(parser.nodes().size(), 10'000u);
}

}  // namespace
}  // namespace pccsql
