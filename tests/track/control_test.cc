// Stacks as integers against the parser of whole texts: the same sentences, refused at the same lexeme; equal stacks have
// equal ids; what is viable is what can be read.
#include "track/control.h"

#include <algorithm>

#include <gtest/gtest.h>

#include "syntax/parser.h"
#include "syntax/sentence.h"

namespace pccsql::track {
namespace {

std::string filler(Terminal terminal, Slot slot, std::mt19937_64& random) {
  switch (terminal) {
    case Terminal::String:
      return "'s'";
    case Terminal::Integer:
      return "1";
    case Terminal::Float:
      return "1.5";
    case Terminal::Blob:
      return "x'00'";
    default:
      break;
  }
  if (slot == Slot::Type) return "INT";
  const char* names[] = {"n", "\"n\"", "key", "first", "[two words]"};
  return names[random() % 5];
}

EndedLexeme ended(const Lexeme& lexeme, std::string_view sql, TextArena& texts) {
  std::string buffer;
  const bool word = lexeme.terminal == Terminal::Name || lexeme.terminal >= Terminal::kw_ABORT;
  return {word ? Terminal::Name : lexeme.terminal, lexeme.quote,
          word ? texts.intern(name_text(lexeme, sql, buffer)) : kEmptyText};
}

// How many lexemes of `sql` can be read; `whole` if the text may end after them.
struct Reach {
  size_t lexemes = 0;
  bool whole = false;
};

Reach reach(Control& control, TextArena& texts, std::string_view sql) {
  std::vector<Lexeme> lexemes;
  lex(sql, lexemes);
  Reach reached;
  StackId stack = control.start();
  for (size_t i = 0; i + 1 < lexemes.size(); ++i) {
    stack = control.read(stack, ended(lexemes[i], sql, texts), texts);
    if (stack == kDeadStack) return reached;
    ++reached.lexemes;
  }
  reached.whole = control.may_end(stack);
  return reached;
}

StackId stack_after(Control& control, TextArena& texts, std::string_view sql) {
  std::vector<Lexeme> lexemes;
  lex(sql, lexemes);
  StackId stack = control.start();
  for (size_t i = 0; i + 1 < lexemes.size(); ++i) stack = control.read(stack, ended(lexemes[i], sql, texts), texts);
  return stack;
}

TEST(Control, ReadsEverySentenceOfTheGrammar) {
  Control control(sql_grammar());
  TextArena texts;
  SentenceGenerator generator(sql_grammar(), filler, 11);
  for (int i = 0; i < 5'000; ++i) {
    const std::string sql = generator.next(50);
    EXPECT_TRUE(reach(control, texts, sql).whole) << sql;
  }
}

TEST(Control, StopsWhereTheParserStops) {
  Control control(sql_grammar());
  TextArena texts;
  Parser parser(sql_grammar());
  SentenceGenerator generator(sql_grammar(), filler, 12);
  std::mt19937_64 random(13);
  int refused = 0;
  for (int i = 0; i < 10'000; ++i) {
    // Two sentences spliced: most of these stop somewhere in the middle.
    std::string sql = generator.next(30);
    const std::string other = generator.next(30);
    sql = sql.substr(0, random() % (sql.size() + 1)) + " " + other.substr(random() % (other.size() + 1));
    std::vector<Lexeme> lexemes;
    if (lex(sql, lexemes).unterminated_comment) continue;
    // What a generator never writes, and the words that the lexer settles by looking ahead.
    const auto is_odd = [&](const Lexeme& lexeme) {
      const std::string_view text = lexeme.span.of(sql);
      return lexeme.terminal == Terminal::Illegal || lexeme.terminal == Terminal::Parameter || text == "WINDOW" ||
             text == "OVER" || text == "FILTER";
    };
    if (std::any_of(lexemes.begin(), lexemes.end(), is_odd)) continue;
    const bool parsed = parser.parse(lexemes);
    bool outside = false;
    for (const Node& node : parser.nodes()) outside |= !sql_grammar().rules()[node.rule].outside.empty();
    if (outside) continue;
    const Reach reached = reach(control, texts, sql);
    EXPECT_EQ(reached.whole, parsed) << sql;
    if (!parsed) {
      ++refused;
      EXPECT_EQ(reached.lexemes, parser.error_lexeme()) << sql;
    }
  }
  EXPECT_GT(refused, 1'000);
}

TEST(Control, WhatIsOutsideTheLanguageCannotBeRead) {
  Control control(sql_grammar());
  TextArena texts;
  for (const char* sql : {"VALUES (1)", "SELECT a FROM main.t", "SELECT a 'x' FROM t", "SELECT a FROM (t JOIN u)",
                          "SELECT a FROM t INDEXED BY i", "SELECT a MATCH 'x' FROM t", "SELECT a IN t FROM t",
                          "WITH RECURSIVE c AS (SELECT 1) SELECT 1", "SELECT a FROM f(1)", "SELECT t.'a' FROM t"}) {
    EXPECT_FALSE(reach(control, texts, sql).whole) << sql;
  }
}

TEST(Control, EqualStacksHaveEqualIds) {
  Control control(sql_grammar());
  TextArena texts;
  const auto after = [&](std::string_view sql) { return stack_after(control, texts, sql); };
  EXPECT_EQ(after("SELECT a FROM t WHERE b < 1"), after("SELECT c, d FROM u, v WHERE x + 1 < 2"));
  EXPECT_NE(after("SELECT a FROM t WHERE b"), after("SELECT a FROM t WHERE (b"));
  const size_t size = control.size();
  after("SELECT z FROM q WHERE y < 7");
  EXPECT_EQ(control.size(), size) << "nothing new was needed";
  EXPECT_GT(control.depth(after("SELECT ((((a")), control.depth(after("SELECT (a")));
}

TEST(Control, ViableIsWhatCanBeRead) {
  Control control(sql_grammar());
  TextArena texts;
  SentenceGenerator generator(sql_grammar(), filler, 14);
  for (int i = 0; i < 300; ++i) {
    const std::string sql = generator.next(30);
    std::vector<Lexeme> lexemes;
    lex(sql, lexemes);
    StackId stack = control.start();
    for (size_t k = 0; k + 1 < lexemes.size(); ++k) {
      const TerminalSet& viable = control.viable(stack);
      ASSERT_TRUE(viable.any());
      for (size_t t = 1; t < kTerminals; ++t) {
        ASSERT_EQ(viable[t], control.read(stack, static_cast<Terminal>(t)) != kDeadStack);
      }
      stack = control.read(stack, ended(lexemes[k], sql, texts), texts);
    }
    EXPECT_TRUE(control.viable(stack)[static_cast<size_t>(Terminal::End)]);
  }
}

TEST(Control, TellsTheSlotOfANextName) {
  Control control(sql_grammar());
  TextArena texts;
  const auto slot_after = [&](std::string_view sql) { return control.name_slot(stack_after(control, texts, sql)); };
  EXPECT_EQ(slot_after("SELECT"), Slot::Name);
  EXPECT_EQ(slot_after("SELECT t."), Slot::Column);
  EXPECT_EQ(slot_after("SELECT a"), Slot::Alias);
  EXPECT_EQ(slot_after("SELECT a AS"), Slot::NewName);
  EXPECT_EQ(slot_after("SELECT a FROM"), Slot::Table);
  EXPECT_EQ(slot_after("SELECT a FROM t JOIN u USING ("), Slot::Column);
  EXPECT_EQ(slot_after("SELECT a COLLATE"), Slot::Collation);
  EXPECT_EQ(slot_after("SELECT CAST(a AS"), Slot::Type);
  EXPECT_EQ(slot_after("SELECT 1 LIMIT 1 OFFSET 1"), Slot::None);
}

}  // namespace
}  // namespace pccsql::track
