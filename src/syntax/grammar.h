// Grammar: the language as a recursive transition network, compiled from grammar/sql.gram at start-up.
//
// Every rule is a deterministic automaton whose edges are lexemes or calls of other rules. With one lexeme of look-ahead
// each (state, lexeme) pair has at most one action, so a parse is a loop over a table and an explicit stack: nothing of
// its state lives on the C++ stack, and it can be copied at any point.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "syntax/lexer.h"

namespace pccsql {

using RuleId = uint16_t;
using StateId = uint16_t;
inline constexpr uint16_t kNone = 0xFFFF;

// What a name in a slot stands for. `Name` is an operand's first name: a column, a qualifier or a function.
enum class Slot : uint8_t { None, Name, Table, Column, Alias, NewName, Window, Collation, Type, Index };

enum class Language : uint8_t { Full, Fragment };  // Fragment: the paper's, without set operations, CTEs, windows, CASE

struct Rule {
  std::string name;
  std::string outside;  // why it is outside the language; empty when it is inside
  std::string beyond;   // which construct puts it outside the paper's fragment
  StateId start = 0;
};

struct Action {
  enum Kind : uint8_t { None, Shift, Call } kind = None;
  RuleId rule = kNone;   // Call: the rule to enter
  StateId next = kNone;  // the state after the lexeme, or after the rule returns
};

struct Edge {
  Terminal terminal = Terminal::Illegal;  // Illegal: a call
  RuleId rule = kNone;
  Slot slot = Slot::None;
  StateId to = 0;
};

struct State {
  RuleId rule = 0;
  bool final = false;  // the rule may end here
  Slot slot = Slot::None;
  std::vector<Edge> edges;
};

enum class FunctionKind : uint8_t { Scalar, Aggregate, Window, Outside };
struct Function {
  std::string name;
  FunctionKind kind = FunctionKind::Scalar;
  uint16_t least = 0;
  uint16_t most = 0;  // kNone: any number
  bool takes(size_t arguments) const { return arguments >= least && (most == kNone || arguments <= most); }
};

class Grammar {
 public:
  // Reports undefined, duplicate, empty and unreachable rules, left recursion, conflicts, unknown slots and attributes,
  // each with line and column.
  static Result<Grammar> compile(std::string_view text, const std::string& file = {});

  RuleId rule_id(std::string_view name) const;  // kNone if there is none
  const std::vector<Rule>& rules() const { return rules_; }
  const std::vector<State>& states() const { return states_; }
  const std::vector<Function>& functions() const { return functions_; }

  const Action& action(StateId state, Terminal lookahead) const {
    return actions_[state * kTerminals + static_cast<size_t>(lookahead)];
  }

 private:
  friend class GrammarCompiler;
  std::vector<Rule> rules_;
  std::vector<State> states_;
  std::vector<Action> actions_;  // states × terminals
  std::vector<Function> functions_;
};

// The grammar of this program, compiled once on first use.
const Grammar& sql_grammar();
// Its text, as built into the program.
std::string_view sql_grammar_text();

}  // namespace pccsql
