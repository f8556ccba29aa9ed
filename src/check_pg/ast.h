// A query of PostgreSQL after its names are bound: what the resolver makes of the parser's tree, and what roles are read
// from. Everything is indices into the vectors of one Ast; texts point into the tree.
#pragma once

#include <cstdint>
#include <deque>
#include <string_view>
#include <vector>

#include "base/span.h"
#include "policy/policy.h"
#include "schema/catalog.h"
#include "schema/pg_kind.h"

namespace pccsql::check_pg {

using ExprId = uint32_t;   // 0: none
using QueryId = uint32_t;  // 0: none
inline constexpr uint32_t kNone = 0xFFFFFFFF;

// What is known of a value. A string or NULL as written takes the type of what it stands beside.
struct Type : ValueType {
  enum State : uint8_t { Known, String, Null } state = Known;

  static Type of(PgKind kind) {
    Type type;
    type.kind = kind;
    type.sortable = kind != PgKind::Opaque;
    return type;
  }
  static Type as_written(State state) {
    Type type;
    type.state = state;
    return type;
  }
  bool known() const { return state == Known; }
  bool is(PgKind wanted) const { return known() && kind == wanted; }
};

// One of the columns that a name stands for; USING and NATURAL make one name of several.
struct SourceColumn {
  uint32_t item = 0;  // of its query's FROM
  uint32_t column = 0;
};

enum class Op : uint8_t {
  Constant,
  Column,
  And,  // AND and OR
  Not,
  Compare,  // = <> < <= > >=, IS [NOT] DISTINCT FROM, BETWEEN, IN (list), NULLIF's own excepted
  Test,     // IS NULL, IS TRUE …
  Arithmetic,
  Sign,
  Concat,
  Like,
  Cast,
  Case,  // operand if there is one, then WHEN and THEN in turn, then ELSE if there is one
  Coalesce,
  Extreme,  // GREATEST, LEAST
  NullIf,
  Call,
  Scalar,  // a subquery as a value
  Exists,
  InQuery,     // kid: the left side
  Quantified,  // op ANY, op ALL
  Broken       // could not be read; the reason is noted
};

enum class CallKind : uint8_t { Scalar, Aggregate, Window };

struct Expr {
  Op op = Op::Broken;
  bool has_operand = false;  // Case
  bool has_else = false;     // Case
  bool distinct = false;     // Call of an aggregate
  bool row_count = false;    // COUNT(*)
  bool minmax = false;       // aggregate MIN or MAX
  bool counted = false;      // aggregate COUNT, SUM or AVG
  bool prints = false;       // Cast, Call: its error shows the value it was given
  bool plain_cast = false;   // a number to numeric without precision, or to double precision
  bool always = false;       // Cast: there is no value that cannot be cast
  bool star = false;         // Column: of `*`
  bool quoted = false;       // Constant: a string as written
  CallKind call = CallKind::Scalar;
  Type type;
  Span span;
  std::string_view text;          // of a constant, an operator, a function
  uint32_t first = 0, count = 0;  // into Ast::kids
  QueryId query = 0;  // Column: whose FROM; Scalar, Exists, InQuery, Quantified: which; aggregate: whose rows
  uint32_t sources = 0, source_count = 0;  // Column: into Ast::sources
  // Column: equal for the same column of one FROM; Cast: for the same type; Constant: for the same number.
  uint64_t identity = 0;
  ExprId filter = 0;
  bool over = false;        // Call: it has an OVER
  uint32_t window = kNone;  // OVER (…): into Ast::windows
};

struct Output {
  std::string_view name;
  ExprId expr = 0;
};

struct FromItem {
  std::string_view name;
  Span span;
  TableId table = 0;
  QueryId query = 0;  // of a derived table or CTE; 0: it is a table
};

struct Term {
  ExprId expr = 0;
  uint32_t output = kNone;  // it stands for this output
  Span span;
};

struct Window {
  std::string_view name;
  std::vector<ExprId> partition;
  std::vector<ExprId> order;
};

struct OutputType {
  std::string_view name;
  Type type;
};

struct Query {
  uint32_t depth = 0;
  QueryId left = 0, right = 0;  // of a set operation
  std::vector<QueryId> ctes;
  std::vector<FromItem> from;
  std::vector<Output> outputs;
  std::vector<ExprId> conditions;                 // ON
  std::vector<std::pair<uint32_t, Span>> joined;  // USING, NATURAL: where `joins` of this query's begin, and the place
  std::vector<SourceColumn> joins;
  ExprId where = 0, having = 0;
  std::vector<Term> group_by;
  std::vector<Term> order_by;
  std::vector<uint32_t> windows;  // of a WINDOW clause, and of OVER
  bool grouped_by = false, aggregated = false, distinct = false;
  std::vector<OutputType> columns;  // what it gives

  bool is_set_operation() const { return left != 0; }
  bool is_grouped() const { return grouped_by || having != 0 || aggregated; }
};

struct Ast {
  std::string_view sql;
  std::vector<Expr> exprs;
  std::vector<ExprId> kids;
  std::vector<SourceColumn> sources;
  std::deque<Query> queries;  // references stay good while others are added
  std::deque<Window> windows;
  QueryId root = 0;

  void clear() {
    exprs.assign(1, {});
    kids.clear();
    sources.clear();
    queries.clear();
    queries.emplace_back();
    windows.clear();
    root = 0;
  }
  ExprId kid(ExprId id, uint32_t n) const { return kids[exprs[id].first + n]; }
};

}  // namespace pccsql::check_pg
