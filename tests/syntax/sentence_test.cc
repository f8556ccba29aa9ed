// The grammar as a generator: every rule is reached, the parser takes every sentence, and SQLite calls none of those
// inside the language a syntax error.
#include "syntax/sentence.h"

#include <gtest/gtest.h>

#include "exec/database.h"
#include "syntax/parser.h"

namespace pccsql {
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
    case Terminal::Parameter:
      return "?";
    default:
      break;
  }
  if (slot == Slot::Type) return "INT";
  return random() % 2 == 0 ? "n" : "\"n\"";
}

TEST(Sentences, ParseAndReachEveryRule) {
  SentenceGenerator generator(sql_grammar(), filler, 1, true);
  Parser parser(sql_grammar());
  std::vector<Lexeme> lexemes;
  for (int i = 0; i < 20'000; ++i) {
    const std::string sql = generator.next(60);
    lex(sql, lexemes);
    ASSERT_TRUE(parser.parse(lexemes)) << sql;
  }
  for (size_t rule = 0; rule < sql_grammar().rules().size(); ++rule) {
    EXPECT_GT(generator.entered()[rule], 0u) << sql_grammar().rules()[rule].name;
  }
}

TEST(Sentences, AreNoSyntaxErrorsToSqlite) {
  Result<Database> database = Database::in_memory("CREATE TABLE n(n)");
  ASSERT_TRUE(database);
  SentenceGenerator generator(sql_grammar(), filler, 2);
  int compared = 0;
  for (int i = 0; i < 20'000; ++i) {
    const std::string sql = generator.next(30);
    if (sql.find(". *") != std::string::npos)
      continue;  // `t.*` inside an expression: a guard, not the grammar, refuses it
    ++compared;
    const Prepared prepared = database->prepare(sql);
    EXPECT_EQ(prepared.message.find("syntax error"), std::string::npos) << sql << "\n" << prepared.message;
    EXPECT_EQ(prepared.message.find("incomplete input"), std::string::npos) << sql << "\n" << prepared.message;
  }
  EXPECT_GT(compared, 15'000);
}

}  // namespace
}  // namespace pccsql
