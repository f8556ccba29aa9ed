// Expressions: row values where they may stand, functions and their arguments, aggregates and whose rows they aggregate,
// windows.
#include <bit>
#include <charconv>
#include <utility>

#include "base/text.h"
#include "check/resolver.h"

namespace pccsql::check {

FunctionTable::FunctionTable(const Grammar& grammar) {
  for (const Function& function : grammar.functions()) {
    const NameId id = names_.intern(function.name);
    if (by_name_.size() <= id) by_name_.resize(id + 1);
    by_name_[id].push_back(&function);
  }
}

const std::vector<const Function*>* FunctionTable::find(std::string_view name) const {
  const NameId id = names_.find(name);
  return id == kNoName ? nullptr : &by_name_[id];
}

void Resolver::list(ExprId first, Scope& scope) {
  for (ExprId id = first; id != 0; id = ast_.exprs[id].next) expr(id, scope);
}

// How many values an expression stands for.
Index Resolver::width(ExprId id) const {
  const Expr& expr = ast_.exprs[id];
  if (expr.kind == ExprKind::Row) {
    Index count = 0;
    for (ExprId child = expr.child; child != 0; child = ast_.exprs[child].next) ++count;
    return count;
  }
  if (expr.kind != ExprKind::Subquery) return 1;
  const Query& query = ast_.queries[expr.data];
  return query.outputs_known ? query.outputs.count : 0;
}

void Resolver::scalar(ExprId id) {
  const Index values = width(id);
  if (values <= 1) return;
  const Expr& expr = ast_.exprs[id];
  issues_.error(ast_.span(expr), expr.kind == ExprKind::Subquery
                                     ? "sub-select returns " + std::to_string(values) + " columns - expected 1"
                                     : "row value misused: one value is expected here");
}

void Resolver::compare(ExprId left, ExprId right, Scope& scope) {
  expr(left, scope, true);
  expr(right, scope, true);
  const Index a = width(left);
  const Index b = width(right);
  if (a != b && a != 0 && b != 0) {
    issues_.error(ast_.span(ast_.exprs[right]), "row value misused: " + std::to_string(a) + " values are compared with " +
                                                    std::to_string(b));
  }
}

// A row may stand left of IN if every element is a row as wide. A lone subquery in the list is IN (SELECT …) to SQLite.
void Resolver::in_list(ExprId id, Scope& scope) {
  const ExprId left = ast_.exprs[id].child;
  const ExprId first = ast_.exprs[left].next;
  if (first == 0) return dead(left, scope);
  if (ast_.exprs[first].next == 0 && ast_.exprs[first].kind == ExprKind::Subquery) return compare(left, first, scope);
  const bool rows = ast_.exprs[left].kind == ExprKind::Row;
  expr(left, scope, rows);
  for (ExprId element = first; element != 0; element = ast_.exprs[element].next) {
    expr(element, scope, rows);
    const Expr& value = ast_.exprs[element];
    if (rows && (value.kind != ExprKind::Row || width(element) != width(left))) {
      issues_.error(ast_.span(value), "IN element has " + std::to_string(value.kind == ExprKind::Row ? width(element) : 1) +
                                          " terms - expected " + std::to_string(width(left)));
    }
  }
}

// `x IN t` is outside the language, but a table that is not there, or is too wide, is an error before that.
void Resolver::in_table(ExprId id, Scope& scope) {
  const Expr& test = ast_.exprs[id];
  expr(test.child, scope, true);
  FromItem table;
  table.named = true;
  table.lexeme = table.alias_lexeme = test.data;
  table.function = test.qualified;  // t(…) or schema.t: not looked into
  bind_table(table, scope);
  if (table.kind == SourceKind::Unknown || table.unknown_outputs) return;
  if (width(test.child) != 0 && column_count(table) != width(test.child)) {
    issues_.error(ast_.span(test), "sub-select returns " + std::to_string(column_count(table)) + " columns - expected " +
                                       std::to_string(width(test.child)));
  }
}

void Resolver::expr(ExprId id, Scope& scope, bool row_allowed) {
  const Expr& expr = ast_.exprs[id];
  switch (expr.kind) {
    case ExprKind::Literal: return literal(expr);
    case ExprKind::Outside:
    case ExprKind::Star: return;  // noted by the builder
    case ExprKind::Column: return column(id, scope);
    case ExprKind::Call: return call(id, scope);
    case ExprKind::Row: {
      list(expr.child, scope);
      for (ExprId child = expr.child; child != 0; child = ast_.exprs[child].next) scalar(child);
      break;
    }
    case ExprKind::Subquery:
    case ExprKind::Exists: {
      query(expr.data, &scope, scope.with, 0);
      if (expr.kind == ExprKind::Exists) return;
      break;
    }
    case ExprKind::InQuery: {
      this->expr(expr.child, scope, true);
      query(expr.data, &scope, scope.with, 0);
      const Query& set = ast_.queries[expr.data];
      const Index left = width(expr.child);
      if (left != 0 && set.outputs_known && set.outputs.count != left) {
        issues_.error(ast_.span(expr), "sub-select returns " + std::to_string(set.outputs.count) + " columns - expected " +
                                           std::to_string(left));
      }
      return;
    }
    case ExprKind::Binary:
      switch (expr.op) {
        case Terminal::Equal: case Terminal::NotEqual: case Terminal::Less: case Terminal::LessEqual:
        case Terminal::Greater: case Terminal::GreaterEqual: case Terminal::kw_IS:
          return compare(expr.child, ast_.exprs[expr.child].next, scope);
        case Terminal::kw_AND:
          if (folded_constant(id) == 0) return dead(expr.child, scope);
          break;
        default: break;
      }
      [[fallthrough]];
    case ExprKind::Unary:
    case ExprKind::Test:
    case ExprKind::Collate:
    case ExprKind::Cast: {
      if (expr.kind == ExprKind::Collate) collation(expr);
      for (ExprId child = expr.child; child != 0; child = ast_.exprs[child].next) {
        this->expr(child, scope);
      }
      return;
    }
    case ExprKind::InList: return in_list(id, scope);
    case ExprKind::InTable: return in_table(id, scope);
    case ExprKind::Between: {
      const ExprId low = ast_.exprs[expr.child].next;
      compare(expr.child, low, scope);
      this->expr(ast_.exprs[low].next, scope, true);
      const Index a = width(expr.child);
      const Index b = width(ast_.exprs[low].next);
      if (a != b && a != 0 && b != 0) issues_.error(ast_.span(expr), "row value misused: BETWEEN over unequal rows");
      return;
    }
    case ExprKind::Case: {
      // The operand and the WHEN values are compared, and so may be rows; results may not.
      ExprId child = expr.child;
      const ExprId operand = expr.has_operand ? child : 0;
      if (operand != 0) {
        this->expr(operand, scope, true);
        child = ast_.exprs[child].next;
      }
      for (bool when = true; child != 0; child = ast_.exprs[child].next, when = !when) {
        const bool last_else = expr.has_else && ast_.exprs[child].next == 0;
        const bool compared = when && !last_else && operand != 0;
        this->expr(child, scope, compared);
        const Index a = operand != 0 ? width(operand) : 1;
        const Index b = width(child);
        if (compared && a != b && a != 0 && b != 0) {
          issues_.error(ast_.span(ast_.exprs[child]), "row value misused: CASE compares unequal rows");
        }
      }
      return;
    }
  }
  if (!row_allowed) scalar(id);
}

// SQLite's parser replaces `x AND 0` by 0, `x IN ()` by 0 and `x NOT IN ()` by 1 before it looks at any name.
std::optional<int> Resolver::folded_constant(ExprId id) const {
  const Expr& expr = ast_.exprs[id];
  if (expr.kind == ExprKind::InList && ast_.exprs[expr.child].next == 0) return expr.negated ? 1 : 0;
  if (expr.kind != ExprKind::Binary || expr.op != Terminal::kw_AND) return std::nullopt;
  for (const ExprId side : {expr.child, ast_.exprs[expr.child].next}) {
    if (integer_value(side) == 0 || folded_constant(side) == 0) return 0;
  }
  return std::nullopt;
}

// What the parser drops is judged here all the same, but it makes no SELECT an aggregating one.
void Resolver::dead(ExprId first, Scope& scope) {
  std::vector<bool> aggregating;
  for (const Scope* at = &scope; at != nullptr; at = at->outer) aggregating.push_back(ast_.cores[at->core].has_aggregate);
  const uint64_t references = references_;
  const bool window = window_seen_;
  for (ExprId id = first; id != 0; id = ast_.exprs[id].next) expr(id, scope, true);
  references_ = references;
  window_seen_ = window;
  size_t i = 0;
  for (const Scope* at = &scope; at != nullptr; at = at->outer) ast_.cores[at->core].has_aggregate = aggregating[i++];
}

// The value of an integer literal that fits 32 bits.
std::optional<int32_t> Resolver::integer_value(ExprId id) const {
  const Expr& number = ast_.exprs[id];
  if (number.kind != ExprKind::Literal || number.op != Terminal::Integer) return std::nullopt;
  std::string_view digits = ast_.span(number).of(ast_.sql);
  int base = 10;
  if (digits.size() > 2 && fold(digits[1]) == 'x') {
    digits.remove_prefix(2);
    base = 16;
  }
  int32_t value = 0;
  const auto [end, status] = std::from_chars(digits.data(), digits.data() + digits.size(), value, base);
  if (status != std::errc()) return std::nullopt;
  return value;
}

void Resolver::literal(const Expr& expr) {
  if (expr.op != Terminal::Integer) return;
  std::string_view digits = ast_.span(expr).of(ast_.sql);
  if (digits.size() <= 2 || fold(digits[1]) != 'x') return;
  digits.remove_prefix(2);
  while (!digits.empty() && digits.front() == '0') digits.remove_prefix(1);
  if (digits.size() > 16) issues_.error(ast_.span(expr), "hex literal too big: at most 16 digits");
}

void Resolver::collation(const Expr& expr) {
  const std::string name = text_of(expr.name);
  for (const std::string_view known : {"binary", "nocase", "rtrim"}) {
    if (equal_folded(name, known)) return;
  }
  issues_.error(ast_.span_at(expr.name), "no such collation sequence: `" + name + "`; there are BINARY, NOCASE and RTRIM");
}

void Resolver::call(ExprId id, Scope& scope) {
  const Expr& expr = ast_.exprs[id];
  Call& call = ast_.calls[expr.data];
  const Span where = ast_.span_at(call.name);
  const std::string name = text_of(call.name);
  const size_t arguments = call.arguments;
  const auto* functions = functions_.find(name);
  for (const Function* function : functions == nullptr ? std::vector<const Function*>{} : *functions) {
    if (function->takes(arguments)) call.function = function;
  }
  if (call.function == nullptr) {
    issues_.error(where, functions == nullptr ? "no such function: `" + name + "`"
                                              : "wrong number of arguments to function `" + name + "`()");
    list(expr.child, scope);
    return;
  }
  constexpr size_t kMostArguments = 127;
  if (arguments > kMostArguments) issues_.error(where, "too many arguments on function `" + name + "`");
  const FunctionKind kind = call.function->kind;
  if (kind == FunctionKind::Outside) {
    issues_.outside(where, "the function `" + name + "` is outside the language");
  }
  if (call.window != 0) return window_call(id, call, scope);
  if (kind == FunctionKind::Window) {
    issues_.error(where, "misuse of window function `" + name + "`(): it needs OVER");
    list(expr.child, scope);
    return;
  }
  if (kind == FunctionKind::Aggregate) return aggregate(id, call, scope);
  if (call.filter != 0) {
    issues_.error(where, "FILTER may not be used with `" + name + "`(), which is no aggregate");
    this->expr(call.filter, scope);
  }
  list(expr.child, scope);
}

// An aggregate belongs to the innermost SELECT that its arguments name a column of; with none, to the one it stands in.
void Resolver::aggregate(ExprId id, Call& call, Scope& scope) {
  const Expr& expr = ast_.exprs[id];
  const Span where = ast_.span_at(call.name);
  const std::string name = text_of(call.name);
  if (!scope.aggregates) issues_.error(where, "misuse of aggregate: `" + name + "`() may not stand here");
  if (call.distinct && call.arguments != 1) {
    issues_.error(where, "DISTINCT aggregates must have exactly one argument");
  }
  const bool aggregates = std::exchange(scope.aggregates, false);
  const bool windows = std::exchange(scope.windows, false);
  const uint64_t outer_references = std::exchange(references_, 0);
  const uint64_t outer_owners = std::exchange(aggregate_owners_, 0);
  list(expr.child, scope);
  if (call.filter != 0) this->expr(call.filter, scope);
  const uint64_t visible = references_ & ((uint64_t{2} << scope.depth) - 1);
  references_ |= outer_references;
  scope.aggregates = aggregates;
  scope.windows = windows;

  const int owner_depth = visible == 0 ? scope.depth : 63 - std::countl_zero(visible);
  const Scope* owner = &scope;
  bool leaves_derived_table = false;
  while (owner->depth > owner_depth && owner->outer != nullptr) {
    leaves_derived_table |= owner->derived;
    owner = owner->outer;
  }
  call.owner = owner->core;
  const uint64_t owner_bit = uint64_t{1} << owner->depth;
  if ((aggregate_owners_ & owner_bit) != 0) {
    issues_.error(where, "misuse of aggregate: another aggregate of the same SELECT stands inside `" + name + "`()");
  }
  aggregate_owners_ |= outer_owners | owner_bit;
  if (owner != &scope) ast_.cores[owner->core].outer_aggregate = call.name;
  if (owner != &scope && (!owner->aggregates || leaves_derived_table)) {
    issues_.error(where, "misuse of aggregate: `" + name + "`() aggregates an enclosing SELECT, in a place where it may not");
  }
  if (owner->select_list && owner->core != 0) ast_.cores[owner->core].has_aggregate = true;
}

void Resolver::window_call(ExprId id, Call& call, Scope& scope) {
  const Expr& expr = ast_.exprs[id];
  const Span where = ast_.span_at(call.name);
  const std::string name = text_of(call.name);
  const FunctionKind kind = call.function->kind;
  if (kind != FunctionKind::Window && kind != FunctionKind::Aggregate) {
    issues_.error(where, "`" + name + "`() may not be used as a window function");
  }
  if (call.distinct) issues_.error(where, "DISTINCT is not supported for window functions");
  if (call.filter != 0 && kind == FunctionKind::Window) {
    issues_.error(where, "FILTER clause may only be used with aggregate window functions");
  }
  if (!scope.windows) issues_.error(where, "misuse of window function `" + name + "`(): it may stand in the select list and ORDER BY");
  // An aggregate inside makes the query an aggregating one only after SQLite has looked for HAVING's.
  const bool aggregating = ast_.cores[scope.core].has_aggregate;
  const bool windows = std::exchange(scope.windows, false);
  list(expr.child, scope);
  if (call.filter != 0) this->expr(call.filter, scope);
  window(call.window, scope, scope.core);
  scope.windows = windows;
  ast_.cores[scope.core].has_aggregate = aggregating;
  window_seen_ = true;
  ast_.cores[scope.core].has_window = true;
}

void Resolver::window(Index id, Scope& scope, CoreId core) {
  Window& window = ast_.windows[id];
  if (window.resolved) return;
  window.resolved = true;
  window_base(window, scope, core);
  list(window.partition, scope);
  list(window.order, scope);
  list(window.bounds, scope);
  window_frame(window);
}

// `w` in OVER w, OVER (w …) and WINDOW v AS (w …). SQLite's rules for what may be added to it.
void Resolver::window_base(Window& window, Scope& scope, CoreId core) {
  if (window.base == kNoName) return;
  const Range named = core == 0 ? Range{} : ast_.cores[core].windows;
  const Span where = ast_.span_at(window.base_lexeme);
  Index found = 0;  // of several with one name the last counts; a definition sees those before it
  for (Index i = named.first; i < named.end() && &ast_.windows[i] != &window; ++i) {
    if (ast_.windows[i].name == window.base) found = i;
  }
  const std::string text = text_of(window.base_lexeme);
  if (found == 0) return issues_.error(where, "no such window: `" + text + "`");
  this->window(found, scope, core);
  if (window.only_reference) return;
  const Window& base = ast_.windows[found];
  if (window.partition != 0) issues_.error(where, "cannot override PARTITION clause of window: `" + text + "`");
  if (base.order_count > 0 && window.order_count > 0) {
    issues_.error(where, "cannot override ORDER BY clause of window: `" + text + "`");
  }
  if (base.has_frame) issues_.error(where, "cannot override frame specification of window: `" + text + "`");
  if (window.order_count == 0) window.order_count = base.order_count;
}

void Resolver::window_frame(const Window& window) {
  if (!window.has_frame) return;
  const Span where = ast_.span_at(window.lexeme);
  const auto is_offset = [](Terminal bound) { return bound == Terminal::kw_PRECEDING || bound == Terminal::kw_FOLLOWING; };
  const bool offsets = is_offset(window.start) || is_offset(window.finish);
  if (window.frame_unit == Terminal::kw_RANGE && offsets && window.order_count != 1) {
    issues_.error(where, "RANGE with offset PRECEDING/FOLLOWING requires one ORDER BY expression");
  }
}

// Whether two resolved expressions are the same, as the database compares an ORDER BY term with an output column.
bool Resolver::same(ExprId a, ExprId b) const {
  const Expr& x = ast_.exprs[a];
  const Expr& y = ast_.exprs[b];
  if (x.kind != y.kind || x.op != y.op || x.bind != y.bind) return false;
  switch (x.kind) {
    case ExprKind::Subquery:
    case ExprKind::Exists:
    case ExprKind::InQuery:
    case ExprKind::Outside: return false;
    case ExprKind::Column:
      if (x.bind == Bind::Source) {
        return x.core == y.core && ast_.sources[x.bound].from == ast_.sources[y.bound].from &&
               ast_.sources[x.bound].column == ast_.sources[y.bound].column;
      }
      if (x.bind == Bind::Alias) return x.bound == y.bound;
      return equal_folded(ast_.span(x).of(ast_.sql), ast_.span(y).of(ast_.sql));
    case ExprKind::Literal: return ast_.span(x).of(ast_.sql) == ast_.span(y).of(ast_.sql);
    case ExprKind::Cast:
    case ExprKind::Test: return equal_folded(ast_.span(x).of(ast_.sql), ast_.span(y).of(ast_.sql));
    case ExprKind::Call: {
      const Call& f = ast_.calls[x.data];
      const Call& g = ast_.calls[y.data];
      if (f.function != g.function || f.distinct != g.distinct || f.star != g.star) return false;
      if (f.filter != 0 || g.filter != 0 || f.window != 0 || g.window != 0) return false;
      break;
    }
    default: break;
  }
  ExprId c = x.child;
  ExprId d = y.child;
  for (; c != 0 && d != 0; c = ast_.exprs[c].next, d = ast_.exprs[d].next) {
    if (!same(c, d)) return false;
  }
  return c == 0 && d == 0;
}

}  // namespace pccsql::check
