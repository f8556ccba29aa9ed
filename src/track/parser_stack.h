// What stands on the stack of the database's parser, which holds a hundred symbols: how many each construct adds to what
// is written inside it. A prefix that would need more than World::deepest() is not taken, because no query that goes on
// from it would run. The numbers are those of SQLite's grammar, each found by nesting the construct until the database
// gives up; tests/track/attack/nesting_test.cc does it again.
#pragma once

namespace pccsql::track::parser_stack {

// Queries.
inline constexpr int kSelect = 16;       // room that a SELECT and its clauses need
inline constexpr int kWith = 2;          // what follows a WITH
inline constexpr int kCteBody = 9;
inline constexpr int kBranch = 2;        // a SELECT after a set operation
inline constexpr int kDerivedTable = 6;
// Expressions in a clause, by the clause.
inline constexpr int kItem = 4, kOn = 9, kWhere = 5, kGroupTerm = 9, kHaving = 7, kOrderTerm = 11;
// Inside an expression.
inline constexpr int kParen = 1, kExists = 2;
inline constexpr int kInSet = 5;
inline constexpr int kInQuery = 3;  // a SELECT in place of the set
inline constexpr int kUnary = 1, kOperator = 2, kIs = 5, kBetweenAnd = 4;
inline constexpr int kRange = 4;      // the operand of BETWEEN, LIKE or GLOB
inline constexpr int kNegatable = 6;  // room that IN, LIKE, GLOB and BETWEEN need
inline constexpr int kCast = 2, kCastType = 2;
inline constexpr int kCaseOperand = 1, kCaseBranch = 6;
// Calls.
inline constexpr int kFirstArgument = 3, kFurtherArgument = 5;
inline constexpr int kCall = 9;  // room that any call needs
inline constexpr int kFilter = 9;
inline constexpr int kWindow = 9, kPartition = 4, kWindowOrder = 6;
inline constexpr int kFrame = 8;  // of a window: its bounds, and room that any window needs
inline constexpr int kWindowed = kWindow + kFrame;
// States that are no deeper than the first are alike, where a step from one of them comes to no more than the second.
inline constexpr int kShallow = 30, kNear = 40;
// What one lexeme where an operand must come can add or ask room for at most, and some.
inline constexpr int kNoLexemeNeedsMore = 32;
static_assert(kCall + kWindow < kNoLexemeNeedsMore && kExists + kSelect < kNoLexemeNeedsMore);

}  // namespace pccsql::track::parser_stack
