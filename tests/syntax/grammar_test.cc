// The grammar's compiler: what it accepts, what it reports and where, and that the program's own grammar is sound.
#include "syntax/grammar.h"

#include <gtest/gtest.h>

namespace pccsql {
namespace {

std::string complaint(std::string_view text) {
  const Result<Grammar> grammar = Grammar::compile(text, "g");
  return grammar ? "" : grammar.error().to_string();
}

TEST(Grammar, CompilesTheProgramsOwn) {
  EXPECT_EQ(complaint(sql_grammar_text()), "");
  EXPECT_GT(sql_grammar().rules().size(), 40u);
  EXPECT_GT(sql_grammar().functions().size(), 80u);
}

TEST(Grammar, ReportsMistakesWithTheirPlace) {
  EXPECT_EQ(complaint("a = b ;"), "g:1:5: rule `b` is not defined");
  EXPECT_EQ(complaint("a = 'SELECT' ;\na = 'FROM' ;"), "g:2:1: rule `a` is defined twice");
  EXPECT_EQ(complaint("a = 'SELECT'? ;"), "g:1:1: rule `a` may not be empty");
  EXPECT_EQ(complaint("a = 'SELECT' ;\nb = 'FROM' ;"), "g:2:1: rule `b` is never used");
  EXPECT_EQ(complaint("a = a 'FROM' | 'SELECT' ;"), "g:1:1: rule `a` begins with itself");
  EXPECT_EQ(complaint("a = 'NONSENSE' ;"), "g:1:15: `NONSENSE` is no keyword or punctuation of SQL");
  EXPECT_EQ(complaint("a = b | c ; b = 'ON' ; c = 'ON' 'AS' ;"),
            "g:1:1: in rule `a` both `c` and `b` can begin with `ON`");
  EXPECT_EQ(complaint("a = <table> 'ON' | <column> 'AS' ;"), "g:1:20: two kinds of name could stand here in rule `a`");
  EXPECT_NE(complaint("a = <tabel> ;").find("unknown slot `tabel`"), std::string::npos);
  EXPECT_NE(complaint("a [inside=\"x\"] = 'ON' ;").find("unknown attribute `inside`"), std::string::npos);
  EXPECT_NE(complaint("a = :strnig ;").find("unknown literal `strnig`"), std::string::npos);
  EXPECT_NE(complaint("a = 'ON' | ;").find("an empty alternative"), std::string::npos);
  EXPECT_NE(complaint("a = 'ON").find("is missing"), std::string::npos);
  EXPECT_NE(complaint("").find("at least one rule"), std::string::npos);
  EXPECT_NE(complaint("a = 'ON' ; %functions odd abs(1) ;").find("unknown kind of function `odd`"), std::string::npos);
}

TEST(Grammar, ALexemeNamedWinsOverARuleThatBeginsWithIt) {
  const Result<Grammar> grammar = Grammar::compile("a = 'IS' 'NOT'? b ; b = 'NOT' 'NULL' | 'NULL' ;");
  ASSERT_TRUE(grammar);
  const StateId after_is = grammar->action(grammar->rules()[0].start, Terminal::kw_IS).next;
  EXPECT_EQ(grammar->action(after_is, Terminal::kw_NOT).kind, Action::Shift);
  EXPECT_EQ(grammar->action(after_is, Terminal::kw_NULL).kind, Action::Call);
}

TEST(Grammar, ReadsArgumentCounts) {
  for (const Function& function : sql_grammar().functions()) {
    if (function.name == "round") {
      EXPECT_TRUE(function.takes(1) && function.takes(2) && !function.takes(0) && !function.takes(3));
    }
    if (function.name == "coalesce") {
      EXPECT_TRUE(!function.takes(1) && function.takes(2) && function.takes(100));
    }
  }
}

}  // namespace
}  // namespace pccsql
