// The checker's own picture of a query: what builder.cc makes from the parse tree, resolve*.cc binds names in, and
// roles.cc reads uses off.
//
// Everything lives in vectors of the Ast and refers to other parts by index, 0 standing for "none", so that one Ast is
// filled again and again without allocating.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/names.h"
#include "base/span.h"
#include "schema/catalog.h"
#include "syntax/grammar.h"
#include "syntax/lexer.h"

namespace pccsql::check {

using ExprId = uint32_t;
using QueryId = uint32_t;
using CoreId = uint32_t;
using Index = uint32_t;

struct Range {
  Index first = 0;
  Index count = 0;
  Index end() const { return first + count; }
};

enum class ExprKind : uint8_t {
  Literal,   // number, string, blob, NULL, CURRENT_DATE …
  Column,    // a name that resolves to a column, an alias, a string or TRUE/FALSE
  Star,      // t.*
  Row,       // (a, b)
  Unary,     // op child
  Binary,    // op left right; also AND, OR, IS, LIKE and its kin (with an optional third child, ESCAPE)
  Test,      // ISNULL, NOTNULL, NOT NULL
  Between,   // value low high
  InList,    // value, then the list
  InQuery,   // value; data is the query
  InTable,   // value; data is the lexeme of the table's name; outside the language
  Collate,   // child
  Cast,      // child
  Case,      // operand if has_operand, then WHEN, THEN …, then ELSE if has_else
  Call,      // arguments; data is the Call
  Subquery,  // data is the query
  Exists,    // data is the query
  Outside,   // something the grammar marks as outside; nothing to resolve
};

enum class Bind : uint8_t {
  None,     // not resolved (an error, or not a Column)
  Source,   // columns of one FROM: sources [bound, bound + bound_count)
  Alias,    // select item `bound` of core `core`
  String,   // "x" that is no column
  Boolean,  // TRUE or FALSE
};

struct Expr {
  ExprKind kind = ExprKind::Literal;
  Bind bind = Bind::None;
  bool parenthesised = false;
  bool has_operand = false;     // Case
  bool has_else = false;        // Case
  bool whole_item = false;      // Star: stands where it may
  bool negated = false;         // NOT before IN, LIKE, BETWEEN, NULL; IS NOT, or IS DISTINCT FROM
  Terminal op = Terminal::End;  // Unary, Binary, Literal: its lexeme's terminal
  uint16_t height = 1;          // of the tree below, as the database bounds it
  uint32_t first = 0;           // lexemes [first, last)
  uint32_t last = 0;
  ExprId child = 0;
  ExprId next = 0;         // sibling
  uint32_t name = 0;       // Column: lexeme of the column's name; Collate: of the collation
  uint32_t qualifier = 0;  // Column, Star: lexeme of the qualifier, if qualified
  bool qualified = false;
  uint32_t data = 0;
  CoreId core = 0;  // Source, Alias: the SELECT it belongs to
  Index bound = 0;
  uint16_t bound_count = 0;
};

struct Call {
  uint32_t name = 0;  // lexeme
  uint16_t arguments = 0;
  bool star = false;
  bool distinct = false;
  ExprId filter = 0;
  Index window = 0;  // OVER: index of the window, 0 when there is none
  const Function* function = nullptr;
  CoreId owner = 0;  // an aggregate's SELECT: the one whose rows it aggregates
};

struct Window {
  NameId name = kNoName;  // of a WINDOW definition
  NameId base = kNoName;  // OVER w, or (w …)
  uint32_t base_lexeme = 0;
  bool only_reference = false;  // OVER w, without parentheses
  ExprId partition = 0;         // linked by next
  ExprId order = 0;
  Index order_count = 0;
  bool has_frame = false;
  Terminal frame_unit = Terminal::End;
  Terminal start = Terminal::End,
           finish = Terminal::kw_CURRENT;  // kw_UNBOUNDED, kw_CURRENT, kw_PRECEDING, kw_FOLLOWING
  ExprId bounds = 0;                       // offsets, linked by next
  uint32_t lexeme = 0;
  bool in_items = false, in_order = false, resolved = false;  // where it was resolved, each time with what is visible there
};

struct Item {
  bool star = false;  // `*` or `t.*`
  ExprId expr = 0;    // none for `*`
  NameId alias = kNoName;
  uint32_t lexeme = 0;  // first lexeme
  bool has_aggregate = false;
  bool nested_aggregate = false;  // an aggregate of its SELECT stands in a SELECT nested in it
  bool outer_aggregate = false;   // an aggregate of an enclosing SELECT, or its alias, stands in it
  bool has_window = false;
  uint64_t references = 0;  // depths of the SELECTs whose columns it names
};

enum class JoinKind : uint8_t { First, Comma, Inner, Left, Right, Full, Cross };
enum class SourceKind : uint8_t { Unknown, Table, Derived };  // a CTE is Derived once resolved

struct FromItem {
  SourceKind kind = SourceKind::Unknown;
  JoinKind join = JoinKind::First;
  bool natural = false;
  bool has_using = false;
  uint32_t lexeme = 0;       // the table's name, or the parenthesis
  uint32_t join_lexeme = 0;  // where the join operator begins
  uint32_t alias_lexeme = 0;
  bool named = false;      // has a table name (not a derived table)
  bool qualified = false;  // schema.table
  bool function = false;   // table-valued function
  NameId name = kNoName;   // alias, or the table's own name
  QueryId query = 0;       // derived
  QueryId body = 0;        // what its rows come from, once resolved: the derived table's query, or the CTE's
  ExprId on = 0;
  TableId table = 0;
  Range outputs;      // Derived: output names
  Range using_names;  // names merged with the left side, lexemes in using_lexemes
  bool unknown_outputs = false;
};

struct Core {
  bool values = false;
  Range items;
  Range from;
  ExprId where = 0;
  ExprId group_by = 0;  // linked by next
  ExprId having = 0;
  Range windows;
  bool grouped = false;
  bool has_aggregate = false;    // an aggregate of its own level in the select list, not inside OVER
  bool window_aggregate = false;  // one inside OVER
  bool partitioned = false;       // a window with PARTITION BY
  bool has_window = false;       // a window function in the select list or ORDER BY
  uint32_t outer_aggregate = 0;  // lexeme of an aggregate of this SELECT that stands in a nested one
  bool passes_aggregate = false;  // an aggregate of an enclosing SELECT stands in it
  uint32_t lexeme = 0;
  Index joined = 0;  // tables of its FROM, once derived tables are merged into it
  Index width = 0;
  bool width_known = true;
  Terminal set_operator = Terminal::End;  // what joins it to the branch before it
};

struct Cte {
  NameId name = kNoName;
  uint32_t lexeme = 0;
  Range columns;  // of cte_columns, explicit names
  bool has_columns = false;
  QueryId query = 0;
  Range outputs;
  bool outputs_known = false;
  bool circular = false;  // refers to itself where not even a recursive one may
};

struct Query {
  Range ctes;
  Range cores;
  ExprId order_by = 0;  // linked by next
  ExprId limit = 0;     // LIMIT and OFFSET, linked by next
  Range branch_order;   // after a set operation: of branch_terms
  Range outputs;        // names, of output_names
  bool outputs_known = true;
  uint32_t lexeme = 0;
};

inline bool is_sign(Terminal op) { return op == Terminal::Minus || op == Terminal::Plus; }

struct SourceColumn {
  Index from = 0;
  ColumnIndex column = 0;
  friend bool operator==(const SourceColumn&, const SourceColumn&) = default;
};

struct Ast {
  std::string_view sql;
  std::vector<Lexeme> lexemes;
  std::vector<Expr> exprs;
  std::vector<Call> calls;
  std::vector<Window> windows;
  std::vector<Item> items;
  std::vector<FromItem> froms;
  std::vector<Core> cores;
  std::vector<Cte> ctes;
  std::vector<Query> queries;
  std::vector<NameId> cte_columns;
  std::vector<NameId> output_names;
  std::vector<NameId> using_names;
  std::vector<uint32_t> using_lexemes;  // parallel to using_names
  std::vector<SourceColumn> sources;
  std::vector<Expr> branch_terms;  // what an ORDER BY term after a set operation stands for, in each branch

  void clear() {
    exprs.assign(1, {});
    calls.assign(1, {});
    windows.assign(1, {});
    items.assign(1, {});
    froms.assign(1, {});
    cores.assign(1, {});
    ctes.clear();
    ctes.emplace_back();
    queries.assign(1, {});
    cte_columns.clear();
    output_names.clear();
    using_names.clear();
    using_lexemes.clear();
    sources.clear();
    branch_terms.clear();
  }

  Span span(uint32_t first, uint32_t last) const {
    return {lexemes[first].span.begin, last > first ? lexemes[last - 1].span.end : lexemes[first].span.end};
  }
  Span span(const Expr& expr) const { return span(expr.first, expr.last); }
  Span span_at(uint32_t lexeme) const { return lexemes[lexeme].span; }
};

}  // namespace pccsql::check
