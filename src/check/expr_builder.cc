#include "check/expr_builder.h"

#include <algorithm>
#include <charconv>

#include "base/text.h"

namespace pccsql::check {
namespace {

// SQLite's parser stack holds a hundred symbols; three are taken by the statement itself and the lexeme in hand.
constexpr int kParserStack = 97;
constexpr int kTallestExpression = 1000;

// SQLite's table, loosest first. Unary - + ~ bind tighter than all of these.
constexpr int kNotPrecedence = 3;
constexpr int kEqualityPrecedence = 4;
int precedence(Terminal op) {
  switch (op) {
    case Terminal::kw_OR:
      return 1;
    case Terminal::kw_AND:
      return 2;
    case Terminal::Less:
    case Terminal::LessEqual:
    case Terminal::Greater:
    case Terminal::GreaterEqual:
      return 5;
    case Terminal::Ampersand:
    case Terminal::Bar:
    case Terminal::ShiftLeft:
    case Terminal::ShiftRight:
      return 7;
    case Terminal::Plus:
    case Terminal::Minus:
      return 8;
    case Terminal::Star:
    case Terminal::Slash:
    case Terminal::Percent:
      return 9;
    case Terminal::Concat:
    case Terminal::Arrow:
    case Terminal::LongArrow:
      return 10;
    case Terminal::kw_COLLATE:
      return 11;
    default:
      return kEqualityPrecedence;  // = <> IS IN LIKE BETWEEN ISNULL NOTNULL and NOT before one of them
  }
}

}  // namespace

bool ExprBuilder::too_deep(int depth, uint32_t node) {
  if (depth < kParserStack) return false;
  if (!reported_) {
    reported_ = true;
    issues_.error(ast_.span_at(nodes_[node].first),
                  "nested deeper than the database's parser can follow; take a level of parentheses or subqueries out");
  }
  return true;
}

NameId ExprBuilder::new_name(uint32_t lexeme) {
  return names_.intern(name_text(ast_.lexemes[lexeme], ast_.sql, buffer_));
}

ExprId ExprBuilder::add(ExprKind kind, uint32_t first, uint32_t last) {
  Expr expr;
  expr.kind = kind;
  expr.first = first;
  expr.last = last;
  ast_.exprs.push_back(expr);
  return static_cast<ExprId>(ast_.exprs.size() - 1);
}

void ExprBuilder::raise_height(ExprId parent, ExprId child) {
  const int height = std::max<int>(ast_.exprs[parent].height, ast_.exprs[child].height + 1);
  ast_.exprs[parent].height = static_cast<uint16_t>(std::min(height, kTallestExpression + 1));
  if (height > kTallestExpression && !tall_) {
    tall_ = true;
    issues_.error(ast_.span(ast_.exprs[parent]), "an expression tree taller than the database's limit of 1000");
  }
}

void ExprBuilder::append(List& list, ExprId expr) {
  if (list.last != 0) {
    ast_.exprs[list.last].next = expr;
  } else {
    list.first = expr;
  }
  list.last = expr;
  ++list.count;
}

void ExprBuilder::set_children(ExprId parent, const List& list) {
  ast_.exprs[parent].child = list.first;
  for (ExprId child = list.first; child != 0; child = ast_.exprs[child].next) raise_height(parent, child);
}

ExprBuilder::List ExprBuilder::list(uint32_t node, int depth) {
  List list;
  TreeCursor cursor(nodes_, node);
  while (!cursor.done()) {
    if (cursor.at(rules_.expr)) {
      append(list, expr(cursor.child(), depth));
    } else if (cursor.at_node()) {
      cursor.child();
    } else {
      cursor.take();
    }
  }
  return list;
}

ExprBuilder::List ExprBuilder::order_terms(uint32_t node, int depth) {
  List list;
  TreeCursor cursor(nodes_, node);
  while (!cursor.done()) {
    if (!cursor.at_node()) {
      cursor.take();
      continue;
    }
    TreeCursor term(nodes_, cursor.child());
    append(list, expr(term.child(), depth));
  }
  return list;
}

ExprId ExprBuilder::expr(uint32_t node, int depth) {
  if (too_deep(depth, node)) return add(ExprKind::Outside, nodes_[node].first, nodes_[node].last);
  TreeCursor cursor(nodes_, node);
  const uint32_t first_operand = cursor.child();
  const ExprId left = operand(cursor, first_operand, depth);
  return climb(cursor, left, 0, depth);
}

// Extends `left` with every operator to its right that binds at least as tightly as `least`.
ExprId ExprBuilder::climb(TreeCursor& cursor, ExprId left, int least, int depth) {
  while (!cursor.done()) {
    const Terminal op = ast_.lexemes[cursor.lexeme()].terminal;
    const int binds = precedence(op);
    if (binds < least) break;
    if (cursor.at_node()) {
      const uint32_t node = cursor.child();
      if (too_deep(depth + 2, node)) return left;
      left = infix(cursor, node, left, binds, depth);
    } else {  // AND, OR
      cursor.take();
      const uint32_t node = cursor.child();
      if (too_deep(depth + 2, node)) return left;
      const ExprId right = climb(cursor, operand(cursor, node, depth + 2), binds + 1, depth + 2);
      left = binary(op, left, right);
    }
  }
  return left;
}

ExprId ExprBuilder::binary(Terminal op, ExprId left, ExprId right) {
  const ExprId id = add(ExprKind::Binary, ast_.exprs[left].first, ast_.exprs[right].last);
  ast_.exprs[id].op = op;
  ast_.exprs[left].next = right;
  ast_.exprs[id].child = left;
  raise_height(id, left);
  raise_height(id, right);
  return id;
}

// One infix node; `cursor` is the flat expression it stands in, from which a right operand takes what binds tighter.
ExprId ExprBuilder::infix(TreeCursor& cursor, uint32_t node, ExprId left, int binds, int depth) {
  TreeCursor part(nodes_, node);
  if (part.at(rules_.tighter)) part = TreeCursor(nodes_, part.child());
  if (part.at(rules_.negatable)) return negatable(cursor, part.child(), left, binds, depth);
  const uint32_t op_lexeme = part.take();
  const Terminal op = ast_.lexemes[op_lexeme].terminal;
  switch (op) {
    case Terminal::kw_COLLATE: {
      const uint32_t name = part.at_node() ? nodes_[part.child()].first : part.take();
      const ExprId id = add(ExprKind::Collate, ast_.exprs[left].first, name + 1);
      ast_.exprs[id].name = name;
      set_children(id, {left, left, 1});
      return id;
    }
    case Terminal::kw_NOT:
      if (part.at(rules_.negatable)) {
        const ExprId id = negatable(cursor, part.child(), left, binds, depth);
        ast_.exprs[id].negated = true;
        return id;
      }
      part.take();  // NULL
      [[fallthrough]];
    case Terminal::kw_ISNULL:
    case Terminal::kw_NOTNULL: {
      const ExprId id = add(ExprKind::Test, ast_.exprs[left].first, part.lexeme());
      ast_.exprs[id].negated = op != Terminal::kw_ISNULL;
      set_children(id, {left, left, 1});
      return id;
    }
    default:
      break;
  }
  bool negated = false;
  while (!part.at(rules_.operand)) {  // IS [NOT] [DISTINCT FROM]
    const Terminal word = ast_.lexemes[part.take()].terminal;
    negated ^= word == Terminal::kw_NOT || word == Terminal::kw_DISTINCT;
  }
  const int deeper = depth + static_cast<int>(part.lexeme() - op_lexeme) + 1;
  const ExprId right = operand(cursor, part.child(), deeper);
  const ExprId id = binary(op, left, climb(cursor, right, binds + 1, deeper));
  ast_.exprs[id].negated = negated;
  return id;
}

ExprId ExprBuilder::negatable(TreeCursor& cursor, uint32_t node, ExprId left, int binds, int depth) {
  TreeCursor part(nodes_, node);
  if (part.at(rules_.match)) {
    const uint32_t match = nodes_[part.child()].first;
    if (ast_.lexemes[match].terminal == Terminal::kw_REGEXP) {
      issues_.error(ast_.span_at(match), "no such function: `REGEXP`; LIKE and GLOB are there");
    }
    return binary(Terminal::kw_MATCH, left, expr(part.child(), depth + 2));
  }
  const Terminal op = ast_.lexemes[part.take()].terminal;
  if (op == Terminal::kw_BETWEEN) {
    List operands;
    append(operands, left);
    append(operands, expr(part.child(), depth + 2));
    part.take();  // AND
    append(operands, climb(cursor, operand(cursor, part.child(), depth + 4), binds + 1, depth + 4));
    const ExprId id = add(ExprKind::Between, ast_.exprs[left].first, ast_.exprs[operands.last].last);
    set_children(id, operands);
    return id;
  }
  if (op == Terminal::kw_IN) {
    TreeCursor set(nodes_, part.child());
    if (set.at(rules_.in_table)) {
      const uint32_t table = set.child();
      const ExprId id = add(ExprKind::InTable, ast_.exprs[left].first, nodes_[table].last);
      ast_.exprs[id].data = nodes_[table].first;
      ast_.exprs[id].qualified = nodes_[table].last - nodes_[table].first > 1;
      set_children(id, {left, left, 1});
      return id;
    }
    const ExprId id = add(ExprKind::InList, ast_.exprs[left].first, nodes_[node].last);
    set.take();  // (
    List operands;
    append(operands, left);
    if (set.at(rules_.query)) {
      const QueryId query = build_query(queries_, set.child(), depth + 3);
      ast_.exprs[id].kind = ExprKind::InQuery;
      ast_.exprs[id].data = query;
    } else {
      while (!set.done()) {
        if (set.at_node()) {
          append(operands, expr(set.child(), depth + 5));
        } else {
          set.take();
        }
      }
    }
    set_children(id, operands);
    return id;
  }
  const ExprId pattern = expr(part.child(), depth + 2);  // LIKE, GLOB
  const ExprId id = binary(op, left, pattern);
  if (!part.done()) {
    const uint32_t escape_lexeme = part.take();
    if (op == Terminal::kw_GLOB) {
      issues_.error(ast_.span_at(escape_lexeme), "wrong number of arguments to function `GLOB`(): it takes no ESCAPE");
    }
    const ExprId escape = expr(part.child(), depth + 4);
    ast_.exprs[pattern].next = escape;
    ast_.exprs[id].last = ast_.exprs[escape].last;
    raise_height(id, escape);
  }
  return id;
}

ExprId ExprBuilder::operand(TreeCursor& outer, uint32_t node, int depth) {
  TreeCursor cursor(nodes_, node);
  return prefixed(outer, cursor, depth);
}

// NOT takes in everything to its right that binds tighter than itself, wherever it stands; - + ~ take their operand alone.
ExprId ExprBuilder::prefixed(TreeCursor& outer, TreeCursor& cursor, int depth) {
  const uint32_t lexeme = cursor.lexeme();
  const Terminal op = ast_.lexemes[lexeme].terminal;
  const bool prefix = !cursor.at_node() && (op == Terminal::kw_NOT || op == Terminal::Minus || op == Terminal::Plus ||
                                            op == Terminal::Tilde);
  if (!prefix) return primary(cursor, depth);
  if (depth + 1 >= kParserStack) {
    if (!reported_) issues_.error(ast_.span_at(lexeme), "more unary operators than the database's parser can follow");
    reported_ = true;
    return add(ExprKind::Outside, lexeme, lexeme + 1);
  }
  cursor.take();
  ExprId inner = prefixed(outer, cursor, depth + 1);
  if (op == Terminal::kw_NOT) inner = climb(outer, inner, kNotPrecedence + 1, depth + 1);
  const ExprId id = add(ExprKind::Unary, lexeme, ast_.exprs[inner].last);
  ast_.exprs[id].op = op;
  set_children(id, {inner, inner, 1});
  return id;
}

ExprId ExprBuilder::primary(TreeCursor& cursor, int depth) {
  if (cursor.at_node()) {
    const RuleId rule = cursor.rule();
    const uint32_t node = cursor.child();
    if (rule == rules_.cast) return cast(node, depth);
    if (rule == rules_.case_) return case_expr(node, depth);
    parameter(nodes_[node].first);
    return add(ExprKind::Outside, nodes_[node].first, nodes_[node].last);
  }
  const uint32_t lexeme = cursor.lexeme();
  switch (const Terminal terminal = ast_.lexemes[lexeme].terminal) {
    case Terminal::LeftParen:
      return parenthesis(cursor, depth);
    case Terminal::kw_EXISTS: {
      cursor.take();
      cursor.take();
      const QueryId query = build_query(queries_, cursor.child(), depth + 2);
      const ExprId id = add(ExprKind::Exists, lexeme, cursor.take() + 1);
      ast_.exprs[id].data = query;
      return id;
    }
    case Terminal::Integer:
    case Terminal::Float:
    case Terminal::String:
    case Terminal::Blob:
    case Terminal::kw_NULL:
    case Terminal::kw_CURRENT_DATE:
    case Terminal::kw_CURRENT_TIME:
    case Terminal::kw_CURRENT_TIMESTAMP: {
      cursor.take();
      const ExprId id = add(ExprKind::Literal, lexeme, lexeme + 1);
      ast_.exprs[id].op = terminal;
      return id;
    }
    default:
      return reference(cursor, depth);
  }
}

void ExprBuilder::parameter(uint32_t lexeme) {
  constexpr uint32_t kMostParameters = 250000;
  const std::string_view digits = ast_.span_at(lexeme).of(ast_.sql).substr(1);
  if (ast_.sql[ast_.span_at(lexeme).begin] != '?' || digits.empty()) return;
  uint32_t number = 0;
  const auto [end, status] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  if (status == std::errc() && number >= 1 && number <= kMostParameters) return;
  issues_.error(ast_.span_at(lexeme), "variable number must be between ?1 and ?250000");
}

ExprId ExprBuilder::parenthesis(TreeCursor& cursor, int depth) {
  const uint32_t open = cursor.take();
  if (cursor.at(rules_.query)) {
    const QueryId query = build_query(queries_, cursor.child(), depth + 1);
    const ExprId id = add(ExprKind::Subquery, open, cursor.take() + 1);
    ast_.exprs[id].data = query;
    return id;
  }
  List parts;
  append(parts, expr(cursor.child(), depth + 1));
  while (ast_.lexemes[cursor.lexeme()].terminal == Terminal::Comma) {
    cursor.take();
    append(parts, expr(cursor.child(), depth + 3));
  }
  const uint32_t close = cursor.take();
  ExprId id = parts.first;
  if (parts.count > 1) {
    id = add(ExprKind::Row, open, close + 1);
    set_children(id, parts);
  }
  ast_.exprs[id].parenthesised = true;
  return id;
}

ExprId ExprBuilder::reference(TreeCursor& cursor, int depth) {
  const uint32_t name = cursor.take();
  if (cursor.at(rules_.call)) return call(name, cursor.child(), depth);
  const ExprId id = add(ExprKind::Column, name, name + 1);
  ast_.exprs[id].name = name;
  if (cursor.done()) return id;
  cursor.take();  // .
  Expr& expr = ast_.exprs[id];
  expr.qualified = true;
  expr.qualifier = name;
  if (!cursor.at_node() && ast_.lexemes[cursor.lexeme()].terminal == Terminal::Star) {
    expr.kind = ExprKind::Star;
    stars_.push_back(id);
  }
  expr.name = cursor.at_node() ? nodes_[cursor.child()].first : cursor.take();
  if (!cursor.done()) {  // schema.table.column: outside, but its uses can be told
    if (!equal_folded(name_text(ast_.lexemes[name], ast_.sql, buffer_), "main")) {
      issues_.error(ast_.span_at(name), "no such schema: `" + std::string(ast_.span_at(name).of(ast_.sql)) + "`");
    }
    expr.qualifier = expr.name;
    expr.name = nodes_[cursor.child()].last - 1;
  }
  expr.last = cursor.lexeme();
  return id;
}

void ExprBuilder::reject_stray_stars() {
  for (const ExprId id : stars_) {
    const Expr& star = ast_.exprs[id];
    if (star.whole_item) continue;
    issues_.error(ast_.span(star), "syntax error near `" + std::string(ast_.span(star).of(ast_.sql)) +
                                       "`: it may only be a select item of its own, without an alias");
  }
}

}  // namespace pccsql::check
