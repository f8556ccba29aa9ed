// Expressions: names and calls in them, row values where they may stand, constants that SQLite's parser folds.
#include <charconv>

#include "base/text.h"
#include "check/resolver.h"

namespace pccsql::check {

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
    issues_.error(ast_.span(ast_.exprs[right]),
                  "row value misused: " + std::to_string(a) + " values are compared with " + std::to_string(b));
  }
}

// A row may stand left of IN if every element is a row as wide. A lone subquery in the list is IN (SELECT …) to SQLite.
void Resolver::in_list(ExprId id, Scope& scope) {
  const ExprId left = ast_.exprs[id].child;
  const ExprId first = ast_.exprs[left].next;
  if (first == 0) return dead(left, scope);
  if (ast_.exprs[first].next == 0 && ast_.exprs[first].kind == ExprKind::Subquery) return compare(left, first, scope);
  const bool rows = ast_.exprs[left].kind == ExprKind::Row;
  const Index terms = width(left);
  expr(left, scope, rows);
  for (ExprId element = first; element != 0; element = ast_.exprs[element].next) {
    expr(element, scope, rows);
    const Expr& value = ast_.exprs[element];
    if (rows && (value.kind != ExprKind::Row || width(element) != terms)) {
      issues_.error(ast_.span(value), "IN element has " +
                                          std::to_string(value.kind == ExprKind::Row ? width(element) : 1) +
                                          " terms - expected " + std::to_string(terms));
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
    issues_.error(ast_.span(test), "sub-select returns " + std::to_string(column_count(table)) +
                                       " columns - expected " + std::to_string(width(test.child)));
  }
}

void Resolver::expr(ExprId id, Scope& scope, bool row_allowed) {
  if (!work_.spend(32)) return;
  const Expr& expr = ast_.exprs[id];
  switch (expr.kind) {
    case ExprKind::Literal:
      return literal(expr);
    case ExprKind::Outside:
    case ExprKind::Star:
      return;  // noted by the builder
    case ExprKind::Column:
      return column(id, scope);
    case ExprKind::Call:
      return call(id, scope);
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
        issues_.error(ast_.span(expr), "sub-select returns " + std::to_string(set.outputs.count) +
                                           " columns - expected " + std::to_string(left));
      }
      return;
    }
    case ExprKind::Binary:
      switch (expr.op) {
        case Terminal::Equal:
        case Terminal::NotEqual:
        case Terminal::Less:
        case Terminal::LessEqual:
        case Terminal::Greater:
        case Terminal::GreaterEqual:
        case Terminal::kw_IS:
          return compare(expr.child, ast_.exprs[expr.child].next, scope);
        case Terminal::kw_AND:
          if (folded_constant(id) == 0) return dead(expr.child, scope);
          break;
        default:
          break;
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
    case ExprKind::InList:
      return in_list(id, scope);
    case ExprKind::InTable:
      return in_table(id, scope);
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

// What the parser drops.
void Resolver::dead(ExprId first, Scope& scope) {
  unseen(scope, [&] {
    for (ExprId id = first; id != 0; id = ast_.exprs[id].next) expr(id, scope, true);
  });
}

// What the database does not look at is judged here all the same, but it makes no SELECT an aggregating one.
void Resolver::unseen(const Scope& scope, const std::function<void()>& resolve) {
  std::vector<bool> aggregating;
  for (const Scope* at = &scope; at != nullptr; at = at->outer)
    aggregating.push_back(ast_.cores[at->core].has_aggregate);
  const uint64_t references = references_;
  const bool window = window_seen_;
  resolve();
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
  issues_.error(ast_.span_at(expr.name),
                "no such collation sequence: `" + name + "`; there are BINARY, NOCASE and RTRIM");
}

}  // namespace pccsql::check
