// The lexer against SQLite's rules: where lexemes begin and end, which words are names where, what is illegal.
#include "syntax/lexer.h"

#include <gtest/gtest.h>

namespace pccsql {
namespace {

// "SELECT|a|." — the lexemes' texts, Illegal ones marked with !.
std::string lexed(std::string_view sql) {
  std::vector<Lexeme> lexemes;
  lex(sql, lexemes);
  std::string out;
  for (const Lexeme& lexeme : lexemes) {
    if (lexeme.terminal == Terminal::End) break;
    if (!out.empty()) out += '|';
    if (lexeme.terminal == Terminal::Illegal) out += '!';
    out += lexeme.span.of(sql);
  }
  return out;
}

Terminal terminal_at(std::string_view sql, size_t i) {
  std::vector<Lexeme> lexemes;
  lex(sql, lexemes);
  return lexemes.at(i).terminal;
}

TEST(Lexer, CutsWordsNumbersAndSymbols) {
  EXPECT_EQ(lexed("SELECT a.b,c*1.5e-3 FROM t"), "SELECT|a|.|b|,|c|*|1.5e-3|FROM|t");
  EXPECT_EQ(lexed("a<=b<>c!=d==e||f<<g->h->>i-j"), "a|<=|b|<>|c|!=|d|==|e||||f|<<|g|->|h|->>|i|-|j");
  EXPECT_EQ(lexed("1 1. .5 1e5 0x1F 0X1f"), "1|1.|.5|1e5|0x1F|0X1f");
  EXPECT_EQ(lexed("a.5"), "a|.5") << "a dot before a digit begins a number";
  EXPECT_EQ(lexed("x'0aFF' X'00'"), "x'0aFF'|X'00'");
  EXPECT_EQ(lexed("näme $x :y @z ?1 ?"), "näme|$x|:y|@z|?1|?");
}

TEST(Lexer, MarksWhatSqliteDoesNotRecognise) {
  EXPECT_EQ(lexed("12abc"), "!12abc");
  EXPECT_EQ(lexed("1e"), "!1e");
  EXPECT_EQ(lexed("0x"), "!0x");
  EXPECT_EQ(lexed("x'0'"), "!x'0'") << "an odd number of digits";
  EXPECT_EQ(lexed("x'0g'"), "!x'0g'");
  EXPECT_EQ(lexed("'open"), "!'open");
  EXPECT_EQ(lexed("[open"), "![open");
  EXPECT_EQ(lexed("a ! b"), "a|!!|b");
  EXPECT_EQ(lexed("a\x0b"), "a|!\x0b") << "a vertical tab is no blank to SQLite, but for one that follows a blank";
  EXPECT_EQ(lexed("a \x0b b"), "a|b");
}

TEST(Lexer, SkipsBlanksAndComments) {
  EXPECT_EQ(lexed("a--b\nc/* d */e"), "a|c|e");
  EXPECT_EQ(lexed("\xEF\xBB\xBFSELECT"), "SELECT") << "a byte order mark";
  std::vector<Lexeme> lexemes;
  EXPECT_TRUE(lex("a /* b", lexemes).unterminated_comment);
  EXPECT_FALSE(lex("a -- b", lexemes).unterminated_comment);
}

TEST(Lexer, UndoesQuotes) {
  const std::string sql = "\"a\"\"b\" `c``d` [e f] 'g''h' i";
  std::vector<Lexeme> lexemes;
  lex(sql, lexemes);
  std::string buffer;
  const auto text = [&](size_t i) { return std::string(name_text(lexemes.at(i), sql, buffer)); };
  EXPECT_EQ(text(0), "a\"b");
  EXPECT_EQ(text(1), "c`d");
  EXPECT_EQ(text(2), "e f");
  EXPECT_EQ(text(3), "g'h");
  EXPECT_EQ(text(4), "i");
  EXPECT_EQ(lexemes[0].quote, Quote::Double);
  EXPECT_EQ(lexemes[1].quote, Quote::Backtick);
  EXPECT_EQ(lexemes[2].quote, Quote::Bracket);
}

TEST(Lexer, ReadsKeywordsInAnyCase) {
  EXPECT_EQ(terminal_at("SeLeCt", 0), Terminal::kw_SELECT);
  EXPECT_EQ(terminal_at("selects", 0), Terminal::Name);
  EXPECT_EQ(terminal_at("\"select\"", 0), Terminal::Name);
  for (size_t t = 0; t < kTerminals; ++t) {
    const auto terminal = static_cast<Terminal>(t);
    if (terminal < Terminal::kw_ABORT) continue;
    EXPECT_EQ(terminal_of(spelling(terminal)), terminal) << spelling(terminal);
  }
}

TEST(Lexer, SettlesWindowWordsByTheirCompany) {
  EXPECT_EQ(terminal_at("SELECT over FROM t", 1), Terminal::Name);
  EXPECT_EQ(terminal_at("f() over (", 3), Terminal::kw_OVER);
  EXPECT_EQ(terminal_at("f() over w", 3), Terminal::kw_OVER);
  EXPECT_EQ(terminal_at("f() over ,", 3), Terminal::Name);
  EXPECT_EQ(terminal_at("f() filter (", 3), Terminal::kw_FILTER);
  EXPECT_EQ(terminal_at("f() filter", 3), Terminal::Name);
  EXPECT_EQ(terminal_at("window w AS", 0), Terminal::kw_WINDOW);
  EXPECT_EQ(terminal_at("window , w", 0), Terminal::Name);
}

TEST(Lexer, EveryByteBelongsToOneLexemeOrABlank) {
  const std::string sql = "SELECT 'a''b', \"c\" /* x */ FROM [t u] -- end";
  std::vector<Lexeme> lexemes;
  lex(sql, lexemes);
  uint32_t end = 0;
  for (const Lexeme& lexeme : lexemes) {
    EXPECT_GE(lexeme.span.begin, end);
    end = lexeme.span.end;
  }
  EXPECT_EQ(lexemes.back().terminal, Terminal::End);
}

}  // namespace
}  // namespace pccsql
