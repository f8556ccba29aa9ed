// The byte-wise lexer against the lexer of whole texts: the same lexemes, and dead exactly where no continuation is SQL
// that a generator may write.
#include "track/lexical.h"

#include <random>

#include <gtest/gtest.h>

#include "base/text.h"
#include "syntax/sentence.h"

namespace pccsql::track {
namespace {

struct Outcome {
  size_t read = 0;  // bytes taken
  bool ended = false;
  std::vector<EndedLexeme> lexemes;
};

Outcome bytewise(std::string_view sql, TextArena& texts) {
  Outcome outcome;
  LexState state;
  for (const char c : sql) {
    const LexStep next = step(state, static_cast<uint8_t>(c), texts);
    if (!next.ok) return outcome;
    for (int i = 0; i < next.count; ++i) outcome.lexemes.push_back(next.ended[i]);
    state = next.state;
    ++outcome.read;
  }
  const LexStep last = finish(state);
  outcome.ended = last.ok;
  for (int i = 0; i < last.count && last.ok; ++i) outcome.lexemes.push_back(last.ended[i]);
  return outcome;
}

// As the lexer of whole texts cuts it; keywords are names here.
void expect_same(std::string_view sql) {
  TextArena texts;
  const Outcome outcome = bytewise(sql, texts);
  ASSERT_TRUE(outcome.ended) << sql << "\nstopped after " << outcome.read;
  std::vector<Lexeme> lexemes;
  lex(sql, lexemes);
  ASSERT_EQ(outcome.lexemes.size(), lexemes.size() - 1) << sql;
  std::string buffer;
  for (size_t i = 0; i + 1 < lexemes.size(); ++i) {
    const bool word = lexemes[i].terminal >= Terminal::kw_ABORT;
    const Terminal expected = word ? Terminal::Name : lexemes[i].terminal;
    EXPECT_EQ(outcome.lexemes[i].terminal, expected) << sql << " at " << lexemes[i].span.of(sql);
    if (expected != Terminal::Name) continue;  // what a string says is not kept
    EXPECT_EQ(outcome.lexemes[i].quote, lexemes[i].quote);
    EXPECT_EQ(texts.str(outcome.lexemes[i].text), name_text(lexemes[i], sql, buffer)) << sql;
  }
}

// The database reads a byte order mark as a blank where a word could begin, as a letter inside one.
TEST(Lexical, ByteOrderMarks) {
  TextArena texts;
  EXPECT_FALSE(bytewise("SELECT \xEF\xBB\xBF", texts).ended);
  EXPECT_FALSE(bytewise("SELECT 1 \xEF\xBB\xBF"
                        "a",
                        texts)
                   .ended);
  EXPECT_TRUE(bytewise("SELECT a\xEF\xBB\xBF", texts).ended);
  EXPECT_TRUE(bytewise("SELECT \xEF\xBB\xBE", texts).ended);
  EXPECT_TRUE(bytewise("SELECT '\xEF\xBB\xBF', `\xEF\xBB\xBF`", texts).ended);
}

TEST(Lexical, CutsAsTheLexerDoes) {
  for (const char* sql :
       {"SELECT a.b,c*1.5e-3 FROM t", "a<=b<>c!=d==e||f<<g->h->>i- -j", "1 1. .5 1e5 0x1F 00 0.5 1E+2", "a.5",
        "x'0aFF' X'' xx", "\"a\"\"b\"`c``d`[e f]'g''h'i", "näme 'ÄÖ€😀'", "a\tb\nc\r\fd", "COUNT(*)>=(1)",
        "a|b||c&d~e%f/g", "'it''s'", "\"\"", "''", "T1.name=T2.\"first name\";"}) {
    expect_same(sql);
  }
}

TEST(Lexical, AgreesOnRandomSentences) {
  const auto fill = [](Terminal terminal, Slot, std::mt19937_64& random) -> std::string {
    const auto pick = [&](std::initializer_list<const char*> texts) {
      return *(texts.begin() + random() % texts.size());
    };
    switch (terminal) {
      case Terminal::String:
        return pick({"'x'", "''", "'a''b'", "'ü'"});
      case Terminal::Integer:
        return pick({"1", "0", "0x1f", "42"});
      case Terminal::Float:
        return pick({"1.5", ".5", "1.", "2e10"});
      case Terminal::Blob:
        return "x'00ff'";
      default:
        return pick({"a", "\"b c\"", "[d]", "`e`", "Tä"});
    }
  };
  SentenceGenerator generator(sql_grammar(), fill, 5);
  for (int i = 0; i < 3'000; ++i) expect_same(generator.next(40));
}

TEST(Lexical, StopsAtTheByteAfterWhichNothingCanFollow) {
  const struct {
    const char* sql;
    size_t read;
  } cases[] = {
      {"a--b", 2},   {"a/*b", 2},      {"12a", 2},       {"1ex", 2},       {"1e+x", 3},     {"0xg", 2},
      {"x'0'", 3},   {"x'g", 2},       {"a!b", 2},       {"?", 0},         {":a", 0},       {"@a", 0},
      {"$a", 0},     {"#", 0},         {"{", 0},         {"\\", 0},        {"a\v", 1},      {"'\xff'", 1},
      {"'\xc3'", 2}, {"'\xe0\x80", 2}, {"'\xed\xa0", 2}, {"'\xf4\x90", 2}, {"\xc3\x28", 1},
  };
  TextArena texts;
  for (const auto& test : cases) {
    const Outcome outcome = bytewise(test.sql, texts);
    EXPECT_EQ(outcome.read, test.read) << test.sql;
    EXPECT_FALSE(outcome.ended) << test.sql;
  }
}

TEST(Lexical, KnowsWhatIsOwedAtTheEnd) {
  TextArena texts;
  for (const char* open : {"'a", "\"a", "`a", "[a", "1e", "1e-", "0x", "x'", "x'0", "a !", "'\xc3"}) {
    EXPECT_FALSE(bytewise(open, texts).ended) << open;
  }
  for (const char* closed : {"", " ", "a", "'a'", "\"a\"", "[a]", "1", "1.", "0", "a -", "a /", "a <", "a |", "a."}) {
    EXPECT_TRUE(bytewise(closed, texts).ended) << closed;
  }
}

// Any bytes at all: what it takes to the end, the lexer reads without an illegal lexeme.
TEST(Lexical, TakesNothingTheLexerCallsIllegal) {
  std::mt19937_64 random(9);
  const std::string alphabet = "ax1e0.'\"`[]-/*<>=!|()+, \n\xc3\xa4_$";
  TextArena texts;
  int taken = 0;
  for (int i = 0; i < 200'000; ++i) {
    std::string sql;
    const size_t length = random() % 9;
    for (size_t k = 0; k < length; ++k) sql += alphabet[random() % alphabet.size()];
    if (!bytewise(sql, texts).ended) continue;
    ++taken;
    std::vector<Lexeme> lexemes;
    ASSERT_FALSE(lex(sql, lexemes).unterminated_comment) << sql;
    ASSERT_EQ(find_invalid_utf8(sql), std::string_view::npos) << sql;
    for (const Lexeme& lexeme : lexemes) {
      ASSERT_NE(lexeme.terminal, Terminal::Illegal) << sql;
      ASSERT_NE(lexeme.terminal, Terminal::Parameter) << sql;
    }
    expect_same(sql);
  }
  EXPECT_GT(taken, 10'000);
}

TEST(Lexical, EqualPrefixesHaveEqualStates) {
  TextArena texts;
  const auto state_after = [&](std::string_view sql) {
    LexState state;
    for (const char c : sql) state = step(state, static_cast<uint8_t>(c), texts).state;
    return state;
  };
  EXPECT_EQ(state_after("SELECT na"), state_after("SELECT na"));
  EXPECT_EQ(state_after("SELECT na"), state_after("FROM na")) << "only the open lexeme counts";
  EXPECT_NE(state_after("SELECT na"), state_after("SELECT nb"));
  EXPECT_NE(state_after("'a"), state_after("\"a"));
}

}  // namespace
}  // namespace pccsql::track
